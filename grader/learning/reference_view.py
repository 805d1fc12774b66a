"""The reference solutions of a question, for those who may see them: what to compare one's own code with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from grader.core.model import Alternative, Course, Exercise, Lang, Message, Question, Report, Rules, Text
from grader.core.score import seconds_that_count
from grader.core.text import name_list, timestamp
from grader.learning.progress import Progress

if TYPE_CHECKING:
    from grader.core.page import Page

_HEAD = Message("Reference solution of {name} ({question})")
COMPARE = Message(
    "Yours may differ and be just as good. Compare: which lines say the same? Which of the two makes larger arrays, "
    "or does something twice?"
)
_LATER = Message("This course shows references after {due}.")
HOW_TO_SEE = Message("Compare your code with the reference: `attncheck show {question} --reference`")
_NOT_PASSED = Message("The reference is shown once all code of {question} is correct; not yet: {names}.")


def refusal(course: Course, question: Question, progress: Progress, now: datetime) -> Text | None:
    """Why the references of ``question`` are not shown now; None if they are.

    ``show_reference`` in course.yaml says when: once all exercises of the question have passed, after the due date and
    the time in which late work counts, or never.
    """
    rule = course.rules.show_reference
    if not question.exercises:
        return Message("{question} has no code to write.").fill(question=question.id)
    if rule == "never":
        return Message("This course does not show references.")
    if course.edition is not None:
        return Message("A learners' edition of a course has no references; ask your instructor.")
    if rule == "after-due":
        if course.rules.due is None:
            return Message("This course shows references after the due date, but has none.")
        end = _last_moment(course.rules, course.rules.due)
        return None if end < now else _LATER.fill(due=timestamp(end.isoformat()))
    standing = progress.question(question.id)
    left = [exercise.exercise.name for exercise in standing.exercises if exercise.standing != "right"]
    return _NOT_PASSED.fill(question=question.id, names=name_list(left)) if left else None


def _last_moment(rules: Rules, due: str) -> datetime:
    """When late work stops counting; the due date if it counts for ever."""
    end = datetime.fromisoformat(due)
    try:
        return end + timedelta(seconds=seconds_that_count(rules))
    except OverflowError:
        return end


def offers(course: Course, report: Report, progress: Progress, now: datetime, lang: Lang) -> Iterator[str]:
    """How to see the references of the questions that ``report`` is about, where that is possible now.

    Nothing if the course shows references after the due date: passing changes nothing then.
    """
    if course.rules.show_reference != "after-pass":
        return
    for result in report.questions:
        question = course.question(result.id)
        if question is not None and result.exercises and refusal(course, question, progress, now) is None:
            yield HOW_TO_SEE.fill(question=question.id).of(lang)


def show(page: Page, course: Course, question: Question, exercises: tuple[Exercise, ...]) -> None:
    """Writes the source of the references of ``exercises``, and what to compare."""
    for exercise in exercises:
        _show(page, _HEAD.fill(name=exercise.name, question=question.id), source(course, exercise))
        for alternative in exercise.alternatives:
            head = Message("Another way to write {name}: {note}").fill(name=exercise.name, note=alternative.note)
            _show(page, head, source(course, exercise, alternative))
    page.lines(page.say(COMPARE))


def _show(page: Page, head: Text, code: str) -> None:
    page.lines(page.say(head), style="bold")
    page.blank()
    page.listing(code)
    page.blank()


def source(course: Course, exercise: Exercise, alternative: Alternative | None = None) -> str:
    """The function or class that is the reference of ``exercise``, or an alternative, as written in ``reference/``."""
    module, _, name = (exercise.reference if alternative is None else alternative.code).rpartition(".")
    for file in course.reference:
        if file.module.rpartition(".")[2] != module:
            continue
        for part in file.parts:
            for node in ast.parse(part.text).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                    begin = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                    return "\n".join(part.text.split("\n")[begin - 1 : node.end_lineno])
    raise LookupError(exercise.reference)  # the loader has found it there
