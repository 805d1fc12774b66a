"""``attncheck doctor``: check this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.classroom import doctor_view
from grader.commands._console import width
from grader.commands._options import Call, documented, print_lines, shared, write_json

if TYPE_CHECKING:
    pass

ALL_THERE, MISSING = 0, 1


@documented(
    {
        "doctor": "check this machine",
    },
    {0: "nothing is missing", 1: "something is missing"},
)
@click.command()
@shared("json", "lang", "course")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try N sandboxes at once, as batch would use (default: one per CPU, like batch).",
)
def doctor(call: Call, workers: int | None) -> None:
    """Check this machine: versions, content, sandbox."""
    from grader.classroom.doctor import examine  # loads numpy

    findings = examine(call.course_folder, workers)
    if call.as_json:
        write_json([doctor_view.to_json(finding) for finding in findings])
    else:
        print_lines(doctor_view.lines(findings, call.lang, width()))
    click.get_current_context().exit(MISSING if doctor_view.is_missing(findings) else ALL_THERE)
