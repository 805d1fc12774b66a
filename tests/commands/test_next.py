"""next and name, as from a shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.commands import watch
from grader.commands._options import Call
from grader.core.model import Course
from grader.course import loader
from grader.grading import courses
from grader.learning import log, next_step
from grader.learning.log import Event
from grader.learning.progress import progress_of
from tests.learner_logs import COURSE, code, named, right

Attncheck = Callable[..., Any]
QUIZ = [right(f"Q3.{name}", hours) for hours, name in enumerate(("what", "why", "sum"), 1)]
CODE = [code("scaled_scores", hours=4), code("softmax", hours=5)]


@pytest.fixture(autouse=True)
def course(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Course:
    """The course that commands find, and a folder to work in."""
    monkeypatch.setattr(loader, "find", lambda folder: Path(folder or "."))
    monkeypatch.setattr(courses, "load", lambda folder, *_: COURSE)
    monkeypatch.chdir(tmp_path)
    return COURSE


def step(*events: Event, due: int = 0, present: tuple[str, ...] = ()) -> next_step.NextStep:
    """The next step after these events."""
    return next_step.next_step(progress_of(COURSE, events), due, present)


def everything() -> list[Event]:
    """Events after which nothing is open."""
    found: list[Event] = []
    for question in COURSE.questions:
        found += [right(item.id, 1) for item in question.items]
        found += [code(exercise.name, hours=2) for exercise in question.exercises]
    return found


def test_the_order() -> None:
    """The quiz of a question comes before its code, what was begun before what is new, reviews last."""
    first = step()
    assert (first.kind, first.name, first.commands) == ("quiz", "Q3.what", ("attncheck quiz Q3",))
    assert step(QUIZ[0]).name == "Q3.why"
    written = step(*QUIZ)
    assert (written.kind, written.commands) == ("code", ("attncheck start Q3 work", "attncheck watch work"))
    assert step(*QUIZ, present=("work/q03.py",)).commands == ("attncheck watch work",)
    assert step(*QUIZ, present=("q03.py",)).commands == ("attncheck watch q03.py",)
    assert step(*QUIZ, CODE[0]).name == "softmax"
    last = COURSE.questions[-1]
    begun = next_step.next_step(progress_of(COURSE, [code(last.exercises[0].name, hours=1)]), 5)
    assert begun.question is not None and begun.question.question.id == last.id
    assert step(*everything(), due=2).kind == "review"
    assert step(*everything()).kind == "done"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_in_words(lang: str, attncheck: Attncheck, progress_file: Path) -> None:
    """Every kind of step has its sentence and its command, in both languages."""
    for events, part in (
        ([], "attncheck quiz Q3"),
        ([named("Ada"), *QUIZ[:2]], "Q3.sum"),
        (QUIZ, "attncheck start Q3 work"),
        ([*QUIZ, CODE[0]], "softmax"),
        (everything(), "attncheck review"),
    ):
        progress_file.unlink(missing_ok=True)
        log.append(progress_file, *events)
        ran = attncheck("next", "--lang", lang)
        assert ran.code == 0 and part in ran.out
        data = json.loads(attncheck("next", "--json").out)
        assert all(command in ran.out for command in data["commands"])


def test_name(attncheck: Attncheck, progress_file: Path) -> None:
    """The name is shown, set and changed; an empty one is refused, and nothing is lost."""
    assert "no name yet; `attncheck name NAME`" in attncheck("name").out
    assert "Ada" in attncheck("name", "Ada").out
    assert "different numbers" in attncheck("name", "Bo").out
    assert "Bo" in attncheck("name").out
    log.append(progress_file, QUIZ[0], log.Named(log.now(), QUIZ[0].course, "Cy", separate=True))
    assert "Other people with progress here: Bo." in attncheck("name").out
    assert log.read(progress_file, QUIZ[0].course) == log.read_all(progress_file, QUIZ[0].course)[-1:]
    assert "continue with the progress of Bo" in attncheck("name", "Bo").out
    assert QUIZ[0] in log.read(progress_file, QUIZ[0].course)
    assert attncheck("name", "  ").code == 2
    assert [event.learner for event in log.read(progress_file, "attention") if isinstance(event, log.Named)] == [
        "Ada",
        "Bo",
        "Bo",
    ]


def test_without_a_command(
    attncheck: Attncheck, course: Course, progress_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``attncheck`` alone says what ``next`` says, and names other commands; at a terminal, it opens one step after
    the other, until the learner quits."""
    ran = attncheck()
    assert ran.code == 0
    assert ran.out.startswith(attncheck("next").out.rstrip("\n"))
    assert "attncheck --help" in ran.out
    opened, (third, first) = [], course.questions

    def quiz(call: Call, course: Course, name: str) -> SimpleNamespace:
        opened.append(name)
        log.append(progress_file, *(right(item.id, 1) for item in third.items))
        return SimpleNamespace(left=name != third.id)

    def code_of(call: Call, course: Course, folder: Path, name: str) -> bool:
        opened.append((folder / "q03.py").read_text("utf-8").count("raise NotImplementedError"))
        log.append(progress_file, *(code(exercise.name, hours=2) for exercise in third.exercises))
        return True

    keys = ["n"]
    monkeypatch.setattr("grader.commands.next.has_keys", lambda: True)
    monkeypatch.setattr("click.getchar", lambda: keys.pop())
    monkeypatch.setattr(watch.quiz, "ask", quiz)
    monkeypatch.setattr(watch, "follow", code_of)
    assert attncheck().code == 0 and not keys
    assert opened == [third.id, len(third.exercises), first.id]
