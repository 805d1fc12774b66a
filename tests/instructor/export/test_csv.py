"""``export csv``: tables that spreadsheets read as they are meant."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.gradebook import LearnerRow, SubmissionRow
from grader.classroom.marks import GradedSubmission, Mark
from grader.classroom.results import LATE, csv_cell, notes

if TYPE_CHECKING:
    from conftest import Made

    from grader.classroom.results import Book


def rows(path: Path) -> list[dict[str, str]]:
    """The table, as a program reads it."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def test_strangers_are_named(small: Made, tmp_path: Path) -> None:
    """What nobody in the class has handed in is left out, and that is said; not where names are to be left out."""

    def edit(book: Book) -> None:
        keys = [f"canvas-{number}" for number in range(900, 940)]
        book.gradebook.save_collection(
            [*book.gradebook.submissions(), *(SubmissionRow(key, key, (), seed_name="Nora\x1b[2J") for key in keys)]
        )

    small.change(edit)
    assert len(rows(small.export("csv", tmp_path / "class.csv"))) == 4
    (said,) = small.said
    assert said.en.startswith("Skipped, because they are not on the roster: canvas-900 (Nora); canvas-901 (Nora);")
    assert said.en.endswith("; … (+10)")
    small.said.clear()
    small.export("csv", tmp_path / "without.csv", pseudonyms=True)
    assert small.said == []


@pytest.mark.parametrize(
    ("late", "at", "said"), [(True, None, (LATE,)), (True, datetime.now(UTC), ()), (False, None, ())]
)
def test_late_without_a_time_is_noted(late: bool, at: datetime | None, said: tuple[str, ...]) -> None:
    """Where nothing can be taken off, because the course system gave its word and no time."""
    ada = LearnerRow("ada", "Ada")
    work = GradedSubmission(SubmissionRow("canvas-1", "in/1", ("ada",), at=at, late=late), ())
    assert notes(Mark(ada, work, ())) == said
    assert notes(Mark(ada, None, ())) == ()


def test_a_row_for_each_learner(small: Made, tmp_path: Path) -> None:
    """With the points of each question, what is left of them, and why there are none."""
    ada, bo, cy, dee = rows(small.export("csv", tmp_path / "class.csv"))
    assert ada == {
        "learner": "ada", "name": "Ada Lovelace", "section": "A", "submission": "canvas-11", "attempt": "1",
        "earned": "5.4", "possible": "10", "Q5": "6", "Q6": "0", "factor": "0.9", "hours_late": "3",
        "complete": "yes", "waiting": "1", "notes": "",
    }  # fmt: skip
    assert (bo["earned"], bo["complete"]) == ("0", "yes")
    assert (cy["submission"], cy["notes"]) == ("", "no submission")
    assert (dee["complete"], dee["notes"]) == ("no", "canvas-14: not Python")


def test_a_row_for_each_check(small: Made, tmp_path: Path) -> None:
    """With what decided it; points that a person gave have a row of their own."""
    found = rows(small.export("csv", tmp_path / "checks.csv", checks=True, learner="ada"))
    assert [row["part"] for row in found] == [
        "Q5.output", "Q5.size", "Q5.why", "attention", "attention", "attention", "lookup", "Q5.size",
    ]  # fmt: skip
    hidden = found[4]
    assert (hidden["check"], hidden["case"], hidden["visibility"], hidden["earned"]) == (
        "values",
        "more keys",
        "hidden",
        "2",
    )
    assert (hidden["seed"], hidden["course"], hidden["sandbox"]) == ("public", "digest", "seccomp rlimits")
    assert hidden["versions"] == "torch=2.13.0 attncheck=0.1.0"
    assert hidden["graded"].startswith("2026-11-20T12:00:00")
    assert found[5]["status"] == "skipped"
    given = found[-1]
    assert (given["kind"], given["status"], given["earned"]) == ("override", "given", "1")
    assert given["message"] == "Prof. Invented: =my reason"


def test_the_language_of_messages(small: Made, tmp_path: Path) -> None:
    """As asked for."""
    found = rows(small.export("csv", tmp_path / "checks.csv", checks=True, lang="zh"))
    assert "没有定义。" in {row["message"] for row in found}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("\t=1+1", "'=1+1"),
        ("  -2", "'-2"),
        ("\r\n@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("＝1+1", "'＝1+1"),
        ("\x1b[1m=1+1\x00", "'=1+1"),
        ("\u200b=1", "'=1"),
        ("a=1", "a=1"),
        ("two\nlines", "two lines"),
    ],
)
def test_no_cell_is_a_formula(text: str, written: str) -> None:
    """Whatever blanks and signs stand before it, and in whatever width it is written."""
    assert csv_cell(text) == written


@pytest.mark.parametrize("checks", [False, True])
def test_hostile_names(hostile: Made, tmp_path: Path, checks: bool) -> None:
    """No cell begins as a formula, every row is one line, and texts stand in quotes."""
    path = hostile.export("csv", tmp_path / "class.csv", checks=checks)
    text = path.read_text(encoding="utf-8")
    table = list(csv.reader(io.StringIO(text, newline="")))
    assert len(table) == text.count("\n")
    assert len({len(row) for row in table}) == 1
    assert not [cell for row in table for cell in row if cell[:1] in set("=+-@＝＋－＠\t\r")]
    assert not set("\x1b\u202e") & set(text)
    assert '"quote "" and, comma; semicolon"' in text


def test_the_mark_that_excel_looks_for(small: Made, tmp_path: Path) -> None:
    """Only where it is asked for."""
    assert small.export("csv", tmp_path / "with.csv", bom=True).read_bytes().startswith(b'\xef\xbb\xbf"learner"')
    assert small.export("csv", tmp_path / "without.csv").read_bytes().startswith(b'"learner"')


def test_points_by_hand_without_a_submission(by_hand: Made, tmp_path: Path) -> None:
    """They stand in both tables."""
    whole = rows(by_hand.export("csv", tmp_path / "class.csv"))
    assert [row["earned"] for row in whole] == ["5.4", "0", "0.5", "0.5"]
    checks = rows(by_hand.export("csv", tmp_path / "checks.csv", checks=True))
    given = [(row["learner"], row["part"], row["earned"]) for row in checks if row["kind"] == "override"]
    assert given == [("ada", "Q5.size", "1"), ("cy", "Q5.why", "0.5"), ("dee", "Q5.why", "0.5")]
