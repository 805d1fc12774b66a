"""From what was graded to what counts: overrides, lateness, attempts. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from grader.gradebook import Enrolled, Filed, Override, Run
from grader.model import QuestionResult, Rules, Status
from grader.score import tidy

_HOUR, _DAY = 3600.0, 86400.0
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Work:
    """One submission with what grading found in it, question by question."""

    filed: Filed
    results: tuple[tuple[QuestionResult, Run], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a learner gets for one submission (None: nothing was handed in).

    ``questions`` are (id, earned, possible) with overrides, before anything is taken off; ``factor`` is what lateness
    and further attempts leave of them. ``counts`` is false for an attempt that another one takes the place of.
    """

    learner: Enrolled
    work: Work | None
    questions: tuple[tuple[str, float, float], ...]
    factor: float = 1.0
    late_seconds: float = 0.0
    complete: bool = True
    passed: bool = False
    counts: bool = True
    overridden: tuple[Override, ...] = ()

    @property
    def earned(self) -> float:
        """Points that count."""
        return tidy(self.factor * sum(earned for _, earned, _ in self.questions))

    @property
    def possible(self) -> float:
        """Points that could be earned."""
        return tidy(sum(possible for _, _, possible in self.questions))


def due_for(learner: Enrolled, due: str) -> datetime:
    """When it is due for this learner; where that is beyond the calendar (due in the year 9999), at the end of it."""
    try:
        return datetime.fromisoformat(due) + timedelta(hours=learner.extra_hours)
    except OverflowError:
        return (datetime.max if learner.extra_hours > 0 else datetime.min).replace(tzinfo=UTC)


def late_by(filed: Filed, learner: Enrolled, rules: Rules) -> float:
    """Seconds after what is due for this learner; 0 where nothing is due, or the time is not known."""
    if rules.due is None or filed.at is None:
        return 0.0
    return max(0.0, (filed.at - due_for(learner, rules.due)).total_seconds())


def left_over(late_seconds: float, attempt: int, rules: Rules) -> float:
    """The share of the points that lateness and further attempts leave."""
    share = 1.0
    if late_seconds > rules.grace_hours * _HOUR:
        days = math.ceil(late_seconds / _DAY)
        if rules.cut_off_days is not None and late_seconds > rules.cut_off_days * _DAY:
            return 0.0
        share = max(0.0, 1.0 - rules.late_percent / 100 * days)
    return share * max(0.0, 1.0 - rules.attempt_percent / 100 * (attempt - 1))


def mark(
    learner: Enrolled,
    work: Work,
    possible: Mapping[str, float],
    overrides: Sequence[Override],
    rules: Rules,
    question_of: Mapping[str, str] = NOTHING,
) -> Mark:
    """What ``learner`` gets for ``work``; ``possible`` are the points of the questions that count.

    ``question_of`` says where the parts belong that a person gave points for, should nothing else be known of them.
    """
    changed = _changed(learner, overrides)
    found = {result.id: result for result, _ in work.results}
    questions = tuple(
        _question(name, points, found.get(name), changed, question_of) for name, points in possible.items()
    )
    late = late_by(work.filed, learner, rules)
    statuses = [part.status for result in found.values() for part in result.items]
    statuses += [part.status for result in found.values() for part in result.exercises]
    return Mark(
        learner,
        work,
        questions,
        left_over(late, work.filed.attempt, rules),
        late,
        complete=work.filed.error is None and len(found) == len(possible) and not any(map(_unmarked, found.values())),
        passed=bool(statuses) and all(status is Status.PASSED for status in statuses),
        overridden=tuple(changed.values()),
    )


def _unmarked(result: QuestionResult) -> bool:
    """Whether something in it could not be marked through a fault of ours."""
    statuses = [item.status for item in result.items] + [exercise.status for exercise in result.exercises]
    statuses += [outcome.status for exercise in result.exercises for outcome in exercise.outcomes]
    return Status.UNMARKED in statuses


def _changed(learner: Enrolled, overrides: Sequence[Override]) -> dict[str, Override]:
    return {change.part: change for change in overrides if change.learner == learner.id}


def _question(
    name: str,
    points: float,
    result: QuestionResult | None,
    changed: Mapping[str, Override],
    question_of: Mapping[str, str],
) -> tuple[str, float, float]:
    """A question's points, with those that a person gave; nothing else is earned where nothing could be graded."""
    if result is None:
        given = [change.points for part, change in changed.items() if question_of.get(part) == name]
        return name, tidy(sum(given)), points
    earned = [
        changed[part].points if part in changed else got
        for part, got in [(item.id, item.earned) for item in result.items]
        + [(e.name, e.earned) for e in result.exercises]
    ]
    return name, tidy(sum(earned)), tidy(result.possible)


def marks(
    learner: Enrolled,
    works: Sequence[Work],
    possible: Mapping[str, float],
    overrides: Sequence[Override],
    rules: Rules,
    question_of: Mapping[str, str] = NOTHING,
) -> tuple[Mark, ...]:
    """A learner's marks: one for each of their ``works``, of which one counts (or each); one alone for nothing."""
    if not works:
        changed = _changed(learner, overrides)
        questions = tuple(_question(name, points, None, changed, question_of) for name, points in possible.items())
        return (Mark(learner, None, questions, overridden=tuple(changed.values())),)
    found = [mark(learner, work, possible, overrides, rules, question_of) for work in works]
    if rules.attempts == "each":
        return tuple(found)
    chosen = max(found, key=_best if rules.attempts == "best" else _last)
    return tuple(replace(each, counts=each is chosen) for each in found)


def _best(mark: Mark) -> tuple[float, tuple[int, float]]:
    return mark.earned, _last(mark)


def _last(mark: Mark) -> tuple[int, float]:
    assert mark.work is not None
    at = mark.work.filed.at
    return mark.work.filed.attempt, at.timestamp() if at else 0.0
