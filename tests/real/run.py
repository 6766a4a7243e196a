#!/usr/bin/env python3
"""Real servers, bare and behind the guard, with the official clients. README.md says what is checked.

    run.py --toolgate PATH [--only TEXT] [--bare]

One line a check, then `N passed, M failed`; exit 1 where one failed.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

from driver import Broken, Client
from worlds import WORLDS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SENTINEL = "SENTINEL"


class Tally:
    """Counts checks and says each on a line."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, *faults):
        faults = [fault for fault in faults if fault]
        if faults:
            self.failed += 1
            print(f"FAIL {name}")
            for fault in faults:
                print(f"     {fault}")
        else:
            self.passed += 1
            print(f"ok   {name}")
        sys.stdout.flush()


# ---------------------------------------------------------------- one session

def fill(value, places):
    """Puts the places of this machine into a session's texts."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace("{" + name + "}", place)
        return value
    if isinstance(value, list):
        return [fill(item, places) for item in value]
    if isinstance(value, dict):
        return {name: fill(item, places) for name, item in value.items()}
    return value


class Session:
    """One server with one client, in a world of its own."""

    def __init__(self, document, client, mode, folder):
        self.client, self.mode = client, mode
        self.stderr = folder / "stderr.txt"
        self.world = WORLDS[document["world"]](folder / "world")
        places = {
            "world": str(self.world.folder),
            "node_modules": str(HERE / "node_modules"),
            "python_bin": str(pathlib.Path(sys.executable).parent),
            "python_mcp1_bin": str(ROOT / ".venv" / "mcp1" / "bin"),
        }
        self.document = fill(document, places)
        self.clock = re.compile(document["clock"]) if "clock" in document else None

    def open(self, prefix):
        self.world.lay()
        self.stderr.write_text("")
        command = prefix + self.document["command"]
        return Client(self.client, command, self.document.get("env", {}), self.world.folder, self.stderr, self.mode)

    def run(self, server, call):
        """One call in a fresh world: what was answered, and the world after it."""
        self.world.lay()
        before = self.world.state()
        answer = server.call(call)
        after = self.world.state()
        return Seen(self._without_clock(answer), after, before != after)

    def _without_clock(self, answer):
        if self.clock is None:
            return answer
        return json.loads(self.clock.sub("(time)", json.dumps(answer)))


class Seen:
    """What came of one call."""

    def __init__(self, answer, state, changed):
        self.answer, self.state, self.changed = answer, state, changed

    @property
    def refused(self):
        return "error" in self.answer or self.answer["result"].get("isError") is True

    @property
    def kind(self):
        if self.refused:
            return "refuses, after it acted" if self.changed else "refuses"
        return "acts" if self.changed else "reads"

    def text(self):
        return "\n".join(block.get("text", "") for block in self.answer["result"].get("content", []))


# ---------------------------------------------------------------- checks

def definitions(bare, guarded):
    """The guard shows the server's tools as they are but for their input schemas."""
    if len(bare) != len(guarded):
        return f"{len(bare)} tools became {len(guarded)}"
    for wanted, got in zip(bare, guarded):
        without = [{name: value for name, value in tool.items() if name != "inputSchema"} for tool in (wanted, got)]
        if without[0] != without[1]:
            return f"`{wanted['name']}` is shown as {json.dumps(got)[:400]}"


COMPOSED = {"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties"}


