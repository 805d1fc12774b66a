"""``export moodle``: grades and feedback in a downloaded worksheet, in whatever language its headings are."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.gradebook import LearnerRow
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from conftest import Made


ENGLISH = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,Last modified (grade),"
    "Feedback comments"
)
CHINESE = "标识符,姓名,电子邮件地址,状态,成绩,最高分,成绩可以更改,最后修改（成绩）,反馈评语"
STRANGE = "Kennung,Name,Mail,Stand,Wertung,Höchstwert,Änderbar,Geändert,Kommentar"
WORDS = {ENGLISH: "Participant ", CHINESE: "参与者", STRANGE: "Teilnehmer/in"}


def sheet(tmp_path: Path, head: str = ENGLISH, most: str = "10.00", comment: str = "") -> Path:
    """A worksheet with Ada and Bo, as it might have been downloaded."""
    word = WORDS.get(head, "Participant ")
    rows = [
        f'{word}{number},{name},{name.split()[0].lower()}@x.edu,"Submitted, late",,"{most}",Yes,-,{comment}'
        for number, name in ((11, "Ada Lovelace"), (12, "Bo Bø"))
    ]
    path = tmp_path / "worksheet.csv"
    path.write_text("\ufeff" + "\n".join([head, *rows, ""]), encoding="utf-8", newline="")
    return path


@pytest.fixture
def pair(made: Made) -> Made:
    """Ada is right, Bo wrong; they are known by their numbers in Moodle."""
    made.fill((LearnerRow("ada", "ada"), "moodle-11", True, -1.0), (LearnerRow("bo", "bo"), "moodle-12", False, -1.0))
    return made


def rows(path: Path) -> list[list[str]]:
    """The table."""
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


@pytest.mark.parametrize("head", [ENGLISH, CHINESE, STRANGE])
def test_grades_and_feedback(pair: Made, tmp_path: Path, head: str) -> None:
    """Found by known headings, else by what stands in the columns; everything else stays."""
    template = sheet(tmp_path, head)
    before, after = rows(template), rows(pair.export("moodle", tmp_path / "up.csv", template=template))
    assert [row[4] for row in after] == [before[0][4], "5", "0"]
    assert after[1][8].startswith("attncheck: 5 of 10 points<br>Q5: 5 of 7<br>Q6: 0 of 3")
    assert after[2][8].endswith("<br>attention: raised ValueError: bo")
    assert [row[:4] + row[5:8] for row in after] == [row[:4] + row[5:8] for row in before]
    assert "Filled in: 2 of 2 rows." in pair.told
    assert "points, but" not in pair.told


def test_again_over_the_first(pair: Made, tmp_path: Path) -> None:
    """Comments of an earlier export are replaced; those of people are kept, and counted."""
    first = pair.export("moodle", tmp_path / "1.csv", template=sheet(tmp_path))
    again = pair.export("moodle", tmp_path / "2.csv", template=first)
    assert again.read_bytes() == first.read_bytes()
    third = pair.export("moodle", tmp_path / "3.csv", template=sheet(tmp_path, comment="Well done"))
    assert [row[8] for row in rows(third)[1:]] == ["Well done", "Well done"]
    assert "written by someone else were kept: 2" in pair.told


@pytest.mark.parametrize(("most", "grade"), [("10.00", "5"), ("10,00", "5")])
def test_the_maximum(pair: Made, tmp_path: Path, most: str, grade: str) -> None:
    """In points or with commas; another one than ours is said."""
    after = rows(pair.export("moodle", tmp_path / "up.csv", template=sheet(tmp_path, most=most)))
    assert after[1][4] == grade
    assert "points, but" not in pair.told
    pair.export("moodle", tmp_path / "up.csv", template=sheet(tmp_path, most="100"))
    assert "Maximum grade is 100, but the course has 10 points" in pair.told


def test_decimal_commas(small: Made, tmp_path: Path) -> None:
    """Are written where the worksheet has them."""
    after = rows(small.export("moodle", tmp_path / "up.csv", template=sheet(tmp_path, most="10,00")))
    assert after[1][4] == "5,4"
    assert "90 % of them count" in after[1][8]


def test_without_a_column_for_feedback(pair: Made, tmp_path: Path) -> None:
    """Grades are filled in, and the rest is said."""
    template = tmp_path / "worksheet.csv"
    template.write_text("Kennung,Stand,Wertung\nNr. 11,ok,\nNr. 12,ok,1\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"has no obvious column of grades; name one of these"):
        pair.export("moodle", tmp_path / "up.csv", template=template)
    after = rows(pair.export("moodle", tmp_path / "up.csv", template=template, column="Wertung"))
    assert [row[2] for row in after[1:]] == ["5", "0"]
    assert "only grades are filled in" in pair.told


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("Identifier,Grade\n11,\n", None, "no column of participants such as “Participant 657768”"),
        ("Identifier,Grade\n", None, "no column of participants"),
        ("", None, "no column of participants"),
        (
            "Identifier,Grade\nParticipant 11,\n",
            "Points",
            "0 columns “Points”; expected one. Available: Identifier; Grade",
        ),
    ],
)
def test_files_that_are_none(pair: Made, tmp_path: Path, text: str, column: str | None, said: str) -> None:
    """Are refused, and nothing is written."""
    template = tmp_path / "worksheet.csv"
    template.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        pair.export("moodle", tmp_path / "up.csv", template=template, column=column)


def test_found_by_address_or_roster(made: Made, tmp_path: Path) -> None:
    """Where submissions did not come from Moodle."""
    made.fill((LearnerRow("ada@x.edu", "?"), "key-1", True, -1.0), (LearnerRow("s2", "B."), "key-2", True, -1.0))
    roster = tmp_path / "roster.csv"
    roster.write_text("id,identifier\ns2,Participant 12\n", encoding="utf-8")
    after = rows(made.export("moodle", tmp_path / "up.csv", template=sheet(tmp_path), roster=roster))
    assert [row[4] for row in after[1:]] == ["5", "5"]


def test_found_by_name(made: Made, tmp_path: Path) -> None:
    """As other systems write it."""
    made.fill((LearnerRow("s1", "Lovelace, Ada"), "key-1", True, -1.0))
    after = rows(made.export("moodle", tmp_path / "up.csv", template=sheet(tmp_path)))
    assert [row[4] for row in after[1:]] == ["5", ""]


def test_what_learners_wrote_is_text(made: Made, tmp_path: Path, names: tuple[str, ...]) -> None:
    """Comments are HTML: nothing in them is markup of somebody else, or a formula, or more than one line."""
    made.fill(*((LearnerRow(name, name), f"moodle-{at}", False, -1.0) for at, name in enumerate(names)))
    template = tmp_path / "worksheet.csv"
    lines = [f"Participant {at},,10,\n" for at in range(len(names))]
    template.write_text("Identifier,Grade,Maximum grade,Feedback comments\n" + "".join(lines), encoding="utf-8")
    after = rows(made.export("moodle", tmp_path / "up.csv", template=template))
    assert len(after) == 1 + len(names)
    for row in after[1:]:
        assert row[3].startswith("attncheck: ")
        assert "<b" not in row[3].replace("<br>", "")
        assert not set("\x1b\u202e\n\r") & set(row[3])


def test_hidden_cases_stay_hidden(pair: Made, tmp_path: Path) -> None:
    """Where the first thing to mend is in a hidden case, comments say no more than that it is not right."""

    pair.reword('"public"', '"hidden"')
    pair.course = replace(pair.course, rules=replace(pair.course.rules, hidden_results="never"))
    after = rows(pair.export("moodle", tmp_path / "up.csv", template=sheet(tmp_path)))
    assert after[2][8].endswith("<br>attention: not correct yet")


def test_no_grade_while_work_can_still_count(pair: Made, tmp_path: Path) -> None:
    """Points would tell which answers are right: the worksheet stays as it was, and the instructor is told why."""
    template = sheet(tmp_path)
    before = template.read_bytes()
    assert (
        pair.export(
            "moodle", tmp_path / "up.csv", template=template, now=datetime(2026, 11, 21, tzinfo=UTC)
        ).read_bytes()
        == before
    )
    assert re.search("can still earn points.*: ada; bo", pair.told)
