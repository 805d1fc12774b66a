"""``attncheck watch``: grade again on every save."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands._desk import go_on
from grader.commands._options import Call, Documented, shared, work_argument
from grader.commands._own_work import follow

LISTED = "Learners", 60


@click.command(cls=Documented)
@work_argument
@shared("state", "lang", "course")
def watch(call: Call, path: Path) -> None:
    """Grade again on every save.

    Shows what to fix first in PATH (default: the folder that you work in). Keys: n next, h hint, q quit. Once all code
    is correct, n opens what is next. Your progress is saved.

    Examples:
      watch work  grade again whenever a file in work is saved

    Exit codes:
      0  ended with q
      3  PATH cannot be read as a submission
    """
    course = call.course()
    if follow(call, course, path):
        go_on(call, course)
