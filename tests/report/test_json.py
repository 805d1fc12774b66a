"""The report as data."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from grader.core.model import Report, Text
from grader.report.json import number, to_json


def test_structure(report: Report) -> None:
    """The keys of the contract come first, in its order; ours follow."""
    data = to_json(report)
    assert list(data)[:11] == [
        "format", "learner", "earned", "possible", "complete", "late_by_seconds", "course", "seed", "attncheck",
        "torch", "seconds",
    ]  # fmt: skip
    assert list(data)[11:] == ["sandbox", "questions", "notices", "not_attempted"]
    (question,) = data["questions"]
    assert list(question) == ["id", "earned", "possible", "items", "exercises"]
    assert list(question["items"][0]) == [
        "id", "kind", "status", "earned", "possible", "misconception", "message", "reading", "unread",
    ]  # fmt: skip
    assert list(question["exercises"][0])[:6] == [
        "function", "status", "earned", "possible", "misconception", "message",
    ]  # fmt: skip
    assert list(question["exercises"][0]["checks"][0]) == [
        "name", "case", "visibility", "status", "earned", "possible", "message", "broken",
            "printed",
    ]  # fmt: skip


def test_values(report: Report) -> None:
    """The facts are the report's; the version is the one that graded."""
    data = to_json(report)
    assert (data["format"], data["learner"], data["earned"], data["possible"]) == (1, "ada", 5, 21)
    assert data["complete"] is True
    assert data["late_by_seconds"] == 7260
    assert data["course"] == {"title": "Attention", "digest": "digest"}
    assert (data["attncheck"], data["torch"], data["seconds"]) == ("0.0.9", "2.13.0", 0.412346)
    assert data["sandbox"] == {"layers": ["seccomp", "landlock-7"], "unsafe": False}
    assert data["notices"] == ["notes.txt: This file was not read."]
    (question,) = data["questions"]
    assert question["items"][1]["misconception"] == "output-is-scores"
    first, second, missing = question["exercises"]
    assert (first["misconception"], first["array_type"], first["file"]) == ("no-scaling", "numpy", "q05.py")
    assert second["misconception"] is None
    assert (missing["status"], missing["checks"], missing["file"]) == ("missing", [], None)


def test_hidden_values_stay_hidden(report: Report) -> None:
    """Neither expected nor actual values of any case are in it."""
    written = json.dumps(to_json(report))
    assert "7.125" not in written
    assert "8.375" not in written


def test_language(report: Report) -> None:
    """Messages are in the language asked for."""
    assert to_json(report, "zh")["questions"][0]["exercises"][0]["message"] == "数值不同。"


def test_text_of_learners_is_clean(report: Report) -> None:
    """Terminal sequences and the like do not survive, not even escaped."""
    (question,) = report.questions
    hostile = replace(question.exercises[0], message=Text("\x1b[31mred\u202e", "x"), file="a\x00b.py")
    data = to_json(replace(report, learner="a\x1b[2Jda\ud800", questions=(replace(question, exercises=(hostile,)),)))
    assert data["learner"] == "ada"
    assert data["questions"][0]["exercises"][0]["message"] == "red"
    assert data["questions"][0]["exercises"][0]["file"] == "ab.py"


@pytest.mark.parametrize(("value", "expected"), [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.333333"), (0, "0")])
def test_number(value: float, expected: str) -> None:
    """Whole numbers are whole, others have at most six decimals."""
    assert json.dumps(number(value)) == expected
