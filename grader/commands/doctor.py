"""``attncheck doctor``: check this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom import doctor_view
from grader.commands._console import width
from grader.commands._options import (
    course_option,
    documented,
    json_option,
    lang_option,
    write_json,
)

if TYPE_CHECKING:
    from grader.core.model import Lang

ALL_THERE, MISSING = 0, 1


@documented(
    {
        "doctor": "check this machine",
    },
    {0: "nothing is missing", 1: "something is missing"},
)
@click.command()
@json_option
@lang_option
@course_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try N sandboxes at once, as batch would use (default: one per CPU, like batch).",
)
def doctor(as_json: bool, lang: Lang, course_folder: Path | None, workers: int | None) -> None:
    """Check this machine: versions, content, sandbox."""
    from grader.classroom.doctor import examine  # loads numpy

    findings = examine(course_folder, workers)
    if as_json:
        write_json([doctor_view.to_json(finding) for finding in findings])
    else:
        for line in doctor_view.lines(findings, lang, width()):
            click.echo(line)
    click.get_current_context().exit(MISSING if doctor_view.is_missing(findings) else ALL_THERE)
