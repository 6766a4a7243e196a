"""Four command-line clients: how a person types a call for each, and how each is told of its servers."""
import json
import os
import pty
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass
class Done:
    """What came of one command."""

    status: int | None      # nothing where it had to be ended
    stdout: str
    stderr: str
    seconds: float

    @property
    def said(self):
        return self.stdout + self.stderr


def run(argv, env, folder, limit=40, watched=False):
    """Runs a command to its end, with its standard error on a terminal where somebody is to watch it."""
    start = time.monotonic()
    ours, theirs = pty.openpty() if watched else (None, subprocess.PIPE)
    process = subprocess.Popen(argv, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=theirs, text=True, errors="replace", start_new_session=True)
    seen = []
    if watched:
        os.close(theirs)
        reader = threading.Thread(target=_drain, args=(ours, seen), daemon=True)
        reader.start()
    try:
        stdout, stderr = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        # Its own session: what it started goes with it.
        os.killpg(process.pid, 9)
        stdout, stderr = process.communicate()
        status = None
    if watched:
        reader.join(2)
        os.close(ours)
        stderr = b"".join(seen).decode(errors="replace")
    return Done(status, stdout or "", stderr or "", time.monotonic() - start)


def _drain(end, seen):
    try:
        while data := os.read(end, 65536):
            seen.append(data)
    except OSError:
        pass


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


class Client:
    """What all have in common. `servers` maps a name to a command or to a URL."""

    name = title = ""

    def __init__(self, program, folder, servers, env):
        self.program, self.folder, self.servers = program, folder, servers
        folder.mkdir(parents=True)
        self.env = {**env, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "NO_COLOR": "1"}
        for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            self.env.pop(name, None)
        self.prepare()
        self.is_version = self.version()

    def prepare(self):
        pass

    def close(self):
        pass

    def ready(self, server):
        """Does what has to be done before a call to this server; not part of the call."""

    def run(self, argv, **how):
        return run([*self.program, *argv], self.env, self.folder, **how)

    def client_config(self, name=None):
        """The servers in the form that most clients read: all of them, or one."""
        names = [name] if name else list(self.servers)
        entries = {}
        for each in names:
            told = self.servers[each]
            entries[each] = {"type": "http", "url": told} if isinstance(told, str) else \
                {"command": str(told[0]), "args": [str(word) for word in told[1:]]}
        return as_json({"mcpServers": entries})


class Toolgate(Client):
    name = title = "toolgate"
    by_json = "--args"
    answer_as_json = ("--format", "json")

    def prepare(self):
        lines = []
        for name, told in self.servers.items():
            lines.append(f"[servers.{name}]")
            if isinstance(told, str):
                lines.append(f"url = {as_json(told)}")
            else:
                lines.append(f"command = {as_json(str(told[0]))}")
                lines.append(f"args = {as_json([str(word) for word in told[1:]])}")
        (self.folder / "toolgate.toml").write_text("\n".join(lines) + "\n")

    def version(self):
        return self.run(["--version"]).stdout.strip()

    def listing(self, server):
        return ["tools", server]

    def call(self, server, tool, words, before=()):
        return ["call", *before, server, tool, *words]

    def timeout(self, seconds):
        return ["--timeout", str(seconds)]

    def json(self, text):
        return ["--args", text]

    def words(self, arguments):
        words = []
        for name, value in arguments.items():
            words += self._option(name, value)
        return words

    def _option(self, name, value):
        if isinstance(value, bool):
            return [f"--{name}" if value else f"--no-{name}"]
        if isinstance(value, dict):
            return [word for key, item in value.items() for word in self._option(f"{name}.{key}", item)]
        if isinstance(value, list):
            if not value or isinstance(value[0], list):
                return [f"--{name}:={as_json(value)}"]
            return [word for item in value for word in (f"--{name}", item if isinstance(item, str) else as_json(item))]
        text = value if isinstance(value, str) else as_json(value)
        return [f"--{name}={text}"] if text.startswith("--") else [f"--{name}", text]


class Pairs(Client):
    """One that takes `name=value`, where a list or an object is written as JSON."""

    between = "="

    def words(self, arguments):
        return [f"{name}{self.between}{value if isinstance(value, str) else as_json(value)}"
                for name, value in arguments.items()]


class Mcporter(Pairs):
    name = title = "mcporter"
    answer_as_json = ("--output", "json")

    def prepare(self):
        (self.folder / "mcporter.json").write_text(self.client_config())

    def run(self, argv, **how):
        return super().run(["--config", "mcporter.json", *argv], **how)

    def version(self):
        return "mcporter " + super().run(["--version"]).stdout.strip()

    def listing(self, server):
        return ["list", server]

    def call(self, server, tool, words, before=()):
        return ["call", f"{server}.{tool}", *before, *words]

    def timeout(self, seconds):
        return ["--timeout", str(seconds * 1000)]

    def json(self, text):
        return ["--args", text]


class Mcpc(Pairs):
    name = title = "mcpc"
    between = ":="
    answer_as_json = ("--json",)

    def prepare(self):
        (self.folder / "servers.json").write_text(self.client_config())
        self.open = set()

    def ready(self, server):
        # A process of its own holds the connection.
        if server in self.open:
            return
        for _ in range(3):
            # A busy machine may take long over it, which is no fault of a call.
            done = self.run(["connect", f"servers.json:{server}", f"@{server}"], limit=180)
            self.open.add(server)
            if done.status == 0:
                return
        raise RuntimeError(f"mcpc cannot connect to {server}: {done.said}")

    def again(self, server):
        self.run(["restart", f"@{server}"])

    def close(self):
        with ThreadPoolExecutor(len(self.open) or 1) as pool:
            list(pool.map(lambda server: self.run(["close", f"@{server}"]), self.open))

    def version(self):
        return "mcpc " + self.run(["--version"]).stdout.strip()

    def listing(self, server):
        return [f"@{server}", "tools-list"]

    def call(self, server, tool, words, before=()):
        return [*before, f"@{server}", "tools-call", tool, *words]

    def timeout(self, seconds):
        return ["--timeout", str(seconds)]

    def json(self, text):
        return [text]


class Fastmcp(Pairs):
    name, title = "fastmcp", "FastMCP"
    answer_as_json = ("--json",)

    def prepare(self):
        for server in self.servers:
            (self.folder / f"{server}.json").write_text(self.client_config(server))

    def version(self):
        return "FastMCP " + self.run(["--version"]).stdout.strip()

    def where(self, server):
        told = self.servers[server]
        return told if isinstance(told, str) else f"{server}.json"

    def listing(self, server):
        return ["list", self.where(server)]

    def call(self, server, tool, words, before=()):
        return ["call", *before, self.where(server), tool, *words]

    def timeout(self, seconds):
        return ["--timeout", str(seconds)]

    def json(self, text):
        return ["--input-json", text]
