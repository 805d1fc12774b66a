"""The class server is killed at any moment: nothing that was submitted is lost, and nothing is graded twice."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import random
import re
import signal
import socket
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.gradebook import FILE
from tests import tiny
from tests.web.served import ServedClass

pytestmark = pytest.mark.prove
NAMES = ("ada", "bo", "cy")
KILLS = 20
ENDLESS = "def double(x):\n    while True:\n        pass\n"


class Server(ServedClass):
    """What learners do at a class server."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, NAMES, workers=2)

    def post(self, name: str, path: str, **form: str) -> str:
        """The page after a form was sent."""
        found: str = self.people[name].open(self.form(path, form)).read().decode()
        return found

    def submit(self, name: str, code: str) -> str:
        """Saves code and submits it; returns the name of the submission."""
        self.post(name, "/questions/Q1/code", code=code, do="check")
        return re.findall(r"/submissions/([\w-]+)/receipt", self.post(name, "/submit"))[0]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A class of three with a small course, at a port of its own."""
    tiny.course(tmp_path / "course")
    (tmp_path / "course" / "course.yaml").write_text("limits: {submissions_per_day: 10000, checks_per_hour: 10000}\n")
    place = tmp_path / "class"
    place.mkdir()
    (place / "class.csv").write_text("id\n" + "\n".join(NAMES) + "\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (place / "class.yaml").write_text(f"address: http://127.0.0.1:{port}\ncourse: ../course\nroster: class.csv\n")
    return place


def rows(folder: Path, query: str) -> list[Any]:
    """What the gradebook has."""
    with contextlib.closing(sqlite3.connect(folder / FILE, timeout=30)) as book:
        return book.execute(query).fetchall()


def by_parent() -> dict[int, list[int]]:
    """The processes that each process has started."""
    found: dict[int, list[int]] = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            parent = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
            found.setdefault(parent, []).append(int(number))
    return found


def children(process: int) -> list[int]:
    """The processes that ``process`` has started."""
    return by_parent().get(process, [])


def descendants(process: int) -> list[int]:
    """The processes below ``process``."""
    below, found = by_parent(), [process]
    for each in found:
        found += below.get(each, [])
    return found[1:]


def zygotes(process: int) -> list[int]:
    """The zygotes below ``process``, and the children of theirs that run code."""
    found = []
    for each in descendants(process):
        with contextlib.suppress(OSError):  # it has ended
            found += [each] if b"zygote" in Path(f"/proc/{each}/cmdline").read_bytes() else []
    return found


def until(found: Callable[[], bool]) -> None:
    """Waits; the time limit is that of the whole run."""
    while not found():
        time.sleep(0.01)


def submitting(server: Server, name: str, turn: int, promised: set[str]) -> None:
    """Submits different code again and again, until the server is gone."""
    for number in itertools.count():
        # URLError: it has not answered. HTTPException: it had begun to.
        try:
            promised.add(server.submit(name, f"def double(x):\n    return x * 2  # {turn} {name} {number}\n"))
        except (OSError, http.client.HTTPException):
            return


def test_killed_under_load(folder: Path) -> None:
    """Server and workers, at random moments while everybody submits: what has a receipt is there, and graded once."""
    promised: dict[str, set[str]] = {name: set() for name in NAMES}
    chance = random.Random(20)
    for turn in range(KILLS):
        server = Server(folder)
        learners = [threading.Thread(target=submitting, args=(server, name, turn, promised[name])) for name in NAMES]
        for learner in learners:
            learner.start()
        known = sum(map(len, promised.values()))
        until(lambda known=known, turn=turn: sum(map(len, promised.values())) >= known + 3 * (turn % 2))  # type: ignore[misc]
        time.sleep(chance.uniform(0, 1))
        if turn % 2:
            for worker in children(server.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            time.sleep(chance.uniform(0, 1))
        server.kill()
        for learner in learners:
            learner.join()
    server = Server(folder)
    there = {name: {place.name for place in (folder / "inbox" / name).iterdir()} for name in NAMES}
    wanted = sum(map(len, there.values()))
    until(lambda: len(rows(folder, "SELECT 1 FROM submission WHERE graded")) == wanted)
    server.kill(signal.SIGTERM)
    assert wanted > KILLS, "there was load"
    assert all(promised[name] <= there[name] for name in NAMES), "a receipt means that the submission is there"
    assert rows(folder, "SELECT count(*) FROM submission WHERE error IS NOT NULL") == [(0,)]
    assert len(rows(folder, "SELECT 1 FROM run")) == wanted, "each was graded once"
    assert rows(folder, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ended_while_code_runs(folder: Path, number: int) -> None:
    """The server ends at once and in order, says nothing but that, and those who wait for a check are told."""
    server = Server(folder)
    until(lambda: len(zygotes(server.process.pid)) == 6)  # two for each worker
    said: list[str] = []

    def check() -> None:
        try:
            server.post("bo", "/questions/Q1/code", code=ENDLESS, do="check")
        except urllib.error.HTTPError as error:
            said.append(error.read().decode())

    def both_run() -> bool:
        return len(zygotes(server.process.pid)) == 8

    for turn in itertools.count(1):  # on a busy machine, the one may have reached its limit before the other begins
        server.post("ada", "/questions/Q1/code", code=f"{ENDLESS}# {turn}", do="save")
        server.post("ada", "/submit")
        waiting = threading.Thread(target=check)
        waiting.start()
        until(lambda waiting=waiting: both_run() or not waiting.is_alive())  # type: ignore[misc]
        if waiting.is_alive():
            break
    began = time.monotonic()
    server.process.send_signal(number)
    assert server.process.stdout is not None
    assert server.process.stdout.read().strip() == "attncheck: interrupted", "no leaked semaphores, no traceback"
    took = time.monotonic() - began
    server.kill()
    waiting.join()
    assert server.process.returncode == 130
    assert took < 2, "the code itself would run for longer"
    assert said and "Code cannot be graded at the moment" in said[0]
    ended = rows(folder, "SELECT graded, error FROM submission ORDER BY graded")
    assert ended[0] == (0, None) and len(ended) == turn, "nothing is said of what was ended"
    server = Server(folder)
    until(lambda: len(rows(folder, "SELECT 1 FROM submission WHERE graded AND error IS NULL")) == turn)
    server.kill(signal.SIGTERM)


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
