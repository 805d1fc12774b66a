"""``attncheck doctor``: check this machine."""

from __future__ import annotations

import click

from grader.commands._console import width
from grader.commands._options import Call, Documented, shared, workers_option
from grader.core.serialize import to_json

LISTED = "Everyone", 10

ALL_THERE, MISSING = 0, 1


@click.command(cls=Documented)
@shared("json", "lang", "course")
@workers_option(help="Try N sandboxes at once, as batch would use (default: one per CPU, like batch).")
def doctor(call: Call, workers: int | None) -> None:
    """Check this machine: versions, content, sandbox.

    Examples:
      doctor  check this machine

    Exit codes:
      0  nothing is missing
      1  something is missing
    """
    from grader.classroom.doctor import examine, is_missing, lines  # loads numpy

    findings = examine(call.course_folder, workers)
    call.show(lambda: to_json(findings), lambda: lines(findings, call.lang, width()))
    click.get_current_context().exit(MISSING if is_missing(findings) else ALL_THERE)
