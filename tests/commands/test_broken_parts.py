"""One broken part of what was handed in costs itself only, whichever command reads it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from grader import sandbox as sandboxes
from grader.classroom.gradebook import open_gradebook
from grader.learning import watching
from grader.sandbox import Sandbox
from tests import tiny
from tests.tiny import in_process  # noqa: F401  (a fixture)

Attncheck = Callable[..., object]
FIRST = "this file cannot be read, so your answers were not graded; your code was. Line 3: this is not YAML"


@pytest.fixture(autouse=True)
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of one small question, which every command finds."""
    folder = tiny.course(tmp_path / "course")
    monkeypatch.setenv("ATTNCHECK_COURSE", str(folder))
    return folder


@pytest.fixture
def lent(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's sandbox for every command."""
    monkeypatch.setattr(sandboxes, "open_sandbox", lambda **options: tiny.Lent(sandbox))


@pytest.fixture(params=["folder", "zip"])
def handed(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Right code beside answers that cannot be read."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "q01.py").write_text(tiny.RIGHT)
    (folder / "answers.yaml").write_text("answers:\n  [b\n")
    if request.param == "folder":
        return folder
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"work/{file.name}")
    return tmp_path / "work.zip"


@pytest.mark.usefixtures("lent")
def test_grade(attncheck: Attncheck, handed: Path, tmp_path: Path) -> None:
    """The code has its points; that the answers have none is said first, on every page. It is no failure to read."""
    page = tmp_path / "report.html"
    ran = attncheck("grade", str(handed), "--html", str(page))
    assert ran.code == 1
    text = " ".join(ran.out.split())
    assert text.index(FIRST.split(" Line")[0]) < text.index("Q1 ") and "✓ double 4 of 4" in text
    assert page.read_text("utf-8").index("your answers were not graded") < page.read_text("utf-8").index("Q1.a")
    data = json.loads(attncheck("grade", str(handed), "--json").out)
    assert FIRST in data["notices"][0]
    assert (data["earned"], data["possible"]) == (4, 5)


@pytest.mark.usefixtures("lent")
def test_watch(attncheck: Attncheck, handed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows what ``grade`` says first; an unclosed bracket and a misspelt name too, beside good answers or bad."""
    events: tuple[watching.Event, ...] = ("saved",)
    monkeypatch.setattr(watching, "events", lambda path, keys: iter(events))
    said = " ".join(attncheck("watch", str(handed)).out.split())
    assert said.index("your answers were not graded") < said.index("✓ double") and "Well done" not in said
    if handed.suffix:
        return
    (handed / "answers.yaml").write_text("format: 1\nanswers: {Q1.a: a}\n")
    (handed / "q01.py").write_text("def double(x:\n    return x\n")
    said = " ".join(attncheck("watch", str(handed)).out.split())
    assert said.index("! q01.py: line 1, column 11: Python cannot parse this: `def double(x:`") < said.index("– double")
    assert "double was not found, because q01.py could not be read: line 1, column 11" in said
    (handed / "q01.py").write_text("def doubel(x):\n    return x\n")
    for command in ("watch", "grade"):
        said = " ".join(attncheck(command, str(handed)).out.split())
        assert "Is it doubel, on line 1 of q01.py? If so, rename it to double." in said


def test_submit(attncheck: Attncheck, handed: Path, tmp_path: Path) -> None:
    """It is handed in with a remark; where the name should stand in what cannot be read, that is said."""
    (tmp_path / "inbox").mkdir()
    arguments = ("submit", str(handed), "--to", str(tmp_path / "inbox"))
    ran = attncheck(*arguments)
    assert ran.code == 3 and "line 3: this is not YAML" in ran.err and "--learner" in ran.err
    ran = attncheck(*arguments, "--learner", "ada")
    assert ran.code == 0 and FIRST in ran.err.splitlines()[0]
    assert len(list((tmp_path / "inbox").glob("ada/*/receipt.json"))) == 1


def test_answers_alone(attncheck: Attncheck, handed: Path) -> None:
    """Where nothing but answers is asked for, nothing can be graded."""
    ran = attncheck("quiz", "--answers", str(handed))
    assert (ran.code, ran.out) == (3, "") and "this is not YAML" in ran.err
    if not handed.suffix:
        (handed / "q01.py").write_text("def f(:\n")
        ran = attncheck("grade", str(handed))
        assert ran.code == 3 and "none of the 2 files can be graded. answers.yaml: line 3" in ran.err


@pytest.mark.usefixtures("lent")
def test_errors_speak_the_language_of_the_command(
    attncheck: Attncheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be graded is told in Chinese where a command speaks it, and costs the same exit code."""
    alone, other = tmp_path / "alone", tmp_path / "other"
    alone.mkdir()
    other.mkdir()
    (alone / "answers.yaml").write_text("format: 1\nanswers: [\n")
    (other / "q01.py").write_text("x = 1\n")
    answers = str(alone / "answers.yaml")
    for arguments, said in (
        (["grade", str(alone)], "answers.yaml：第 3 行：这不是 YAML"),
        (["quiz", "--answers", answers], "answers.yaml：第 3 行：这不是 YAML"),
        (["grade", str(other)], "没有可以评分的内容。应有在文件顶层定义的"),
    ):
        ran = attncheck(*arguments, "--lang", "zh")
        assert ran.code == 3 and said in ran.err
    monkeypatch.setenv("ATTNCHECK_LANG", "zh")
    assert "没有可以评分的内容" in attncheck("grade", str(other)).err


@pytest.mark.usefixtures("in_process")
def test_batch(attncheck: Attncheck, handed: Path, tmp_path: Path) -> None:
    """A class loses nobody to it: the code counts, the notice is kept, and it can be graded again."""
    (tmp_path / "class").mkdir()
    handed.rename(tmp_path / "class" / handed.name)
    out = tmp_path / "out"
    ran = attncheck("batch", str(tmp_path / "class"), "--out", str(out), "--lang", "en")
    assert ran.code == 0
    with closing(open_gradebook(out)) as book:
        (row,) = book.submissions()
        assert row.error is None and row.digest
        first, *_ = book.notices(row)
        assert first.urgent and FIRST in first.text.en
    inside = "work/answers.yaml" if handed.suffix else "answers.yaml"
    assert f"graded; not read in full: {inside}" in ran.out
    assert f"not read in full: {inside}" in (out / "class.csv").read_text("utf-8")
