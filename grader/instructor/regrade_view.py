"""What `attncheck regrade` found, as lines of text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.words import NONE
from grader.core.layout import WIDTH, columns, indent, shorten, shorten_distinct
from grader.core.model import Message
from grader.core.text import COMMA, LABELED, clean, points
from grader.instructor.regrade import PointsChange, RegradeResult
from grader.report import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.core.model import Lang

COLUMNS = (Message("learner"), Message("question"), Message("before"), Message("now", "points"), Message("difference"))
TOTAL = Message("total")
REGRADED = Message(
    "Questions that have changed: {questions}. Submissions graded again: {count}. Learners whose points change: "
    "{learners}."
)
NOTHING_NEW = Message("Nothing has changed since {folder} was graded.")
MORE_CHANGES = Message("… and {more} more (--json has them all)")
#: Rows of the table; --json has them all.
_MOST_ROWS = 200
#: Width of the learner column, in terminal cells.
_NAME_WIDTH = 30


def lines(found: RegradeResult, folder: Path, lang: Lang) -> Iterator[str]:
    """The differences as a table, then the submissions that could not be graded, then totals."""
    if not found.has_changes:
        yield NOTHING_NEW.fill(folder=folder).of(lang)
        return
    if found.changes:
        shown = found.changes[:_MOST_ROWS]
        names = shorten_distinct((clean(change.learner) for change in shown), _NAME_WIDTH)
        rows = [_cells(change, names[clean(change.learner)], lang) for change in shown]
        table = [tuple(text.of(lang) for text in COLUMNS), *rows]
        yield from (shorten(line, WIDTH) for line in columns(table, right=[2, 3, 4]))
        if len(found.changes) > len(rows):
            yield MORE_CHANGES.fill(more=len(found.changes) - len(rows)).of(lang)
        yield ""
    for key, why in found.refused:
        yield indent(LABELED.fill(who=clean(key), said=clean(why.of(lang), 1000, lines=True)).of(lang), 0)
    learners = len({change.learner for change in found.changes})
    questions = COMMA.of(lang).join(found.questions) or NONE
    said = REGRADED.fill(questions=questions, count=found.submissions, learners=learners)
    yield indent(said.of(lang), 0)


def _cells(change: PointsChange, learner: str, lang: Lang) -> tuple[str, ...]:
    (before, out_of), (now, possible) = change.before, change.after
    question = TOTAL.of(lang) if change.question is None else change.question
    old = words.OF.fill(earned=points(before), possible=points(out_of)).of(lang)
    new = words.OF.fill(earned=points(now), possible=points(possible)).of(lang)
    moved = points(now - before)
    return learner, question, old, new, moved if moved.startswith("-") or moved == "0" else f"+{moved}"


@dataclass(frozen=True, slots=True)
class RefusedJson:
    """A submission that could not be graded.

    - `submission`: its key in the gradebook
    - `error`: why, in English
    """

    submission: str
    error: str


@dataclass(frozen=True, slots=True)
class RegradeJson:
    """What grading again changes.

    - `format`: 1
    - `out`: the results folder
    - `questions`: those that have changed since they were graded
    - `graded`: how many submissions were graded again
    - `differences`: changes of points
    - `refused`: submissions that could not be graded
    - `layers`: what confined the code
    - `written`: whether the result was saved
    """

    format: int
    out: Path
    questions: tuple[str, ...]
    graded: int
    differences: tuple[PointsChange, ...]
    refused: tuple[RefusedJson, ...]
    layers: tuple[str, ...]
    written: bool


def as_data(result: RegradeResult, folder: Path, written: bool) -> RegradeJson:
    """The result as data for ``serialize.to_json``; ``written`` says whether it was saved."""
    refused = tuple(RefusedJson(clean(key), clean(why.en, 2000, lines=True)) for key, why in result.refused)
    return RegradeJson(1, folder, result.questions, result.submissions, result.changes, refused, result.layers, written)
