"""Marks and titles of the texts of a course."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from grader.authoring import typesetting
from grader.core.marks import marked
from grader.core.model import Course, Question, Text
from grader.grading import courses
from tests import tiny


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of one question."""
    return courses.load(tiny.course(tmp_path))


def said(course: Course, **changed: object) -> list[str]:
    """The problems of its question after a change, as "id: text"."""
    question = dataclasses.replace(course.questions[0], **changed)  # type: ignore[arg-type]
    whole = dataclasses.replace(course, questions=(question,))
    return [f"{problem.id}: {problem.text}" for problem in typesetting.problems(question, whole)]


def prompt(en: str, zh: str) -> Text:
    """A text with marks."""
    return Text(marked(en), marked(zh))


@pytest.mark.parametrize(
    ("en", "zh", "found"),
    [
        ("Divide by $√d_k$ in `f(x)`.", "在 `f(x)` 中除以 $√d_k$。", []),
        ("With {n} keys.", "共 {n} 个键。", []),
        ("Divide by √d_k.", "除以 $√d_k$。", ["expected $…$ or `…` around √d_k", "marked in only one language: √d_k"]),
        ("Let $(a$ be.", "设 $(a$。", ["“(a” cannot be laid out", "“(a” cannot be laid out"]),
        ("As `x`.", "如 `y`。", ["marked in only one language: x, y"]),
    ],
)
def test_marks(course: Course, en: str, zh: str, found: list[str]) -> None:
    """Mathematics and code are marked, in both languages, and can be set."""
    problems = said(course, prompt=prompt(en, zh))
    assert len(problems) == len(found) and all(part in each for part, each in zip(found, problems, strict=True))


def titled(question: Question, *titles: Text | None) -> tuple[object, ...]:
    """Copies of its item with these titles."""
    (item,) = question.items
    return tuple(dataclasses.replace(item, id=f"Q1.{at}", title=title) for at, title in enumerate(titles))


def test_titles(course: Course) -> None:
    """If one item has a title, all have one: short, their own, and without a word of the answer."""
    question = course.questions[0]
    assert said(course) == []
    assert said(course, items=titled(question, Text("Twice two", "二的两倍"), None)) == ["title: has no title"]
    twice = said(course, items=titled(question, Text("Twice", "一"), Text("Twice", "二")))
    assert twice == ["title: another item of the question is called “Twice”, too"] * 2
    (long,) = said(course, items=titled(question, Text("A" * 40, "长")))
    assert "is longer than 32 characters" in long


def test_titles_tell_nothing(course: Course) -> None:
    """A word of the key that the question does not show is found."""
    item = next(item for item in courses.load(Path()).questions[2].items if item.id == "Q3.own-words")
    told = said(course, items=(dataclasses.replace(item, title=Text("It saturates", "一")),))
    assert any("tells a part of the answer: saturates" in problem for problem in told)
