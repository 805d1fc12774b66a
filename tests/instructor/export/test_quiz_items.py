"""What the formats of quiz items have in common."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.errors import UsageError
from grader.core.marks import plain
from grader.course import loader
from grader.grading import courses
from grader.instructor.export._quiz import decimal, inline, markup
from grader.instructor.export.gift import escaped
from tests.instructor.export.quiz_course import COURSE, ITEMS, gift, make, quiz


@pytest.mark.parametrize("form", ["gift", "qti"])
def test_the_language(tmp_path: Path, form: str) -> None:
    """One of the two."""
    path, _ = make(form, tmp_path / "q", lang="zh", questions=("Q2",))
    if form == "gift":
        assert "（中文）" in path.read_text(encoding="utf-8")
    else:
        (item,) = quiz(path).items.values()
        assert "（中文）" in "".join(item.itertext())


@pytest.mark.parametrize("form", ["gift", "qti"])
def test_nothing_to_ask(tmp_path: Path, form: str) -> None:
    """Is refused with what may help."""
    bare = replace(COURSE, questions=(replace(COURSE.questions[0], items=ITEMS[-1:]),))
    with pytest.raises(UsageError, match=r"no practice items.*--graded"):
        make(form, tmp_path / "q", bare)


def test_the_bundled_course(tmp_path: Path) -> None:
    """All of it can be exported, and only orders are left out."""
    course = courses.load(loader.find(None))
    for form in ("gift", "qti"):
        path, _ = make(form, tmp_path / form, course, graded=True)
        asked = [item for question in course.questions for item in question.items if item.kind != "order"]
        expected = {f"{item.id} {plain(item.title.en)}" for item in asked if item.title}
        assert len(expected) == len(asked) and set(gift(path)[1] if form == "gift" else quiz(path).items) == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (12, "12"),
        (2**70, str(2**70)),
        (0.1, "0.1"),
        (1e-9, "0.000000001"),
        (1e20, "100000000000000000000"),
        (-2.50, "-2.5"),
    ],
)
def test_numbers_in_digits(value: float, written: str) -> None:
    """No exponents, which not every system reads."""
    assert decimal(value) == written


def test_text_as_html() -> None:
    """Paragraphs, lines and what is set in; nothing is markup, nothing invisible."""
    assert markup("a\nb\n\n  c <i>\x1b[1m\u202e") == "<p>a<br/>b</p><p>&#160;&#160;c &lt;i&gt;</p>"
    assert inline("a\nb") == "a<br/>b"
    assert escaped("a\n~") == r"a\n\~"
