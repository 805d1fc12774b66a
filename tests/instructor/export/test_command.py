"""``attncheck export``: formats, options that go together, and the way from a class to its files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.gradebook import open_gradebook
from grader.commands import run

if TYPE_CHECKING:
    from conftest import Made


@pytest.fixture
def graded(small: Made, tiny: Path) -> Path:
    """A folder of results that remembers its course."""
    small.change(lambda book: book.gradebook.remember("course", str(tiny)))
    return small.folder


def test_a_file_is_written(graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And named, in the language asked for; the course is the one that graded."""
    to = tmp_path / "class.csv"
    assert run(["export", "csv", "--from", str(graded), "--to", str(to), "--lang", "zh"]) == 0
    assert capsys.readouterr().out == f"已写入：{to}\n"
    assert to.read_text(encoding="utf-8").startswith('"learner"')


def test_remarks_go_to_stderr(graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where they are in nobody's way."""
    template = tmp_path / "download.csv"
    template.write_text("Student,ID,A (1)\n    Points Possible,,10\nAda,11,\nZoe\x1b[2J,15,\n", encoding="utf-8")
    to = tmp_path / "up.csv"
    words = ["export", "canvas", "--from", str(graded), "--template", str(template), "--to", str(to), "--lang", "en"]
    assert run(words) == 0
    out, err = capsys.readouterr()
    assert out == f"written: {to}\n"
    assert "attncheck: In the template, but not found in the gradebook: Zoe\n" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pdf --from {graded}", "no format “pdf”; available: canvas, canvas-feedback, csv,"),
        ("csv", "made from a gradebook: name the folder .* with --from"),
        ("qti --from {graded}", "made from a course, not from a gradebook"),
        ("csv --from {graded} --graded", "--graded cannot be used with csv; it works with gift, qti"),
        (
            "json --from {graded} --template x",
            "--template cannot be used with json; it works with canvas, canvas-feedback, moodle",
        ),
        ("json --from {graded} -q Q5", "-q cannot be used with json; it works with gift, gradescope-autograder, qti"),
        ("moodle --from {graded} --learner ada", "--learner cannot be used with moodle"),
        ("html --from {graded} --learner dee", "Nothing that dee submitted could be graded"),
        ("csv --from {graded} --learner zoe", "no learner “zoe”"),
        ("csv --from {empty}", "Expected a folder written by `attncheck batch --out`"),
        ("gift -q Q77 --course {tiny}", "no question “Q77”"),
    ],
)
def test_what_does_not_go_together(
    graded: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    """Is refused with what would, and nothing is written."""
    empty = tmp_path / "empty"
    empty.mkdir()
    asked = words.format(graded=graded, empty=empty, tiny=tiny).split()
    assert run(["export", *asked, "--to", str(tmp_path / "out")]) == 2
    assert re.search(said, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_a_course_that_has_moved(graded: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Is named with --course."""
    book = open_gradebook(graded)
    book.remember("course", str(tmp_path / "gone"))
    book.close()
    to = tmp_path / "all.json"
    assert run(["export", "json", "--from", str(graded), "--to", str(to), "--course", str(tiny)]) == 0
    assert len(json.loads(to.read_text(encoding="utf-8"))["marks"]) == 4


def test_quiz_items_of_a_course(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From --course; questions are named as everywhere."""
    to = tmp_path / "quiz.txt"
    words = ["export", "gift", "--course", str(tiny), "-q", "5", "--graded", "--to", str(to), "--lang", "en"]
    assert run(words) == 0
    assert to.read_text(encoding="utf-8").count("::Q5.output::") == 1
    assert "Q6" not in to.read_text(encoding="utf-8")
    assert "contains graded items" in capsys.readouterr().err


def test_from_a_class_to_its_files(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole way: a folder of submissions is graded, and each format is one command more."""
    for name, body in (("ada", "return 2 * x"), ("bo", "return x")):
        folder = tmp_path / "class" / name
        folder.mkdir(parents=True)
        (folder / "q05.py").write_text(f"def double(x):\n    {body}\n", encoding="utf-8")
        answers = "format: 1\nanswers: {Q5.output: b}\n"
        (folder / "answers.yaml").write_text(answers, encoding="utf-8")
    out = tmp_path / "out"
    words = ["batch", str(tmp_path / "class"), "--out", str(out), "--course", str(tiny), "-q", "Q5", "--workers", "1"]
    assert run([*words, "--lang", "en"]) == 0, capsys.readouterr().err
    for form in ("csv", "json", "html", "gradescope", "junit"):
        assert run(["export", form, "--from", str(out), "--to", str(tmp_path / form)]) == 0
    marks = json.loads((tmp_path / "json").read_text(encoding="utf-8"))["marks"]
    assert [(mark["learner"], mark["earned"]) for mark in marks] == [("ada", 3), ("bo", 1)]
    assert sorted(path.name for path in (tmp_path / "html").iterdir()) == [
        "ada.html",
        "bo.html",
        "index.html",
        "table.js",
    ]
    assert json.loads((tmp_path / "gradescope" / "bo.json").read_text(encoding="utf-8"))["score"] == 1
