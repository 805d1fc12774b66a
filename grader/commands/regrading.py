"""Verbs for instructors that look at, or change, what a class was given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.commands.options import json_option, lang_option, read_seed, write_json
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.model import Lang
    from grader.regrading import Change, Regraded

F = TypeVar("F", bound="Callable[..., Any]")

DONE, DECLINED, SOME_NOT_GRADABLE = 0, 1, 5
#: Lines of a table on the terminal; --json has them all.
_MOST_ROWS = 200

_folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
_seed_file = click.option(
    "--seed-file", type=click.Path(path_type=Path), metavar="F", help="The secret file that DIR was graded with."
)
_course = click.option(
    "--course",
    "course_folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The course folder (default: the one that it was graded with).",
)


@click.command()
@_folder
@click.option("--dry-run", is_flag=True, help="Show the differences, and write nothing.")
@click.option("--yes", is_flag=True, help="Put them down without asking.")
@_seed_file
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="How many at a time (default: one for each processor)."
)
@json_option
@lang_option
@_course
def regrade(
    folder: Path,
    dry_run: bool,
    yes: bool,
    seed_file: Path | None,
    workers: int | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Grades again what a change of the bank touches.

    DIR is a folder that 'batch --out' has written. Only questions that are not what they were are graded
    again, from the submissions where they lie. Shows whose points change, and asks before anything is put
    down. Points given by hand stay. Exits with 1 when nothing was put down, and with 5 when some
    submissions could not be graded.
    """
    if not (dry_run or yes) and (as_json or not _answers()):
        raise UsageError("regrade asks before it writes anything, and nobody could answer: give --yes or --dry-run.")
    from contextlib import ExitStack

    from grader.commands.classes import show_progress
    from grader.regrading import Asked, regraded
    from grader.report import words

    asked = Asked(folder, read_seed(None, seed_file), course_folder, workers)
    with ExitStack() as stack:
        with show_progress(lang) as show:
            found, put_down = stack.enter_context(regraded(asked, show, dry=dry_run))
        if not as_json:
            for line in _regraded(found, folder, lang):
                click.echo(line)
        write = found.news and not dry_run and (yes or click.confirm(words.PUT_IT_DOWN.of(lang)))
        if write:
            put_down(lang)
    if as_json:
        write_json(_regraded_json(found, folder, write))
    elif found.news:
        said = words.PUT_DOWN if write else words.NOT_PUT_DOWN
        click.echo(said.fill(folder=folder).of(lang))
    click.get_current_context().exit(_code(found, write, dry_run))


def _answers() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


def _code(found: Regraded, written: bool, dry_run: bool) -> int:
    if dry_run or not found.news:
        return DONE
    if not written:
        return DECLINED
    return SOME_NOT_GRADABLE if found.refused else DONE


def _regraded(found: Regraded, folder: Path, lang: Lang) -> Iterator[str]:
    from grader.report import words
    from grader.report.plain import WIDTH, columns, indent, shorten
    from grader.report.words import clean

    if not found.news:
        yield words.NOTHING_NEW.fill(folder=folder).of(lang)
        return
    if found.changes:
        rows = [_cells(change, lang) for change in found.changes[:_MOST_ROWS]]
        table = [tuple(text.of(lang) for text in words.REGRADE_COLUMNS), *rows]
        yield from (shorten(line, WIDTH) for line in columns(table, right=[2, 3, 4]))
        if len(found.changes) > len(rows):
            yield words.MORE_CHANGES.fill(more=len(found.changes) - len(rows)).of(lang)
        yield ""
    for key, why in found.refused:
        yield indent(words.SAYS.fill(who=clean(key, 40), said=clean(why, 1000, lines=True)).of(lang), 0)
    learners = len({change.learner for change in found.changes})
    names = words.COMMA.of(lang).join(found.questions) or words.NONE
    said = words.REGRADED.fill(questions=names, count=found.submissions, learners=learners)
    yield indent(said.of(lang), 0)


def _cells(change: Change, lang: Lang) -> tuple[str, ...]:
    from grader.report import words
    from grader.report.plain import shorten
    from grader.report.words import clean, points

    (before, out_of), (now, possible) = change.before, change.after
    learner = shorten(clean(change.learner), 30)
    question = words.IN_ALL.of(lang) if change.question is None else change.question
    old = words.OF.fill(earned=points(before), possible=points(out_of)).of(lang)
    new = words.OF.fill(earned=points(now), possible=points(possible)).of(lang)
    moved = points(now - before)
    return learner, question, old, new, moved if moved.startswith("-") or moved == "0" else f"+{moved}"


def _regraded_json(found: Regraded, folder: Path, written: bool) -> dict[str, Any]:
    from grader.report.json_report import number
    from grader.report.words import clean

    return {
        "format": 1,
        "out": str(folder),
        "questions": list(found.questions),
        "graded": found.submissions,
        "differences": [
            {
                "learner": clean(change.learner),
                "question": change.question,
                "before": {"earned": number(change.before[0]), "possible": number(change.before[1])},
                "after": {"earned": number(change.after[0]), "possible": number(change.after[1])},
            }
            for change in found.changes
        ],
        "refused": [{"submission": clean(key), "error": clean(why, 2000, lines=True)} for key, why in found.refused],
        "layers": list(found.layers),
        "written": written,
    }
