"""``attncheck show``: one question in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    course_option,
    documented,
    find_question,
    lang_option,
    learner_option,
    load_course,
)
from grader.course import question_view

if TYPE_CHECKING:
    from grader.core.model import Lang


@documented(
    {
        "show Q5": "prompt, exercises and conventions of Q5",
    },
    {0: "done"},
)
@click.command()
@click.argument("question")
@learner_option
@lang_option
@course_option
def show(question: str, learner: str | None, lang: Lang, course_folder: Path | None) -> None:
    """Show a question: its prompt, exercises and conventions."""
    course = load_course(course_folder)
    for line in question_view.lines(find_question(course, question), course, learner, lang):
        click.echo(line)
