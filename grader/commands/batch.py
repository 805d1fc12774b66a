"""``attncheck batch``: grade a class."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom.class_folder import locked
from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book, MarkSummary, write_files
from grader.commands import INTERRUPTED
from grader.commands._console import progress_bar, say
from grader.commands._find import read_seed
from grader.commands._options import (
    FOLDER,
    PATH,
    Call,
    Documented,
    graders_option,
    questions_option,
    roster_option,
    seed_file_option,
    shared,
)
from grader.core.model import Lang, Message
from grader.course import loader
from grader.grading import courses

if TYPE_CHECKING:
    from grader.classroom.batch import BatchProgress, BatchRequest

LISTED = "Instructors", 30

STOPPED = Message(
    "interrupted after {done} of {total} submissions. The results so far are saved: run the same command to continue."
)
STOPPED_BEFORE = Message(
    "interrupted before the first submission was graded. Earlier results are saved: run the same command to continue."
)
ALL_GRADED, SOME_NOT_GRADABLE = 0, 5

_UNENCRYPTED = Message("the seed is sent to {scheduler} unencrypted; docs/cluster.md explains tls:// addresses.")


@click.command(cls=Documented)
@click.argument("submissions", type=PATH)
@click.option("--out", type=FOLDER, required=True, metavar="DIR", help="The results folder.")
@questions_option
@seed_file_option("Draw hidden cases from this secret file (default: seed_file in course.yaml, else a public seed).")
@roster_option(help="Who is in the class; a Canvas gradebook works, too (default: roster in course.yaml).")
@click.option(
    "--intake", metavar="KIND", help="canvas, moodle, gradescope, nbgrader, inbox or folders (default: detected)."
)
@click.option("--files", is_flag=True, help="Also write one JSON file per submission to DIR.")
@graders_option
@click.option("--scheduler", metavar="ADDRESS", help="Grade on the Dask cluster whose scheduler is at ADDRESS.")
@shared("json", "lang", "course")
def batch(
    call: Call,
    *,
    submissions: Path,
    out: Path,
    questions: tuple[str, ...],
    seed_file: Path | None,
    roster: Path | None,
    intake: str | None,
    files: bool,
    workers: int | None,
    scheduler: str | None,
) -> None:
    """Grade every submission in a folder or zip.

    Saves each result in DIR at once; run the same command again to continue after an interruption. Writes a gradebook
    and class.csv, and prints a table; 'attncheck export' makes reports from the gradebook. Refuses to run where code
    cannot be confined.

    Examples:
      batch submissions.zip --out results --seed-file SEED          grade a class
      batch submissions.zip --out results --roster class.csv -q Q5  one question, for the learners of a roster

    Exit codes:
      0  every submission was graded
      5  some submissions could not be graded
    """
    from grader.classroom.batch import BatchRequest, lines, run, to_json  # loads numpy

    folder = loader.find(call.course_folder)
    loaded = courses.load(folder)
    request = BatchRequest(
        collection=submissions,
        out=out,
        course_folder=folder,
        seed=read_seed(None, seed_file or loader.file_named_in_course(loaded, "seed_file")),
        questions=questions,
        intake=intake,
        roster=roster or loader.file_named_in_course(loaded, "roster"),
        workers=workers,
        scheduler=scheduler,
        files=files,
    )
    if scheduler is not None and request.seed.secret and _is_unencrypted(scheduler):
        say(_UNENCRYPTED.fill(scheduler=scheduler), err=True)
    latest: list[BatchProgress] = []

    def note(step: BatchProgress) -> None:
        latest[:] = [step]
        show(step)

    try:
        with progress_bar(call.lang) as show:
            summary = run(request, note)
    except KeyboardInterrupt:
        done, total = (latest[0].done, latest[0].total) if latest else (0, None)
        say(STOPPED_BEFORE if total is None else STOPPED.fill(done=done, total=total), err=True)
        click.get_current_context().exit(INTERRUPTED)
    rows = _results(request, call.lang)
    call.show(lambda: to_json(summary, rows, out), lambda: lines(summary, rows, out, call.lang))
    gradable = not summary.refused and all(row.mark.complete for row in rows)
    click.get_current_context().exit(ALL_GRADED if gradable else SOME_NOT_GRADABLE)


def _is_unencrypted(address: str) -> bool:
    """Whether what is sent to the Dask scheduler at ``address`` can be read on the network."""
    scheme, _, host = address.rpartition("://")
    return scheme in ("", "tcp", "ws") and not host.startswith(("127.", "localhost", "[::1]"))


def _results(request: BatchRequest, lang: Lang) -> list[MarkSummary]:
    with locked(request.out), closing(open_gradebook(request.out)) as book:
        return write_files(Book.of(book, courses.load(request.course_folder)), request.out, lang)
