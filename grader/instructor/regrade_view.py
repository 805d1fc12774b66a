"""What `attncheck regrade` found, as lines of text and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.classroom.words import NONE
from grader.core.layout import WIDTH, columns, indent, shorten, shorten_distinct
from grader.core.model import Message
from grader.core.text import COMMA, LABELED, clean, points
from grader.report import words
from grader.report.json import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.core.model import Lang
    from grader.instructor.regrade import PointsChange, RegradeResult

COLUMNS = (
    Message("learner"),
    Message("question"),
    Message("before"),
    Message("now", "points"),
    Message("difference"),
)
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


def to_json(found: RegradeResult, folder: Path, written: bool) -> dict[str, Any]:
    """The same as JSON values; ``written`` says whether it was saved."""
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
        "refused": [{"submission": clean(key), "error": clean(why.en, 2000, lines=True)} for key, why in found.refused],
        "layers": list(found.layers),
        "written": written,
    }
