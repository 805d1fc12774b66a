"""A question for its author: what learners see, the keys, and what learners read after a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.layout import indent
from grader.core.model import Course, Lang, Message, Question
from grader.core.text import name_list
from grader.course import items, misconceptions, question_view, starter


def lines(question: Question, course: Course, lang: Lang) -> Iterator[str]:
    """The question with its items, hints and stub; the keys only if ``course`` is not a learners' edition."""
    yield from question_view.lines(question, question_view.View(course.public_id, None, lang))
    for exercise in question.exercises:
        for rung, text in enumerate(exercise.hints, 1):
            yield f"\n{exercise.name}, {rung}/{len(exercise.hints)}:"
            yield indent(text.of(lang), 2)
    yield "\n" + starter.answers((question,), lang)
    if question.exercises:
        yield starter.stub(question, lang)
    if course.edition is None:
        yield from _for_authors(question, course, lang)


def _for_authors(question: Question, course: Course, lang: Lang) -> Iterator[str]:
    """The key of each item and the misconceptions that it can show; then what learners read about each of these."""
    for item in question.items:
        yield f"\n{item.id}"
        key = items.key(item, items.Context(course.public_id, "", item.id))
        yield indent(Message("Answer: {key}").fill(key=key).of(lang), 2)
        if names := sorted(misconceptions.misconceptions_of(item)):
            yield indent(Message("Shows the misconception {names}").fill(names=name_list(names)).of(lang), 2)
    if question.misconceptions:
        yield "\n" + Message("After a mistake learners read:").of(lang)
    for misconception in question.misconceptions:
        yield f"  {misconception.id}"
        yield indent(misconception.truth.of(lang), 4)
        if misconception.ask is not None:
            yield indent(f"→ {misconception.ask.of(lang)}", 4)
        if misconception.ask_next is not None:
            yield f"    → {misconception.ask_next}"
