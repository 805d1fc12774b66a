"""``attncheck debug``: a script that runs one public case."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands._console import say
from grader.commands._find import find_one_exercise
from grader.commands._options import PATH, Call, Documented, shared, work_argument
from grader.core.files import create
from grader.core.model import Message

LISTED = "Learners", 110


@click.command(cls=Documented)
@work_argument
@click.option(
    "-e", "--exercise", "name", required=True, metavar="FUNCTION", help="The exercise, or a question that has only one."
)
@click.option("--case", "case_name", required=True, metavar="NAME", help="A public case; “attncheck show” lists them.")
@click.option("--to", "target", type=PATH, metavar="F", help="The script to write; - for stdout (default: debug_….py).")
@shared("lang", "course")
def debug(call: Call, *, path: Path, name: str, case_name: str, target: Path | None) -> None:
    """Write a script that runs one public case.

    The script calls the code in PATH with the inputs of the case and compares the result, so that you can step
    through it in a debugger.

    Examples:
      debug q05.py -e scaled_dot_product_attention --case 'by hand'  write a script to step through

    Exit codes:
      0  done
      3  PATH cannot be read as a submission
    """
    from grader.grading.debug_script import case_script  # loads numpy
    from grader.sandbox import open_sandbox  # loads numpy

    course = call.course()
    question, exercise = find_one_exercise(course, name)
    with open_sandbox(mode="auto") as sandbox:
        sandbox.allow_packages(course.packages)
        sandbox.start()
        text = case_script(course, question, exercise, case_name, path, sandbox.observe)
    if target is not None and str(target) == "-":
        click.echo(text, nl=False)
        return
    place = target or Path("debug_" + "_".join([exercise.name, *case_name.split()]) + ".py")
    create(place, text)
    say(Message("{place}: run it with python, or step through it with python -m pdb {place}").fill(place=place))
