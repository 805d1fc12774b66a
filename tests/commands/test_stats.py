"""``stats`` and ``similar`` on a gradebook with a handful of submissions."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import nbformat
import pytest

from grader.classroom.gradebook import LearnerRow, SubmissionRow, open_gradebook
from grader.core.model import Course
from grader.course import loader
from grader.instructor.analysis import class_similarity
from tests.classroom.test_marks import RUN, result
from tests.commands.conftest import Ran
from tests.instructor.analysis.test_similarity import CODE, RENAMED

Attncheck = Callable[..., Ran]
SDPA = "scaled_dot_product_attention"


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """Six learners: two alike (one in a notebook), two in a group, one with two attempts, one unreadable."""
    out = tmp_path / "out"
    out.mkdir()
    code, renamed = CODE.replace("attend", SDPA), RENAMED.replace("attend", SDPA)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(renamed)])  # type: ignore[no-untyped-call]
    (tmp_path / "bo.ipynb").write_text(nbformat.writes(notebook))  # type: ignore[no-untyped-call]
    for name, text in {"ada": code, "cy": "def f(x):\n    return x\n", "cy2": code, "eve": "def f(:\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    book = open_gradebook(out, create=True)
    book.enrol(LearnerRow(name, name) for name in ("ada", "bo", "cy", "di", "eve"))
    row = [
        SubmissionRow("ada-1", str(tmp_path / "ada.py"), ("ada", "di"), "d1", "ada"),
        SubmissionRow("bo-1", str(tmp_path / "bo.ipynb"), ("bo",), "d2", "bo"),
        SubmissionRow("cy-1", str(tmp_path / "cy2.py"), ("cy",), "d3", "cy", attempt=1),
        SubmissionRow("cy-2", str(tmp_path / "cy.py"), ("cy",), "d4", "cy", attempt=2),
        SubmissionRow("eve-1", str(tmp_path / "eve.py"), ("eve",), "d5", "eve"),
    ]
    book.save_collection(row)
    book.remember_all({"versions": {"Q3": "v"}, "questions": {"Q3": 5.0, "Q5": 7.0}, "course": "/no/such/folder"})
    for one in row[:4]:
        book.record(one, RUN, [("v", result())], {"Q3.a": "a"}, ())
    book.close()
    return out


def test_stats(attncheck: Attncheck, graded: Path) -> None:
    """Of those who count, in the language asked for."""
    ran = attncheck("stats", str(graded))
    assert (ran.code, ran.err) == (0, "")
    assert "5 learners, 5 submitted" in ran.out
    assert "softmax()" in ran.out
    assert "5 人，5 人提交" in attncheck("stats", str(graded), "--lang", "zh").out


def test_stats_as_data_and_as_a_page(attncheck: Attncheck, graded: Path, tmp_path: Path) -> None:
    """Both at once; ids only where they are asked for."""
    file = tmp_path / "s.html"
    data = json.loads(attncheck("stats", str(graded), "--json", "--html", str(file)).out)
    assert (data["learners"], data["names"]) == (5, None)
    assert ">eve<" not in file.read_text()
    ran = attncheck("stats", str(graded), "--names", "--html", str(file))
    assert "written" in ran.out
    assert ">eve<" in file.read_text()
    assert json.loads(attncheck("stats", str(graded), "--json", "--names").out)["names"][-1] == "eve"


def test_similar(attncheck: Attncheck, graded: Path) -> None:
    """Notebooks, too; last attempts only; no one is compared with themselves; what was unreadable is said."""
    ran = attncheck("similar", str(graded))
    assert ran.code == 0
    assert "ada, di  ↔  bo" in ran.out
    assert ran.out.count("↔") == 1
    assert "could not be read: eve-1" in ran.out


def test_a_large_class_is_read_by_several_processes(
    attncheck: Attncheck, graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same result."""
    alone = attncheck("similar", str(graded)).out
    monkeypatch.setattr(class_similarity, "_MANY", 1)
    assert attncheck("similar", str(graded)).out == alone


def test_similar_as_data_and_as_a_page(attncheck: Attncheck, graded: Path, tmp_path: Path) -> None:
    """Both at once, by a threshold of one's own."""
    file = tmp_path / "s.html"
    data = json.loads(attncheck("similar", str(graded), "--json", "--html", str(file)).out)
    assert {pair["exercise"] for pair in data["pairs"]} == {SDPA, None}
    assert data["left_out"] == ["eve-1"]
    assert "bo.ipynb cell 1" in file.read_text()
    assert json.loads(attncheck("similar", str(graded), "--json", "--threshold", "1").out)["pairs"] == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["stats", "nowhere"], 2, "attncheck batch"),
        (["similar", "nowhere"], 2, "attncheck batch"),
        (["similar", "{out}", "--threshold", "0.2"], 2, "0.5"),
        (["stats", "{out}", "--html", "{out}/no/such/folder.html"], 2, "another place for --html"),
    ],
)
def test_what_cannot_be_done(attncheck: Attncheck, graded: Path, words: list[str], code: int, said: str) -> None:
    """Is said in one sentence, with the way out."""
    ran = attncheck(*(word.replace("{out}", str(graded)) for word in words))
    assert said in ran.err
    assert ran.code == code


def test_the_course_that_was_graded_with(
    attncheck: Attncheck, graded: Path, monkeypatch: pytest.MonkeyPatch, course: Course
) -> None:
    """Is used if it is still there and no other is named."""
    asked: list[Path | None] = []
    monkeypatch.setattr(loader, "find", lambda folder: asked.append(folder) or Path())
    attncheck("stats", str(graded))
    with closing(open_gradebook(graded)) as book:
        book.remember("course", str(graded))
    attncheck("stats", str(graded))
    attncheck("stats", str(graded), "--course", "other")
    assert asked == [None, graded, Path("other")]
