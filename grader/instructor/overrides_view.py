"""Overrides, and what `attncheck forget` deletes, as lines of text and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.classroom.words import NONE
from grader.core.layout import columns, indent, shorten
from grader.core.model import Message
from grader.core.text import COMMA, clean, points
from grader.report.json import number

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


def given_json(given: OverrideResult) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "format": 1,
        "learner": clean(given.learner.id),
        "part": given.part.name,
        "override": None if given.override is None else override_json(given.override),
        "marks": [{"earned": number(row.earned), "possible": number(row.possible)} for row in given.rows],
    }


def override_json(change: Override) -> dict[str, Any]:
    """One override as JSON values."""
    return {
        "learner": clean(change.learner),
        "part": clean(change.part),
        "points": number(change.points),
        "reason": clean(change.reason, 2000),
        "author": clean(change.author),
        "at": change.at.isoformat(),
    }


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
    yield from (f"  {clean(str(path.relative_to(folder)))}" for path in plan.files)
    if not plan.files:
        yield f"  {NONE.of(lang)}"
    for names, text in (
        (plan.shared, KEEPS_SHARED),
        (plan.outside, KEEPS_OUTSIDE),
        (plan.others, KEEPS_OTHERS),
    ):
        if names:
            listed = COMMA.of(lang).join(clean(str(name)) for name in names)
            yield indent(text.fill(learner=who, names=listed).of(lang), 0)


def forget_json(plan: ForgetPlan) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "format": 1,
        "learner": clean(plan.learner.id),
        "submissions": list(map(clean, plan.submissions)),
        "overrides": plan.overrides,
        "requests": plan.requests,
        "removed": [clean(str(path)) for path in plan.files],
        "shared": list(map(clean, plan.shared)),
        "outside": [clean(str(path)) for path in plan.outside],
        "others": [clean(str(path)) for path in plan.others],
    }
