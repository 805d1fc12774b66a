"""``attncheck next``: what to do next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import width
from grader.commands._language import language
from grader.commands._options import (
    course_option,
    documented,
    json_option,
    lang_option,
    load_course,
    present_files,
    read_events,
    state_option,
    write_json,
)
from grader.learning import log as state
from grader.learning import next_step, review
from grader.learning.progress import progress_of

if TYPE_CHECKING:
    from grader.core.model import Lang


@documented(
    {
        "next": "where you are, and what to do next",
    },
    {0: "done"},
)
@click.command("next")
@state_option
@json_option
@lang_option
@course_option
def next(state_file: Path | None, as_json: bool, lang: Lang, course_folder: Path | None) -> None:
    """Say what to do next, and with which command.

    Finishes what was begun: the quiz of a question, then its exercises, the easiest first; then the next question, and
    at the end what is due for review. Looks for your files here and in the folder work.
    """
    show_next(state_file, lang, course_folder, as_json=as_json)


def overview(lang: Lang | None) -> None:
    """Print what ``attncheck`` alone prints: the next step, and the commands that help from anywhere."""
    show_next(None, lang or language(os.environ), None, others=True)


def show_next(
    state_file: Path | None, lang: Lang, course_folder: Path | None, *, as_json: bool = False, others: bool = False
) -> None:
    """Print the next step; with ``others``, also the commands that help from anywhere."""
    course = load_course(course_folder)
    log = read_events(state_file, course)
    found = progress_of(course, log)
    due = review.waiting(review.cards(course, log), state.now())
    step = next_step.next_step(found, due, present_files())
    if as_json:
        write_json(next_step.as_json(found, step, due))
    else:
        click.echo("\n".join(next_step.lines(found, step, due, lang, others=others, width=width())))
