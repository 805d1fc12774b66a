"""``export json``: the whole gradebook, and the same bytes for the same grading."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.classroom.gradebook import LearnerRow, open_gradebook
from grader.classroom.results import ASKED, Book, write_files
from grader.core.errors import UsageError
from grader.core.model import Text
from tests.tiny import give

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
        for name in ("questions", "versions", ASKED):
            new.remember(name, old.recall(name))
        new.enrol(reversed(old.learners()))
        row = [replace(each, path=f"/elsewhere/{each.key}", error=None) for each in old.submissions()]
        new.save_collection(row[::-1])
        for each in reversed(row):
            for result, run in reversed(old.units(each, {"Q5": "v", "Q6": "v"})):
                later = replace(run, at=run.at + timedelta(days=3), seconds=99.0)
                new.record(each, later, [("v", result)], old.answers(each), old.notices(each))
        new.refuse(row[-1], Text("/elsewhere/canvas-14: not Python", "/elsewhere/canvas-14：不是 Python"))
        for change in old.overrides():
            give(new, replace(change, at=change.at + timedelta(days=1)))
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
    made.change(lambda book: book.gradebook.enrol([LearnerRow("ada", "Ada")]))
    assert len(read(made.export("json", tmp_path / "all.json"))["marks"]) == 1


def test_answers_that_json_has_no_word_for(small: Made, tmp_path: Path) -> None:
    """Whatever learners write into their answers, the document is JSON."""
    odd = '{"Q5.b": NaN, "Q5.a": [-Infinity, {"x": 1e999}]}'
    small.change(lambda book: book.gradebook._connection.execute("UPDATE submission SET answers = ?", (odd,)))
    text = small.export("json", tmp_path / "all.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert list(found["marks"][0]["answers"]) == ["Q5.a", "Q5.b"]


def test_points_by_hand_without_anything_graded(by_hand: Made, tmp_path: Path) -> None:
    """They are there, with what they were given for."""
    marks = read(by_hand.export("json", tmp_path / "all.json"))["marks"]
    given = [{"part": "Q5.why", "points": 0.5, "reason": "told me", "author": "Prof. Invented"}]
    assert len(marks) > 2
    for mark in marks[2:]:
        assert (mark["earned"], mark["possible"], mark["overrides"]) == (0.5, 10, given)


def test_complete_is_what_the_mark_says(small: Made, tmp_path: Path) -> None:
    """In every file: a question that is not graded, or an error, is not whole, whatever the rest says."""

    def edit(book: Book) -> None:
        ada, bo = (row for row in book.gradebook.submissions() if row.key in ("canvas-11", "canvas-12"))
        book.gradebook.refuse(ada, Text("it vanished", "不见了"))
        book.gradebook._connection.execute(
            "DELETE FROM unit WHERE (content, version) IN (SELECT content.id, version.id FROM content JOIN version "
            "WHERE digest = ? AND question = 'Q6')",
            (bo.digest,),
        )
        rows = write_files(book, small.folder, "en")
        assert [line.mark.complete for line in rows] == [False, False, True, False]

    small.change(edit)
    exported = read(small.export("json", tmp_path / "all.json"))["marks"]
    assert [mark["complete"] for mark in exported] == [False, False, True, False]
    assert [read(small.folder / f"{name}.json")["complete"] for name in ("ada", "bo", "dee")] == [False] * 3


def test_files_of_results_tell_where_points_come_from(by_hand: Made) -> None:
    """Question by question after a partial regrade, with the version that graded; points by hand stand there, too."""

    def edit(book: Book) -> None:
        bo = next(row for row in book.gradebook.submissions() if row.key == "canvas-12")
        ((result, run), _) = book.gradebook.units(bo, book.versions)
        newer = replace(
            run,
            at=run.at + timedelta(days=1),
            course="newer",
            versions=(("attncheck", "0.2.0"),),
            layers=("landlock-7", "seccomp"),
        )
        book.gradebook.record(bo, newer, [("v", result)], {}, ())
        write_files(book, by_hand.folder, "en")

    by_hand.change(edit)
    bo, dee = (read(by_hand.folder / f"{name}.json") for name in ("bo", "dee"))
    assert [bo["provenance"][name]["course"] for name in ("Q5", "Q6")] == ["newer", "digest"]
    assert [bo["provenance"][name]["versions"]["attncheck"] for name in ("Q5", "Q6")] == ["0.2.0", "0.1.0"]
    assert (bo["course"]["digest"], bo["attncheck"], bo["sandbox"]["layers"]) == ("newer", "0.2.0", ["seccomp"])
    assert (dee["earned"], dee["possible"], dee["overrides"][0]["part"]) == (0.5, 10, "Q5.why")
    assert "not Python" in dee["error"]
    docs = (Path(__file__).parents[3] / "docs" / "json.md").read_text(encoding="utf-8").partition("## Batches")[2]
    assert all(f"`{key}`" in docs for key in dee)
