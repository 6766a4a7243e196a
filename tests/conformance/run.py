#!/usr/bin/env python3
"""The protocol's conformance suite against the demo server, plain and guarded. See README.md.

    run.py --server PATH [--only SCENARIO]

One line a revision and one a fault; exit 1 where the guarded server fails what the plain one passes.
"""
import argparse
import collections
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SUITE = HERE / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
NODE = HERE / "node_modules/.bin/node"
REVISIONS = ("2025-11-25", "2026-07-28")
SUITE_S = 600


@contextlib.contextmanager
def serving(server, *options):
    """The server over HTTP, at an address of its own choice."""
    command = [server, *options, "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        try:
            line = child.stderr.readline()
            address = re.search(r"http://\S+", line)
            if not address:
                raise SystemExit(f"the server did not start: {line.strip()}")
            yield address.group(0)
        finally:
            child.kill()


def suite(url, revision, only):
    """How each check came out: its scenario and name, and whether it passed every time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [NODE, SUITE, "server", "--url", url, "--spec-version", revision, "-o", folder]
        command += ["--scenario", only] if only else ["--suite", "all"]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SUITE_S)
        checks = collections.defaultdict(list)
        for path in pathlib.Path(folder).rglob("checks.json"):
            scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*$", "", path.parent.name).removeprefix("server-")
            for check in json.loads(path.read_text()):
                checks[scenario, check["id"]].append(check["status"])
        if not checks:
            raise SystemExit(f"the suite wrote no results:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return {name: all(status not in ("FAILURE", "ERROR") for status in statuses) for name, statuses in checks.items()}


def compare(server, revision, only):
    with serving(server, "--plain") as url:
        plain = suite(url, revision, only)
    with serving(server, "--guarded") as url:
        guarded = suite(url, revision, only)
    faults = [f"{revision} {scenario}: {check}" for (scenario, check), passed in sorted(plain.items())
              if passed and not guarded.get((scenario, check), False)]
    passed = [sum(side.values()) for side in (plain, guarded)]
    print(f"{revision}: the plain server passes {passed[0]} of {len(plain)} checks, the guarded one {passed[1]} of "
          f"{len(guarded)}; {len(faults)} of the plain one's are missing")
    return faults


class Client:
    """Speaks to a server as the revision wants it."""

    def __init__(self, url, revision):
        self.url, self.revision, self.session, self.last = url, revision, None, 0
        if revision < "2026":
            info = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "ours", "version": "1"}}
            self.ask("initialize", info)
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream",
                   "mcp-protocol-version": self.revision}
        if self.session:
            headers["mcp-session-id"] = self.session
        if self.revision >= "2026" and "id" in message:
            headers["mcp-method"] = message["method"]
            if "name" in message["params"]:
                headers["mcp-name"] = message["params"]["name"]
        request = urllib.request.Request(self.url, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.session = answer.headers.get("mcp-session-id") or self.session
            return answer.read().decode()

    def ask(self, method, params):
        self.last += 1
        if self.revision >= "2026":
            params = {**params, "_meta": {
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientInfo": {"name": "ours", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {}}}
        body = self.post({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        lines = [line.removeprefix("data:").strip() for line in body.splitlines() if line.startswith("data:")] or [body]
        messages = [json.loads(line) for line in lines if line]
        return next(message for message in messages if message.get("id") == self.last)

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})


# The arguments, and the code and place of what is refused.
REFUSED = [
    ({"title": "t"}, [("required", "")]),
    ({"title": "t", "steps": [{"file": "SENTINEL"}]}, [("required", "/steps/0")]),
    ({"title": 7, "steps": []}, [("type", "/title")]),
    ({"title": "t", "steps": [], "stops": []}, [("unknown-argument", "/stops")]),
    ({"title": "t", "steps": {"SENTINEL": 1}}, [("type", "/steps")]),
    ([], [("type", "")]),
]


def refusals(server, revision):
    faults = []
    with serving(server) as url:
        client = Client(url, revision)
        for arguments, expected in REFUSED:
            message = client.call("show_walkthrough", arguments)
            result = message.get("result", {})
            violations = result.get("_meta", {}).get("toolgate/refusal", {}).get("violations", [])
            said = [(violation["code"], violation["location"]) for violation in violations]
            if not result.get("isError") or said != expected or "SENTINEL" in json.dumps(message):
                faults.append(f"{revision} {json.dumps(arguments)}: {json.dumps(message)}")
            if ("resultType" in result) != (revision >= "2026"):
                faults.append(f"{revision} {json.dumps(arguments)}: resultType")
        read = client.call("get_walkthrough", {"title": "t"})
        if read["result"]["content"][0]["text"] != "there is no such walkthrough":
            faults.append(f"{revision}: a refused call has run: {json.dumps(read)}")
    print(f"{revision}: {len(REFUSED)} refusals of our own, {len(faults)} faults")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="the example `guarded` of toolgate-demo")
    parser.add_argument("--only", help="one scenario of the suite")
    options = parser.parse_args()
    faults = []
    for revision in REVISIONS:
        faults += compare(options.server, revision, options.only)
        faults += refusals(options.server, revision)
    for fault in faults:
        print(f"FAILED {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
