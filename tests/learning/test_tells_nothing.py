"""Nothing that a learner can open tells anything about an item with attempts left."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Console

from grader.core.marks import plain
from grader.core.model import Course, Item, Question, Status, Text
from grader.core.page import Page
from grader.course import items, misconceptions, question_view, starter
from grader.learning import next_step, progress, progress_view, quiz_session, quiz_view
from grader.learning.log import Answered
from grader.learning.progress import About

NOW = datetime(2026, 1, 2, tzinfo=UTC)
NONE = Text("", "")


def everything(course: Course, question: Question, events: Sequence[Answered], about: About) -> str:
    """What a learner can open after ``events``: the end of a quiz, progress, the next step, ``show`` and ``start``."""
    out = io.StringIO()
    page = Page(Console(file=out, width=10_000, highlight=False), "en")
    session = quiz_session.begin(course, "ada", "en", question.items, events)
    known = progress.progress_of(course, events, about)
    quiz_view.summary(page, quiz_session.summary(session))
    progress_view.overview(page, known, course, 0)
    progress_view.detail(page, known, question.id)
    lines = [
        *next_step.lines(known, next_step.next_step(known, 0), 0, "en"),
        *question_view.lines(question, question_view.View(course.public_id, "ada", "en", 10_000)),
        starter.answers([question], "en", course.public_id, "ada"),
    ]
    return plain("\n".join([out.getvalue(), *lines]))


def wrong(course: Course, item: Item, name: str, *, settled: bool = False) -> Answered:
    """An answer that shows a misconception."""
    return Answered(NOW, course.public_id, item.id, "x", 0.0, Status.FAILED, name, 3 if settled else 1, settled)


def test_while_attempts_are_left(course: Course) -> None:
    """Neither the truth behind a mistake nor its name, the key or the explanation; once settled, the truth is told."""
    about = progress.parts_by_misconception(course)
    for question in course.questions:
        shown = [(item, name) for item in question.items for name in sorted(misconceptions.misconceptions_of(item))]
        events = [wrong(course, item, name) for item, name in shown]
        text = everything(course, question, events, about)
        assert not any(f"{question.id} {name}" in text for _, name in shown)
        for belief in question.misconceptions:
            assert plain(belief.truth.en) not in text, belief.id
        for item in question.items:
            context = items.Context(course.public_id, "ada", item.id)
            explain = plain(items.fill(item.explain or NONE, items.draw(item.spec, context)).en)
            assert explain == "" or explain not in text, item.id
        known = progress.progress_of(course, events, about).question(question.id).beliefs
        assert {each.belief.id for each in known} == {name for _, name in shown}
        assert not any(each.told for each in known)
        settled = [wrong(course, item, name, settled=True) for item, name in shown]
        assert all(each.told for each in progress.progress_of(course, settled, about).question(question.id).beliefs)
