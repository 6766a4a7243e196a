"""Gives the jobs to the clients, one after the other, and keeps what came of each."""
import json
import os
import shutil
import statistics
import sys
from dataclasses import dataclass

from clients import run
from echo import read, same
from jobs import FAULTS, VALUES


@dataclass
class Try:
    """One command of one client."""

    words: list
    done: object
    reached: list           # what the server wrote down: the calls in the order they came

    @property
    def sent(self):
        return bool(self.reached)


@dataclass
class Who:
    """A client, where only its name is still of interest."""

    name: str
    title: str
    version: str


class Found:
    """What came of each job, by client. It can be kept and put together with what came of the jobs of other clients."""

    def __init__(self):
        self.clients, self.asks, self.listening = [], [], set()
        self.values, self.faults, self.answers, self.real, self.times = {}, {}, {}, {}, {}
        self.count = 0

    def add(self, other):
        self.clients += other.clients
        self.asks, self.listening = other.asks, other.listening
        for name in ("values", "faults", "answers", "real", "times"):
            getattr(self, name).update(getattr(other, name))


class Trial(Found):
    """All jobs with all clients."""

    def __init__(self, clients, log, scratch):
        super().__init__()
        self.running, self.log, self.scratch = clients, log, scratch
        self.clients = [Who(client.name, client.title, client.is_version) for client in clients]

    def found(self):
        """What came of the jobs, without what gave them."""
        found = Found()
        found.add(self)
        found.count = self.count
        return found

    def run(self, asks, listening):
        self.asks, self.listening = asks, listening
        for client in self.running:
            say(f"{client.title}: values")
            for server in ("echo", "net"):
                for job in VALUES:
                    if server == "echo" or job.http:
                        self.values[job.name, server, client.name] = self._value(client, server, job)
            say(f"{client.title}: faults")
            for job in FAULTS:
                self.faults[job.name, client.name] = self._fault(client, job)
            say(f"{client.title}: answers")
            self._answers(client)
            say(f"{client.title}: servers")
            for ask in asks:
                self.real[ask.server, ask.tool, client.name] = self._ask(client, ask)

    def call(self, client, server, tool, words, before=(), **how):
        client.ready(server)
        self.log.write_text("")
        argv = client.call(server, tool, words, before)
        done = client.run(argv, **how)
        reached = [read(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        return Try(argv, done, reached)

    def _value(self, client, server, job):
        """The ways that were needed until what was meant arrived: plain words, what else is documented, JSON."""
        self.count += 1
        plain = job.plain.get(client.name) or client.words(json.loads(job.meant))
        ways = [("plain", plain)]
        if client.name in job.more:
            ways.append(("more", job.more[client.name]))
        ways.append(("json", client.json(job.meant)))
        tries = []
        for kind, words in ways:
            tried = self.call(client, server, "echo", words)
            right = bool(tried.reached) and same(tried.reached[-1]["arguments"], read(job.meant)) and tried.done.status == 0
            tries.append((kind, right, words, tried))
            if right:
                break
        return tries

    def _fault(self, client, job):
        self.count += 1
        words = job.plain.get(client.name) or client.words(job.arguments)
        before = client.timeout(job.timeout) if job.timeout else ()
        tried = self.call(client, "echo", job.tool, words, before, limit=90)
        if job.again and hasattr(client, "again"):
            client.again("echo")
        return tried

    def _answers(self, client):
        self.count += 3
        tried = self.call(client, "echo", "numbers", [], client.answer_as_json)
        self.answers["numbers", client.name] = tried
        pictures = client.folder / "pictures"
        before = {"toolgate": ["--save", str(pictures)], "mcporter": ["--save-images", str(pictures)]}.get(client.name, [])
        self.answers["image", client.name] = self.call(client, "echo", "image", [], before)
        self.answers["image", client.name].files = [path.read_bytes() for path in pictures.glob("*")] if pictures.exists() else []
        self.answers["progress", client.name] = self.call(client, "echo", "slow", [], watched=True)

    def _ask(self, client, ask):
        """In plain words, and where that did not answer, as JSON."""
        self.count += 1
        tries = []
        for words in (client.words(ask.arguments), client.json(json.dumps(ask.arguments))):
            if ask.without:
                ask.without.unlink(missing_ok=True)
            tries.append(self.call(client, ask.server, ask.tool, words))
            if ask.answered(tries[-1].done):
                break
        return tries

    def measure(self, runs):
        """Medians, in turn, so that a slow minute of the machine meets all of them."""
        commands = {("true", "true"): ([shutil.which("true")], None)}
        for client in self.running:
            client.ready("echo")
            for what, argv in (("--version", ["--version"]),
                               ("--help", ["--help"]), ("list", client.listing("echo")),
                               ("call", client.call("echo", "echo", client.words({"text": "a"})))):
                commands[what, client.name] = (argv, client)
            if client.name == "toolgate":
                commands["list, kept", client.name] = ([*client.listing("echo"), "--cached"], client)
        taken = {key: [] for key in commands}
        for turn in range(runs):
            say(f"times: {turn + 1} of {runs}")
            for key, (argv, client) in commands.items():
                done = client.run(argv) if client else run(argv, dict(os.environ), self.scratch)
                taken[key].append(done.seconds)
        self.times = {key: statistics.median(values) for key, values in taken.items()}


def say(text):
    print(f"... {text}", file=sys.stderr, flush=True)
