#!/usr/bin/env python3
"""A server that reads its frames as one of several readers does, and writes down every call it sees.

    recorder.py LOG READER
"""
import io
import json
import sys

TOOL = {
    "name": "book",
    "inputSchema": {"type": "object", "properties": {"seat": {"type": "string"}}, "required": ["seat"]},
}


def text_stream():
    """Lines as the Python SDK's first major version makes them: CR, LF and CRLF all end one."""
    return io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")


def unicode_lines():
    """Lines as `str.splitlines` makes them."""
    for raw in sys.stdin.buffer:
        yield from raw.decode("utf-8", "replace").splitlines()


def first_wins(pairs):
    taken = {}
    for name, value in pairs:
        taken.setdefault(name, value)
    return taken


def folded(pairs):
    return {name.casefold(): value for name, value in pairs}


READERS = {
    "python": (text_stream, {}),
    "python-splitlines": (unicode_lines, {}),
    "python-first": (text_stream, {"object_pairs_hook": first_wins}),
    "python-fold": (text_stream, {"object_pairs_hook": folded, "strict": False}),
}


def result(frame):
    method = frame.get("method")
    params = frame.get("params") if isinstance(frame.get("params"), dict) else {}
    if method == "initialize":
        version = params.get("protocolVersion", params.get("protocolversion"))
        return {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "recorder", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "done"}]}
    return {}


def note(log, frame):
    """Writes down what was seen: a call with its params, anything else with its method only."""
    method = frame.get("method")
    if method == "tools/call":
        log.write(json.dumps({"params": frame.get("params")}) + "\n")
    elif isinstance(method, str):
        log.write(json.dumps({"method": method}) + "\n")
    log.flush()


def serve(log, lines, options):
    sys.setrecursionlimit(20000)
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogatepass")
    for line in lines():
        try:
            value = json.loads(line, **options)
        except (ValueError, RecursionError):
            continue
        # A reader that takes batches takes them in every revision.
        for frame in value if isinstance(value, list) else [value]:
            if not isinstance(frame, dict):
                continue
            note(log, frame)
            if "method" in frame and "id" in frame:
                print(json.dumps({"jsonrpc": "2.0", "id": frame["id"], "result": result(frame)}), flush=True)


if __name__ == "__main__":
    with open(sys.argv[1], "a") as log:
        serve(log, *READERS[sys.argv[2]])
