"""``attncheck stats``: statistics of a class."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book
from grader.commands._console import page
from grader.commands._options import (
    documented,
    graded_course_option,
    html_option,
    json_option,
    lang_option,
    load_graded_course,
    results_argument,
    write_json,
    write_output,
)
from grader.commands._words import WRITTEN

if TYPE_CHECKING:
    from grader.core.model import Lang


@documented(
    {
        "stats results --html stats.html": "statistics as a page",
    },
    {0: "done"},
)
@click.command()
@results_argument
@html_option
@click.option("--names", is_flag=True, help="Show learners' ids, which are left out by default.")
@json_option
@lang_option
@graded_course_option
def stats(folder: Path, html: Path | None, names: bool, as_json: bool, lang: Lang, course_folder: Path | None) -> None:
    """Show what a class's results say about the questions.

    DIR is a folder that 'batch --out' has written. Shows how the class did, how difficult each part was and how
    well it separates strong from weak learners, which misconceptions came up, and what to do about suspicious
    items.
    """
    from grader.instructor.analysis import statistics_view  # loads numpy
    from grader.instructor.analysis.answers import borrowed_answers  # loads the item kinds
    from grader.instructor.analysis.statistics import class_statistics  # loads numpy

    with closing(open_gradebook(folder)) as gradebook:
        course = load_graded_course(gradebook, course_folder)
        book = Book.of(gradebook, course)
        answered = [(mark, gradebook.answers(mark.work.row) if mark.work else {}) for mark in book.marks()]
        found = class_statistics(answered)
        counting = [each for each in answered if each[0].counts]
        found = replace(found, borrowed=borrowed_answers(course, counting))
    if html is not None:
        from grader.instructor.analysis import statistics_html  # loads jinja2

        write_output("--html", html, statistics_html.render(found, course, lang, names=names))
    if as_json:
        write_json(statistics_view.to_json(found, course, lang, names=names))
    elif html is None:
        statistics_view.render(page(lang), found, course, names=names)
    else:
        click.echo(WRITTEN.fill(file=str(html)).of(lang))
