"""``attncheck next``: what to do next."""

from __future__ import annotations

import os

import click

from grader.commands._console import has_keys, width
from grader.commands._find import present_files
from grader.commands._language import language
from grader.commands._options import Call, Documented, shared
from grader.core.model import Lang
from grader.learning import log, next_step

LISTED = "Learners", 10


@click.command("next", cls=Documented)
@shared("state", "json", "lang", "course")
def next(call: Call) -> None:
    """Say what to do next, and with which command.

    Finishes what was begun: the quiz of a question, then its exercises, the easiest first; then the next question, and
    at the end what is due for review. Looks for your files here and in the folder work.

    Examples:
      next  where you are, and what to do next

    Exit codes:
      0  done
    """
    _show_next(call)


def overview(lang: Lang | None) -> None:
    """What ``attncheck`` alone does: at a terminal, open the next step; else say it, with other commands."""
    call = Call(lang or language(os.environ))
    if has_keys():
        from grader.commands.watch import go_on  # loads most commands

        go_on(call, call.course())
    else:
        _show_next(call, others=True)


def _show_next(call: Call, *, others: bool = False) -> None:
    """Print the next step; with ``others``, also the commands that help from anywhere."""
    course = call.course()
    events = call.read_events(course)
    progress, due, step = next_step.where(course, events, log.now(), present_files())
    call.show(
        lambda: next_step.as_json(progress, step, due),
        lambda: next_step.lines(progress, step, due, call.lang, others=others, width=width()),
    )
