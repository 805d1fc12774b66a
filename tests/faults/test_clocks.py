"""The wall clock jumps, or time zones are unknown: no result depends on it."""

from __future__ import annotations

import io
import itertools
import json
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book
from grader.core.model import Status
from grader.grading import courses
from grader.learning.log import Answered, Event, Rating, Reviewed, append, read
from grader.learning.review import Card, cards, queue, replay
from tests.faults.conftest import Attncheck

Here = Callable[[str], tuple[int, str]]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
YEARS = (1, 1970, 2026, 2099, 9999)


def year(number: int) -> datetime:
    """A time in a year."""
    return NOW.replace(year=number)


def test_reviews_at_impossible_times() -> None:
    """Timestamps out of order or at the end of the calendar do not break a log, and every review counts."""
    ratings: tuple[Rating, ...] = ("again", "good", "easy")
    for years, rating in itertools.product(itertools.permutations(YEARS, 3), ratings):
        found = replay([Reviewed(year(each), "c", "Q1.a", rating) for each in years])
        assert found["Q1.a"][1] == 3


def test_a_card_of_the_future_comes_up(tmp_path: Path, graded: Path) -> None:
    """A card seen while the clock was ahead is not postponed until then."""
    course = courses.load(tmp_path / "course")
    log = tmp_path / "log"

    def seen(at: datetime) -> list[Event]:
        answered = Answered(at, course.public_id, "Q1.a", "a", 1.0, Status.PASSED, None, 1, True)
        return [answered, Reviewed(at, course.public_id, "Q1.a", "easy")]

    append(log, *seen(year(2099)), *seen(NOW))
    (card,) = cards(course, read(log, course.public_id))
    assert queue([card], NOW) == ()
    append(log, *seen(year(2099)))
    (card,) = cards(course, read(log, course.public_id))
    assert isinstance(card, Card)
    assert queue([card], NOW) == (card,)
    assert queue([replace(card, seen=NOW + timedelta(minutes=5))], NOW) == ()


@pytest.mark.parametrize("at", [year(1970), year(2099)])
def test_lateness_is_that_of_the_intake(at: datetime, graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lateness depends on the submission's time, not on the grading machine's clock."""
    monkeypatch.setattr(time, "time", at.timestamp)
    with closing(open_gradebook(graded)) as book:
        loaded = courses.load(graded.parent / "course")
        late = replace(loaded, rules=replace(loaded.rules, due=NOW.isoformat(), late_percent=10))
        book.save_collection([replace(row, at=NOW + timedelta(hours=1)) for row in book.submissions()])
        marks = list(Book.of(book, late).marks())
        assert {mark.late_seconds for mark in marks if mark.work is not None} == {3600.0}


def test_zips_that_are_made_before_their_time(graded: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a clock starts in 1970, but zip files cannot store times before 1980."""
    monkeypatch.setattr(time, "time", lambda: 3600.0)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(3600))
    assert here("export qti --graded --to quiz.zip --course course")[0] == 0
    with zipfile.ZipFile(io.BytesIO(Path("quiz.zip").read_bytes())) as archive:
        assert archive.testzip() is None


NOWHERE = {"PYTHONTZPATH": "", "TZDIR": "/nonexistent", "TZ": "Nowhere/At_All"}


@pytest.mark.prove
def test_no_time_zones(graded: Path, attncheck: Attncheck, tmp_path: Path) -> None:
    """Due dates include their UTC offset, so no time zone database is needed."""
    (tmp_path / "course" / "course.yaml").write_text("due: 2026-11-20T23:59:00+08:00\nlate: {percent: 10}\n")
    ran = attncheck("stats", "out", "--json", "--course", "course", env=NOWHERE)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)
