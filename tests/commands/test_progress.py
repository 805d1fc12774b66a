"""progress and review, as from a shell."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.core.model import Course, ExerciseResult, QuestionResult, Report, Status, Text
from grader.core.text import same
from grader.course import loader
from grader.course.items import _options
from grader.grading import courses
from grader.learning import log
from grader.learning.log import Answered, Coded, Event, Hinted, Named, Reviewed, Spoke
from tests.helpers import flat
from tests.learner_logs import COURSE, code, hinted, named, right, wrong

Attncheck = Callable[..., Any]
#: The module, which the package's attribute is as soon as it was imported.
commands_review = importlib.import_module("grader.commands.review")


@pytest.fixture(autouse=True)
def course(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Course:
    """The course that commands find, and a folder to write in."""
    monkeypatch.setattr(loader, "find", lambda folder: Path(folder or "."))
    monkeypatch.setattr(courses, "load", lambda folder, *_: COURSE)
    monkeypatch.setattr(_options, "shuffled", lambda options, context: tuple(options))  # so 1 is a, 2 is b, 3 is c
    monkeypatch.chdir(tmp_path)
    return COURSE


@pytest.fixture
def kept(progress_file: Path) -> Callable[..., tuple[Event, ...]]:
    """Keeps events, gives what is kept."""

    def keep(*events: Event) -> tuple[Event, ...]:
        log.append(progress_file, *events)
        return log.read(progress_file, "attention")

    return keep


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts lines on stdin, from a pipe or (``person``) as typed at a terminal."""

    def put(*lines: str, person: bool = False) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr(commands_review, "in_person", lambda: person)

    return put


# -------------------------------------------------------------------------------------------- progress


def test_progress_of_nothing(attncheck: Attncheck, progress_file: Path) -> None:
    """Says how to begin, in either language; asking makes no file."""
    ran = attncheck("progress")
    assert ran.code == 0 and "To begin:" in ran.out and "attncheck quiz Q3" in ran.out
    assert "可以这样开始" in attncheck("progress", "--lang", "zh").out
    assert not progress_file.exists()


def test_progress(attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]]) -> None:
    """The map, one question, and data."""
    kept(named("ada"), right("Q3.what"), wrong("Q3.sum", misconception="sum-is-mean"))
    assert "Q3  ✓.✗ [..]" in attncheck("progress").out
    assert "review: 2 (`attncheck review`)" in attncheck("progress").out
    assert "✗ Q3.sum" in attncheck("progress", "q3").out
    assert json.loads(attncheck("progress", "--json").out)["due"] == 2
    assert json.loads(attncheck("progress", "Q11", "--json").out)["id"] == "Q11"
    assert attncheck("progress", "Q4").code == 2


def test_another_file(attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]], tmp_path: Path) -> None:
    """--state names it, for each of the verbs."""
    kept(right("Q3.what"))
    other = str(tmp_path / "other.jsonl")
    assert "To begin:" in attncheck("progress", "--state", other).out
    assert "nothing to review" in attncheck("review", "--state", other).out
    assert "correct" not in attncheck("questions", "--state", other).out
    attncheck("hint", "Q3", "-e", "softmax", "--state", other)
    assert "hinted" in Path(other).read_text()


@pytest.mark.parametrize("arguments", [["progress"], ["review"], ["review", "--list"], ["progress", "--json"]])
def test_a_broken_file_is_named(arguments: list[str], attncheck: Attncheck, progress_file: Path) -> None:
    """With its line and the way out, and left as it is."""
    progress_file.write_text("mine\n")
    ran = attncheck(*arguments)
    assert ran.code == 2 and f"{progress_file}, line 1: not a line of JSON" in ran.err and "--state F" in ran.err
    assert progress_file.read_text() == "mine\n"


@pytest.mark.parametrize("arguments", [["questions"], ["hint", "Q3", "-e", "softmax"]])
def test_who_can_do_without_goes_on(arguments: list[str], attncheck: Attncheck, progress_file: Path) -> None:
    """A file that cannot be used is said, and nothing else is lost."""
    progress_file.write_text("mine\n")
    ran = attncheck(*arguments)
    assert ran.code == 0 and ran.out and "not a line of JSON" in ran.err
    assert progress_file.read_text() == "mine\n"


