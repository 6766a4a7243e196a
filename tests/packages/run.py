"""Installs each package as people do, and asks the program that comes of it the same questions.

`run.py FOLDER --uv UV` takes the packages that `cargo xtask package` has put into FOLDER. Nothing is installed outside a folder of its
own, and nothing is fetched. Packages that are not there were skipped by name when they were to be made, and are named here again.
"""

import argparse
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SERVER = [sys.executable, str(HERE / "server.py")]
PATIENCE = 60
SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}}, "additionalProperties": False}


def fail(why):
    raise AssertionError(why)


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **more)


def done(words, **more):
    """What a command printed that must end with 0."""
    ended = run(words, **more)
    if ended.returncode != 0:
        fail(f"{words} ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
    return ended.stdout


def request(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


HELLO = request(
    1,
    "initialize",
    {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "packages", "version": "1"}},
) + '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def asked(toolgate, folder, version):
    """The questions. `toolgate` is a list of words that starts the program."""
    said = done([*toolgate, "--version"], cwd=folder)
    said == f"toolgate {version}\n" or fail(f"--version says {said!r}")

    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    judged = run([*toolgate, "judge", "schema.json", "-"], cwd=folder, input='{"cuont": 1}')
    judged.returncode == 1 or fail(f"a refusal ended with {judged.returncode}: {judged.stderr}")
    "did you mean `count`" in judged.stdout + judged.stderr or fail(f"a refusal says {judged.stdout!r}")

    calls = [request(2, "tools/list", {})]
    calls += [request(3 + n, "tools/call", {"name": "count", "arguments": a}) for n, a in enumerate([{"count": 2}, {"cuont": 2}])]
    said = done([*toolgate, "run", "--", *SERVER], cwd=folder, input=HELLO + "".join(calls))
    answers = {frame["id"]: frame for frame in map(json.loads, said.splitlines()) if "id" in frame}
    answers[2]["result"]["tools"][0]["name"] == "count" or fail(f"the list is {answers[2]}")
    answers[3]["result"]["content"][0]["text"] == '{"count": 2}' or fail(f"a good call: {answers[3]}")
    answers[4]["result"]["isError"] is True or fail(f"a wrong call: {answers[4]}")

    # A client that is done with its server ends it by a signal, and sees how it ended.
    guard = subprocess.Popen(
        [*toolgate, "run", "--", *SERVER], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        guard.stdin.write(HELLO)
        guard.stdin.flush()
        guard.stdout.readline()
        guard.send_signal(signal.SIGTERM)
        ended = guard.wait(timeout=PATIENCE)
        ended == 143 or fail(f"a guard ended by SIGTERM ends with {ended}")
    finally:
        guard.kill()
        guard.wait()


def cargo(packages, folder):
    return [str(packages / "cargo/bin/toolgate")]


def debian(packages, folder):
    [package] = (packages / "debian").glob("*.deb")
    done(["dpkg-deb", "--extract", str(package), str(folder)])
    pages = sorted(page.name for page in (folder / "usr/share/man/man1").iterdir())
    made = sorted(page.name + ".gz" for page in (packages / "share/man").iterdir())
    pages == made or fail(f"manual pages: {pages} and not {made}")
    page = gzip.decompress((folder / "usr/share/man/man1/toolgate.1.gz").read_bytes())
    b".TH toolgate 1" in page or fail("toolgate.1 is no manual page")
    for place in ("bash-completion/completions/toolgate", "zsh/vendor-completions/_toolgate", "fish/vendor_completions.d/toolgate.fish"):
        b"TOOLGATE_COMPLETE" in (folder / "usr/share" / place).read_bytes() or fail(f"{place} does not ask the program")
    # Debian's own reader of packages; what it only advises is left to be read.
    done(["lintian", "--fail-on", "error,warning", "--suppress-tags-from-file", str(HERE / "lintian-suppressed"), str(package)])
    return [str(folder / "usr/bin/toolgate")]


def npm(packages, folder):
    archives = [str(archive) for archive in (packages / "npm").glob("*.tgz")]
    len(archives) == 2 or fail(f"npm packages: {archives}")
    (folder / "package.json").write_text('{"name": "a-project", "version": "1.0.0"}')
    done(["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", *archives], cwd=folder)
    said = done(["npx", "--no-install", "toolgate", "--version"], cwd=folder)
    said.startswith("toolgate ") or fail(f"npx says {said!r}")
    without_platform(folder, packages)
    return [str(folder / "node_modules/.bin/toolgate")]


def without_platform(folder, packages):
    """Where the package of the platform was left out, the starter says what is missing."""
    bare = folder.parent / "bare"
    bare.mkdir()
    [archive] = (packages / "npm").glob("toolgate-[0-9]*.tgz")
    done(["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(bare), str(archive)], cwd=bare)
    ended = run([str(bare / "node_modules/.bin/toolgate"), "--version"], cwd=bare)
    ended.returncode == 127 or fail(f"without a program the starter ends with {ended.returncode}")
    "is not installed" in ended.stderr or fail(f"without a program the starter says {ended.stderr!r}")


def pypi(packages, folder, uv):
    [wheel] = (packages / "pypi").glob("*.whl")
    done([sys.executable, "-m", "venv", "--without-pip", str(folder / "pip")])
    python = folder / "pip/bin/python"
    done([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--disable-pip-version-check", str(wheel)])
    said = done([uv, "tool", "run", "--offline", "--cache-dir", str(folder / "cache"), "--from", str(wheel), "toolgate", "--version"])
    said.startswith("toolgate ") or fail(f"uvx says {said!r}")
    return [str(folder / "pip/bin/toolgate")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("--uv", required=True)
    arguments = parser.parse_args()
    packages = arguments.packages.resolve()
    version = done([*cargo(packages, None), "--version"]).split()[1]

    ways = {"cargo": cargo, "debian": debian, "npm": npm, "pypi": lambda *given: pypi(*given, arguments.uv)}
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        # A home of its own: no settings of whoever runs this, and nothing left behind.
        os.environ.update(HOME=temporary, npm_config_cache=f"{temporary}/npm", npm_config_update_notifier="false")
        for name, install in ways.items():
            if not any((packages / name).glob("*")):
                print(f"  {name}: not made, so not tried")
                continue
            folder = pathlib.Path(temporary) / name
            folder.mkdir()
            try:
                asked(install(packages, folder), folder, version)
                print(f"  {name}: installed, and does what it should")
            except (AssertionError, subprocess.TimeoutExpired, OSError, KeyError, ValueError) as fault:
                failed += 1
                print(f"  {name}: FAILED: {fault}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
