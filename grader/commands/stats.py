"""Verbs that look at a class as a whole: what its results say, and which solutions are alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    documented,
    graded_course_option,
    json_option,
    lang_option,
    load_whole_course,
    write_json,
)

if TYPE_CHECKING:
    from grader.classroom.gradebook import Gradebook
    from grader.core.model import Course, Lang

html_option = click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="F", help="Write a page to this file."
)
names_option = click.option("--names", is_flag=True, help="With the learners' ids, which are left out otherwise.")


@documented(
    {
        "stats results --html stats.html": "statistics as a page",
    },
    {0: "done"},
)
@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@html_option
@names_option
@json_option
@lang_option
@graded_course_option
def stats(folder: Path, html: Path | None, names: bool, as_json: bool, lang: Lang, course_folder: Path | None) -> None:
    """Says what a class's results tell about the questions.

    DIR is where a batch put its results. Shows how the class did, how hard each part was and how well it
    tells learners apart, which misconceptions came up, and what to do about what is suspicious.
    """
    from contextlib import closing

    from grader.classroom.analysis import statistics_view as report
    from grader.classroom.analysis.statistics import of_class
    from grader.classroom.gradebook import open_gradebook
    from grader.classroom.results import Book
    from grader.commands._console import stdout
    from grader.core.page import Page

    with closing(open_gradebook(folder)) as gradebook:
        course = _course(gradebook, course_folder)
        book = Book.of(gradebook, course)
        found = of_class((mark, gradebook.answers(mark.work.filed) if mark.work else {}) for mark in book.marks())
    if html is not None:
        from grader.classroom.analysis import statistics_html

        _write(html, statistics_html.render(found, course, lang, names=names), lang, quiet=as_json)
    if as_json:
        write_json(report.to_json(found, course, lang, names=names))
    elif html is None:
        report.render(Page(stdout(), lang), found, course, names=names)


@documented(
    {
        "similar results --threshold 0.9": "pairs that share 90 % of their code",
    },
    {0: "done"},
)
@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--threshold",
    type=click.FloatRange(0.5, 1.0),
    metavar="SHARE",
    help="How much two must have in common, from 0.5 to 1 (default: 0.8).",
)
@html_option
@json_option
@lang_option
@graded_course_option
def similar(
    folder: Path, threshold: float | None, html: Path | None, as_json: bool, lang: Lang, course_folder: Path | None
) -> None:
    """Finds solutions that are nearly the same.

    DIR is where a batch put its results. Compares the last attempt of everybody, exercise by exercise and as a
    whole, without names, comments and formatting, and without what stands in the stubs, in the references or in
    many submissions. Members of a group are not compared with each other. Runs no code.
    """
    from contextlib import closing

    from grader.classroom.analysis import similarity_view as report
    from grader.classroom.analysis.class_similarity import compared
    from grader.classroom.gradebook import open_gradebook
    from grader.commands._console import stdout
    from grader.core.page import Page

    with closing(open_gradebook(folder)) as gradebook:
        course = _course(gradebook, course_folder)
        alike = compared(gradebook, course, threshold)
    if html is not None:
        from grader.classroom.analysis import similarity_html

        page = similarity_html.render(alike.found, course, lang, alike.who, alike.read, alike.left_out)
        _write(html, page, lang, quiet=as_json)
    if as_json:
        write_json(report.to_json(alike.found, alike.people, alike.left_out))
    elif html is None:
        report.render(Page(stdout(), lang), alike.found, alike.who, alike.left_out)


def _course(gradebook: Gradebook, folder: Path | None) -> Course:
    """The course that was graded with, unless another one is named."""
    graded_with = gradebook.recall("course")
    if folder is None and isinstance(graded_with, str) and Path(graded_with).is_dir():
        folder = Path(graded_with)
    return load_whole_course(folder)


def _write(file: Path, page: str, lang: Lang, *, quiet: bool) -> None:
    from grader.commands._words import WRITTEN
    from grader.core.errors import UsageError
    from grader.core.files import write

    try:
        write(file, page)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}; choose another place for --html.") from error
    if not quiet:
        click.echo(WRITTEN.fill(file=str(file)).of(lang))
