#!/usr/bin/env python3
"""Sends frames that could be read in two ways through the guard, to servers that read as others do. See README.md.

    run.py --toolgate PATH --recorder PATH [--only TEXT] [--reader NAME] [--no-skip]

One line a failing frame and one a session, then `N passed, M failed`; exit 1 where one failed.
"""
import argparse
import importlib.util
import json
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 60
# An answer may come behind that of a later call; where several did not come at all, the rest is not waited for.
LATE_S = 10
LATE_ANSWERS_MISSING_MAX = 2
# The first takes batches, the second does not.
REVISIONS = ("2025-03-26", "2025-06-18")


class Stuck(Exception):
    """The stream does not go on."""


def frame_bytes(frame, ident):
    """The frame as it is sent, without the end of its line."""
    if "hex" in frame:
        return bytes.fromhex(frame["hex"]).replace(b"$ID", ident.encode())
    if "build" in frame:
        build = frame["build"]
        repeated = build["fill"] * build["count"]
        closing = build.get("close", "") * build["count"]
        text = build["head"] + repeated + build["tail"] + closing + build.get("end", "")
    else:
        text = frame["text"]
    return text.replace("$ID", ident).encode()


class Guard:
    """The guard, with a recording server behind it."""

    def __init__(self, toolgate, recorder, revision):
        self.process = subprocess.Popen(
            [toolgate, "run", "--", *recorder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        client = {"name": "smuggler", "version": "1"}
        self.request("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": client})
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        self.request("tools/list", {})

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, line):
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Stuck(f"the guard is gone: {error}") from None

    def receive(self, deadline):
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise Stuck("no answer in time") from None
        if line is None:
            raise Stuck("the guard ended")
        return json.loads(line)

    def until(self, wanted, timeout_s=TIMEOUT_S):
        """All messages up to the one that is wanted."""
        deadline, messages = time.monotonic() + timeout_s, []
        while True:
            message = self.receive(deadline)
            messages.append(message)
            if wanted(message):
                return messages

    def late_refusal(self):
        """The messages up to a refusal, or none where it does not come."""
        try:
            return self.until(is_refusal, LATE_S)
        except Stuck:
            return []

    def request(self, method, params):
        frame = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self.send(json.dumps(frame).encode())
        self.until(lambda message: message.get("id") == method)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Stuck("the guard does not end when its input does") from None
        finally:
            self.process.kill()
            self.process.wait()


def is_refusal(message):
    """An error, or a tool result that is one; also where it stands in a batch of answers."""
    if isinstance(message, list):
        return any(map(is_refusal, message))
    return "error" in message or message.get("result", {}).get("isError") is True


def marker(index):
    return f"marker-{index}"


def is_answer_to(ident):
    return lambda message: isinstance(message, dict) and message.get("id") == ident


def send_all(guard, frames):
    """Sends every frame, each followed by a good call that shows that the stream goes on; returns what came back."""
    came, patience = [], LATE_ANSWERS_MISSING_MAX
    for index, frame in enumerate(frames):
        guard.send(frame_bytes(frame, f"frame-{index}"))
        call = {"name": "book", "arguments": {"seat": marker(index)}}
        guard.send(json.dumps({"jsonrpc": "2.0", "id": marker(index), "method": "tools/call", "params": call}).encode())
        try:
            messages = guard.until(is_answer_to(marker(index)))[:-1]
            # The answer to a refused frame may come behind that of the good call.
            if frame["expect"] == "refused" and patience and not any(map(is_refusal, messages)):
                late = guard.late_refusal()
                messages += late
                patience -= not late
        except Stuck as stuck:
            raise Stuck(f"{frame['id']} ({frame['what']}): {stuck}") from None
        came.append(messages)
    return came


def split_log(path, frames):
    """What the server saw of each frame: everything up to the good call behind it."""
    seen, current = [], []
    for line in path.read_bytes().rstrip(b"\n").split(b"\n"):
        entry = json.loads(line)
        params = entry.get("params")
        arguments = params.get("arguments") if isinstance(params, dict) else None
        if arguments == {"seat": marker(len(seen))}:
            seen.append(current)
            current = []
        else:
            current.append(entry)
    if len(seen) != len(frames):
        raise Stuck(f"the server saw {len(seen)} of {len(frames)} good calls")
    return seen


