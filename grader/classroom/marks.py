"""Compute marks from results, overrides, lateness and attempts. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from grader.classroom.gradebook import GradingRun, LearnerRow, Override, SubmissionRow
from grader.core.cache import cached_by_identity
from grader.core.model import ExerciseResult, ItemResult, QuestionResult, Rules, Status
from grader.core.score import seconds_that_count, share_when_late, tidy

PartResult = TypeVar("PartResult", ItemResult, ExerciseResult)

#: From the minute of the last moment that counts: what arrived by then may still be being read.
_ARRIVING = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class CoursePart:
    """An item or exercise of a course, which has points of its own."""

    name: str
    question: str
    possible: float


@dataclass(frozen=True, slots=True)
class GradedSubmission:
    """One submission with its results, question by question."""

    row: SubmissionRow
    results: tuple[tuple[QuestionResult, GradingRun], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A learner's mark for one submission. ``work`` is None if there is no submission.

    ``questions`` are (id, earned, possible) with overrides, before deductions; ``factor`` is the share of the points
    that remains after deductions for lateness and further attempts. ``complete`` is true if everything was graded, by
    attncheck or by a person. ``counts`` is false if another attempt counts instead.
    """

    learner: LearnerRow
    work: GradedSubmission | None
    questions: tuple[tuple[str, float, float], ...]
    factor: float = 1.0
    late_seconds: float = 0.0
    complete: bool = True
    passed: bool = False
    counts: bool = True
    overridden: tuple[Override, ...] = ()

    @property
    def earned(self) -> float:
        """Points after deductions."""
        return tidy(self.factor * sum(earned for _, earned, _ in self.questions))

    @property
    def possible(self) -> float:
        """The maximum points."""
        return tidy(sum(possible for _, _, possible in self.questions))


def due_for(learner: LearnerRow, due: str) -> datetime:
    """When work is due for this learner, limited to the range of ``datetime``."""
    try:
        return datetime.fromisoformat(due) + timedelta(hours=learner.extra_hours)
    except OverflowError:
        return (datetime.max if learner.extra_hours > 0 else datetime.min).replace(tzinfo=UTC)


def late_by(row: SubmissionRow, learner: LearnerRow, rules: Rules) -> float:
    """Seconds after the learner's due date; 0 without a due date or a timestamp."""
    if rules.due is None or row.at is None:
        return 0.0
    return max(0.0, (row.at - due_for(learner, rules.due)).total_seconds())


def remaining_share(late_seconds: float, attempt: int, rules: Rules) -> float:
    """The share of the points, 0 to 1, that remains after deductions for lateness and further attempts."""
    return share_when_late(late_seconds, rules) * max(0.0, 1.0 - rules.attempt_percent / 100 * (attempt - 1))


def results_open(learner: LearnerRow, rules: Rules) -> datetime | None:
    """From when on nothing that ``learner`` submits can earn points any more; None if there is no such time.

    It is a full minute. It does not depend on how often a learner has submitted, because not every course system counts
    attempts.
    """
    if rules.due is None:
        return None
    try:
        end = due_for(learner, rules.due) + timedelta(seconds=seconds_that_count(rules))
        return end.replace(second=0, microsecond=0) + _ARRIVING
    except OverflowError:  # late work counts for ever, or until a year that there is not
        return None


@dataclass(frozen=True, slots=True)
class Marking:
    """How a class is marked: the points of the questions that count, and the rules.

    ``parts`` are the parts of the course by name, because an override may be for a part that was not graded.
    """

    points: Mapping[str, float]
    rules: Rules
    parts: Mapping[str, CoursePart] = field(default_factory=dict)


