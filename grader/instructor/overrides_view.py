"""Overrides, and what `attncheck forget` deletes, as lines of text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.words import NONE
from grader.core.layout import columns, indent, shorten
from grader.core.model import Message
from grader.core.text import COMMA, clean, points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.gradebook import Override
    from grader.core.model import Lang
    from grader.instructor.overrides import ForgetPlan, OverrideResult

GIVEN = Message("{learner}, {part}: {points} of {possible} points, given by {author}: {reason}")
REMOVED = Message("{learner}, {part}: the override was removed; the earned points count again.")
HAS_NOW = Message("{learner} now has {earned} of {possible} points.")
COLUMNS = (
    Message("learner"),
    Message("part", "override"),
    Message("points", "given by hand"),
    Message("given by"),
    Message("when"),
    Message("reason"),
)
NO_OVERRIDES = Message("There are no overrides.")
FORGETS = Message(
    "This will delete {learner}’s submissions in the gradebook with all their points ({submissions}), overrides "
    "({overrides}), requests for regrading ({requests}), the row in class.csv, and in {folder}:"
)
KEEPS_SHARED = Message(
    "Kept, because others share it (its numbers remain those drawn for the name under which it was graded): {names}"
)
KEEPS_OUTSIDE = Message("Not deleted, because it is elsewhere (grading it again would bring {learner} back): {names}")
KEEPS_OTHERS = Message("Not deleted, because another program wrote it (check whether it names {learner}): {names}")


def given_lines(given: OverrideResult, lang: Lang) -> Iterator[str]:
    """A new or removed override, and the learner's points after it."""
    learner, change = clean(given.learner.id), given.override
    if change is None:
        yield indent(REMOVED.fill(learner=learner, part=given.part.name).of(lang), 0)
    else:
        said = GIVEN.fill(
            learner=learner,
            part=given.part.name,
            points=points(change.points),
            possible=points(given.part.possible),
            author=clean(change.author, 60),
            reason=clean(change.reason),
        )
        yield indent(said.of(lang), 0)
    for row in given.rows:
        has = HAS_NOW.fill(learner=learner, earned=points(row.earned), possible=points(row.possible))
        yield indent(has.of(lang), 0)


@dataclass(frozen=True, slots=True)
class OverrideJson:
    """Points given by hand.

    - `learner`: whose they are
    - `part`: the item or exercise that they are for
    - `points`: the points
    - `reason`: why
    - `author`: who gave them
    - `at`: when
    """

    learner: str
    part: str
    points: float
    reason: str
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MarkJson:
    """The points of one submission that counts.

    - `earned`: after the change
    - `possible`: the most that could be earned
    """

    earned: float
    possible: float


@dataclass(frozen=True, slots=True)
class ChangeJson:
    """A new or removed override, and the learner's points after it.

    - `format`: 1
    - `learner`: the id of the learner
    - `part`: the item or exercise
    - `override`: the new override; `null` if it was removed
    - `marks`: the learner's points, an entry for each submission that counts
    """

    format: int
    learner: str
    part: str
    override: OverrideJson | None
    marks: tuple[MarkJson, ...]


@dataclass(frozen=True, slots=True)
class OverridesJson:
    """All overrides of a class.

    - `format`: 1
    - `overrides`: the overrides
    """

    format: int
    overrides: tuple[OverrideJson, ...]


def given_json(given: OverrideResult) -> ChangeJson:
    """A new or removed override as data for ``serialize.to_json``."""
    override = None if given.override is None else _override_json(given.override)
    marks = tuple(MarkJson(row.earned, row.possible) for row in given.rows)
    return ChangeJson(1, clean(given.learner.id), given.part.name, override, marks)


def list_json(overrides: Sequence[Override]) -> OverridesJson:
    """All overrides as data for ``serialize.to_json``."""
    return OverridesJson(1, tuple(map(_override_json, overrides)))


def _override_json(override: Override) -> OverrideJson:
    return OverrideJson(
        clean(override.learner),
        clean(override.part),
        override.points,
        clean(override.reason, 2000),
        clean(override.author),
        override.at,
    )


def list_lines(overrides: Sequence[Override], lang: Lang) -> Iterator[str]:
    """A table of ``overrides``, or a sentence if there are none."""
    if not overrides:
        yield NO_OVERRIDES.of(lang)
        return
    rows = [
        (
            shorten(clean(change.learner), 24),
            shorten(clean(change.part), 32),
            points(change.points),
            shorten(clean(change.author), 20),
            f"{change.at:%Y-%m-%d}",
            clean(change.reason),
        )
        for change in overrides
    ]
    yield from columns([tuple(text.of(lang) for text in COLUMNS), *rows], right=[2])


def forget_lines(plan: ForgetPlan, folder: Path, lang: Lang) -> Iterator[str]:
    """What will be deleted from ``folder``, and what will not."""
    who = clean(plan.learner.id)
    counts = {"submissions": len(plan.submissions), "overrides": plan.overrides, "requests": plan.requests}
    yield indent(FORGETS.fill(learner=who, folder=folder, **counts).of(lang), 0)
    yield from (f"  {clean(str(path.relative_to(folder)))}" for path in plan.removed)
    if not plan.removed:
        yield f"  {NONE.of(lang)}"
    for names, text in ((plan.shared, KEEPS_SHARED), (plan.outside, KEEPS_OUTSIDE), (plan.others, KEEPS_OTHERS)):
        if names:
            listed = COMMA.of(lang).join(clean(str(name)) for name in names)
            yield indent(text.fill(learner=who, names=listed).of(lang), 0)
