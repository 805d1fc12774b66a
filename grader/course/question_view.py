"""One question as a page of text: prompt, items, exercises and conventions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from grader.core.layout import WIDTH, cells, indent, wrap
from grader.core.model import Message
from grader.core.text import COMMA, PARENTHESIZED, RESULT
from grader.course import items, starter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.core.model import Course, Exercise, Item, Lang, Question

NO_CASES = Message("none")
TO_ANSWER = Message("Questions to answer (in answers.yaml)")
TO_WRITE = Message("Code to write")
CONVENTIONS = Message("Conventions")
CASES = Message("Public cases: {public}; hidden: {hidden}")
BEGIN = Message("`attncheck start {id}` creates the files to start from.")


FULL = Message("`attncheck show {id} --full` shows everything, `attncheck show {part}` one item or exercise.")
OF_QUESTION = Message("{part} of {id}, “{title}”")
TO_QUIZ = Message("`attncheck quiz {item}` asks this item alone.")


def overview(question: Question, course: Course, learner: str | None, lang: Lang, width: int = WIDTH) -> Iterable[str]:
    """``question`` on about one screen: its prompt, and a line for each item and exercise."""
    yield from _head(question, lang, width)
    graded = starter.graded(question)
    for heading, rows in (
        (
            TO_ANSWER,
            [(item.id, starter.item_paragraphs(item, question, course.public_id, learner)[0]) for item in graded],
        ),
        (TO_WRITE, [(exercise.name, exercise.summary) for exercise in question.exercises]),
    ):
        if rows:
            yield ""
            yield heading.of(lang)
        names = max((cells(name) for name, _ in rows), default=0)
        for name, text in rows:
            first = wrap(" ".join(text.of(lang).split()), max(width - names - 6, 10))
            more = " …" if len(first) > 1 else ""
            yield f"  {name}{' ' * (names - cells(name))}  {first[0]}{more}"
    part = next((item.id for item in graded), question.exercises[0].name if question.exercises else question.id)
    yield ""
    yield indent(FULL.fill(id=question.id, part=part).of(lang), 0, width)
    yield indent(BEGIN.fill(id=question.id).of(lang), 0, width)


def item_lines(
    question: Question, item: Item, course: Course, learner: str | None, lang: Lang, width: int = WIDTH
) -> Iterable[str]:
    """One item, with its options and how to answer it."""
    yield indent(OF_QUESTION.fill(part=item.id, id=question.id, title=question.title).of(lang), 0, width)
    yield ""
    yield from _item(item, question, course, learner, lang, width)
    yield ""
    yield indent(TO_QUIZ.fill(item=item.id).of(lang), 0, width)


def exercise_lines(question: Question, exercise: Exercise, lang: Lang, width: int = WIDTH) -> Iterable[str]:
    """One exercise, with the conventions of its question."""
    yield indent(OF_QUESTION.fill(part=exercise.name, id=question.id, title=question.title).of(lang), 0, width)
    yield ""
    yield from _exercise(exercise, lang, width)
    yield from _conventions(question, lang, width)
    yield ""
    yield indent(BEGIN.fill(id=question.id).of(lang), 0, width)


def _head(question: Question, lang: Lang, width: int) -> Iterable[str]:
    title = f"{question.id}  {question.title.of(lang)}"
    yield indent(PARENTHESIZED.fill(what=title, more=starter.points_of(question.points)).of(lang), 0, width)
    yield ""
    yield indent(question.prompt.of(lang), 0, width)


def _item(item: Item, question: Question, course: Course, learner: str | None, lang: Lang, width: int) -> Iterable[str]:
    yield indent(PARENTHESIZED.fill(what=item.id, more=starter.item_worth(item)).of(lang), 0, width)
    for text in starter.item_paragraphs(item, question, course.public_id, learner):
        yield indent(text.of(lang), 2, width)
    shown = items.ask_in_file(item, items.Context(course.public_id, learner or "", item.id))
    for choice in (*shown.choices, *shown.partners):
        yield indent(f"{choice.id}  {choice.text.of(lang)}", 4, width)
    yield indent(shown.how.of(lang), 2, width)


def _conventions(question: Question, lang: Lang, width: int) -> Iterable[str]:
    texts = starter.conventions(question)
    if texts:
        yield ""
        yield CONVENTIONS.of(lang)
    for text in texts:
        yield "  - " + indent(text.of(lang), 4, width).lstrip()


def lines(question: Question, course: Course, learner: str | None, lang: Lang, width: int = WIDTH) -> Iterable[str]:
    """The lines of a page about ``question``; numbers that differ between learners are those of ``learner``."""
    yield from _head(question, lang, width)
    graded = starter.graded(question)
    if graded:
        yield ""
        yield TO_ANSWER.of(lang)
    for item in graded:
        yield from (textwrap.indent(text, "  ") for text in _item(item, question, course, learner, lang, width - 2))
    if question.exercises:
        yield ""
        yield TO_WRITE.of(lang)
    for exercise in question.exercises:
        yield from _exercise(exercise, lang, width)
    yield from _conventions(question, lang, width)
    yield ""
    yield indent(BEGIN.fill(id=question.id).of(lang), 0, width)


def _exercise(exercise: Exercise, lang: Lang, width: int) -> Iterable[str]:
    signature = exercise.signature if exercise.kind == "function" else f"class {exercise.signature}"
    marks = [starter.points_of(exercise.points).of(lang)]
    if exercise.array_types == ("torch",):
        marks.append("torch")
    head = PARENTHESIZED.fill(what=signature, more=COMMA.of(lang).join(marks))
    yield indent(head.of(lang), 2, width)
    for method in (*filter(None, [exercise.forward_signature]), *exercise.methods):
        yield indent(method, 4, width)
    yield indent(exercise.summary.of(lang), 4, width)
    yield indent(RESULT.fill(result=exercise.result).of(lang), 4, width)
    for text in starter.forbidden_names_sentence(exercise):
        yield indent(text.of(lang), 4, width)
    public = [case.name for case in exercise.cases if case.public]
    hidden = str(len(exercise.cases) - len(public))
    named = COMMA.of(lang).join(public) or NO_CASES.of(lang)
    yield indent(CASES.fill(public=named, hidden=hidden).of(lang), 4, width)
