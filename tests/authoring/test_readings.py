"""Texts that are said of several mistakes, and who has compared them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring import selfcheck
from grader.course import loader
from grader.grading import courses
from tests.tiny import change, course

ONE = "- {misconception: squares, edits: [{replace: x + x, with: x * x}], fails: [values/basic]}"
OTHER = "- {misconception: squares, edits: [{replace: x + x, with: x ** 3}], fails: [values/basic]}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course in which two mistakes are told the same."""
    change(course(tmp_path), ONE, f"{ONE}\n      {OTHER}")
    return tmp_path


def test_a_text_that_is_said_of_several_mistakes(folder: Path) -> None:
    """Has to be read by two people, for each of them."""
    first, second = selfcheck.pairs(courses.load(folder))
    assert (first.question, first.exercise, first.misconception.id) == ("Q1", "double", "squares")
    assert first.key != second.key and not first.is_read and not second.is_read
    noted = f"Q1:\n  squares: {{{first.key}: [A, B], {second.key}: [A, A]}}\n"
    (folder / "questions" / selfcheck.READINGS).write_text(noted, "utf-8")
    first, second = selfcheck.pairs(courses.load(folder))
    assert first.is_read and first.readers == ("A", "B")
    assert not second.is_read


def test_what_was_changed_has_to_be_read_again(folder: Path) -> None:
    """A new text, or another edit; but not the other mistake."""
    first, second = selfcheck.pairs(courses.load(folder))
    change(folder, "x ** 3", "x ** 4")
    same, edited = selfcheck.pairs(courses.load(folder))
    assert same.key == first.key and edited.key != second.key
    change(folder, "Twice is not squared.", "Twice is no square.")
    assert next(selfcheck.pairs(courses.load(folder))).key != first.key


def test_the_bundled_course() -> None:
    """Two people have read every pair."""
    unread = [pair for pair in selfcheck.pairs(courses.load(loader.find(None))) if not pair.is_read]
    assert [(pair.question, pair.exercise, pair.misconception.id, pair.key) for pair in unread] == []
