"""``attncheck forget``: remove a learner from a results folder."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands._console import can_ask, print_lines, say, write_json
from grader.commands._options import Call, Documented, results_argument, shared
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.serialize import to_json
from grader.core.text import clean

LISTED = "Instructors", 70

DONE, DECLINED = 0, 1


@click.command(cls=Documented)
@results_argument
@click.argument("learner")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@shared("json", "lang", "graded-course")
def forget(call: Call, folder: Path, learner: str, yes: bool) -> None:
    """Delete a learner from DIR permanently.

    Deletes their submissions and points from the gradebook (and from the bytes of its file), their files and the
    copies of their work, and writes class.csv again. Lists what is elsewhere and is not deleted, and asks first.

    Examples:
      forget results ada  delete all data about ada, after asking

    Exit codes:
      0  removed
      1  nothing was removed

    With --json:
      forget DIR LEARNER --yes  grader.instructor.overrides:ForgetPlan
    """
    if not yes and (call.as_json or not can_ask()):
        raise UsageError(Message("forget asks before it deletes anything, but nobody can answer here; give --yes."))
    from grader.instructor.overrides import forget_lines, forgetting  # loads numpy

    with forgetting(folder, learner, call.course_folder) as (plan, remove):
        if not call.as_json:
            print_lines(forget_lines(plan, folder, call.lang))
        agreed = yes or click.confirm(Message("Delete this permanently?").of(call.lang))
        if agreed:
            remove(call.lang)
    if call.as_json:
        write_json(to_json(plan))
    else:
        text = Message("{learner} was deleted from {folder}.").fill(learner=clean(plan.learner.id), folder=folder)
        say(text if agreed else Message("Nothing was deleted."))
    click.get_current_context().exit(DONE if agreed else DECLINED)
