"""Verbs for instructors: many submissions at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands._options import course_option, json_option, lang_option, read_seed, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from grader.classroom.batch import Order, Step, Summary
    from grader.classroom.results import Row
    from grader.core.model import Lang

ALL_GRADED, SOME_NOT_GRADABLE, INTERRUPTED = 0, 5, 130
#: Cells of a terminal that a learner has in the table.
_NAME_WIDTH = 30
#: Learners in the table on the terminal; class.csv has them all.
_MOST_ROWS = 60


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="Where results go."
)
@click.option(
    "-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question counts (repeatable)."
)
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="Hidden cases from this secret file (default: seed_file in course.yaml, else a public seed).",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="Who is in the class; a gradebook from Canvas will do, too (default: roster in course.yaml).",
)
@click.option(
    "--intake", metavar="KIND", help="canvas, moodle, gradescope, nbgrader, inbox or folders (default: detected)."
)
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="How many at a time (default: one for each processor)."
)
@click.option("--scheduler", metavar="ADDRESS", help="Grade on the Dask cluster whose scheduler is at ADDRESS.")
@json_option
@lang_option
@course_option
def batch(
    submissions: Path,
    out: Path,
    questions: tuple[str, ...],
    seed_file: Path | None,
    roster: Path | None,
    intake: str | None,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Grades every submission in a folder or zip.

    Puts down every result in DIR as it comes; run again, it goes on where it was. Writes a gradebook,
    one JSON file per submission, class.csv, and a table to the terminal. Refuses to run where code
    cannot be confined. Exits with 5 when some submissions could not be graded.
    """
    from grader.classroom.batch import Order
    from grader.classroom.batch import run as run_batch
    from grader.course import loader

    folder = loader.find(course_folder)
    loaded = loader.load(folder)
    order = Order(
        collection=submissions,
        out=out,
        course_folder=folder,
        seed=read_seed(None, seed_file or loader.beside(loaded, "seed_file")),
        questions=questions,
        intake=intake,
        roster=roster or loader.beside(loaded, "roster"),
        workers=workers,
        scheduler=scheduler,
    )
    if scheduler is not None and order.seed.secret and _in_clear(scheduler):
        click.echo(
            f"attncheck: the seed travels to {scheduler} unencrypted; docs/cluster.md says how to use tls://", err=True
        )
    latest: list[Step] = []

    def keep(step: Step) -> None:
        latest[:] = [step]
        show(step)

    try:
        with show_progress(lang) as show:
            summary = run_batch(order, keep)
    except KeyboardInterrupt:
        click.echo(f"attncheck: {_interrupted(latest, lang)}", err=True)
        click.get_current_context().exit(INTERRUPTED)
    rows = _results(order, lang)
    if as_json:
        write_json(_as_json(summary, rows, out))
    else:
        for line in _lines(summary, rows, out, lang):
            click.echo(line)
    gradable = not summary.refused and all(row.complete for row in rows)
    click.get_current_context().exit(ALL_GRADED if gradable else SOME_NOT_GRADABLE)


def _interrupted(latest: list[Step], lang: Lang) -> str:
    """How far it got, and how to go on."""
    from grader.report import words

    done, total = (latest[0].done, latest[0].total) if latest else (0, None)
    told = words.STOPPED_BEFORE if total is None else words.STOPPED.fill(done=done, total=total)
    return told.of(lang)


def _in_clear(address: str) -> bool:
    """Whether others on the way could read what is sent."""
    scheme, _, host = address.rpartition("://")
    return scheme in ("", "tcp", "ws") and not host.startswith(("127.", "localhost", "[::1]"))


def _results(order: Order, lang: Lang) -> list[Row]:
    from contextlib import closing

    from grader.classroom.batch import alone
    from grader.classroom.gradebook import open_gradebook
    from grader.classroom.results import Book, write_files
    from grader.course import loader

    with alone(order.out), closing(open_gradebook(order.out)) as book:
        return write_files(Book.of(book, loader.load(order.course_folder)), order.out, lang)


def show_progress(lang: Lang) -> AbstractContextManager[Callable[[Step], None]]:
    """Shows how far it is, where a person is watching."""
    from contextlib import contextmanager

    @contextmanager
    def nothing() -> Iterator[Callable[[Step], None]]:
        yield lambda step: None

    @contextmanager
    def bar() -> Iterator[Callable[[Step], None]]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from grader.report.words import GRADED, WAITING_FOR, clean

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[waiting]}", markup=False, style="dim"),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
            task = shown.add_task(GRADED.of(lang), total=None, rate="", waiting="")

            def show(step: Step) -> None:
                speed = shown.tasks[0].speed
                waiting = WAITING_FOR.fill(name=clean(step.waiting[0], 40)).of(lang) if step.waiting else ""
                rate = f"{speed:.1f}/s" if speed else ""
                shown.update(task, completed=step.done, total=step.total, rate=rate, waiting=waiting)

            yield show

    return bar() if sys.stderr.isatty() else nothing()


