"""``attncheck progress``: what the learner knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import page
from grader.commands._options import (
    course_option,
    documented,
    find_question,
    json_option,
    lang_option,
    load_course,
    state_option,
    write_json,
)
from grader.learning import log as state
from grader.learning import progress_view, review
from grader.learning.progress import progress_of

if TYPE_CHECKING:
    from grader.core.model import Lang


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
    """Show what you know, question by question.

    Uses your quiz answers, your graded code and the hints you took, and names the misconceptions that are still
    open. With a question, shows its items and exercises one by one.
    """
    course = load_course(course_folder)
    chosen = find_question(course, question) if question is not None else None
    log = state.read(state.place(state_file), course.public_id)
    found = progress_of(course, log)
    due = review.waiting(review.cards(course, log), state.now())
    if as_json:
        whole = progress_view.as_json(found, due)
        write_json(whole if chosen is None else progress_view.of_question(found.question(chosen.id)))
    elif chosen is None:
        progress_view.overview(page(lang), found, course, due)
    else:
        progress_view.detail(page(lang), found, chosen.id)
