"""Gives the same jobs to toolgate, mcporter, mcpc and FastMCP's client, and writes down what each did.

    python3 tests/compare/run.py --toolgate target/release/toolgate --write docs/comparison.md
    python3 tests/compare/run.py --toolgate target/debug/toolgate --short     # toolgate alone, held to what must come of each job

`--install` puts the other clients and the servers where they are looked for; README.md says more.
"""
import argparse
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import report
import servers
import trial
from clients import Fastmcp, Mcpc, Mcporter, Toolgate


def install():
    """Node packages beside this file; two Python environments under target/. What is there already is left alone."""
    lock, modules = servers.HERE / "package-lock.json", servers.HERE / "node_modules"
    if changed(lock, modules / "installed.json"):
        subprocess.run(["npm", "ci", "--no-progress", "--loglevel=error"], cwd=servers.HERE, check=True)
        shutil.copy(lock, modules / "installed.json")
    for folder, file in (("python", "requirements.txt"), ("python-mcp1", "requirements-mcp1.txt")):
        place, wanted = servers.ROOT / "target/compare" / folder, servers.HERE / file
        if changed(wanted, place / "installed.txt"):
            venv.create(place, clear=True, with_pip=True)
            subprocess.run([place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                            "--requirement", wanted], check=True)
            shutil.copy(wanted, place / "installed.txt")


def changed(wanted, installed):
    return not installed.exists() or installed.read_bytes() != wanted.read_bytes()


def clients(toolgate, only, scratch, known, env):
    found = []
    for kind in (Toolgate, Mcporter, Mcpc, Fastmcp):
        if only in (None, kind.name):
            program = [str(toolgate)] if kind is Toolgate else servers.program(kind.name)
            found.append(kind(program, scratch / kind.name, known, env))
    return found


def put_together(files):
    """What earlier runs of single clients found."""
    found = trial.Found()
    for file in files:
        found.add(pickle.loads(file.read_bytes()))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolgate", type=Path)
    parser.add_argument("--install", action="store_true", help="install what is needed first, or alone")
    parser.add_argument("--short", action="store_true", help="toolgate alone, with what must come of each job")
    parser.add_argument("--no-skip", action="store_true", help="a server of the other tests that is not installed is a failure")
    parser.add_argument("--times", type=int, default=0, metavar="RUNS", help="measure too; the program must be a release build")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the marks of this file")
    parser.add_argument("--only", metavar="CLIENT", help="one client alone, by its name")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep what was found")
    parser.add_argument("--kept", type=Path, metavar="FILE", nargs="+", help="run nothing; make the tables of what these runs found")
    chosen = parser.parse_args()
    if chosen.install:
        install()
    if chosen.kept:
        return told(put_together(chosen.kept), chosen.write)
    if chosen.toolgate is None:
        return 0 if chosen.install else parser.error("--toolgate is needed")

    env = {key: value for key, value in os.environ.items() if not key.startswith(("TOOLGATE_", "FASTMCP_", "MCPORTER_", "MCPC_"))}
    env["PATH"] = f"{servers.HERE / 'node_modules/node/bin'}{os.pathsep}{env['PATH']}"
    background = servers.Background(env)
    with tempfile.TemporaryDirectory(prefix="toolgate-compare-") as folder:
        scratch = Path(folder)
        log = scratch / "echo.log"
        ours = []
        try:
            real, missing, asks = servers.lay(scratch / "world", background)
            known = {**servers.echo(log, background, scratch), **real}
            for name in missing:
                print(f"skipped: the server `{name}` is not installed", flush=True)
            ours = clients(chosen.toolgate.resolve(), "toolgate" if chosen.short else chosen.only, scratch, known, env)
            given = trial.Trial(ours, log, scratch)
            given.run(asks, {name for name, how in known.items() if isinstance(how, str)})
            if chosen.times:
                given.measure(chosen.times)
            found = given.found()
        finally:
            for client in ours:
                client.close()
            background.stop()
    if chosen.short:
        faults = report.expectations(found)
        wanted = [name for name in missing if name in servers.EVERYWHERE]
        if wanted and chosen.no_skip:
            faults.append(f"not installed: {', '.join(wanted)}")
        for fault in faults:
            print(f"FAILED: {fault}")
        print(f"{found.count - len(faults)} jobs as they must be, {len(faults)} not")
        return 1 if faults else 0
    if chosen.keep:
        chosen.keep.write_bytes(pickle.dumps(found))
        return 0
    return told(found, chosen.write)


def told(found, page):
    text = report.tables(found)
    if page:
        report.put(page, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