def _as_json(summary: Summary, rows: list[Row], out: Path) -> dict[str, Any]:
    from dataclasses import asdict

    from grader.report.json import number
    from grader.report.words import clean

    learners = [
        {
            "learner": clean(row.learner),
            "name": clean(row.name),
            "earned": number(row.earned),
            "possible": number(row.possible),
            "complete": row.complete,
            "passed": row.passed,
            "counts": row.counts,
            "late_by_seconds": number(row.late_seconds) if row.late_seconds else None,
            "error": None if row.error is None else clean(row.error, 2000, lines=True),
            "notes": [clean(note) for note in row.notes],
            "file": row.file,
        }
        for row in rows
    ]
    return {
        "format": 1,
        "out": str(out),
        "intake": summary.kind,
        "submissions": summary.submissions,
        "graded": summary.graded,
        "kept": summary.kept,
        "layers": list(summary.layers),
        "missing": list(map(clean, summary.missing)),
        "unknown": list(map(clean, summary.unknown)),
        "ambiguous": list(map(clean, summary.ambiguous)),
        "twice": list(map(clean, summary.twice)),
        "misnamed": {clean(who): clean(said) for who, said in summary.misnamed},
        "leftovers": list(map(clean, summary.leftovers)),
        "rules": asdict(summary.rules),
        "seconds": number(round(summary.seconds, 3)),
        "learners": learners,
    }


def _lines(summary: Summary, rows: list[Row], out: Path, lang: Lang) -> Iterator[str]:
    from grader.core.layout import WIDTH, apart, columns, indent, shorten
    from grader.report import words
    from grader.report.words import clean

    shown = rows[:_MOST_ROWS]
    called = apart((clean(row.learner) for row in shown), _NAME_WIDTH)
    cells = [tuple(text.of(lang) for text in words.BATCH_COLUMNS)]
    cells += [_cells(row, called[clean(row.learner)], lang) for row in shown]
    yield from (shorten(line, WIDTH) for line in columns(cells, right=[1]))
    if len(rows) > len(shown):
        yield words.MORE_ROWS.fill(more=len(rows) - len(shown)).of(lang)
    yield ""
    misnamed = [words.WHO_SAYS.fill(who=who, said=said).of(lang) for who, said in summary.misnamed]
    failed = [row for row in rows if row.error is not None]
    told = bool(failed)
    for row in failed:
        why = clean(row.error or "", 1000, lines=True)
        yield indent(words.SAYS.fill(who=clean(row.learner), said=why).of(lang), 0)
    for names, text in (
        (summary.missing, words.HANDED_IN_NOTHING),
        (summary.unknown, words.NOT_IN_ROSTER),
        (summary.ambiguous, words.TWICE_IN_ROSTER),
        (summary.twice, words.HANDED_IN_TWICE),
        (misnamed, words.MISNAMED if summary.listed else words.MISNAMED_UNLISTED),
        (summary.leftovers, words.NOBODYS),
    ):
        if names:
            listed = words.COMMA.of(lang).join(clean(name) for name in names[:20])
            more = words.AND_MORE.fill(more=len(names) - 20).of(lang) if len(names) > 20 else ""
            yield indent(text.fill(names=listed + more).of(lang), 0)
            told = True
    for line in _rules(summary, lang):
        yield indent(line, 0)
        told = True
    if told:
        yield ""
    said = words.BATCH_DONE.fill(graded=summary.graded + summary.kept, all=summary.submissions, folder=str(out)).of(
        lang
    )
    again = words.KEPT_FROM_BEFORE.fill(kept=summary.kept).of(lang) if summary.kept else ""
    yield indent(said + again, 0)


def _rules(summary: Summary, lang: Lang) -> Iterator[str]:
    """What is due, and what it costs to be late; whose times are not known."""
    from grader.classroom.late_policy import sentences
    from grader.report import words

    said = list(sentences(summary.rules))
    if said:
        yield ("" if lang == "zh" else " ").join(each.of(lang) for each in said)
    if said and summary.timeless:
        yield words.TIMELESS.fill(count=summary.timeless, late=summary.said_late).of(lang)


def _cells(row: Row, learner: str, lang: Lang) -> tuple[str, str, str]:
    from grader.report import words
    from grader.report.words import clean, points

    earned = words.OF.fill(earned=points(row.earned), possible=points(row.possible)).of(lang)
    if row.error is not None:
        return learner, earned if row.given else "–", words.NOT_GRADED.of(lang)
    if row.file is None:
        return learner, earned if row.given else "–", words.NOTHING_THERE.of(lang)
    status = words.WHOLE if row.passed else words.GRADED if row.complete else words.PARTLY
    said = [status.of(lang)]
    if row.late_seconds:
        said.append(words.LATE.fill(time=words.duration(row.late_seconds)).of(lang))
    if not row.counts:
        said.append(words.SET_ASIDE.of(lang))
    for note in row.notes:
        for text in (words.SAID_LATE, words.CHECK_BROKE):
            note = note.replace(text.en, text.of(lang))
        said.append(clean(note))
    return learner, earned, words.SEMICOLON.of(lang).join(said)
