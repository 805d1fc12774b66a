"""The verb that writes grades and quiz items in the formats of others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import documented, find_question, lang_option, load_whole_course
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.classroom.export import Options, Out
    from grader.core.model import Lang, Text


class _Export(click.Command):
    """A command whose help lists the formats, which are found by looking."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        from grader.classroom.export import kind, names

        modules = {name: kind(name) for name in names()}
        headings = {
            "gradebook": "Formats, of a folder of results (--from)",
            "course": "Formats, of a course (--course)",
        }
        for of, heading in headings.items():
            with formatter.section(heading):
                formatter.write_dl([(name, module.ABOUT) for name, module in modules.items() if of == module.OF])


@documented(
    {
        "export csv --from results --to class.csv": "a table of the class",
        "export qti -q Q5 --to q05.zip": "the practice items of Q5 for Canvas",
    },
    {0: "written"},
)
@click.command(cls=_Export)
@click.argument("form", metavar="FORMAT")
@click.option("--from", "folder", type=click.Path(path_type=Path), metavar="DIR", help="The results of a batch.")
@click.option("--to", type=click.Path(path_type=Path), required=True, metavar="F", help="The file or folder to write.")
@click.option("--learner", metavar="ID", help="Only this learner.")
@click.option("--pseudonyms", is_flag=True, help="Without names, answers and files.")
@click.option("--checks", is_flag=True, help="csv: a row for each item and check.")
@click.option("--bom", is_flag=True, help="csv: with the mark that Excel looks for.")
@click.option("--template", type=click.Path(path_type=Path), metavar="F", help="The downloaded CSV to be filled in.")
@click.option("--column", metavar="TITLE", help="The column of the template that gets the points.")
@click.option(
    "--roster",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="canvas, moodle: numbers and addresses of learners.",
)
@click.option("-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question; repeatable.")
@click.option("--graded", is_flag=True, help="qti, gift: graded items, too, not only those for practice.")
@click.option("--seed-file", type=click.Path(path_type=Path), metavar="F", help="Hidden cases from this secret file.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Let the autograder run code that it cannot confine.")
@click.option("--force", is_flag=True, help="Replace what stands at F, whatever it is.")
@lang_option
@click.option(
    "--course",
    "course_folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The course folder (default: the one that results were graded with; else ATTNCHECK_COURSE, else the bundled "
    "course).",
)
def export(
    form: str,
    folder: Path | None,
    to: Path,
    learner: str | None,
    pseudonyms: bool,
    checks: bool,
    bom: bool,
    template: Path | None,
    column: str | None,
    roster: Path | None,
    questions: tuple[str, ...],
    graded: bool,
    seed_file: Path | None,
    unsafe_no_sandbox: bool,
    force: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Writes grades, or quiz items, for other programs.

    FORMAT is one of those below. F is replaced only if an export wrote it and nobody has changed it since.
    """
    from grader.classroom import export as exports
    from grader.commands._words import WRITTEN

    options = exports.Options(
        lang,
        learner,
        pseudonyms,
        checks,
        bom,
        template,
        column,
        roster,
        questions,
        graded,
        seed_file,
        unsafe_no_sandbox,
    )
    out = exports.Out(to, lambda text: _say(text, lang), force=force)
    if exports.kind(form).OF == "gradebook":
        _of_gradebook(form, folder, course_folder, options, out)
    else:
        _of_course(form, folder, course_folder, options, out)
    click.echo(WRITTEN.fill(file=str(to)).of(lang))


def _of_gradebook(form: str, folder: Path | None, course_folder: Path | None, options: Options, out: Out) -> None:
    from contextlib import closing

    from grader.classroom import export as exports
    from grader.classroom.gradebook import open_gradebook
    from grader.classroom.results import Book

    if folder is None:
        raise UsageError(f"{form} is made from a gradebook: name the folder that 'attncheck batch' wrote with --from.")
    with closing(open_gradebook(folder)) as gradebook:
        graded_with = gradebook.recall("course")
        if course_folder is None and isinstance(graded_with, str) and Path(graded_with).is_dir():
            course_folder = Path(graded_with)
        exports.export(form, Book.of(gradebook, load_whole_course(course_folder)), options, out)


def _of_course(form: str, folder: Path | None, course_folder: Path | None, options: Options, out: Out) -> None:
    from dataclasses import replace

    from grader.classroom import export as exports

    if folder is not None:
        raise UsageError(f"{form} is made from a course, not from a gradebook: leave out --from; --course names one.")
    course = load_whole_course(course_folder)
    asked = tuple(find_question(course, name).id for name in options.questions)
    exports.export(form, course, replace(options, questions=asked), out)


def _say(text: Text, lang: Lang) -> None:
    from grader.core.text import clean

    click.echo(f"attncheck: {clean(text.of(lang), 4000, lines=True)}", err=True)
