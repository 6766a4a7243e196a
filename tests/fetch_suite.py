#!/usr/bin/env python3
"""Unpacks the official JSON Schema test suite from the source distribution of the package `jsonschema`.

    fetch_suite.py VERSION FOLDER

The suite is the folder `json/` of that archive. FOLDER appears whole or not at all, so that a broken download is not
taken for a small suite.
"""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile


def download(version, folder):
    """Fetches the archive by name and version; pip checks its digest."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-binary", ":all:", "--dest", str(folder), f"jsonschema=={version}"],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    (archive,) = folder.glob("*.tar.gz")
    return archive


def unpack(archive, into):
    """Writes the members of `json/` below `into`: plain files and folders only."""
    files = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = pathlib.PurePosixPath(member.name).parts[1:]
            if not member.isfile() or parts[:1] != ("json",) or ".." in parts:
                continue
            target = into.joinpath(*parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with tar.extractfile(member) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink)
            files += 1
    return files


def main():
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        scratch = pathlib.Path(scratch)
        fresh = scratch / "suite"
        files = unpack(download(version, scratch), fresh)
        if not (fresh / "tests" / "draft2020-12").is_dir():
            sys.exit("the archive holds no JSON Schema test suite")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    print(f"{files} files of the JSON Schema test suite are in {folder}")


main()
