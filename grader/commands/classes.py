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
    load_course,
    read_seed,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.batch import BatchProgress, BatchResult, Row
    from grader.model import Lang

ALL_GRADED, SOME_NOT_GRADABLE = 0, 5


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="Where results go."
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

    course = load_course(course_folder)
    seed = read_seed(None, seed_file)
    result = batches.run(course, submissions, out, seed=seed, workers=workers, progress=_progress(lang))
    if as_json:
        write_json(_as_json(result, out))
    else:
        _table(result, out, lang)
    failed = any(row.error is not None for row in result.rows)
    click.get_current_context().exit(SOME_NOT_GRADABLE if failed else ALL_GRADED)


def _progress(lang: Lang) -> Callable[[BatchProgress], None]:
    """Shows how far it is, where a person is watching."""
    if not sys.stderr.isatty():
        return lambda progress: None
    from grader.report.words import PROGRESS

    def show(progress: BatchProgress) -> None:
        said = PROGRESS.fill(done=progress.done, all=progress.all).of(lang)
        click.echo(f"\r{said}", err=True, nl=progress.done == progress.all)

    return show


def _as_json(result: BatchResult, out: Path) -> dict[str, Any]:
    return {"format": 1, "out": str(out), "learners": [_row_as_json(row) for row in result.rows]}


def _row_as_json(row: Row) -> dict[str, Any]:
    from grader.report.json_report import number
    from grader.report.words import clean

    return {
        "learner": clean(row.learner),
        "earned": number(row.earned),
        "possible": number(row.possible),
        "complete": row.complete,
        "error": None if row.error is None else clean(row.error, 2000),
        "seconds": number(row.seconds),
    }


def _table(result: BatchResult, out: Path, lang: Lang) -> None:
    from grader.report import words
    from grader.report.plain import columns, wrap

    rows = [tuple(text.of(lang) for text in words.BATCH_COLUMNS), *(_row(row, lang) for row in result.rows)]
    for line in columns(rows, right=[1]):
        click.echo(line)
    for row in result.rows:
        if row.error is not None:
            click.echo()
            for line in wrap(f"{words.clean(row.learner, 40)}: {words.clean(row.error, 1000, lines=True)}"):
                click.echo(line)
    graded = sum(row.error is None for row in result.rows)
    click.echo()
    click.echo(words.BATCH_DONE.fill(graded=graded, all=len(result.rows), folder=str(out)).of(lang))


def _row(row: Row, lang: Lang) -> tuple[str, str, str]:
    from grader.report import words

    status = row.status_text or (words.GRADED if row.complete else words.PARTLY)
    earned = words.OF.fill(earned=words.points(row.earned), possible=words.points(row.possible)).of(lang)
    return words.clean(row.learner, 30), "–" if row.error is not None else earned, words.clean(status.of(lang), 44)
