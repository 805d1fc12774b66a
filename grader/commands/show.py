"""``attncheck show``: one question in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    Chinese,
    course_option,
    documented,
    find_part,
    lang_option,
    learner_option,
    load_course,
)
from grader.core.model import Exercise
from grader.course import question_view

if TYPE_CHECKING:
    from grader.core.model import Lang


@documented(
    {
        "show Q5": "the prompt of Q5, and what there is to do",
        "show Q5 --full": "with all items, options and conventions",
        "show Q5.width": "one item, with its options",
        "show softmax": "one exercise, with its conventions",
    },
    {0: "done"},
    Chinese(
        "显示一个问题、一道小题或一个练习。\n\n"
        "NAME 可以是问题（如 Q5）、小题（如 Q5.width），也可以是函数或类（如 softmax）。",
        {
            "--full": "显示所有小题和选项，以及全部约定。",
        },
        (
            "Q5 的题目，以及要做的事",
            "连同所有小题、选项和约定",
            "一道小题和它的选项",
            "一个练习和它的约定",
        ),
    ),
)
@click.command()
@click.argument("name")
@click.option("--full", is_flag=True, help="Show all items, with their options, and all conventions.")
@learner_option
@lang_option
@course_option
def show(*, name: str, full: bool, learner: str | None, lang: Lang, course_folder: Path | None) -> None:
    """Show a question, an item or an exercise.

    NAME is a question such as Q5, an item such as Q5.width, or a function or class such as softmax.
    """
    course = load_course(course_folder)
    question, part = find_part(course, name)
    if part is None:
        view = question_view.lines if full else question_view.overview
        lines = view(question, course, learner, lang)
    elif isinstance(part, Exercise):
        lines = question_view.exercise_lines(question, part, lang)
    else:
        lines = question_view.item_lines(question, part, course, learner, lang)
    for line in lines:
        click.echo(line)