def places(schema):
    """Every schema of a flat form."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from places(inner)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from places(schema[keyword])


def portable(tools, calls, bare):
    """Each schema is flat, is read by two strict readers, and takes the arguments of every call that the server acts on."""
    for tool in tools:
        schema = tool["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        for place in places(schema):
            if COMPOSED & place.keys():
                yield f"`{tool['name']}` has {sorted(COMPOSED & place.keys())}"
            if "type" not in place and "description" not in place:
                yield f"`{tool['name']}` has a place without type and description"
        if schema.get("type") != "object" or "additionalProperties" not in schema:
            yield f"the root of `{tool['name']}` does not say what it takes"
    strict = subprocess.run(
        ["node", str(HERE / "strict.mjs")], input=json.dumps({"tools": tools}), capture_output=True, text=True, timeout=60)
    yield from strict.stdout.splitlines()
    if strict.returncode:
        yield strict.stderr[-400:]
    schemas = {tool["name"]: jsonschema.Draft202012Validator(tool["inputSchema"]) for tool in tools}
    for call, seen in zip(calls, bare):
        arguments = call.get("arguments", {})
        if call["then"] == "same" and not seen.refused and not schemas[call["tool"]].is_valid(arguments):
            yield f"what is shown of `{call['tool']}` does not take {call['what']}"


def refused(seen, call):
    if "result" not in seen.answer or not seen.refused:
        yield f"was not refused by a tool error: {json.dumps(seen.answer)[:400]}"
        return
    text = seen.text()
    for name in call["names"]:
        if name not in text:
            yield f"the text does not say {name}: {text}"
    if not seen.answer["result"].get("_meta", {}).get("toolgate/refusal", {}).get("violations"):
        yield "has no violations in `_meta`"
    if SENTINEL in json.dumps(seen.answer):
        yield f"shows a value of the call: {json.dumps(seen.answer)}"
    if seen.changed:
        yield f"was refused, and yet the world changed: {seen.state}"


def alike(seen, expected):
    if seen.answer != expected.answer:
        yield f"answer {json.dumps(seen.answer)[:400]}"
        yield f"    not {json.dumps(expected.answer)[:400]}"
    if seen.state != expected.state:
        yield f"left {seen.state} and not {expected.state}"


def orphans(folder):
    """Processes that still stand in the session's world (where the system can say so)."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if process.joinpath("cwd").resolve().is_relative_to(folder):
                found.append(process.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode().strip())
        except OSError:
            pass
    return found


def play(session, prefix):
    """All calls of a session, each with what came of it."""
    server = session.open(prefix)
    try:
        tools = server.tools()
        seen = [session.run(server, call) for call in session.document["calls"]]
        meant = [
            session.run(server, {**call, "arguments": call["meant"]}) if "meant" in call else None
            for call in session.document["calls"]
        ]
        return server.started, tools, seen, meant
    finally:
        server.close()


def examine(tally, name, session, guard):
    calls = session.document["calls"]
    started, tools, bare, meant = play(session, [])
    for call, seen in zip(calls, bare):
        wrong = seen.kind != call["bare"] and f"it {seen.kind}: {json.dumps(seen.answer)[:400]}"
        tally.check(f"{name} bare: {call['tool']}, {call['what']}: {call['bare']}", wrong)
    if guard is None:
        return

    guarded_started, guarded_tools, guarded, _ = play(session, guard)
    left = orphans(session.world.folder)
    stderr = session.stderr.read_text(errors="replace")
    tally.check(f"{name}: introduces the server as it is", guarded_started != started and f"{guarded_started} is not {started}")
    tally.check(f"{name}: lists {len(tools)} tools as they are", definitions(tools, guarded_tools))
    tally.check(f"{name}: shows flat schemas that strict readers take", *portable(guarded_tools, calls, bare))
    for call, seen, without, intended in zip(calls, guarded, bare, meant):
        faults = {
            "same": lambda: alike(seen, without),
            "read": lambda: alike(seen, intended),
            "refused": lambda: refused(seen, call),
        }[call["then"]]()
        tally.check(f"{name}: {call['tool']}, {call['what']}: {call['then']}", *faults)
    shown = [line for line in stderr.splitlines() if SENTINEL in line]
    tally.check(f"{name}: no value of a refused call is on standard error", shown and f"{shown}")
    tally.check(f"{name}: leaves no process behind", left and f"{left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolgate")
    parser.add_argument("--only", default="", help="sessions whose name contains this")
    parser.add_argument("--bare", action="store_true")
    options, _ = parser.parse_known_args()
    if not options.bare and not options.toolgate:
        parser.error("--toolgate PATH is needed")
    guard = None if options.bare else [str(pathlib.Path(options.toolgate).resolve()), "run", "--"]

    tally = Tally()
    # The Python client speaks the newest revision where the server does; once it is made to speak an older one.
    clients = [("typescript", "legacy"), ("python", "auto"), ("python", "legacy")]
    for path in sorted((HERE / "sessions").glob("*.json")):
        document = json.loads(path.read_text())
        for client, mode in clients:
            name = f"{path.stem} with {client}" + (" (handshake)" if (client, mode) == ("python", "legacy") else "")
            if options.only not in name:
                continue
            with tempfile.TemporaryDirectory(prefix="toolgate-real-") as folder:
                try:
                    examine(tally, name, Session(document, client, mode, pathlib.Path(folder).resolve()), guard)
                except Broken as broken:
                    tally.check(f"{name}: the session ends well", str(broken))
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(tally.failed > 0 or tally.passed == 0)


main()
