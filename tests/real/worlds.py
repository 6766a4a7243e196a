"""What the servers act on: laid anew before every call, and looked at from outside after it."""
import contextlib
import os
import shutil
import sqlite3
import subprocess


class Nothing:
    """A server that changes nothing."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def lay(self):
        pass

    def state(self):
        return None


class Files(Nothing):
    """A folder with one file of three lines."""

    def lay(self):
        for path in self.folder.iterdir():
            path.unlink()
        (self.folder / "a.txt").write_text("one\ntwo\nthree\n")

    def state(self):
        return {path.name: path.read_text() for path in sorted(self.folder.iterdir())}


class Memory(Files):
    """A knowledge graph with one node."""

    def lay(self):
        (self.folder / "memory.jsonl").write_text(
            '{"type":"entity","name":"Ada","entityType":"person","observations":["o1"]}')


class Git(Nothing):
    """A repository with two commits, a staged change and a file that git does not know."""

    def __init__(self, folder):
        super().__init__(folder)
        self.template = folder.with_name(folder.name + ".template")
        self.template.mkdir()
        self._git(self.template, "init", "--quiet", "--initial-branch=main")
        for text in ("c1", "c2"):
            (self.template / "a.txt").write_text(text)
            self._git(self.template, "add", "a.txt")
            self._git(self.template, "commit", "--quiet", "--message", text)
        (self.template / "a.txt").write_text("c3")
        self._git(self.template, "add", "a.txt")
        (self.template / "new.txt").write_text("new")

    def lay(self):
        # The folder itself stays: a server may stand in it.
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.template, self.folder, dirs_exist_ok=True)

    def state(self):
        return [
            self._git(self.folder, "for-each-ref"),
            self._git(self.folder, "symbolic-ref", "HEAD"),
            self._git(self.folder, "status", "--porcelain"),
        ]

    @staticmethod
    def _git(folder, *args):
        identity = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        for role in ("AUTHOR", "COMMITTER"):
            identity |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@example.org"}
        env = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
        return subprocess.run(["git", "-C", folder, *args], env=env, check=True, capture_output=True, text=True).stdout


class Sqlite(Nothing):
    """A database with a table of two rows."""

    def lay(self):
        with self._open() as database:
            database.executescript(
                "DROP TABLE IF EXISTS t; CREATE TABLE t (id INTEGER, name TEXT);"
                "INSERT INTO t VALUES (1, 'a'), (2, 'b');")

    def state(self):
        with self._open() as database:
            return list(database.iterdump())

    def _open(self):
        return contextlib.closing(sqlite3.connect(self.folder / "test.db"))


WORLDS = {"none": Nothing, "files": Files, "memory": Memory, "git": Git, "sqlite": Sqlite}
