"""Verbs about what is known: a map of it, and what to go over again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    course_option,
    documented,
    find_question,
    json_option,
    keep,
    lang_option,
    language_of,
    load_course,
    state_option,
    write_json,
)

if TYPE_CHECKING:
    from grader.core.model import Course, Lang
    from grader.learning.log import Event
    from grader.learning.review import Card


@documented(
    {
        "progress": "all questions",
        "progress Q5": "Q5, item by item",
    },
    {0: "done"},
)
@click.command()
@click.argument("question", required=False, metavar="[Q5]")
@state_option
@json_option
@lang_option
@course_option
def progress(
    question: str | None, state_file: Path | None, as_json: bool, lang: Lang, course_folder: Path | None
) -> None:
    """Shows what you know, question by question.

    From the answers given in the quiz, the code that was graded, and the hints that were taken.
    Names the misconceptions that are still open. With a question: its items and exercises one by one.
    """
    from grader.learning import log as state
    from grader.learning import progress as folding
    from grader.learning import progress_view as looks
    from grader.learning import review as reviewing

    course = load_course(course_folder)
    chosen = find_question(course, question) if question is not None else None
    log = state.read(state.place(state_file), course.public_id)
    known = folding.progress_of(course, log)
    due = reviewing.waiting(reviewing.cards(course, log), state.now())
    if as_json:
        whole = looks.as_json(known, due)
        write_json(whole if chosen is None else looks.of_question(known.question(chosen.id)))
        return
    from grader.commands._console import stdout
    from grader.core.page import Page

    page = Page(stdout(), lang)
    if chosen is None:
        looks.overview(page, known, course, due)
    else:
        looks.detail(page, known, chosen.id)


@documented(
    {
        "review": "ask what is due",
        "review --list": "only show what is due, and when",
    },
    {0: "done"},
)
@click.command()
@click.option("--list", "listed", is_flag=True, help="Only show what is due, and when.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="At most N cards.")
@state_option
@json_option
@lang_option
@course_option
@click.pass_context
def review(
    context: click.Context,
    listed: bool,
    limit: int,
    state_file: Path | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Asks again what is due.

    Items are asked as in the quiz, functions are written again from memory: first what is due by FSRS, then
    what is new since the last review. Right at once, right with help, or wrong decides when a card comes
    again. --json lists, as --list does.
    """
    from grader.commands._console import stdout
    from grader.core.page import Page
    from grader.learning import log as state
    from grader.learning import review as reviewing
    from grader.learning import review_view as looks

    course = load_course(course_folder)
    log = state.read(state.place(state_file), course.public_id)
    cards, now = reviewing.cards(course, log), state.now()
    if as_json:
        write_json(looks.as_json(cards, now))
        return
    lang = language_of(context, log, lang)
    page = Page(stdout(), lang)
    if listed:
        looks.listing(page, cards, now)
        return
    queue = reviewing.queue(cards, now)
    looks.opening(page, cards, queue, limit, now)
    if queue:
        _review(course, queue[:limit], log, state_file, lang)


def _review(
    course: Course, queue: tuple[Card, ...], log: tuple[Event, ...], state_file: Path | None, lang: Lang
) -> None:
    from grader.commands._console import stdout
    from grader.commands._review_loop import Review
    from grader.commands.quiz import front_end, learner_name
    from grader.learning import log as state
    from grader.learning import review as reviewing
    from grader.learning.review_view import summary

    who, named = learner_name(course, None, log, lang)
    keep(state_file, *named)
    sitting = Review(course, who, lang, (*log, *named), state_file, front_end(), stdout())
    sitting.run(queue)
    left = reviewing.queue(reviewing.cards(course, sitting.log), state.now())
    summary(sitting.page, sitting.ratings, len(left))
