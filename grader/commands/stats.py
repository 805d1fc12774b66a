"""``attncheck stats``: statistics of a class."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book
from grader.commands._console import WRITTEN, page, say, write_json, write_output
from grader.commands._options import Call, Documented, html_option, results_argument, shared
from grader.core.serialize import to_json

LISTED = "Instructors", 90


@click.command(cls=Documented)
@results_argument
@html_option
@click.option("--names", is_flag=True, help="Show learners' ids, which are left out by default.")
@shared("json", "lang", "graded-course")
def stats(call: Call, folder: Path, html: Path | None, names: bool) -> None:
    """Show what a class's results say about the questions.

    DIR is a folder that 'batch --out' has written. Shows how the class did, how difficult each part was and how
    well it separates strong from weak learners, which misconceptions came up, and what to do about suspicious
    items.

    Examples:
      stats results --html stats.html  statistics as a page

    Exit codes:
      0  done

    With --json:
      stats DIR  grader.instructor.analysis.statistics_view:StatisticsJson
    """
    from grader.instructor.analysis import statistics_view  # loads numpy
    from grader.instructor.analysis.answers import borrowed_answers  # loads the item kinds
    from grader.instructor.analysis.statistics import class_statistics  # loads numpy

    with closing(open_gradebook(folder)) as gradebook:
        course = call.graded_course(gradebook)
        book = Book.of(gradebook, course)
        answered = [(mark, gradebook.answers(mark.work.row) if mark.work else {}) for mark in book.marks()]
        statistics = class_statistics(answered)
        counting = [pair for pair in answered if pair[0].counts]
        statistics = replace(statistics, borrowed=borrowed_answers(course, counting))
    if html is not None:
        write_output("--html", html, statistics_view.render_html(statistics, course, call.lang, names=names))
    if call.as_json:
        write_json(to_json(statistics_view.as_data(statistics, course, names=names), call.lang))
    elif html is None:
        statistics_view.render(page(call.lang), statistics, course, names=names)
    else:
        say(WRITTEN.fill(file=str(html)))
