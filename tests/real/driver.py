"""Drives one official client in a process of its own.

A line to it is a JSON object with `op`:

    start   command, env, cwd, stderr (a file), mode (Python client: `auto` or `legacy`)
    list    -> {"tools": [...]}, all pages
    call    name, arguments (left out where the member is absent) -> {"result": ...} or {"error": ...}
    close   -> {}

Each is answered with one line. `{"fault": ...}` means that the client itself broke.
"""
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
TIMEOUT_S = 60

# What a server needs of the machine; the rest of the environment stays here.
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "TOOLGATE_LOG")

CLIENTS = {
    "typescript": ["node", str(HERE / "client.mjs")],
    "python": [sys.executable, str(HERE / "client.py")],
}


class Broken(Exception):
    """The client or the server behind it broke; the rest of the session says nothing."""


class Client:
    """An official client with one server."""

    def __init__(self, kind, command, env, cwd, stderr, mode):
        self.process = subprocess.Popen(
            CLIENTS[kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        base = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self.started = self.ask(
            op="start", command=command, env={**base, **env}, cwd=str(cwd), stderr=str(stderr), mode=mode)

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.lines.get(timeout=TIMEOUT_S)
        except queue.Empty:
            raise Broken(f"no answer to `{request['op']}` in {TIMEOUT_S} s") from None
        except OSError as error:
            raise Broken(f"the client is gone: {error}") from None
        if not line:
            raise Broken("the client ended")
        answer = json.loads(line)
        if "fault" in answer:
            raise Broken(answer["fault"])
        return answer

    def tools(self):
        return self.ask(op="list")["tools"]

    def call(self, call):
        request = {"op": "call", "name": call["tool"]}
        if "arguments" in call:
            request["arguments"] = call["arguments"]
        return self.ask(**request)

    def close(self):
        try:
            self.ask(op="close")
            self.process.stdin.close()
            self.process.wait(timeout=TIMEOUT_S)
        finally:
            self.process.kill()
            self.process.wait()
