"""``attncheck debug``: a script that runs one public case."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import click

from grader.commands._console import say
from grader.commands._find import find_exercises
from grader.commands._options import PATH, Call, Documented, shared, work_argument
from grader.core.files import create
from grader.core.model import Message

LISTED = "Learners", 110


@click.command(cls=Documented)
@work_argument
@click.option("-e", "--exercise", "name", metavar="FUNCTION", help="The exercise, or a question (default: all code).")
@click.option(
    "--case",
    "case_name",
    metavar="NAME",
    help="A public case; “attncheck show” lists them (default: the first that fails).",
)
@click.option("--to", "target", type=PATH, metavar="F", help="The script to write; - for stdout (default: debug_….py).")
@shared("lang", "course")
def debug(call: Call, *, path: Path, name: str | None, case_name: str | None, target: Path | None) -> None:
    """Write a script that runs one public case.

    The script calls the code in PATH with the inputs of the case and compares the result, so that you can step
    through it in a debugger. Without a case, it is the first that fails: of FUNCTION, of a question, or of all code in
    PATH.

    Examples:
      debug                                                          the first case that fails in your code
      debug q05.py -e scaled_dot_product_attention --case 'by hand'  write a script to step through

    Exit codes:
      0  done
      3  PATH cannot be read as a submission
    """
    from grader.grading.checker import Checker  # loads numpy
    from grader.grading.debug_script import debugged  # loads numpy

    course = call.course()
    exercises = find_exercises(course, name)[1] if name is not None else ()
    with closing(Checker(course)) as checker:
        called, case_name, text = checker.use(partial(debugged, course, exercises, case_name, path))
    if target is not None and str(target) == "-":
        click.echo(text.of(call.lang), nl=False)
        return
    place = target or Path("debug_" + "_".join([called, *case_name.split()]) + ".py")
    create(place, text.of(call.lang))
    say(Message("{place}: run it with python, or step through it with python -m pdb {place}").fill(place=place))
