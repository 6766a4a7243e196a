"""Eleven servers from npm and PyPI, one of them twice, and what a person would ask of each. None needs a network."""
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


# Those that the other tests use too, so that they are there wherever these have run.
EVERYWHERE = ("everything", "everything-http", "filesystem", "memory", "git", "time", "sqlite")


class Missing(Exception):
    """A program that is not installed."""


def program(name):
    """One that npm or pip has installed, for the comparison or for the other tests."""
    for folder in (HERE / "node_modules", HERE.parent / "real/node_modules"):
        script = folder / ".bin" / name
        if script.exists():
            return [node(), str(script)]
    for folder in ("target/compare/python", "target/compare/python-mcp1", ".venv", ".venv/mcp1"):
        script = ROOT / folder / "bin" / name
        if script.exists():
            return [str(script)]
    raise Missing(name)


def node():
    ours = HERE / "node_modules/node/bin/node"
    found = str(ours) if ours.exists() else shutil.which("node")
    if found is None:
        raise Missing("node")
    return found


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


class Background:
    """Servers that listen, ended with the run."""

    def __init__(self, env):
        self.env, self.running = env, []

    def start(self, argv, port, log, **more):
        with open(log, "wb") as said:
            process = subprocess.Popen(argv, env={**self.env, **more}, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        self.running.append(process)
        for _ in range(600):
            if process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{argv} does not listen; see {log}")

    def stop(self):
        for process in self.running:
            process.kill()
            process.wait()


class Page(BaseHTTPRequestHandler):
    """What the server that fetches is given to fetch."""

    def do_GET(self):
        body = b"<html><body><h1>Tides</h1><p>High water at six.</p></body></html>" if self.path == "/" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@dataclass
class Ask:
    """One job with a real server."""

    server: str
    tool: str
    arguments: dict
    answer: str             # stands in what the client prints
    without: Path | None = None     # a file that is taken away first, since the answer differs the second time

    def answered(self, done):
        # It stands there as text, or escaped in JSON.
        return done.status == 0 and (self.answer in done.stdout or json.dumps(self.answer)[1:-1] in done.stdout)


def lay(folder, background):
    """Lays what the servers act on, starts those that listen; how each is reached, and what is asked of it."""
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    repository = folder / "repository"
    _repository(repository)
    pages = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    page = f"http://127.0.0.1:{pages.server_address[1]}/"
    book = str(folder / "book.xlsx")
    graph = folder / "graph.jsonl"

    known, missing = {}, []

    def stdio(name, script, *args):
        try:
            known[name] = [*program(script), *args]
        except Missing:
            missing.append(name)

    def http(name, script, args, **env):
        port = free_port()
        try:
            argv = [*program(script), *(word.replace("PORT", str(port)) for word in args)]
        except Missing:
            missing.append(name)
            return
        background.start(argv, port, folder / f"{name}.log", PORT=str(port), **env)
        known[name] = f"http://127.0.0.1:{port}/mcp"

    stdio("everything", "mcp-server-everything")
    stdio("filesystem", "mcp-server-filesystem", str(folder))
    stdio("memory", "mcp-server-memory")
    if "memory" in known:
        # Else it remembers beside its own code, for whoever uses it next.
        known["memory"] = ["env", f"MEMORY_FILE_PATH={graph}", *known["memory"]]
    stdio("thinking", "mcp-server-sequential-thinking")
    stdio("git", "mcp-server-git", "--repository", str(repository))
    stdio("time", "mcp-server-time", "--local-timezone", "UTC")
    stdio("fetch", "mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips")
    stdio("sqlite", "mcp-server-sqlite", "--db-path", str(folder / "shop.db"))
    stdio("calculator", "mcp-server-calculator")
    http("everything-http", "mcp-server-everything", ["streamableHttp"])
    http("budget", "mcp-budget-allocator-server", [])
    http("excel", "excel-mcp-server", ["streamable-http", "--allow-dir", str(folder), "--port", "PORT"])

    path = str(folder / "a.txt")
    asks = [
        Ask("everything", "get-sum", {"a": 2, "b": 40}, "42"),
        Ask("everything", "echo", {"message": "007"}, "Echo: 007"),
        Ask("filesystem", "read_text_file", {"path": path, "head": 2}, "two"),
        Ask("filesystem", "edit_file", {"path": path, "edits": [{"oldText": "two", "newText": "2"}], "dryRun": True}, "+2"),
        Ask("memory", "create_entities",
            {"entities": [{"name": "Ada", "entityType": "person", "observations": ["1815", "maths"]}]}, "Ada", graph),
        Ask("thinking", "sequentialthinking",
            {"thought": "1843", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}, "thoughtHistoryLength"),
        Ask("git", "git_log", {"repo_path": str(repository), "max_count": 1}, "first commit"),
        Ask("time", "convert_time", {"source_timezone": "UTC", "time": "07:30", "target_timezone": "Asia/Tokyo"}, "16:30"),
        Ask("fetch", "fetch", {"url": page, "raw": True}, "High water"),
        Ask("sqlite", "read_query", {"query": "SELECT '007' AS agent, 'it''s -- \"quoted\"' AS text"}, "007"),
        Ask("calculator", "calculate", {"expression": "2**70"}, "1180591620717411303424"),
        Ask("everything-http", "echo", {"message": "-42"}, "Echo: -42"),
        Ask("budget", "get-budget-data", {}, "Marketing"),
        Ask("excel", "create_workbook", {"path": book, "sheets": ["2026"], "overwrite": True}, "book.xlsx"),
        Ask("excel", "write_range", {"path": book, "sheet": "2026", "at": "A1", "rows": [["007", 7, True, None]]}, "A1"),
        Ask("excel", "read_range", {"path": book, "sheet": "2026"}, '"007"'),
    ]
    return known, missing, [ask for ask in asks if ask.server in known]


def _repository(folder):
    folder.mkdir()
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@example.org"}
    for words in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "first commit"]):
        subprocess.run(["git", "-C", folder, *words], env=env, check=True)


def echo(log, background, folder):
    """Our own server, that tells what reached it: over standard input and output, and over HTTP."""
    script, port = HERE / "echo.py", free_port()
    background.start([sys.executable, str(script), str(log), "--http", str(port)], port, folder / "echo-http.log")
    return {"echo": [sys.executable, str(script), str(log)], "net": f"http://127.0.0.1:{port}/mcp"}


def versions():
    """The packages that are installed, each with its version."""
    packages = list(json.loads((HERE / "package.json").read_text())["dependencies"].items())
    for file in ("requirements.txt", "requirements-mcp1.txt"):
        for line in (HERE / file).read_text().splitlines():
            name, _, version = line.partition("==")
            if version:
                packages.append((name, version))
    return sorted(packages)
