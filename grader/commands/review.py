"""``attncheck review``: spaced repetition of items and exercises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import page, stdout
from grader.commands._options import (
    course_option,
    documented,
    json_option,
    lang_option,
    language_of,
    load_course,
    save_events,
    state_option,
    write_json,
)
from grader.commands._review_loop import ReviewLoop
from grader.commands.quiz import front_end, learner_name
from grader.learning import log as state
from grader.learning import review as schedule
from grader.learning import review_view

if TYPE_CHECKING:
    from grader.core.model import Lang


@documented(
    {
        "review": "ask what is due",
        "review --list": "only show what is due, and when",
    },
    {0: "done"},
)
@click.command()
@click.option("--list", "listed", is_flag=True, help="Only list what is due, and when.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="At most N cards.")
@state_option
@json_option
@lang_option
@course_option
@click.pass_context
def review(
    context: click.Context,
    *,
    listed: bool,
    limit: int,
    state_file: Path | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Review what is due.

    Asks items as in the quiz and has you rewrite functions from memory: first what is due (scheduled by FSRS), then
    what is new since the last review. Correct at once, correct with help, or wrong: that decides when a card comes
    back. --json lists the cards, like --list.
    """
    course = load_course(course_folder)
    everything = state.read_all(state.place(state_file), course.public_id)
    log = state.of_last(everything)
    cards, now = schedule.cards(course, log), state.now()
    if as_json:
        write_json(review_view.as_json(cards, now))
        return
    lang = language_of(context, log, lang)
    if listed:
        review_view.listing(page(lang), cards, now)
        return
    queue = schedule.queue(cards, now)
    review_view.opening(page(lang), state.last_name(log), cards, queue, limit, now)
    if not queue:
        return
    who, named = learner_name(course, None, everything, lang)
    save_events(state_file, *named)
    sitting = ReviewLoop(course, who, lang, (*log, *named), state_file, front_end(), stdout())
    sitting.run(queue[:limit])
    left = schedule.queue(schedule.cards(course, sitting.log), state.now())
    review_view.summary(sitting.page, sitting.ratings, len(left))