def test_questions_show_what_is_right(attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]]) -> None:
    """A column of its own, once there is something to show."""
    assert "correct" not in attncheck("questions").out
    kept(right("Q3.what"), code("softmax"))
    lines = attncheck("questions").out.splitlines()
    assert lines[0].split() == ["id", "title", "group", "points", "correct"]
    assert lines[1].split()[-1] == "2/5" and lines[2].split()[-1] == "5"
    assert attncheck("questions", "--lang", "zh").out.splitlines()[0].endswith("答对")
    assert json.loads(attncheck("questions", "--json").out)[0]["right"] == 2


# ---------------------------------------------------------------------------------------------- hints


def test_hints_go_up_and_are_remembered(attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]]) -> None:
    """One further each time; the last one stays; an earlier one can be read again and takes nothing back."""
    said = [attncheck("hint", "Q3", "-e", "softmax").out for _ in range(3)]
    assert ["First" in said[0], "Second" in said[1], "Second" in said[2]] == [True] * 3
    assert "This was the last hint" in said[1] and "no more hints" in said[2]
    assert "First" in attncheck("hint", "Q3", "-e", "softmax", "--rung", "1").out
    assert "no more hints" in attncheck("hint", "Q3", "-e", "softmax").out
    assert [event.rung for event in kept() if isinstance(event, Hinted)] == [1, 2]


def test_a_hint_further_up_counts(attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]]) -> None:
    """--rung 2 at once is remembered, for that exercise."""
    attncheck("hint", "Q3", "-e", "softmax", "--rung", "2")
    assert "First" in attncheck("hint", "Q3", "-e", "scaled_scores").out
    assert [(event.exercise, event.rung) for event in kept()] == [("softmax", 2), ("scaled_scores", 1)]  # type: ignore[union-attr]


