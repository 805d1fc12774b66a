"""Verbs for authors: a new question works at once, and a broken bank is told what is wrong with it."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from grader.authoring.selfcheck import without_follow_up
from grader.authoring.typesetting import texts_of
from grader.commands import _options, run
from grader.core.model import LANGUAGES, Lang
from grader.course import loader
from grader.grading import courses
from grader.web.learner import LearnerWorkspace
from grader.web.pages import author_app


@pytest.fixture(autouse=True)
def course(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here commands find the course they are told, not the small one of the other tests."""
    monkeypatch.setattr(_options, "load_course", lambda folder: courses.load(loader.find(folder)))


def written(folder: Path) -> Path:
    """A course with what ``bank new Q25`` writes."""
    assert run(["bank", "new", "Q25", "--course", str(folder)]) == 0
    return folder


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A course that can be broken."""
    return written(tmp_path / "course")


def change(folder: Path, old: str, new: str, name: str = "questions/q25_scaling.yaml") -> None:
    """Changes a file in one place."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, text.count(old)
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_new_is_proven(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``bank new`` writes passes ``bank check`` and ``bank mutate``, and a second question stands beside it."""
    assert run(["bank", "new", "q26", "--course", str(bank)]) == 0
    assert run(["bank", "check", str(bank)]) == 0
    assert "2 questions, 2 exercises, 8 mistakes: everything proven" in capsys.readouterr().out
    assert run(["bank", "mutate", "--course", str(bank), "-e", "scaled_by_25", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["survivors"] == []


@pytest.mark.prove
@pytest.mark.parametrize(("only", "other"), [("en", "[一-鿿]"), ("zh", r"\ben:")])
def test_a_course_in_one_language(only: Lang, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written or asked for in the other one; whoever wants that is told once, and sees what there is."""
    folder = tmp_path / "course"
    assert run(["bank", "new", "Q1", "--course", str(folder), "--only", only]) == 0
    assert run(["bank", "new", "Q2", "--course", str(folder)]) == 0
    assert not any(re.search(other, path.read_text("utf-8")) for path in folder.rglob("*.*"))
    assert run(["bank", "check", str(folder)]) == 0
    assert run(["bank", "publish", str(tmp_path / "edition"), "--course", str(folder)]) == 0
    capsys.readouterr()
    for found in map(courses.load, (folder, tmp_path / "edition")):
        assert found.languages == (only,)
        assert all(text.en == text.zh for question in found.questions for _, text in texts_of(question))
        for lang in LANGUAGES:
            assert run(["show", "Q1", "--course", found.folder, "--lang", lang]) == 0
            seen = capsys.readouterr()
            assert found.questions[0].title.of(only) in seen.out and len(seen.err.splitlines()) == (lang != only)
    path = folder / "questions" / "q01_scaling.yaml"
    path.write_text(path.read_text("utf-8").replace(f"title: {{{only}: ", "title: {is: "), encoding="utf-8")
    assert run(["bank", "check", str(folder), "--lang", "en"]) == 4
    assert "title." + only + ": missing; expected a text [missing-key]" in (said := capsys.readouterr().err)
    assert f"expected one of the keys: {only} [unknown-key]" in said and len(said.splitlines()) == 3


@pytest.mark.parametrize(
    ("question", "said"),
    [("Q25", "already has a question Q25"), ("x", "is not a question id; expected one such as Q25")],
)
def test_new_refuses(bank: Path, question: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A question that exists, or an id that is none, is refused with the reason."""
    assert run(["bank", "new", question, "--course", str(bank)]) == 2
    assert said in capsys.readouterr().err


def test_new_leaves_an_installed_course_alone(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --course, an installed attncheck has only a course that an update replaces: nothing is written there."""
    monkeypatch.setattr(loader, "installed_content", lambda: bank)
    monkeypatch.setattr(loader, "find", lambda folder: bank)
    before = sorted(bank.rglob("*"))
    capsys.readouterr()
    assert run(["bank", "new", "Q26"]) == 2
    assert "attncheck bank new Q26 --course mycourse" in capsys.readouterr().err
    assert sorted(bank.rglob("*")) == before


def test_preview_shows_the_author_what_follows_a_mistake(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Prompt, options, hints and stub, answers, and what learners read after a wrong one, in both languages."""
    capsys.readouterr()
    assert run(["bank", "preview", "Q25", "--course", str(bank)]) == 0
    out = capsys.readouterr().out
    found = courses.load(bank).questions[0]
    for said in ("Answer: ", "答案：", "After a mistake learners read:", "出错之后，学生会看到：", "a: the factor"):
        assert said in out
    for said in ("Write the function below", "写出下面的函数", "One multiplication", "def scaled_by_25"):
        assert said in out
    flat = "".join(out.split())
    for belief in found.misconceptions:
        assert "".join(belief.truth.en.split()) in flat and "".join(belief.truth.zh.split()) in flat


def test_an_author_sees_what_is_saved(bank: Path) -> None:
    """The page follows each save; what is wrong with the form of a file is on it, with the line and what is allowed."""

    def opened() -> LearnerWorkspace:
        return LearnerWorkspace(courses.load(bank), bank / "work", bank / "log.jsonl", "author", pytest.fail)

    pages = TestClient(author_app(opened, bank, "en"))
    watching = re.search(r'hx-get="(.*?)"', pages.get("/questions/Q25").text)
    assert watching is not None and pages.get(watching[1]).status_code == 204
    change(bank, "id: Q25.zero\n    kind: choice", "id: Q25.zero\n    kind: choise")
    assert pages.get(watching[1]).headers["HX-Refresh"] == "true"
    said = html.unescape(pages.get("/questions/Q25").text)
    assert "questions/q25_scaling.yaml:35: items[0].kind: found 'choise'" in said and "one of: blanks, choice" in said
    change(bank, "kind: choise", "kind: choice")
    assert "What does scaling do?" in pages.get("/questions/Q25").text


def test_new_never_overwrites(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reference that stands in the way is left alone."""
    (bank / "reference" / "question_27.py").write_text("mine = 1\n")
    assert run(["bank", "new", "Q27", "--course", str(bank)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert (bank / "reference" / "question_27.py").read_text() == "mine = 1\n"


def test_mutate_reports_holes(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A weak case leaves survivors; they are listed, as are excuses of what is gone. An unknown exercise is refused."""
    change(bank, "exercises:\n", "equivalent: [{mutant: 'scaled_by_25: gone', why: so}]\nexercises:\n")
    change(bank, "checks: [values, gradients, dtype, unchanged_inputs, repeatable, non_contiguous]", "checks: [values]")
    assert run(["bank", "mutate", "--course", str(bank), "--workers", "1", "-e", "scaled_by_25"]) == 4
    out = capsys.readouterr().out
    assert "scaled_by_25: survives: " in out and "detach" in out and "caught or gone: scaled_by_25: gone" in out
    assert run(["bank", "mutate", "--course", str(bank), "-e", "nothing"]) == 2


def test_check_reports(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A problem is a line with its remedy, or an entry of the JSON list; the exit code says so."""
    (bank / "questions" / "notes.txt").write_text("x")
    assert run(["bank", "check", str(bank)]) == 4
    out = capsys.readouterr().out
    assert "questions/notes.txt: this file is never read [stray-file]\n    Name it like" in out and "1 problem\n" in out


def test_check_of_one_question(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """-q checks a question alone, and --course names the folder, as in the other commands; DIR beside it is refused."""
    assert run(["bank", "new", "q26", "--course", str(bank)]) == 0
    (bank / "questions" / "notes.txt").write_text("x")
    change(bank, "gradients, dtype", "dtype")
    capsys.readouterr()
    assert run(["bank", "check", "--course", str(bank), "-q", "26"]) == 0
    assert "1 question, 1 exercise" in capsys.readouterr().out
    assert run(["bank", "check", "--course", str(bank), "-q", "Q28"]) == 2
    assert run(["bank", "check", str(bank), "--course", str(bank)]) == 2
    assert "Give the course only once" in capsys.readouterr().err


def test_check_counts_what_has_no_follow_up(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One short line for each question; the names only on request. An exercise that detects it is a follow-up, too."""
    assert without_follow_up(courses.load(bank)) == {}
    belief = '{truth: {en: Zero is no exception., zh: 零并不例外。}, ask: {en: "What is 0 · 3?", zh: 0 · 3 是多少？}}'
    change(bank, "\nmisconceptions:\n", f"\nmisconceptions:\n  zero-stands-out: {belief}\n")
    option = "      - {id: b, text: {en: zero, zh: 仍然是零}, correct: true}\n"
    another = "      - {id: c, text: {en: undefined, zh: 没有定义}, misconception: zero-stands-out}\n"
    change(bank, option, option + another)
    assert run(["bank", "check", str(bank)]) == 0
    brief = capsys.readouterr().out
    assert run(["bank", "check", str(bank), "--verbose"]) == 0
    full = capsys.readouterr().out
    assert "Note on Q25: 1 misconception with only one item or exercise" in brief and "zero-stands-out" not in brief
    assert "Note on Q25: zero-stands-out with only one item or exercise" in full
