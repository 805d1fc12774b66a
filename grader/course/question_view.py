"""One question as a page of text: prompt, items, exercises and conventions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace

from grader.core.layout import WIDTH, cells, indent, wrap
from grader.core.model import Exercise, Item, Lang, Message, Question, Text
from grader.core.text import COMMA, PARENTHESIZED, RESULT, same
from grader.course import items, starter

TO_ANSWER = Message("Questions to answer (in answers.yaml)")
TO_WRITE = Message("Code to write")
CASES = Message("Public cases: {public}; hidden: {hidden}")
BEGIN = Message("`attncheck start {id}` creates the files to start from.")
FULL = Message("`attncheck show {id} --full` shows everything, `attncheck show {part}` one item or exercise.")
OF_QUESTION = Message("{part} of {id}, “{title}”")


@dataclass(frozen=True, slots=True)
class View:
    """Who reads a page: in which language and width, and for whose numbers (all choices if there is no learner)."""

    course_id: str
    learner: str | None
    lang: Lang
    width: int = WIDTH

    def wrapped(self, text: Text, by: int = 0) -> str:
        """``text`` in lines that are indented by so much."""
        return indent(text.of(self.lang), by, self.width)


def overview(question: Question, view: View) -> Iterable[str]:
    """``question`` on about one screen: its prompt, and a line for each item and exercise."""
    yield from _head(question, view)
    graded = starter.graded(question)
    code = [(exercise.name, same(exercise.signature.removeprefix(exercise.name))) for exercise in question.exercises]
    for heading, rows in ((TO_ANSWER, [(item.id, _short(item, question, view)) for item in graded]), (TO_WRITE, code)):
        if rows:
            yield ""
            yield heading.of(view.lang)
        names = max((cells(name) for name, _ in rows), default=0)
        for name, text in rows:
            first = wrap(" ".join(text.of(view.lang).split()), max(view.width - names - 6, 10))
            more = " …" if len(first) > 1 else ""
            yield f"  {name}{' ' * (names - cells(name))}  {first[0]}{more}"
    part = next((item.id for item in graded), question.exercises[0].name if question.exercises else question.id)
    yield ""
    yield view.wrapped(FULL.fill(id=question.id, part=part))
    yield view.wrapped(BEGIN.fill(id=question.id))


def _short(item: Item, question: Question, view: View) -> Text:
    return item.title or starter.item_paragraphs(item, question, view.course_id, view.learner)[0]


def item_lines(question: Question, item: Item, view: View) -> Iterable[str]:
    """One item, with its options and how to answer it."""
    yield view.wrapped(OF_QUESTION.fill(part=item.id, id=question.id, title=question.title))
    yield ""
    yield from _item(item, question, view)
    yield ""
    yield view.wrapped(Message("`attncheck quiz {item}` asks this item alone.").fill(item=item.id))


def exercise_lines(question: Question, exercise: Exercise, view: View) -> Iterable[str]:
    """One exercise, with the conventions that apply to it."""
    yield view.wrapped(OF_QUESTION.fill(part=exercise.name, id=question.id, title=question.title))
    yield ""
    yield from _exercise(exercise, view)
    yield from _conventions((exercise,), view)
    yield ""
    yield view.wrapped(BEGIN.fill(id=question.id))


def _head(question: Question, view: View) -> Iterable[str]:
    title = f"{question.id}  {question.title.of(view.lang)}"
    yield view.wrapped(PARENTHESIZED.fill(what=title, more=starter.points_of(question.points)))
    yield view.wrapped(starter.counted(question.items, len(question.exercises)))
    yield ""
    yield view.wrapped(question.prompt)


def _item(item: Item, question: Question, view: View) -> Iterable[str]:
    yield view.wrapped(PARENTHESIZED.fill(what=item.id, more=starter.item_worth(item)))
    for text in starter.item_paragraphs(item, question, view.course_id, view.learner):
        yield view.wrapped(text, 2)
    shown = items.ask_in_file(item, items.Context(view.course_id, view.learner or "", item.id))
    for choice in (*shown.choices, *shown.partners):
        yield indent(f"{choice.id}  {choice.text.of(view.lang)}", 4, view.width)
    yield view.wrapped(shown.how, 2)


def _conventions(exercises: Iterable[Exercise], view: View) -> Iterable[str]:
    texts = starter.conventions(exercises)
    if texts:
        yield ""
        yield Message("Conventions").of(view.lang)
    for text in texts:
        yield "  - " + view.wrapped(text, 4).lstrip()


def lines(question: Question, view: View) -> Iterable[str]:
    """The lines of a page about ``question``; numbers that differ between learners are those of ``learner``."""
    yield from _head(question, view)
    graded = starter.graded(question)
    if graded:
        yield ""
        yield TO_ANSWER.of(view.lang)
    for item in graded:
        yield from (textwrap.indent(text, "  ") for text in _item(item, question, replace(view, width=view.width - 2)))
    if question.exercises:
        yield ""
        yield TO_WRITE.of(view.lang)
    for exercise in question.exercises:
        yield from _exercise(exercise, view)
    yield from _conventions(question.exercises, view)
    yield ""
    yield view.wrapped(BEGIN.fill(id=question.id))


def _exercise(exercise: Exercise, view: View) -> Iterable[str]:
    signature = exercise.signature if exercise.kind == "function" else f"class {exercise.signature}"
    marks = [starter.points_of(exercise.points).of(view.lang)]
    if exercise.array_types == ("torch",):
        marks.append("torch")
    head = PARENTHESIZED.fill(what=signature, more=COMMA.of(view.lang).join(marks))
    yield view.wrapped(head, 2)
    for method in (*filter(None, [exercise.forward_signature]), *exercise.methods):
        yield indent(method, 4, view.width)
    yield view.wrapped(exercise.summary, 4)
    yield view.wrapped(RESULT.fill(result=exercise.result), 4)
    for text in starter.forbidden_names_sentence(exercise):
        yield view.wrapped(text, 4)
    public = [case.title.of(view.lang) for case in exercise.cases if case.public]
    hidden = str(len(exercise.cases) - len(public))
    named = COMMA.of(view.lang).join(public) or Message("none").of(view.lang)
    yield view.wrapped(CASES.fill(public=named, hidden=hidden), 4)
