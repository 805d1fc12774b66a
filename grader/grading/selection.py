"""Which questions, items and exercises of a course are graded for a submission."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from grader.core.errors import UsageError
from grader.core.model import Course, Exercise, Item, Message, Question, SourceFile, Submission, Text
from grader.core.text import suggestion
from grader.grading.missing import is_named_after, nothing_to_grade
from grader.submission import files_defining


@dataclass(frozen=True, slots=True)
class Selection:
    """What to grade: named questions and exercises; by default, those that the submission has code or answers for.

    With ``everything`` (for a class), everything that is named, or the whole course, counts even if not submitted.
    """

    questions: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    public_only: bool = False
    everything: bool = False


@dataclass(frozen=True, slots=True)
class ChosenQuestion:
    """A question, with those of its items and exercises that are graded."""

    question: Question
    items: tuple[Item, ...]
    exercises: tuple[Exercise, ...]


def choose(course: Course, submission: Submission, selection: Selection) -> tuple[ChosenQuestion, ...]:
    """The parts of the course to grade for this submission; see ``Selection``."""
    check_names(course, selection)
    named = {_question_id(name) for name in (*selection.questions, *selection.exercises)}
    wanted = {name.lower() for name in selection.exercises}
    answers_count = selection.everything or submission.answers is not None
    chosen = []
    for question in course.questions:
        whole = question.id.lower() in named
        if not named:
            whole = selection.everything or _touched(question, submission, course)
        graded = tuple(item for item in question.items if item.use == "graded")
        if whole:
            chosen.append(ChosenQuestion(question, graded if answers_count else (), question.exercises))
            continue
        items = tuple(item for item in graded if item.id.lower() in wanted)
        exercises = tuple(exercise for exercise in question.exercises if exercise.name.lower() in wanted)
        if items or exercises:
            chosen.append(ChosenQuestion(question, items, exercises))
    if not selection.everything and not _anything(chosen, submission):
        raise nothing_to_grade(course, submission, named | wanted)
    return tuple(chosen)


_NO_PART = Message("There is no exercise, graded item or question “{name}” in this course. {hint}")


def _question_id(name: str) -> str:
    """The question id, in lower case, that ``name`` stands for (``Q5``, ``q05`` or ``5``); otherwise ``name``."""
    number = name.lower().removeprefix("q").lstrip("0")
    return f"q{number}" if number.isdecimal() else name.lower()


def check_names(course: Course, selection: Selection) -> None:
    """Raises UsageError for a name in ``selection`` that the course does not have."""
    questions = [q.id for q in course.questions]
    exercises = [e.name for q in course.questions for e in q.exercises]
    items = [item.id for item in course.items if item.use == "graded"]
    _known(selection.questions, questions, questions, Message("There is no question “{name}” in this course. {hint}"))
    _known(selection.exercises, [*exercises, *items, *questions], exercises, _NO_PART)


def _known(names: Iterable[str], possible: list[str], listed: list[str], message: Text) -> None:
    lowered = {each.lower() for each in possible}
    for name in names:
        if name.lower() not in lowered and _question_id(name) not in lowered:
            raise UsageError(message.fill(name=name, hint=suggestion(name, possible, listed, most=12)))


def _touched(question: Question, submission: Submission, course: Course) -> bool:
    answered = {answer.item for answer in submission.answers or ()}
    if any(item.id in answered for item in question.items):
        return True
    for file in itertools.chain(*(files_defining(submission, e.name) for e in question.exercises)):
        # A file named after a question may define helpers that are exercises of other questions.
        own = next((q for q in course.questions if is_named_after(file.path, q)), question)
        if own is question or not any(file in files_defining(submission, e.name) for e in own.exercises):
            return True
    return False


def _anything(chosen: list[ChosenQuestion], submission: Submission) -> bool:
    return any(
        any(files_defining(submission, e.name) for e in question.exercises) or (question.items and submission.answers)
        for question in chosen
    )


def source_of(name: str, question: Question, submission: Submission) -> SourceFile | None:
    """The file that defines ``name``; of several, the one named after the question, else the first."""
    files = files_defining(submission, name)
    own = [file for file in files if is_named_after(file.path, question)]
    return next(iter((*own, *files)), None)
