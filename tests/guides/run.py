"""Runs every command of the guides, as a reader would type it.

Each page is read from top to bottom in a folder of its own, a copy of `world/`, with a home of its own and the built program first on the
PATH. Commands of a block marked `sh` must end with 0, or with the numbers of a comment above the block, one for each: `<!-- exits: 0 1 -->`. Where a block marked `text` begins with `$ `, what follows each command is what it must print, line by line; a line `…` stands
for any number of lines. A page may begin without a file of `world/here`, `<!-- without toolgate.toml -->`, or with nothing at all, `<!-- from nothing -->`.
A block that cannot be run says why: `<!-- not run: a browser is needed -->`. Such blocks are counted and listed.

`<!-- file: cases/edit.json -->` above a block of any language has the reader write that file. `<!-- of: crates/…/main.rs -->` says
that the block is a piece of a file of the checkout, which it must be, line by line.

`npx -y PACKAGE` starts the package that the checkout has installed for its tests, and `cargo run … --example NAME` the example that lies built
beside the program, so that nothing is fetched or built. `<!-- with notes-server -->` puts the built server of `examples/notes-server` at
`target/debug/notes-server`; where `--notes-server` names none, that page is not run. A command that begins with
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
PAGES = ["README.md", "docs/introduction.md", *sorted(str(page.relative_to(ROOT)) for folder in ("guide", "tutorial") for page in (ROOT / "docs" / folder).glob("*.md"))]
BLOCK = re.compile(r"((?:^<!--[^\n]*-->\n)*)^```([\w,]+)\n(.*?)^```$", re.M | re.S)
PATIENCE = 120

NPX = """#!/bin/sh
# npx -y PACKAGE ARGUMENTS: the package of the checkout.
[ "$1" = -y ] && shift
package=$1
shift
program=$(node -p "const p = require(process.argv[1] + '/package.json'); require('path').resolve(process.argv[1], typeof p.bin === 'string' ? p.bin : Object.values(p.bin)[0])" "{packages}/$package") || exit 127
exec node "$program" "$@"
"""

CARGO = """#!/bin/sh
# cargo run … --example NAME: the example that is built.
while [ $# -gt 0 ]; do
    [ "$1" = --example ] && exec "{examples}/$2"
    shift
done
echo "only cargo run --example can be run here" >&2
exit 127
"""
NOTES_SERVER = "target/debug/notes-server"


class Page:
    """One page, and the folder in which its reader sits."""

    def __init__(self, name, folder, toolgate, notes_server):
        self.name, self.notes_server = name, notes_server
        self.text = (ROOT / name).read_text(encoding="utf-8")
        self.home, self.here, programs = folder / "home", folder / "here", folder / "bin"
        if "\n<!-- from nothing -->\n" in self.text:
            self.home.mkdir()
            self.here.mkdir()
        else:
            shutil.copytree(HERE / "world" / "home", self.home)
            shutil.copytree(HERE / "world" / "here", self.here)
            subprocess.run([toolgate, "config", "trust"], cwd=self.here, env={"HOME": str(self.home)}, check=True, capture_output=True)
        programs.mkdir()
        (programs / "toolgate").symlink_to(toolgate)
        shims = {"npx": NPX.replace("{packages}", str(PACKAGES)), "cargo": CARGO.replace("{examples}", str(toolgate.parent / "examples"))}
        for shim, script in shims.items():
            (programs / shim).write_text(script)
            (programs / shim).chmod(0o755)
        keep = ("LANG", "LC_ALL", "TERM")
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment |= {"HOME": str(self.home), "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
        # The page's folder is a temporary one to us and none to its reader, who has installed the program.
        temporary = folder / "temporary"
        temporary.mkdir()
        self.environment["TMPDIR"] = str(temporary)
        self.faults, self.commands, self.left = [], 0, []

    def read(self):
        for name in re.findall(r"^<!-- without (\S+) -->$", self.text, re.M):
            (self.here / name).unlink()
        has_programs = True
        if "\n<!-- with notes-server -->\n" in self.text:
            has_programs = self.notes_server is not None
            if has_programs:
                (self.here / NOTES_SERVER).parent.mkdir(parents=True)
                (self.here / NOTES_SERVER).symlink_to(self.notes_server)
        for match in BLOCK.finditer(self.text):
            marks, language, body = match.groups()
            line = self.text.count("\n", 0, match.start(2)) + 1
            if file := re.search(r"<!-- file: (\S+) -->", marks):
                self.write(file.group(1), body)
                continue
            if source := re.search(r"<!-- of: (\S+) -->", marks):
                self.quoted(line, source.group(1), body)
                continue
            reason = re.search(r"<!-- not run: (.*?) -->", marks)
            is_console = language == "text" and body.startswith("$ ")
            if language not in ("sh", "bash", "console") and not is_console:
                continue
            if reason:
                self.left.append(f"{self.name}:{line}: {reason.group(1)}")
            elif not has_programs:
                self.left.append(f"{self.name}:{line}: examples/notes-server is not built")
            elif is_console:
                self.console(line, body)
            else:
                exits = re.search(r"<!-- exits: ([\d ]+) -->", marks)
                self.block(line, body, [int(code) for code in exits.group(1).split()] if exits else [])

    def write(self, name, body):
        path = self.home / name[2:] if name.startswith("~/") else self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")

    def quoted(self, line, source, body):
        """A piece of a file may be indented otherwise there; `…` alone on a line stands for what is left out."""
        there = [text.strip() for text in (ROOT / source).read_text(encoding="utf-8").splitlines()]
        wanted = ["…" if text.strip() in ("…", "// …") else text.strip() for text in body.splitlines()]
        if not matches(["…", *wanted, "…"], there):
            self.faults.append(f"{self.name}:{line}: this is no piece of {source}")

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
        stdin = (HERE / "world" / "session.jsonl").read_bytes() if command.startswith("toolgate run") else None
        process = subprocess.Popen(
            ["sh", "-c", f"exec {command}" if "--watch" in command else command],
            cwd=self.here,
            env=self.environment,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
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
    parser.add_argument("--notes-server", type=pathlib.Path, help="the built server of examples/notes-server")
    parser.add_argument("pages", nargs="*", help="pages, from the checkout's root; all where none is named")
    arguments = parser.parse_args()
    faults, run, left = [], 0, []
    for name in arguments.pages or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            notes_server = arguments.notes_server and arguments.notes_server.resolve()
            page = Page(name, pathlib.Path(folder), arguments.toolgate.resolve(), notes_server)
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
