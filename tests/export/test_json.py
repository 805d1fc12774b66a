"""``export json``: the whole gradebook, and the same bytes for the same grading."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.errors import UsageError
from grader.gradebook import Enrolled, Unit, open_gradebook
from grader.results import Book

if TYPE_CHECKING:
    from conftest import Made


def read(path: Path) -> dict[str, Any]:
    """The document."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_everybody_with_everything(small: Made, tmp_path: Path) -> None:
    """Marks in the order of ids, with answers, overrides and the provenance of the points."""
    found = read(small.export("json", tmp_path / "all.json"))
    ada, bo, cy, dee = found["marks"]
    assert (found["course"]["public_id"], found["questions"]) == ("test", {"Q5": 7, "Q6": 3})
    assert (ada["learner"], ada["earned"], ada["possible"], ada["factor"]) == ("ada", 5.4, 10, 0.9)
    assert ada["overrides"] == [{"part": "Q5.size", "points": 1, "reason": "=my reason", "author": "Prof. Invented"}]
    assert ada["answers"] == {"Q5.why": "because ada"}
    assert ada["provenance"]["Q5"]["layers"] == ["seccomp", "rlimits"]
    assert bo["questions"][0]["exercises"][0]["misconception"] == "no-scaling"
    assert (cy["submission"], cy["complete"]) == (None, True)
    assert (dee["error"], dee["complete"]) == ("canvas-14: not Python", False)
    assert found["unmatched"] == []


def test_one_learner(small: Made, tmp_path: Path) -> None:
    """``--learner`` leaves the others out; nobody is not a learner."""
    assert [mark["learner"] for mark in read(small.export("json", tmp_path / "bo.json", learner="bo"))["marks"]] == [
        "bo"
    ]
    with pytest.raises(UsageError, match="no learner “zoe”"):
        small.export("json", tmp_path / "zoe.json", learner="zoe")
    assert not (tmp_path / "zoe.json").exists()


def test_equal_grading_gives_equal_bytes(small: Made, tmp_path: Path) -> None:
    """Graded later, in other batches, from another folder and in another order: the same."""
    first = small.export("json", tmp_path / "1.json").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    with closing(open_gradebook(small.folder)) as old, closing(open_gradebook(other, create=True)) as new:
        for name in ("questions", "versions"):
            new.remember(name, old.recall(name))
        new.enrol(reversed(old.learners()))
        filed = [replace(each, path=f"/elsewhere/{each.key}", error=None) for each in old.submissions()]
        new.file(filed[::-1])
        for each in reversed(filed):
            for unit, run in reversed(old.units(each, {"Q5": "v", "Q6": "v"})):
                later = replace(run, at=run.at + timedelta(days=3), seconds=99.0)
                new.record(each, later, [Unit(unit.question, "v", unit.result)], old.answers(each), old.notices(each))
        new.refuse(filed[-1], "/elsewhere/canvas-14: not Python")
        for change in old.overrides():
            new.override(replace(change, at=change.at + timedelta(days=1)))
    small.folder = other
    assert small.export("json", tmp_path / "2.json").read_bytes() == first
    for word in (b"/work", b"/elsewhere", b'seconds": 0', b"2026-11"):
        assert word not in first


def test_what_belongs_to_nobody(small: Made, tmp_path: Path) -> None:
    """Is there, too, apart from the class."""

    def strange(book: Book) -> None:
        book.gradebook._connection.execute("DELETE FROM member WHERE learner = 'bo'")

    small.change(strange)
    found = read(small.export("json", tmp_path / "all.json"))
    assert [mark["learner"] for mark in found["unmatched"]] == ["canvas-12"]


def test_hostile_names(hostile: Made, tmp_path: Path, names: tuple[str, ...]) -> None:
    """They are data, and come back as they were."""
    found = read(hostile.export("json", tmp_path / "all.json"))
    assert {mark["learner"] for mark in found["marks"]} == set(names)


def test_an_empty_class(made: Made, tmp_path: Path) -> None:
    """Is a document, too."""
    made.fill()
    made.change(lambda book: book.gradebook.enrol([Enrolled("ada", "Ada")]))
    assert len(read(made.export("json", tmp_path / "all.json"))["marks"]) == 1


def test_answers_that_json_has_no_word_for(small: Made, tmp_path: Path) -> None:
    """Whatever learners write into their answers, the document is JSON."""
    odd = '{"Q5.b": NaN, "Q5.a": [-Infinity, {"x": 1e999}]}'
    small.change(lambda book: book.gradebook._connection.execute("UPDATE submission SET answers = ?", (odd,)))
    text = small.export("json", tmp_path / "all.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert list(found["marks"][0]["answers"]) == ["Q5.a", "Q5.b"]
