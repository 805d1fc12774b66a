"""``attncheck regrade``: grade again what changed."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import can_ask, print_lines, progress_bar, say, write_json
from grader.commands._find import graded_seed
from grader.commands._options import Call, Documented, graded_seed_option, graders_option, results_argument, shared
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.serialize import to_json

if TYPE_CHECKING:
    from grader.instructor.regrade import RegradeResult

LISTED = "Instructors", 40

SAVED = Message("Saved to {folder}: gradebook, class.csv and one file per submission.")
SAVE_IT = Message("Save these results?")
DONE, DECLINED, SOME_NOT_GRADABLE = 0, 1, 5


@click.command(cls=Documented)
@results_argument
@click.option("--dry-run", is_flag=True, help="Show the differences and save nothing.")
@click.option("--yes", is_flag=True, help="Save without asking.")
@graded_seed_option
@graders_option
@shared("json", "lang", "graded-course")
def regrade(call: Call, *, folder: Path, dry_run: bool, yes: bool, seed_file: Path | None, workers: int | None) -> None:
    """Grade again whatever a change of the bank affects.

    DIR is a folder that 'batch --out' has written. Only questions that have changed are graded again, from the
    submissions in their original place. Shows whose points change, and asks before anything is saved. Overrides are
    kept.

    Examples:
      regrade results --dry-run  show what would change
      regrade results --yes      grade again and save without asking

    Exit codes:
      0  saved, or nothing to save
      1  nothing was saved
      5  some submissions could not be graded

    With --json:
      regrade DIR  grader.instructor.regrade:RegradeJson
    """
    if not (dry_run or yes) and (call.as_json or not can_ask()):
        said = Message("regrade asks before it saves anything, but nobody can answer here; give --yes or --dry-run.")
        raise UsageError(said)
    from grader.instructor import regrade as regrading  # loads numpy

    seed = graded_seed(folder, seed_file, call.course_folder)
    request = regrading.RegradeRequest(folder, seed, call.course_folder, workers)
    with ExitStack() as stack:
        with progress_bar(call.lang) as show:
            result, save = stack.enter_context(regrading.regraded(request, show, dry=dry_run))
        if not call.as_json:
            print_lines(regrading.lines(result, folder, call.lang))
        # Even if nothing changed, --yes writes the files again: the disk may have been full the last time.
        write = not dry_run and (yes or (result.has_changes and click.confirm(SAVE_IT.of(call.lang))))
        if write:
            save(call.lang)
    if call.as_json:
        write_json(to_json(regrading.as_data(result, folder, write)))
    elif result.has_changes:
        say((SAVED if write else Message("Nothing was saved.")).fill(folder=folder))
    click.get_current_context().exit(_code(result, write, dry_run))


def _code(result: RegradeResult, written: bool, dry_run: bool) -> int:
    if dry_run or not result.has_changes:
        return DONE
    if not written:
        return DECLINED
    return SOME_NOT_GRADABLE if result.refused else DONE
