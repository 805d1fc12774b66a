"""Which misconceptions a class showed, where, and which learners showed them. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.classroom.marks import GradedSubmission, Mark


@dataclass(frozen=True, slots=True)
class ClassMisconception:
    """A misconception that ``learners`` showed. ``before`` is the number of learners who had shown it earlier.

    ``parts`` are the items and exercises where it appeared, each with the number of learners.
    """

    question: str
    name: str
    learners: tuple[str, ...]
    parts: tuple[tuple[str, int], ...]
    before: int


def find_misconceptions(marks: Iterable[Mark], since: datetime | None = None) -> tuple[ClassMisconception, ...]:
    """The misconceptions in work submitted at ``since`` or later (None: in all work), the most frequent first.

    Work without a submission time is dated by when it was graded. Each learner counts once.
    """
    now: dict[tuple[str, str], dict[str, set[str]]] = {}
    earlier: dict[tuple[str, str], set[str]] = {}
    for mark in marks:
        if mark.work is None:
            continue
        recent = since is None or _when(mark.work) >= since
        for question, part, name in _shown(mark.work):
            if recent:
                now.setdefault((question, name), {}).setdefault(mark.learner.id, set()).add(part)
            else:
                earlier.setdefault((question, name), set()).add(mark.learner.id)
    found = []
    for (question, name), by_learner in now.items():
        parts = Counter(part for every in by_learner.values() for part in every)
        ranked = tuple(sorted(parts.items(), key=lambda each: (-each[1], each[0])))
        found.append(
            ClassMisconception(
                question, name, tuple(sorted(by_learner)), ranked, len(earlier.get((question, name), ()))
            )
        )
    return tuple(sorted(found, key=lambda each: (-len(each.learners), each.question, each.name)))


def _when(work: GradedSubmission) -> datetime:
    if work.row.at is not None:
        return work.row.at
    return max((run.at for _, run in work.results), default=datetime.min.replace(tzinfo=UTC))


def _shown(work: GradedSubmission) -> Iterator[tuple[str, str, str]]:
    """(question, part, misconception) of a submission."""
    for result, _ in work.results:
        for item in result.items:
            if item.misconception:
                yield result.id, item.id, item.misconception
        for exercise in result.exercises:
            if exercise.misconception:
                yield result.id, exercise.name, exercise.misconception
