"""Answers that could not be read, in a class: an instructor finds them everywhere, and they count as wrong nowhere."""

from __future__ import annotations

import csv
import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from grader.classroom import batch
from grader.classroom.batch import BatchRequest, BatchSummary
from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book, count_pending, write_files
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.instructor.analysis.statistics import class_statistics
from tests import tiny
from tests.instructor.test_rubric import run

NUMBER = """\
  - id: Q1.b
    kind: number
    ask: {en: Twice 3?, zh: 3 的两倍？}
    answer: 6
    explain: {en: So it is., zh: 如此。}
    sources: [made2020]
exercises:
"""
HEAD = "format: 1\nlearner: {name}\nanswers:\n"
FILES = {
    "ann": HEAD + "  q1.A: a\n\tQ1.b: 6\n",
    "ben": HEAD + "  Q1.a: b\n  Q1.b: about six or seven\n",
    "cat": HEAD + "  Q1.a: a\n  Q1.b: 7\n",
    "dan": HEAD + '  Q1.a: "a\n  Q1.b: 6\n',
}
in_process = tiny.in_process


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of four, and its course."""
    folder = tmp_path_factory.mktemp("unread")
    tiny.course(folder / "course")
    tiny.change(folder / "course", "exercises:\n", NUMBER)
    for name, text in FILES.items():
        (folder / "in" / name).mkdir(parents=True)
        (folder / "in" / name / "answers.yaml").write_text(text.replace("{name}", name))
    (folder / "in" / "dan" / "answers (1).yaml").write_text("format: 1\nanswers:\n")
    return folder


@pytest.fixture
def out(made: Path, tmp_path: Path, in_process: None) -> Path:
    """A copy of the results of that class."""
    if not (made / "out").exists():
        summaries[made] = batch.run(BatchRequest(made / "in", made / "out", made / "course", Seed.public(), files=True))
        with closing(open_gradebook(made / "out")) as gradebook:
            write_files(Book.of(gradebook, courses.load(made / "course")), made / "out", "en")
    shutil.copytree(made / "out", tmp_path / "out")
    return tmp_path / "out"


summaries: dict[Path, BatchSummary] = {}


def table(out: Path) -> dict[str, dict[str, str]]:
    """class.csv by learner."""
    with (out / "class.csv").open(newline="", encoding="utf-8") as file:
        return {row["learner"]: row for row in csv.DictReader(file)}


def test_in_files(out: Path) -> None:
    """class.csv has a column, the JSON of each item a mark; other answers of the same file earn their points."""
    assert {name: (row["unread"], row["Q1"]) for name, row in table(out).items()} == {
        "ann": ("Q1.b", "1"),
        "ben": ("Q1.b", "0"),
        "cat": ("", "1"),
        "dan": ("Q1.a", "1"),
    }
    assert "answers (1).yaml" in table(out)["dan"]["notes"]
    for name, unread in (("ann", [False, True]), ("dan", [True, False])):
        (question,) = json.loads((out / f"{name}.json").read_text())["questions"]
        assert [item["unread"] for item in question["items"]] == unread


def test_in_the_summary(out: Path, made: Path) -> None:
    """It counts answers and learners and names the command that shows them, in both languages and as JSON."""
    with closing(open_gradebook(out)) as gradebook:
        rows = write_files(Book.of(gradebook, courses.load(made / "course")), out, "en")
    said = " ".join(" ".join(batch.lines(summaries[made], rows, Path("out"), "en")).split())
    assert "3 answers of 3 learners could not be read: ann, ben, dan." in said
    assert "--pending` shows them. To be marked by a person: 3 answers of 3 learners. `attncheck serve" in said
    chinese = "".join(batch.lines(summaries[made], rows, out, "zh"))
    assert "3 位学生的 3 个答案无法读取：ann、ben、dan。" in chinese
    data = batch.to_json(summaries[made], rows, out)
    assert {row["learner"]: row["unread"] for row in data["learners"]}["ben"] == ["Q1.b"]
    readable = [row for row in rows if not row.unread]
    found = " ".join(batch.lines(summaries[made], readable, out, "en"))
    assert "could not be read" not in found and "by a person" not in found


def test_pending_until_somebody_decides(out: Path, made: Path) -> None:
    """`override --pending` shows what was written and why it was not read; after that, nothing says “unread”."""
    course = str(made / "course")
    shown = run(str(out), "--pending", "--course", course)
    assert "Q1.b, ben, worth 1: " in shown.text and "about six or seven" in shown.text and "line 5" in shown.text
    found = json.loads(run(str(out), "--pending", "--json", "--course", course).text)
    assert [(each["item"], each["learner"]) for each in found["unread"]] == [
        ("Q1.a", "dan"), ("Q1.b", "ann"), ("Q1.b", "ben"),
    ]  # fmt: skip
    given = ("--points", "1", "--reason", "meant 6", "--author", "me", "--course", course)
    run(str(out), "ann", "Q1.b", *given)
    assert table(out)["ann"]["unread"] == "" and table(out)["ann"]["Q1"] == "2"
    found = json.loads(run(str(out), "--pending", "--json", "--course", course).text)
    assert [each["learner"] for each in found["unread"]] == ["dan", "ben"]


def test_not_wrong_in_statistics(out: Path, made: Path) -> None:
    """An unread answer is neither tried nor wrong, and believes nothing; it waits like one in own words."""
    with closing(open_gradebook(out)) as gradebook:
        book = Book.of(gradebook, courses.load(made / "course"))
        waiting = {mark.learner.id: count_pending(mark) for mark in book.marks()}
        found = class_statistics((mark, gradebook.answers(mark.work.row)) for mark in book.marks() if mark.work)
    assert waiting == {"ann": 1, "ben": 1, "cat": 0, "dan": 1}
    number = next(part for part in found.parts if part.name == "Q1.b")
    assert (number.learners, number.difficulty) == (2, 0.5)
    choice = next(part for part in found.parts if part.name == "Q1.a")
    assert choice.learners == 3 and dict(choice.answers) == {"a": 2, "b": 1}