def was_admitted(params):
    """Whether this could have been admitted by the one contract there is."""
    if not isinstance(params, dict) or params.get("name") != "book":
        return False
    arguments = params.get("arguments")
    return isinstance(arguments, dict) and arguments.keys() == {"seat"} and isinstance(arguments["seat"], str)


def faults(frame, reader, entries, messages):
    calls = [entry["params"] for entry in entries if "params" in entry]
    for params in calls:
        if not was_admitted(params):
            yield f"the server saw a call that was not admitted: {json.dumps(params)[:200]}"
    expect = frame["expect"]
    if expect == "admitted" and reader not in frame.get("not_for", []):
        arrived = [params.get("arguments") for params in calls]
        if arrived != [frame["arrives"]]:
            yield f"arrived: {json.dumps(arrived)[:200]}"
    if expect in ("refused", "dropped") and entries:
        yield f"the server saw {json.dumps(entries)[:200]}"
    if expect == "refused" and not any(map(is_refusal, messages)):
        yield "the client was told nothing"
    if expect == "dropped" and messages:
        yield f"the client was told {json.dumps(messages)[:200]}"


def session(toolgate, reader, recorder, revision, frames):
    """All frames for one reader under one revision; returns how many passed and failed."""
    name = f"{reader} under {revision}"
    with tempfile.TemporaryDirectory(prefix="toolgate-smuggling-") as folder:
        log = pathlib.Path(folder) / "log.jsonl"
        failed = 0
        try:
            guard = Guard(toolgate, recorder(str(log)), revision)
            try:
                came = send_all(guard, frames)
            finally:
                guard.close()
            for frame, entries, messages in zip(frames, split_log(log, frames), came):
                wrong = list(faults(frame, reader, entries, messages))
                failed += bool(wrong)
                for fault in wrong:
                    print(f"FAIL {frame['id']} for {name}, {frame['what']}: {fault}")
        except Stuck as stuck:
            print(f"FAIL {name}: {stuck}")
            failed = len(frames)
        passed = len(frames) - failed
        print(f"{'FAIL' if failed else 'ok  '} {name}: {passed} frames as they should be, {failed} not", flush=True)
        return passed, failed


def readers(options):
    """Each reader with the command that starts it for a log, or the reason why there is none."""
    python = sys.executable
    for name in ("python", "python-splitlines", "python-first", "python-fold"):
        yield name, lambda log, name=name: [python, str(HERE / "recorder.py"), log, name]
    sdk = importlib.util.find_spec("mcp_types")
    yield "python-sdk", (lambda log: [python, str(HERE / "recorder_sdk.py"), log]) if sdk else "the package `mcp` is missing"
    node = shutil.which("node")
    for name, mode in (("node", "plain"), ("typescript-sdk", "sdk")):
        if not node:
            yield name, "there is no Node"
        elif mode == "sdk" and not (HERE.parent / "real" / "node_modules").is_dir():
            yield name, "tests/real/node_modules is missing"
        else:
            yield name, lambda log, mode=mode: [node, str(HERE / "recorder.mjs"), log, mode]
    for name, mode in (("rust", "plain"), ("rust-sdk", "sdk")):
        missing = "--recorder is not given"
        yield name, (lambda log, mode=mode: [options.recorder, log, mode]) if options.recorder else missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolgate", required=True)
    parser.add_argument("--recorder", help="the program `record_calls`")
    parser.add_argument("--only", default="", help="frames whose id or description contains this")
    parser.add_argument("--reader", help="this reader only")
    parser.add_argument("--no-skip", action="store_true")
    options = parser.parse_args()
    toolgate = str(pathlib.Path(options.toolgate).resolve())

    # What a server saw may be as deep and as long as the frames are.
    sys.setrecursionlimit(20000)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    document = json.loads((HERE / "frames.json").read_text())
    frames = [frame for frame in document["frames"] if options.only in frame["id"] + " " + frame["what"]]
    passed = failed = 0
    for reader, recorder in readers(options):
        if options.reader not in (None, reader):
            continue
        if isinstance(recorder, str):
            print(f"{'FAIL' if options.no_skip else 'skipped'} {reader}: {recorder}")
            failed += options.no_skip
            continue
        for revision in REVISIONS:
            results = session(toolgate, reader, recorder, revision, frames)
            passed, failed = passed + results[0], failed + results[1]
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


main()
