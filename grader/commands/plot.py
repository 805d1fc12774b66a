"""``attncheck plot``: the course's pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import UNCONFINED, WRITTEN, print_lines, say, stdout, write_output
from grader.commands._options import PATH, Call, Documented, shared, source_option
from grader.core.errors import UsageError
from grader.core.layout import cells, wrap
from grader.core.model import Lang, Message
from grader.core.text import COMMA, LABELED, PARENTHESIZED, clean, cleaned, join, suggestion
from grader.submission import read

if TYPE_CHECKING:
    from grader.report.figures.figure import Figure
    from grader.report.figures.kinds import Picture
    from grader.report.figures.run import LearnerValues

LISTED = "Learners", 120

SHOWN, NOT_ALL_SHOWN = 0, 1


@click.command(cls=Documented)
@click.argument("name", required=False)
@source_option(help="Your own file, folder, notebook or zip, drawn beside the reference.")
@click.option(
    "--to", "target", type=PATH, metavar="F", help="Write an .svg file, which browsers and word processors can open."
)
@click.option("--list", "listed", is_flag=True, help="List the pictures; so does leaving out NAME.")
@shared("lang", "course")
def plot(call: Call, *, name: str | None, source: Path | None, target: Path | None, listed: bool) -> None:
    """Draw one of the course's pictures.

    Draws what the reference computes and, with --from, what your own code computes beside it: in the terminal, or in a
    file with --to.

    Examples:
      plot --list                        the pictures there are
      plot attention --from q05.py       your own attention beside the reference
      plot attention --to attention.svg  write a file

    Exit codes:
      0  drawn
      1  something of your code could not be drawn
      3  the path after --from cannot be read as a submission
    """
    from grader.report.figures import kinds  # loads numpy

    if name is None or listed:
        print_lines(_list(kinds.kinds(), call.lang))
        return
    picture = kinds.kinds().get(name.lower())
    if picture is None:
        said = Message("There is no picture “{name}”. {hint}")
        raise UsageError(said.fill(name=name, hint=suggestion(name, list(kinds.kinds()))))
    if target is not None:
        _refuse(target)
    figure, mine = _figure(call, picture, source)
    if mine is not None:
        _warn(mine)
    if figure is not None:
        _show(figure, target, call.lang)
    lost = mine is not None and any(remark.lost for remark in mine.remarks)
    click.get_current_context().exit(NOT_ALL_SHOWN if lost else SHOWN)


def _list(pictures: Mapping[str, Picture], lang: Lang) -> Iterator[str]:
    width = max(map(len, pictures)) + 2
    for name, picture in pictures.items():
        first, *more = wrap(picture.ABOUT.of(lang), 80 - width)
        yield name + " " * (width - cells(name)) + first
        yield from (" " * width + line for line in more)


def _refuse(target: Path) -> None:
    """Raises UsageError for a file that could not be written."""
    if target.suffix.lower() != ".svg":
        raise UsageError(Message("--to {target}: expected a file name that ends in .svg.").fill(target=target))
    if not target.absolute().parent.is_dir():
        said = Message("--to {target}: there is no folder {parent}; create it, or choose another.")
        raise UsageError(said.fill(target=target, parent=target.absolute().parent))


def _figure(call: Call, picture: Picture, source: Path | None) -> tuple[Figure | None, LearnerValues | None]:
    """The figure (None if nothing can be drawn), and what the learner's code gave (None without ``source``)."""
    from grader.grading.context import public_context  # loads numpy
    from grader.report.figures import run  # loads numpy
    from grader.sandbox import open_sandbox  # loads numpy

    with open_sandbox(mode="auto") as sandbox:
        if source is not None:
            sandbox.start()  # the child imports torch while this process reads
        course = call.course()
        context = public_context(course, sandbox)
        submission = None if source is None else read(source)
        figure, mine = run.compute_picture(course, picture, submission, sandbox.observe, context.observe_reference)
    return None if mine is not None and mine.seen is None else figure, mine


def _warn(mine: LearnerValues) -> None:
    """Report on stderr what is missing or wrong in the picture."""
    from grader.report.figures.run import NOT_YOURS  # loads numpy

    if mine.unsafe:
        say(UNCONFINED, err=True)
    for remark in mine.remarks:
        who = PARENTHESIZED.fill(what=remark.name, more=clean(remark.file, 60))
        text = remark.text
        say(LABELED.fill(who=who, said=cleaned(text, 600)), err=True)
    if mine.absent and mine.seen is not None:
        say(NOT_YOURS.fill(names=join(mine.absent, COMMA)), err=True)


def _show(figure: Figure, target: Path | None, lang: Lang) -> None:
    if target is None:
        from grader.report.figures.terminal import render  # loads rich

        render(figure, lang, stdout())
        return
    from grader.report.figures import svg  # loads numpy

    write_output("--to", target, svg.document(figure, lang))
    say(WRITTEN.fill(file=target))
