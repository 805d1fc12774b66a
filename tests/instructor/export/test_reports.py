"""``export reports``: the files that ``batch --files`` writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.results import ASKED, FILES, write_files
from grader.core.errors import UsageError
from tests.tiny import give

if TYPE_CHECKING:
    from conftest import Made

    from grader.classroom.results import Book


def test_the_same_files_as_the_batch_writes(small: Made, tmp_path: Path) -> None:
    """Byte by byte, also for what belongs to nobody in the class; and the same as the file of one learner."""

    def edit(book: Book) -> None:
        book.gradebook._connection.execute("DELETE FROM member WHERE learner = 'bo'")
        write_files(book, small.folder, "en")

    small.change(edit)
    folder = small.export("reports", tmp_path / "out")
    wanted = {path.name: path.read_bytes() for path in small.folder.glob("*.json")}
    assert sorted(wanted) == ["ada.json", "canvas-12.json", "dee.json"]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == wanted
    assert small.export("reports", tmp_path / "ada", learner="ada").read_bytes() == wanted["ada.json"]
    assert small.told == ""


def test_who_submitted_nothing_has_no_report(by_hand: Made, tmp_path: Path) -> None:
    """Even with points given by hand."""
    assert not (by_hand.export("reports", tmp_path / "out") / "cy.json").exists()
    with pytest.raises(UsageError, match="cy has not submitted anything"):
        by_hand.export("reports", tmp_path / "cy.json", learner="cy")


def test_files_are_written_when_asked_for(small: Made) -> None:
    """What an earlier batch wrote is deleted if this one was not asked for files; other files stay."""

    def edit(book: Book) -> None:
        (small.folder / "mine.json").write_text("{}")
        assert [row.file for row in write_files(book, small.folder, "en")] == ["ada.json", "bo.json", None, "dee.json"]
        book.gradebook.remember(FILES, False)
        rows = write_files(book, small.folder, "en")
        assert [(row.file, row.submitted) for row in rows] == [(None, True)] * 2 + [(None, False), (None, True)]
        assert [path.name for path in small.folder.glob("*.json")] == ["mine.json"]

    small.change(edit)


@pytest.mark.parametrize("given", [False, True])
def test_what_was_not_attempted_is_a_name(small: Made, tmp_path: Path, given: bool) -> None:
    """Unless it was asked for, or has points given by hand; its points count all the same."""

    def edit(book: Book) -> None:
        book.gradebook.remember(ASKED, [])
        if given:
            give(book.gradebook, replace(book.gradebook.overrides()[0], learner="bo", part="lookup", points=1.5))

    small.change(edit)
    found = json.loads(small.export("reports", tmp_path / "bo.json", learner="bo").read_bytes())
    assert [question["id"] for question in found["questions"]] == (["Q5", "Q6"] if given else ["Q5"])
    assert (found["not_attempted"], found["possible"]) == ([] if given else ["Q6"], 10)

    def whole(book: Book) -> None:
        mark = next(mark for mark in book.marks() if mark.learner.id == "bo")
        report = book.report(mark)
        assert report is not None
        assert report.possible == 10
        passed = replace(report, questions=())
        assert passed.passed is given

    small.change(whole)
