"""The class server is killed at any moment: nothing that was submitted is lost, and nothing is graded twice."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import grader
from grader.classroom.class_folder import SECRET
from grader.classroom.gradebook import FILE
from grader.web.links import Claim, signer
from grader.web.people import Role
from tests import tiny

pytestmark = pytest.mark.prove
CLI = Path(grader.__file__).parents[1] / "cli.py"
NAMES = ("ada", "bo", "cy")


class Server:
    """A class server in a process of its own, and what learners do there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = re.findall(r"address: (\S+)", (folder / "class.yaml").read_text())[0]
        command = [sys.executable, str(CLI), "serve", "--class", str(folder), "--workers", "2", "--lang", "en"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        said = ""
        while "listening" not in said:
            line = self.process.stdout.readline()
            assert line, said
            said += line
        self.people = {name: self._signed_in(name) for name in NAMES}

    def _signed_in(self, name: str) -> urllib.request.OpenerDirector:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        claim = Claim(name, Role.LEARNER, datetime.now(UTC) + timedelta(days=1))
        opener.open(f"{self.address}/sign-in?link={signer(self.folder / SECRET).sign('link', claim)}")
        return opener

    def post(self, name: str, path: str, **form: str) -> str:
        """The page after a form was sent."""
        data = urllib.request.Request(
            f"{self.address}{path}", urlencode(form).encode(), {"Origin": self.address}, method="POST"
        )
        found: str = self.people[name].open(data).read().decode()
        return found

    def submit(self, name: str, code: str) -> str:
        """Saves code and submits it; returns the name of the submission."""
        self.post(name, "/questions/Q1/code", code=code, do="check")
        return re.findall(r"/submissions/([\w-]+)/receipt", self.post(name, "/submit"))[0]

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends the process at once."""
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A class of three with a small course, at a port of its own."""
    tiny.course(tmp_path / "course")
    (tmp_path / "course" / "course.yaml").write_text("limits: {submissions_per_day: 100}\n")
    place = tmp_path / "class"
    place.mkdir()
    (place / "class.csv").write_text("id\n" + "\n".join(NAMES) + "\n")
    port = 20_000 + os.getpid() % 20_000
    (place / "class.yaml").write_text(f"address: http://127.0.0.1:{port}\ncourse: ../course\nroster: class.csv\n")
    return place


def rows(folder: Path, query: str) -> list[Any]:
    """What the gradebook has."""
    with contextlib.closing(sqlite3.connect(folder / FILE, timeout=30)) as book:
        return book.execute(query).fetchall()


def children(process: int) -> list[int]:
    """The processes that ``process`` has started."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(place.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(place.parent.name))
    return found


def until(found: Callable[[], bool]) -> None:
    """Waits; the time limit is that of the whole run."""
    while not found():
        time.sleep(0.01)


def test_killed_again_and_again(folder: Path) -> None:
    """Right after the receipts, while results are saved, with a worker killed before: all is there, graded once."""
    promised: dict[str, set[str]] = {name: set() for name in NAMES}
    for turn in range(5):
        before = len(rows(folder, "SELECT 1 FROM run")) if turn else 0
        server = Server(folder)
        for name in NAMES:
            code = f"def double(x):\n    return x * 2  # {turn} {name}\n"
            promised[name].add(server.submit(name, code))
            if turn == 1:
                for worker in children(server.process.pid):
                    os.kill(worker, signal.SIGKILL)
        if turn in (2, 3):
            until(lambda count=before + turn - 1: len(rows(folder, "SELECT 1 FROM run")) >= count)  # type: ignore[misc]
        server.kill()
        left = [name for name in NAMES for _ in (folder / "inbox" / name).iterdir()]
        assert Counter(left) == dict.fromkeys(NAMES, turn + 1), "a receipt means that the submission is there"
    server = Server(folder)
    wanted = sum(map(len, promised.values()))
    until(lambda: len(rows(folder, "SELECT 1 FROM submission WHERE graded")) == wanted)
    server.kill(signal.SIGTERM)
    assert server.process.returncode == 130, "ended in order"
    for name, theirs in promised.items():
        assert {place.name for place in (folder / "inbox" / name).iterdir()} == theirs
    assert rows(folder, "SELECT count(*) FROM submission WHERE error IS NOT NULL") == [(0,)]
    assert len(rows(folder, "SELECT 1 FROM run")) == wanted, "each was graded once"
    assert rows(folder, "PRAGMA integrity_check") == [("ok",)]
