"""How a diagnosis is shown: the learner's own line with the part underlined, and what is said about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.layout import cells
from grader.core.model import Course, Diagnosis, Report, Span, Text
from grader.report import html, junit
from grader.report.explained import MOST_LINES, quoted
from grader.report.json import to_json
from tests.report.test_terminal import changed
from tests.report.test_terminal import shown as text_of


def span(source: str, marked: str) -> Span:
    """The part ``marked`` of a line."""
    start = source.index(marked)
    return Span("q05.py", 9, 9, start, start + len(marked), source)


@pytest.mark.parametrize(
    ("source", "marked", "shown", "caret"),
    [
        ("    scores = q @ k.mT", "q @ k.mT", "scores = q @ k.mT", "         ^^^^^^^^"),
        ("\tscores = q\t@ k", "q\t@ k", "scores = q    @ k", "         ^^^^^^^^"),
        ("    分数 = f('键', q)", "'键'", "分数 = f('键', q)", "         ^^^^"),
        ("x = '\x1b[31m' + y", "y", "x = '\ufffd[31m' + y", "              ^"),
        ("x = '\u202e' + y", "y", "x = '\ufffd' + y", "          ^"),
    ],
)
def test_the_part_is_underlined(source: str, marked: str, shown: str, caret: str) -> None:
    """Below a line without its indentation; wide characters and tabs take the cells that they have on a terminal."""
    found = quoted(span(source, marked))
    assert found is not None
    assert (found.text, found.caret) == (shown, caret)


@pytest.mark.parametrize("column", [0, 30, 150, 290])
def test_long_lines_are_cut(column: int) -> None:
    """To the width that there is; the part that is marked stays in sight."""
    source = "".join(chr(97 + at % 26) for at in range(300))
    for length in (1, 10, 300 - column):
        found = quoted(Span("q.py", 1, 1, column, column + length, source), 40)
        assert found is not None
        assert cells(found.text) <= 40
        assert found.marked.rstrip("…") in source[column : column + length]
        assert found.marked[0] == source[column]


def test_a_part_over_several_lines() -> None:
    """Is marked to the end of its first line."""
    found = quoted(Span("q.py", 1, 3, 4, 1, "x = f("))
    assert found is not None
    assert (found.before, found.marked, found.after) == ("x = ", "f(", "")


@pytest.mark.parametrize(("column", "end", "source"), [(5, 9, ""), (5, 9, "abc"), (2, 2, "abc"), (-1, 2, "abc")])
def test_no_source(column: int, end: int, source: str) -> None:
    """A place without its line, or one that does not lie in it, is not quoted."""
    assert quoted(Span("q.py", 1, 1, column, end, source)) is None


MASKED = Diagnosis(
    "place",
    Text("The mask of every sample belongs here.", "这里应该用每个样本各自的掩码。"),
    span=span("    m = mask[:1] & '<b>键'", "mask[:1] & '<b>键'"),
)
SECOND = Diagnosis("mistake", Text("A second truth.", "第二个真相。"), "another")


def explained(report: Report, *found: Diagnosis) -> Report:
    """The report with this said about its first exercise."""
    first, *rest = report.questions[0].exercises
    return changed(report, exercises=(replace(first, diagnosis=found), *rest))


def test_terminal(report: Report, course: Course) -> None:
    """The sentence, and below it the line with carets."""
    shown = text_of(explained(report, MASKED, SECOND), course)
    assert "q05.py, line 9: The mask of every sample belongs here." in shown
    assert "        m = mask[:1] & '<b>键'\n            ^^^^^^^^^^^^^^^^^^\n" in shown
    assert "A second truth." in shown
    assert "这里应该用每个样本各自的掩码。" in text_of(explained(report, MASKED), course, "zh")


def test_what_is_said_already_is_not_repeated(report: Report, course: Course) -> None:
    """The truth about the misconception is part of the report already."""
    truth = course.questions[0].misconceptions[0].truth
    again = explained(report, Diagnosis("mistake", truth, "no-scaling"))
    assert text_of(again, course) == text_of(report, course)
    assert html.render(again, course, "en") == html.render(report, course, "en")


def test_it_takes_few_lines(report: Report, course: Course) -> None:
    """However much there is to say, and however narrow the terminal is."""
    long = replace(MASKED, text=Text("word " * 60, "字" * 200))
    for width in (40, 80):
        before = text_of(report, course, width=width).count("\n")
        assert text_of(explained(report, MASKED, MASKED, long, SECOND), course, width=width).count("\n") - before <= (
            MOST_LINES
        )


def test_html(report: Report, course: Course) -> None:
    """The part is marked, and what a learner wrote is text."""
    page = html.render(explained(report, MASKED), course, "en")
    assert 'm = <mark>mask[:<span class="code-number">1</span>] &amp; <span' in page
    assert '<span class="code-string">&#39;&lt;b&gt;键&#39;</span></mark></code>' in page
    assert "The mask of every sample belongs here." in page
    assert "这里应该用每个样本各自的掩码。" in page


def test_json(report: Report) -> None:
    """One entry for each, with its place; null where none is known."""
    found = to_json(explained(report, MASKED, SECOND), "zh")["questions"][0]["exercises"][0]["diagnosis"]
    place = {"file": "q05.py", "line": 9, "end_line": 9, "column": 8, "end_column": 25}
    assert found == [
        {"voice": "place", "misconception": None, **place, "text": "这里应该用每个样本各自的掩码。"},
        {"voice": "mistake", "misconception": "another", **dict.fromkeys(place), "text": "第二个真相。"},
    ]


def test_junit(report: Report) -> None:
    """The sentences are the output of the exercise."""
    assert "<system-out>The mask of every sample belongs here.\nA second truth.</system-out>" in junit.to_junit(
        explained(report, MASKED, SECOND)
    )