def test_no_hints(attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exercise without hints says so."""
    question = COURSE.questions[1]
    bare = replace(question, exercises=tuple(replace(each, hints=()) for each in question.exercises))
    monkeypatch.setattr(courses, "load", lambda folder, *_: replace(COURSE, questions=(bare,)))
    ran = attncheck("hint", "Q11")
    assert ran.code == 2 and "Heads has no hints" in ran.err


# --------------------------------------------------------------------------------------------- reviews


def ratings(events: tuple[Event, ...]) -> list[tuple[str, str]]:
    """The reviews among ``events``."""
    return [(event.card, event.rating) for event in events if isinstance(event, Reviewed)]


@pytest.mark.parametrize(
    ("lines", "rated", "said"),
    [
        (["1"], "good", "known; next review: in 2 d"),
        (["2", "1"], "hard", "with help or effort; next review: in 15 min"),
        (["2", "3"], "again", "to review again soon; next review: in 10 min"),
        ([":key"], "again", "to review again soon"),
        (["nonsense", "?", ":lang", ":lang", "1"], "good", "known"),
        ([":skip"], None, "Reviewed: 0"),
        ([":quit"], None, "Reviewed: 0"),
        (["2"], None, "Reviewed: 0"),
        ([], None, "Left: 1."),
    ],
)
def test_an_item_through_a_pipe(
    lines: list[str],
    rated: str | None,
    said: str,
    attncheck: Attncheck,
    kept: Callable[..., tuple[Event, ...]],
    types: Callable[..., None],
) -> None:
    """The rating comes from the tries; what was not settled is not rated."""
    kept(right("Q3.sum"))
    types(*lines)
    ran = attncheck("review")
    assert ran.code == 0 and said in flat(ran.out)
    assert ratings(kept()) == ([("Q3.sum", rated)] if rated else [])


@pytest.mark.parametrize(
    ("lines", "rated"),
    [
        (["1", ""], ["good", None]),
        (["1", "e", "1", "g"], ["easy", "good"]),
        (["1", "q", "1"], ["good", None]),
        (["2", "1", "e", ":quit"], ["hard", None]),
    ],
)
def test_the_learners_word(
    lines: list[str],
    rated: list[str | None],
    attncheck: Attncheck,
    kept: Callable[..., tuple[Event, ...]],
    types: Callable[..., None],
) -> None:
    """At a terminal, what was right at once can be called easy, and one can stop after each card."""
    kept(right("Q3.sum"), right("Q11.width", 1))
    types(*lines, person=True)
    attncheck("review")
    expected = [(name, each) for name, each in zip(("Q3.sum", "Q11.width"), rated, strict=True) if each]
    assert ratings(kept()) == expected


def test_what_a_wrong_answer_leads_to_can_follow(
    attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]], types: Callable[..., None]
) -> None:
    """The item that the misconception asks next is asked, and rated, too."""
    kept(right("Q3.what"))
    types("2", "3", "f", "1", "", person=True)
    ran = attncheck("review")
    assert "f: follow-up question" in flat(ran.out)
    assert ratings(kept()) == [("Q3.what", "again"), ("Q3.why", "good")]


def test_due_first_and_no_more_than_asked_for(
    attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]], types: Callable[..., None]
) -> None:
    """Old reviews come before new cards; --limit ends it."""
    kept(right("Q3.what"), right("Q3.sum", 1), log.Reviewed(right("Q3.sum").at, "attention", "Q3.sum", "good"))
    types("1", "1")
    ran = attncheck("review", "--limit", "1")
    assert "To review: 1 due, 1 new; 1 of them now" in ran.out
    assert ratings(kept())[1:] == [("Q3.sum", "good")]


def test_lists(attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]]) -> None:
    """--list and --json show, and ask nothing."""
    kept(right("Q3.what"))
    assert re.search(r"new +Q3\.what +Why scale\? +0", attncheck("review", "--list").out)
    assert json.loads(attncheck("review", "--json").out)[0]["card"] == "Q3.what"
    assert json.loads(attncheck("review", "--json", "--state", "none").out) == []


def test_the_language_is_as_last_time(
    attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]], types: Callable[..., None]
) -> None:
    """Unless --lang says otherwise; changing it on the way is kept."""
    kept(right("Q3.what"), Spoke(right("x").at, "attention", "zh"))
    types(":lang", ":quit")
    out = attncheck("review").out
    assert "问 Q3.what？" in out and "Ask Q3.what?" in out
    assert [event.lang for event in kept() if isinstance(event, Spoke)] == ["zh", "en"]
    types()
    assert "问" in attncheck("review", "--lang", "zh").out


def test_a_full_disk_does_not_end_a_review(
    attncheck: Attncheck,
    kept: Callable[..., tuple[Event, ...]],
    types: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is said, and the cards go on."""
    from grader.core.errors import StateError

    def refuse(path: Path, *events: Event) -> None:
        if events:
            raise StateError(same("no room"))

    kept(right("Q3.what"), right("Q3.sum", 1))
    monkeypatch.setattr(log, "append", refuse)
    types("1", "1")
    ran = attncheck("review")
    assert ran.code == 0 and "no room" in ran.err and "Reviewed: 2 (2 known)" in ran.out


# -------------------------------------------------------------------------------------- code to review


@pytest.fixture
def grading(monkeypatch: pytest.MonkeyPatch) -> list[Status]:
    """Grading gives these verdicts one after the other."""
    import grader.grading.grade
    import grader.sandbox

    verdicts: list[Status] = []

    def grade(course: Course, submission: object, observe: object, **how: Any) -> Report:
        (name,) = how["selection"].exercises
        result = ExerciseResult(name, verdicts.pop(0), 0, 4, ())
        question = QuestionResult("Q3", Text("Why scale?", "为什么？"), (), (result,))
        return Report("ada", course.title, "digest", "public", (question,), (), True, (), 0.1, not_attempted=("Q11",))

    monkeypatch.setattr(grader.grading.grade, "grade", grade)
    nowhere = contextlib.nullcontext(SimpleNamespace(observe=None, allow_packages=lambda packages: None))
    monkeypatch.setattr(grader.sandbox, "open_sandbox", lambda **how: nowhere)
    Path("mine.py").write_text("def softmax(x):\n    return x\n")
    return verdicts


@pytest.mark.parametrize(
    ("lines", "verdicts", "rated", "said"),
    [
        (["mine.py"], [Status.PASSED], "good", "known; next review: in 2 d"),
        (["mine.py", "mine.py"], [Status.FAILED, Status.PASSED], "hard", "Fix it and press Enter again"),
        (["mine.py", "n"], [Status.FAILED], "again", "to review again soon"),
        (["mine.py"], [Status.RAISED], "again", "Reviewed: 1 (1 to review again soon)"),
        (["h", ":hint", "H", "mine.py"], [Status.PASSED], "hard", "There are no more hints."),
        (["nowhere.py", "mine.py"], [Status.PASSED], "good", "nowhere.py: there is nothing at this path"),
        (["mine.py", "mine.py"], [Status.UNMARKED, Status.PASSED], "good", "softmax"),
        (["?", ":back", ":nonsense", "mine.py"], [Status.PASSED], "good", "Enter: grade softmax_"),
        ([":lang", "mine.py"], [Status.PASSED], "good", "凭记忆重新写一遍"),
        ([":skip"], [], None, "Reviewed: 0"),
        (["q"], [], None, "Left: 1."),
        ([], [], None, "Left: 1."),
    ],
)
def test_a_function_from_memory(
    lines: list[str],
    verdicts: list[Status],
    rated: str | None,
    said: str,
    grading: list[Status],
    attncheck: Attncheck,
    kept: Callable[..., tuple[Event, ...]],
    types: Callable[..., None],
) -> None:
    """Graded as it is handed in; passed at once, with help, or not decides when it comes again."""
    kept(code("softmax"))
    grading += verdicts
    types(*lines)
    ran = attncheck("review")
    assert ran.code == 0 and said in flat(ran.out) and "Q11" not in ran.out
    assert ratings(kept()) == ([("softmax", rated)] if rated else [])
    assert not grading


def test_an_empty_function_is_written_and_not_graded(
    grading: list[Status], attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]], types: Callable[..., None]
) -> None:
    """Enter writes it, Enter again says that it is empty, and once it is filled in it is graded."""
    kept(code("softmax"))
    types("", "", ":quit")
    assert flat(attncheck("review").out).count("write your code there") == 2
    (file,) = Path().glob("softmax_*.py")
    assert "def softmax(q, k):" in file.read_text() and "scaled_scores" not in file.read_text()
    file.write_text("def softmax(x): ...\n")
    grading.append(Status.PASSED)
    types("", "e", person=True)
    attncheck("review")
    assert ratings(kept()) == [("softmax", "easy")]


