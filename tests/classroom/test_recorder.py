"""Results are saved together, soon, and whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.classroom import recorder as recorder_module
from grader.classroom import task
from grader.classroom.gradebook import Gradebook, SubmissionRow, open_gradebook
from grader.classroom.recorder import GradingPlan, Recorder
from grader.classroom.task import TaskResult, decode, encode
from grader.core.model import ItemResult, QuestionResult, Status, Text
from grader.grading.inputs import Seed

RESULT = QuestionResult("Q3", Text("t", "题"), (ItemResult("Q3.a", "choice", Status.PASSED, 1.0, 1.0),), ())
ROWS = {name: SubmissionRow(name, f"in/{name}", (name,), f"d-{name}", name) for name in "abcd"}
WHY = Text("not Python", "不是 Python")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    """A book with four submissions, none of them graded."""
    with closing(open_gradebook(tmp_path, create=True)) as found:
        found.save_collection(list(ROWS.values()))
        yield found


def recorder(book: Gradebook, now: list[float]) -> Recorder:
    """A recorder whose clock shows ``now``."""
    course: Any = SimpleNamespace(digest="course")
    return Recorder(book, GradingPlan(course, Seed.public(), {"Q3": "v"}, ROWS), clock=lambda: now[0])


def result(name: str) -> TaskResult:
    """A graded submission."""
    return TaskResult(name, (encode(RESULT),), '{"Q3.a": "b"}')


def saved(book: Gradebook) -> set[str]:
    """The submissions that another process would find graded or refused."""
    with closing(open_gradebook(book.path.parent)) as other:
        rows = {row.key: row for row in other.submissions()}
        return {name for name, row in rows.items() if row.error is not None or other.graded(row)}


def test_what_was_taken_is_saved_in_time(book: Gradebook) -> None:
    """Not before it is due, so that more can come; then all of it in one transaction."""
    now = [10.0]
    with recorder(book, now) as found:
        found.save(result("a"))
        now[0] += recorder_module._LONGEST_WAIT / 2
        found.save(TaskResult("b", error=WHY))
        assert saved(book) == set()
        now[0] += recorder_module._LONGEST_WAIT
        found.save(result("c"))
        assert saved(book) == {"a", "b", "c"}
        found.save(result("d"))
        assert saved(book) == {"a", "b", "c"}
        found.commit()
        assert saved(book) == set("abcd")


def test_many_are_saved_at_once(book: Gradebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as there are enough of them, without any waiting."""
    monkeypatch.setattr(recorder_module, "_TOGETHER", 2)
    with recorder(book, [10.0]) as found:
        found.save(result("a"))
        assert saved(book) == set()
        found.save(result("b"))
        assert saved(book) == {"a", "b"}


def test_an_interruption_saves_what_was_taken(book: Gradebook) -> None:
    """So "the results so far are saved" is true."""
    with pytest.raises(KeyboardInterrupt), recorder(book, [10.0]) as found:
        found.save(result("a"))
        raise KeyboardInterrupt
    assert saved(book) == {"a"}
    (unit,) = book.units(ROWS["a"], {"Q3": "v"})
    assert (unit[0], unit[1].course, book.answers(ROWS["a"])) == (RESULT, "course", {"Q3.a": "b"})


def test_equal_results_are_encoded_alike() -> None:
    """Whichever worker encodes them; other ones are not."""
    other = QuestionResult("Q3", Text("t", "题"), (ItemResult("Q3.a", "choice", Status.FAILED, 0.0, 1.0),), ())
    assert encode(RESULT) == task._encode_equal.__wrapped__(RESULT) == encode(replace(RESULT))
    assert encode(RESULT).digest != encode(other).digest
    assert [decode(encode(one).body) for one in (RESULT, other)] == [RESULT, other]
