"""``attncheck export``: grades and quiz items in the formats of other programs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book
from grader.commands._console import WRITTEN, say
from grader.commands._find import find_question
from grader.commands._language import LANG
from grader.commands._options import (
    PATH,
    Call,
    Documented,
    collected,
    questions_option,
    roster_option,
    seed_file_option,
    shared,
)
from grader.core.errors import UsageError
from grader.core.model import Lang, Message, Text
from grader.core.text import clean
from grader.instructor import export as exports

LISTED = "Instructors", 80


_FROM_GRADEBOOK = Message("{form} is made from a gradebook: name the folder that `attncheck batch` wrote with --from.")
_FROM_COURSE = Message("{form} is made from a course, not from a gradebook: leave out --from; --course names one.")
_HEADINGS = {
    "gradebook": Message("Formats made from a results folder (--from)"),
    "course": Message("Formats made from a course (--course)"),
}


class _Export(Documented):
    """A command whose help lists the formats, with the sentence of each."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        modules = {name: exports.format_module(name) for name in exports.format_names()}
        lang: Lang = "zh" if ctx.meta.get(LANG) == "zh" else "en"
        for of, heading in _HEADINGS.items():
            rows = [(name, module.ABOUT.of(lang)) for name, module in modules.items() if of == module.SOURCE]
            with formatter.section(heading.of(lang)):
                formatter.write_dl(rows)


@click.command(cls=_Export)
@click.argument("form", metavar="FORMAT")
@click.option("--from", "folder", type=PATH, metavar="DIR", help="The results folder of a batch.")
@click.option("--to", type=PATH, required=True, metavar="F", help="The file or folder to write.")
@click.option("--learner", metavar="ID", help="Only this learner.")
@click.option("--pseudonyms", is_flag=True, help="Replace names, and leave out answers and files.")
@click.option("--checks", is_flag=True, help="csv: one row per item and check.")
@click.option("--bom", is_flag=True, help="csv: write a UTF-8 byte-order mark, for Excel.")
@click.option(
    "--template",
    type=PATH,
    metavar="F",
    help="The downloaded CSV file to fill in, or the zip of submissions from Canvas.",
)
@click.option("--column", metavar="TITLE", help="The column of the template that gets the points.")
@roster_option(help="canvas, canvas-feedback, moodle: learners' numbers and e-mail addresses.")
@questions_option
@click.option("--graded", is_flag=True, help="qti, gift: include graded items, not only practice items.")
@seed_file_option("Draw hidden cases from this secret file.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Let the autograder run code that it cannot confine.")
@click.option("--force", is_flag=True, help="Replace F, whatever it is.")
@shared("lang", "exported-course")
@collected(exports.ExportOptions)
def export(
    call: Call, options: exports.ExportOptions, *, form: str, folder: Path | None, to: Path, force: bool
) -> None:
    """Export grades or quiz items for other programs.

    FORMAT is one of those below. F is replaced only if an export wrote it and nobody has changed it since.

    Examples:
      export csv --from results --to class.csv  a table of the class
      export qti -q Q5 --to q05.zip             the practice items of Q5 for Canvas

    Exit codes:
      0  written
    """
    options = replace(options, lang=call.lang)
    out = exports.ExportTarget(to, lambda text: _warn(text, call.lang), force=force)
    if exports.format_module(form).SOURCE == "gradebook":
        if folder is None:
            raise UsageError(_FROM_GRADEBOOK.fill(form=form))
        with closing(open_gradebook(folder)) as gradebook:
            exports.export(form, Book.of(gradebook, call.graded_course(gradebook)), options, out)
    else:
        if folder is not None:
            raise UsageError(_FROM_COURSE.fill(form=form))
        course = call.whole_course()
        chosen = tuple(find_question(course, name).id for name in options.questions)
        exports.export(form, course, replace(options, questions=chosen), out)
    say(WRITTEN.fill(file=str(to)))


def _warn(text: Text, lang: Lang) -> None:
    click.echo(f"attncheck: {clean(text.of(lang), 4000, lines=True)}", err=True)