def test_a_folder_that_takes_no_files(
    grading: list[Status],
    attncheck: Attncheck,
    kept: Callable[..., tuple[Event, ...]],
    types: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Is said; another path can be typed."""
    from grader.core.errors import UsageError

    def refuse(path: Path, text: str) -> None:
        raise UsageError(same(f"{path} cannot be written"))

    monkeypatch.setattr(commands_review, "create", refuse)
    kept(code("softmax"))
    grading.append(Status.PASSED)
    types("", "mine.py")
    assert "cannot be written" in attncheck("review").out
    assert ratings(kept()) == [("softmax", "good")]


def test_what_a_review_keeps(
    grading: list[Status], attncheck: Attncheck, kept: Callable[..., tuple[Event, ...]], types: Callable[..., None]
) -> None:
    """Answers, verdicts and hints count as anywhere else; a hint that was known costs nothing again."""
    kept(code("softmax"), hinted("softmax", 1), right("Q3.what", 1))
    grading.append(Status.PASSED)
    types(":hint", ":hint", "mine.py", "1")
    attncheck("review")
    new = [type(event) for event in kept()[3:]]
    assert new == [Named, Hinted, Coded, Reviewed, Answered, Reviewed]
    assert [event.rung for event in kept() if isinstance(event, Hinted)] == [1, 2]
