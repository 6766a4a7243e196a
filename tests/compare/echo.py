"""A server that tells exactly what reached it, digits included: `echo.py LOG [--http PORT]`.

It is written without an SDK, since an SDK would have read the arguments before it. Every call is one line of LOG, with the
arguments as they came. It speaks over standard input and output, or streamable HTTP with sessions.
"""
import argparse
import base64
import json
import os
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class Number(str):
    """The digits of a number, as they were written."""


def read(text):
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)


def write(value):
    """JSON text with every number as it was read."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def same(one, other):
    """Whether two values are the same to the last digit; the order of members is nothing."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def png():
    """The smallest picture there is: one red dot."""
    def chunk(kind, data):
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    head = (1).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    data = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


TEXT = {"type": "string"}
POINT = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}}
EDIT = {"type": "object", "properties": {"old": TEXT, "new": TEXT}, "required": ["old", "new"], "additionalProperties": False}
ECHO = {
    "text": TEXT,
    "flag": {"type": "boolean"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "words": {"type": "array", "items": TEXT},
    "numbers": {"type": "array", "items": {"type": "integer"}},
    "colour": {"type": "string", "enum": ["red", "green", "blue"]},
    "dryRun": {"type": "boolean"},
    "place": {"type": "object", "properties": {"city": TEXT, "zip": TEXT, "point": POINT}},
    "edits": {"type": "array", "items": EDIT},
}


def closed(properties, required=()):
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TOOLS = [
    {"name": "echo", "description": "Says what it got.", "inputSchema": closed(ECHO)},
    {"name": "need", "description": "Needs three things.",
     "inputSchema": closed({"title": TEXT, "body": TEXT, "count": {"type": "integer"}}, ["title", "body", "count"])},
    {"name": "fail", "description": "Answers that it failed.", "inputSchema": closed({})},
    {"name": "broken", "description": "Answers with an error of the protocol.", "inputSchema": closed({})},
    {"name": "die", "description": "Ends the server.", "inputSchema": closed({})},
    {"name": "hang", "description": "Never answers.", "inputSchema": closed({})},
    {"name": "image", "description": "Draws a red dot.", "inputSchema": closed({})},
    {"name": "numbers", "description": "Has exact numbers.", "inputSchema": closed({}),
     "outputSchema": {"type": "object", "properties": {"id": {"type": "integer"}, "price": {"type": "number"}}}},
    {"name": "slow", "description": "Tells how far it is.", "inputSchema": closed({})},
]
EXACT = '{"id":9007199254740993,"price":0.10}'


class Failure(Exception):
    """An error of the protocol."""


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def call(params, log, notify):
    name, arguments = params.get("name"), params.get("arguments")
    log(write({"tool": name, "arguments": arguments}))
    if name in ("echo", "need"):
        return text(write(arguments))
    if name == "fail":
        return text("the disk is full", isError=True)
    if name == "broken":
        raise Failure(-32603, "the shelf fell down")
    if name == "die":
        os._exit(3)
    if name == "hang":
        time.sleep(3600)
    if name == "image":
        return {"content": [{"type": "image", "mimeType": "image/png", "data": base64.b64encode(png()).decode()}]}
    if name == "numbers":
        return text(EXACT, structuredContent=read(EXACT))
    if name == "slow":
        token = params.get("_meta", {}).get("progressToken")
        for step in (1, 2, 3):
            if token is not None:
                said = {"progressToken": token, "progress": Number(step), "total": Number(3), "message": f"step {step}"}
                notify({"jsonrpc": "2.0", "method": "notifications/progress", "params": said})
            time.sleep(0.2)
        return text("progress was asked for" if token is not None else "nobody asked for progress")
    raise Failure(-32602, f"Unknown tool: {name}")


def answer(message, log, notify):
    """The answer to one message; nothing where there is none."""
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message or method is None:
        return None
    try:
        if method == "initialize":
            asked = params.get("protocolVersion")
            result = {
                "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1.0.0"},
            }
        elif method == "ping":
            result = {}
        elif method == "tools/list":
            result = {"tools": TOOLS}
        elif method == "tools/call":
            result = call(params, log, notify)
        else:
            raise Failure(-32601, "Method not found")
    except Failure as failure:
        code, words = failure.args
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": Number(code), "message": words}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def serve_stdio(log):
    turn = threading.Lock()

    def send(message):
        with turn:
            sys.stdout.buffer.write(write(message).encode() + b"\n")
            sys.stdout.buffer.flush()

    def reply(message):
        said = answer(message, log, send)
        if said is not None:
            send(said)

    for line in sys.stdin.buffer:
        # Each in a thread of its own: one that hangs must not keep the others, nor the end of the input, from being seen.
        threading.Thread(target=reply, args=(read(line),), daemon=True).start()
    time.sleep(0.05)
    os._exit(0)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log = None

    def do_POST(self):
        message = read(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message or "method" not in message:
            return self._plain(202)
        if message["method"] == "tools/call" and (message.get("params") or {}).get("name") == "slow":
            return self._stream(message)
        said = write(answer(message, self.log, lambda _: None)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        if message["method"] == "initialize":
            self.send_header("Mcp-Session-Id", os.urandom(8).hex())
        self.end_headers()
        self.wfile.write(said)

    def _stream(self, message):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

        def send(said):
            self.wfile.write(f"event: message\ndata: {write(said)}\n\n".encode())
            self.wfile.flush()
        send(answer(message, self.log, send))
        self.close_connection = True

    def do_GET(self):
        self._plain(405)

    def do_DELETE(self):
        self._plain(200)

    def _plain(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log")
    parser.add_argument("--http", type=int)
    chosen = parser.parse_args()

    def log(line):
        with open(chosen.log, "a", encoding="utf-8") as file:
            file.write(line + "\n")

    if chosen.http is None:
        return serve_stdio(log)
    Handler.log = staticmethod(log)
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer(("127.0.0.1", chosen.http), Handler).serve_forever()


if __name__ == "__main__":
    main()