def mark(learner: LearnerRow, work: GradedSubmission, marking: Marking, overrides: Sequence[Override] = ()) -> Mark:
    """The mark of ``learner`` for ``work``."""
    changed = _changed(learner, overrides)
    results = {result.id: _facts(with_overrides(result, changed, marking.parts)) for result, _ in work.results}
    late = late_by(work.row, learner, marking.rules)
    shown = {name: results.get(name) or _by_hand(name, changed, marking) for name in marking.points}
    counted = shown if work.row.error is None else {name: _by_hand(name, changed, marking) for name in marking.points}
    parted = [facts for facts in results.values() if facts.parts]
    return Mark(
        learner,
        work,
        tuple((name, facts.earned, facts.possible) for name, facts in shown.items()),
        remaining_share(late, work.row.attempt, marking.rules),
        late,
        complete=all(facts.complete for facts in counted.values()),
        passed=bool(parted) and all(facts.passed for facts in parted),
        overridden=tuple(changed.values()),
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts about the result of a question that a mark needs. ``parts`` is the number of items and exercises."""

    earned: float
    possible: float
    parts: int
    passed: bool
    complete: bool


@cached_by_identity(4096)
def _facts(result: QuestionResult) -> _Facts:
    """Cached, because most learners share most results."""
    statuses = [part.status for part in result.parts]
    inner = [outcome.status for exercise in result.exercises for outcome in exercise.outcomes]
    return _Facts(
        tidy(result.earned),
        tidy(result.possible),
        len(statuses),
        all(status is Status.PASSED for status in statuses),
        Status.UNMARKED not in statuses and Status.UNMARKED not in inner,
    )


def with_overrides(
    result: QuestionResult, given: Mapping[str, Override], parts: Mapping[str, CoursePart]
) -> QuestionResult:
    """A question with overrides applied.

    An overridden part counts as graded, with its full maximum, even if attncheck failed to grade some of its checks.
    """
    if not given:
        return result

    def part(found: PartResult) -> PartResult:
        if found.name not in given:
            return found
        earned = given[found.name].points
        possible = max(found.possible, parts[found.name].possible) if found.name in parts else found.possible
        more: dict[str, Any] = {"readable": True}
        if isinstance(found, ExerciseResult):
            more = {"outcomes": tuple(outcome for outcome in found.outcomes if outcome.status is not Status.UNMARKED)}
        return replace(found, status=_judged(found.status, earned, possible), earned=earned, possible=possible, **more)

    return replace(result, items=tuple(map(part, result.items)), exercises=tuple(map(part, result.exercises)))


def _judged(status: Status, earned: float, possible: float) -> Status:
    """The status of an overridden part: decided by the points if attncheck failed to grade it, else unchanged."""
    if status is not Status.UNMARKED:
        return status
    return Status.PASSED if earned >= possible else Status.FAILED


def _changed(learner: LearnerRow, overrides: Sequence[Override]) -> dict[str, Override]:
    return {change.part: change for change in overrides if change.learner == learner.id}


def _by_hand(name: str, changed: Mapping[str, Override], marking: Marking) -> _Facts:
    """The facts about a question without a result: only points given by hand are earned."""
    own = {part.name for part in marking.parts.values() if part.question == name}
    earned = tidy(sum(change.points for part, change in changed.items() if part in own))
    return _Facts(earned, marking.points[name], 0, passed=False, complete=bool(own) and own <= changed.keys())


def marks(
    learner: LearnerRow, works: Sequence[GradedSubmission], marking: Marking, overrides: Sequence[Override] = ()
) -> tuple[Mark, ...]:
    """A learner's marks, one for each of ``works`` in the order of submission. One of them counts, or each.

    What comes too late to earn points replaces nothing that came before. Without works, there is one mark without a
    submission.
    """
    rules = marking.rules
    if not works:
        changed = _changed(learner, overrides)
        questions = tuple(
            (name, _by_hand(name, changed, marking).earned, most) for name, most in marking.points.items()
        )
        return (Mark(learner, None, questions, overridden=tuple(changed.values())),)
    attempts = [mark(learner, work, marking, overrides) for work in sorted(works, key=_order)]
    if rules.attempts == "each":
        return tuple(attempts)
    earning = [index for index, attempt in enumerate(attempts) if share_when_late(attempt.late_seconds, rules)]
    candidates = earning or range(len(attempts))
    if rules.attempts == "last":
        chosen = candidates[-1]
    else:
        chosen = max(candidates, key=lambda index: (attempts[index].earned, index))
    return tuple(replace(attempt, counts=index == chosen) for index, attempt in enumerate(attempts))


def _order(work: GradedSubmission) -> tuple[int, float]:
    at = work.row.at
    return work.row.attempt, at.timestamp() if at else 0.0
