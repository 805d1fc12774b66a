"""Verbs for instructors: many submissions at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.options import (
    course_option,
    json_option,
    lang_option,
    read_seed,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.batch import BatchProgress, BatchResult, Row
    from grader.model import Lang

ALL_GRADED, SOME_NOT_GRADABLE = 0, 5


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="Where results go."
)
@click.option(
    "-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question counts (repeatable)."
)
@click.option("--seed-file", type=click.Path(path_type=Path), metavar="F", help="Hidden cases from this secret file.")
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="How many at a time (default: one for each processor)."
)
@json_option
@lang_option
@course_option
def batch(
    submissions: Path,
    out: Path,
    questions: tuple[str, ...],
    seed_file: Path | None,
    workers: int | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Grades every submission in a folder.

    Writes one JSON file per learner to DIR, and a table to the terminal. Refuses to run where code
    cannot be confined. Exits with 5 when some submissions could not be graded.
    """
    from grader import batch as batches
    from grader import course

    result = batches.run(
        submissions,
        out,
        course_folder=course.find(course_folder),
        seed=read_seed(None, seed_file),
        questions=questions,
        workers=workers,
        lang=lang,
        progress=_progress(lang),
    )
    if as_json:
        write_json(_as_json(result, out))
    else:
        for line in _lines(result, out, lang):
            click.echo(line)
    click.get_current_context().exit(ALL_GRADED if result.gradable else SOME_NOT_GRADABLE)


def _progress(lang: Lang) -> Callable[[BatchProgress], None]:
    """Shows how far it is, where a person is watching."""
    if not sys.stderr.isatty():
        return lambda progress: None
    from grader.report.words import PROGRESS

    def show(progress: BatchProgress) -> None:
        said = PROGRESS.fill(done=progress.done, all=progress.total).of(lang)
        click.echo(f"\r{said}", err=True, nl=progress.done == progress.total)

    return show


def _as_json(result: BatchResult, out: Path) -> dict[str, Any]:
    from grader.report.json_report import number
    from grader.report.words import clean

    learners = [
        {
            "learner": clean(row.learner),
            "earned": number(row.earned),
            "possible": number(row.possible),
            "complete": row.complete,
            "passed": row.passed,
            "error": None if row.error is None else clean(row.error, 2000, lines=True),
            "notes": [clean(note) for note in row.notes],
            "file": row.file,
            "seconds": number(row.seconds),
        }
        for row in result.rows
    ]
    return {"format": 1, "out": str(out), "layers": list(result.layers), "learners": learners}


def _lines(result: BatchResult, out: Path, lang: Lang) -> Iterator[str]:
    from grader.report.plain import WIDTH, columns, indent, shorten
    from grader.report.words import BATCH_COLUMNS, BATCH_DONE, SAYS, clean

    rows = [tuple(text.of(lang) for text in BATCH_COLUMNS), *(_row(row, lang) for row in result.rows)]
    yield from (shorten(line, WIDTH) for line in columns(rows, right=[1]))
    yield ""
    failed = [row for row in result.rows if row.error is not None]
    for row in failed:
        why = clean(row.error or "", 1000, lines=True)
        yield indent(SAYS.fill(who=clean(row.learner, 40), said=why).of(lang), 0)
    if failed:
        yield ""
    graded = len(result.rows) - len(failed)
    yield indent(BATCH_DONE.fill(graded=graded, all=len(result.rows), folder=str(out)).of(lang), 0)


def _row(row: Row, lang: Lang) -> tuple[str, str, str]:
    from grader.report.plain import shorten
    from grader.report.words import GRADED, NOT_GRADED, OF, PARTLY, SEMICOLON, WHOLE, clean, points

    learner = shorten(clean(row.learner), 30)
    if row.error is not None:
        return learner, "–", NOT_GRADED.of(lang)
    status = WHOLE if row.passed else GRADED if row.complete else PARTLY
    said = SEMICOLON.of(lang).join([status.of(lang), *map(clean, row.notes)])
    return learner, OF.fill(earned=points(row.earned), possible=points(row.possible)).of(lang), said
