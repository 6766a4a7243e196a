"""Runs every command of the guides, as a reader would type it.

Each page is read from top to bottom in a folder of its own, a copy of `world/`, with a home of its own and the built program first on the
PATH. Commands of a block marked `sh` must end with 0, or with the numbers of a comment above the block, one for each: `<!-- exits: 0 1 -->`. Where a block marked `text` begins with `$ `, what follows each command is what it must print, line by line; a line `…` stands
for any number of lines. A page may begin without a file of `world/here`: `<!-- without toolgate.toml -->`. A block that cannot be run says why: `<!-- not run: a browser is needed -->`. Such blocks are counted and listed.

`npx -y PACKAGE` starts the package that the checkout has installed for its tests, so that nothing is fetched. A command that begins with
`toolgate run` is given a client's first frames on standard input; one that waits for changes (`--watch`) is interrupted once it has
answered.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = pathlib.Path(os.environ.get("TOOLGATE_NODE_MODULES", ROOT / "tests" / "real" / "node_modules"))
PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for folder in ("guide", "tutorial") for page in (ROOT / "docs" / folder).glob("*.md"))]
BLOCK = re.compile(r"((?:^<!--[^\n]*-->\n)*)^```(\w+)\n(.*?)^```$", re.M | re.S)
PATIENCE = 120

NPX = """#!/bin/sh
# npx -y PACKAGE ARGUMENTS: the package of the checkout.
[ "$1" = -y ] && shift
package=$1
shift
program=$(node -p "const p = require(process.argv[1] + '/package.json'); require('path').resolve(process.argv[1], typeof p.bin === 'string' ? p.bin : Object.values(p.bin)[0])" "{packages}/$package") || exit 127
exec node "$program" "$@"
"""


class Page:
    """One page, and the folder in which its reader sits."""

    def __init__(self, name, folder, toolgate):
        self.name, self.toolgate = name, toolgate
        self.home, self.here, programs = folder / "home", folder / "here", folder / "bin"
        shutil.copytree(HERE / "world" / "home", self.home)
        shutil.copytree(HERE / "world" / "here", self.here)
        programs.mkdir()
        (programs / "toolgate").symlink_to(toolgate)
        npx = programs / "npx"
        npx.write_text(NPX.replace("{packages}", str(PACKAGES)))
        npx.chmod(0o755)
        keep = ("LANG", "LC_ALL", "TERM")
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment |= {"HOME": str(self.home), "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
        self.faults, self.commands, self.left = [], 0, []

    def read(self):
        text = (ROOT / self.name).read_text(encoding="utf-8")
        for name in re.findall(r"^<!-- without (\S+) -->$", text, re.M):
            (self.here / name).unlink()
        for match in BLOCK.finditer(text):
            marks, language, body = match.groups()
            line = text.count("\n", 0, match.start(2)) + 1
            reason = re.search(r"<!-- not run: (.*?) -->", marks)
            is_console = language == "text" and body.startswith("$ ")
            if language not in ("sh", "bash", "console") and not is_console:
                continue
            if reason:
                self.left.append(f"{self.name}:{line}: {reason.group(1)}")
            elif is_console:
                self.console(line, body)
            else:
                exits = re.search(r"<!-- exits: ([\d ]+) -->", marks)
                self.block(line, body, [int(code) for code in exits.group(1).split()] if exits else [])

    def block(self, line, body, exits):
        commands = joined(body)
        exits = exits or [0] * len(commands)
        if len(exits) != len(commands):
            self.faults.append(f"{self.name}:{line}: {len(commands)} commands, and {len(exits)} exits are named")
        for command, expected in zip(commands, exits):
            code, out = self.command(command)
            if code != expected:
                self.faults.append(f"{self.name}:{line}: `{command}` ended with {code}, not {expected}:\n{out}")

    def console(self, line, body):
        for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            _, out = self.command(command)
            if not matches(lines(expected), lines(out)):
                self.faults.append(f"{self.name}:{line}: `{command}` printed\n{out}\nand not\n{expected}")

    def command(self, command):
        self.commands += 1
        stdin = (HERE / "world" / "session.jsonl").read_bytes() if command.startswith("toolgate run") else b""
        process = subprocess.Popen(
            ["sh", "-c", f"exec {command}" if "--watch" in command else command],
            cwd=self.here,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if "--watch" in command:
            first = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=PATIENCE)
            return (0 if process.returncode in (130, -signal.SIGINT) else process.returncode), (first + rest).decode()
        out, _ = process.communicate(stdin, timeout=PATIENCE)
        return process.returncode, out.decode(errors="replace")


def joined(body):
    """The commands of a block: a line each, unless it ends with a backslash; comments and empty lines are none."""
    body = body.replace("\\\n", "")
    return [line for line in body.splitlines() if line.strip() and not line.startswith("#")]


def lines(text):
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def matches(expected, printed):
    """Whether the lines are those, `…` standing for any number."""
    if not expected:
        return not printed
    if expected[0] == "…":
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and printed[0] == expected[0] and matches(expected[1:], printed[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--toolgate", required=True, type=pathlib.Path)
    parser.add_argument("pages", nargs="*", help="pages, from the checkout's root; all where none is named")
    arguments = parser.parse_args()
    faults, run, left = [], 0, []
    for name in arguments.pages or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(name, pathlib.Path(folder), arguments.toolgate.resolve())
            page.read()
            print(f"{'ok  ' if not page.faults else 'FAIL'} {name}: {page.commands} commands", flush=True)
            faults += page.faults
            run += page.commands
            left += page.left
    for reason in left:
        print(f"not run  {reason}")
    for fault in faults:
        print(f"\n{fault}")
    print(f"{run} commands run, {len(left)} blocks not run, {len(faults)} faults")
    return 1 if faults or not run else 0


if __name__ == "__main__":
    sys.exit(main())
