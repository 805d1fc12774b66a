"""Attacks on the readers of a class server: what one learner sends so that others wait or lose room or work.

None of it is executed. ``tests/attacks/test_attacks_on_reader.py`` tries them; what is claimed is counted, or is an
order, and no time is measured.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from unittest.mock import patch

from grader.classroom import inbox
from grader.core import bounded
from grader.core.bounded import READING, Bounds, Exceeded, Helper
from grader.core.errors import AttncheckError
from grader.core.files import portable_folder
from grader.core.readers import Readers, Turns
from grader.submission import notebook, parse_files, read, read_files
from grader.web import work
from tests import helpers
from tests.attacks.cases import AttackCase

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_MOST_OLD = 1 << 20


@dataclass(frozen=True, slots=True)
class Case(AttackCase):
    """``attempt`` is given a folder, and fails if the attack succeeds."""

    family = "reader"
    attempt: Callable[[Path], None]


@contextmanager
def _readers(budget: float = 60.0) -> Iterator[Readers]:
    made = Readers(1, budget)
    try:
        yield made
    finally:
        made.close()


def _refused(attempt: Callable[[], object]) -> str:
    """The words with which it is refused."""
    try:
        attempt()
    except AttncheckError as error:
        return error.message.en
    raise AssertionError("it was accepted")


def _notebook(version: int, *cells: str) -> bytes:
    key = "source" if version == 4 else "input"
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "language": "python", key: cell} for cell in cells]
    inside = {"cells": code} if version == 4 else {"worksheets": [{"cells": code, "metadata": {}}]}
    return json.dumps({"nbformat": version, "nbformat_minor": 0, "metadata": {"name": ""}, **inside}).encode()


def _queues_many(_: Path) -> None:
    turns, order = Turns([Helper()], {"mallory": 9.0, "ada": 0.0}.__getitem__), []

    def go(person: str) -> None:
        with turns.turn(person):
            order.append(person)

    with ThreadPoolExecutor(30) as threads:
        held = Event()

        def first() -> None:
            with turns.turn("mallory"):
                held.wait()

        threads.submit(first)
        for number in range(20):
            threads.submit(go, "mallory")
            while len(turns.waiting()) < number:
                pass
        threads.submit(go, "ada")
        while "ada" not in turns.waiting():
            pass
        held.set()
    assert order[0] == "ada"


def _never_ends(_: Path) -> None:
    with _readers() as pool, ThreadPoolExecutor(1) as threads:
        order: list[str] = []

        def spin() -> None:
            with pool.reading_for("mallory"):
                try:
                    bounded.call(Bounds(cpu=4.0), pow, 3, 10**9)
                except Exceeded:
                    order.append("mallory")

        spinning = threads.submit(spin)
        with pool.reading_for("ada"):
            while pool._budget.used("mallory", monotonic()) == 0:  # its quick turn is over
                assert not spinning.done()
            assert bounded.call(READING, len, "abc") == 3
            order.append("ada")
        spinning.result()
    assert order == ["ada", "mallory"]


def _again_and_again(_: Path) -> None:
    def spin() -> None:
        with pool.reading_for("mallory"):
            bounded.call(READING, eval, "sum(range(10**7))")

    with _readers(budget=0.5) as pool:
        for _ in range(100):
            try:
                spin()
            except AttncheckError:
                break
        assert "within an hour" in _refused(spin)
        with pool.reading_for("ada"):
            assert bounded.call(READING, len, "abc") == 3


def _pages_that_read(folder: Path) -> None:
    (folder / "work").mkdir()
    (folder / "work" / "mine.ipynb").write_bytes(_notebook(4, *(f"x{at} = {at}" for at in range(200))))
    calls: list[str] = []
    real = Helper.send

    def counted(self: Helper, bounds: Bounds, request: bytes) -> Any:
        calls.append(pickle.loads(request)[0].__name__)
        return real(self, bounds, request)

    with _readers() as pool, patch.object(Helper, "send", counted), pool.reading_for("mallory"):
        for _ in range(10):
            assert work.find_files(folder / "work") is not None  # what the pages of files and of submitting do
            read(folder / "work", "mallory")
    assert calls == ["_submission_from"]


def _old_formats(folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(18):
            archive.writestr(f"old{number}.ipynb", _notebook(3, *[f"x = {number}" + " " * 900] * 900))
    (folder / "old.zip").write_bytes(packed.getvalue())
    found = read_files(folder / "old.zip")
    with patch.object(bounded, "_SERVING") as serving, patch.object(notebook, "_loaded") as loaded:
        serving.is_set.return_value = True
        assert "save it" in _refused(lambda: parse_files(found, None, "old.zip", _MOST_OLD))
    assert not loaded.called
    escaped = _notebook(3, "x = 1" + " " * _MOST_OLD).replace(b'"nbformat"', b'"nb\\u0066ormat"')
    for name, data in (("old.zip", packed.getvalue()), ("old.ipynb", escaped)):
        assert "current format" in _refused(partial(work.read_upload, name, data, _MOST_OLD))


def _hand_in(folder: Path, learner: str, text: str, now: datetime = _NOW, **more: Any) -> inbox.Receipt:
    (folder / "inbox").mkdir(exist_ok=True)
    (folder / "q05.py").write_text(text)
    return inbox.submit(folder / "q05.py", folder / "inbox", learner, now, helpers.course(), **more)[0]


def _fills_the_disk(folder: Path) -> None:
    def fill() -> None:
        for number in range(100):
            text = f"x = {number}\n" + "#" * 10_000
            _hand_in(folder, "mallory", text, now=_NOW + timedelta(minutes=number), most=50_000)

    assert "last 24 hours" in _refused(fill)
    assert sum(path.stat().st_size for path in (folder / "inbox").rglob("q05.py")) <= 50_000
    _hand_in(folder, "ada", "x = 1\n", most=50_000)


def _another_ones_folder(folder: Path) -> None:
    ours = portable_folder("O'Brien")
    for name in (ours, "O_Brien", ours.lower(), f"{ours} "):
        _hand_in(folder, name, "x = 1\n")
    assert not (folder / "inbox" / ours).exists()


def _leaves_half(folder: Path) -> None:
    _hand_in(folder, "ada", "x = 1\n")
    left = folder / "inbox" / f"{inbox.INCOMING}mallory"
    left.mkdir()
    with inbox._incoming(folder / "inbox") as written:
        assert [*inbox.abandoned(folder / "inbox")] == [left]
        assert written.is_dir()
    assert not written.exists()
    assert os.listdir(folder / "inbox") != []


CASES = (
    Case("queues_many", "twenty notebooks of one learner before another's", _queues_many),
    Case("never_ends", "a file whose reading uses all of its time", _never_ends),
    Case("again_and_again", "costly files again and again", _again_and_again),
    Case("pages_that_read", "pages that show costly files, again and again", _pages_that_read),
    Case("old_formats", "a small zip with 17 MB of notebooks in format 3", _old_formats),
    Case("fills_the_disk", "submissions that are large and always different", _fills_the_disk),
    Case("another_ones_folder", "a name that is what another learner's folder is called", _another_ones_folder),
    Case("leaves_half", "a submission that is never finished", _leaves_half),
)
