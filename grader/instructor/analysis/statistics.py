"""Item statistics of a class: difficulty, discrimination, misconceptions, reliability. Pure functions.

Shares of points are between 0 and 1. *Discrimination* is the corrected item-total correlation: between the learners'
shares in a part and their shares in all other parts. It is None with too few learners, and for a part in which all
learners have the same share.

Parts that attncheck failed to grade and answers that still have to be graded by hand are *open*: they count in no mean
and no correlation. An override closes them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from grader.classroom.marks import GradedSubmission, Mark
from grader.core.cache import cached_by_identity
from grader.core.model import ExerciseResult, ItemResult, QuestionResult, Status
from grader.core.serialize import Shown
from grader.course import items
from grader.instructor.analysis.answers import BorrowedAnswer

#: With fewer learners, correlations and reliability are not meaningful; the view warns about it.
FEW = 30
#: With fewer learners, they are not computed.
_FEWEST = 5
_NEGATIVE = -0.1
#: How many hidden cases must fail before it is reported that only the public ones pass.
_HIDDEN_MISSED = 3
_DISAGREE = 0.3
_NOT_TRIED = frozenset({Status.MISSING, Status.SKIPPED})
_OPEN = frozenset({Status.PENDING, Status.UNMARKED})

Array = NDArray[np.float64]
T = TypeVar("T", bound=Any)


@dataclass(frozen=True, slots=True)
class GradedPart:
    """An item or exercise, over the ``learners`` for whom it is graded; ``kind`` is ``item`` or ``exercise``.

    ``tried`` of these submitted an answer or code; the others count as 0. ``difficulty`` is the mean share of points.
    If nothing is graded yet, ``learners`` is 0 and ``difficulty`` is None.
    """

    name: str
    question: str
    kind: str
    learners: int
    tried: int
    difficulty: float | None
    discrimination: float | None


@dataclass(frozen=True, slots=True)
class PartStatistics(GradedPart):
    """The statistics of an item or exercise. ``misconceptions`` and ``answers`` are (name, number of learners)."""

    misconceptions: tuple[tuple[str, int], ...] = ()
    answers: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CheckStatistics:
    """A check of an exercise on one case.

    - `exercise`: the name of the exercise
    - `check`: the kind of the check
    - `case`: the name of the case
    - `visibility`: `public` or `hidden`
    - `tried`: the number of learners whose code was run
    - `passed`: the share of these who pass
    - `discrimination`: the correlation with all points
    """

    exercise: str
    check: str
    case: str
    visibility: str
    tried: int
    passed: float
    discrimination: float | None


@dataclass(frozen=True, slots=True)
class PublicOnly:
    """A learner who passes a check on all public cases of an exercise and on no hidden case.

    - `learner`: the id of the learner, with `--names`
    - `exercise`: the name of the exercise
    - `check`: the kind of the check
    - `public`: how many public cases there are
    - `hidden`: how many hidden cases there are
    """

    learner: Shown | None
    exercise: str
    check: str
    public: int
    hidden: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of points, as shares of all points. ``tenths`` has the number of learners in each tenth."""

    learners: int
    handed_in: int
    mean: float
    deviation: float
    quartiles: tuple[float, float, float]
    tenths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question where quiz and code differ.

    - `question`: the id of the question
    - `items`: the mean share of points in its items
    - `exercises`: the mean share of points in its exercises
    """

    question: str
    items: float
    exercises: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """All statistics. ``grid`` has a row for each learner and a column for each question, with shares of points.

    ``negative`` are parts with negative discrimination; ``everybody`` and ``nobody`` are checks on hidden cases that
    all learners, or none, pass. ``borrowed`` is filled in by the caller; see ``answers.borrowed_answers``.
    """

    spread: Spread
    alpha: float | None
    few: bool
    parts: tuple[PartStatistics, ...]
    checks: tuple[CheckStatistics, ...]
    misconceptions: tuple[tuple[str, str, int], ...]
    disagreements: tuple[Disagreement, ...]
    negative: tuple[str, ...]
    everybody: tuple[CheckStatistics, ...]
    nobody: tuple[CheckStatistics, ...]
    questions: tuple[str, ...]
    learners: tuple[str, ...]
    grid: tuple[tuple[float, ...], ...]
    public_only: tuple[PublicOnly, ...] = ()
    borrowed: tuple[BorrowedAnswer, ...] = ()


@dataclass(slots=True)
class _Tally:
    """Counts, updated learner by learner. In ``rows``, NaN is an open cell; ``by_hand`` has overrides of open cells.

    ``blank`` are the results without a submission that were counted already, by ``id()``. They only add zeros, which
    ``rows`` may omit. ``possible`` has the question, kind and points of each part: the most that any learner could
    earn there, because a check that attncheck failed to grade lowers the maximum.
    """

    learners: list[str]
    totals: list[float]
    rows: list[dict[str, float]]
    by_hand: list[dict[str, float]]
    checks: list[dict[tuple[str, str, str, str], float]]
    grid: list[tuple[float, ...]]
    tried: Counter[str]
    possible: dict[str, tuple[str, Literal["item", "exercise"], float]]
    beliefs: Counter[tuple[str, str]]
    of_part: dict[str, Counter[str]]
    answers: dict[str, Counter[str]]
    blank: dict[int, QuestionResult]


def class_statistics(marks: Iterable[tuple[Mark, Mapping[str, object]]]) -> Statistics:
    """The statistics of the ``marks`` that count, each with its answers (item id → value)."""
    tally = _Tally([], [], [], [], [], [], Counter(), {}, Counter(), {}, {}, {})
    handed_in = 0
    questions: tuple[str, ...] = ()
    for mark, answers in marks:
        if mark.counts:
            questions = tuple(name for name, _, _ in mark.questions)
            handed_in += mark.work is not None
            _count(tally, mark, answers)
    totals = np.array(tally.totals)
    table, points = _table(tally)
    parts = tuple(_parts(tally, table, points))
    checks = _checks(tally, totals)
    hidden = [check for check in checks if check.visibility == "hidden" and check.tried >= _FEWEST]
    return Statistics(
        spread=spread_of(totals, handed_in),
        alpha=_alpha(table * points),
        few=len(totals) < FEW,
        parts=parts,
        checks=checks,
        misconceptions=tuple((q, name, times) for (q, name), times in _ranked(tally.beliefs)),
        disagreements=_disagreements(parts, questions),
        negative=tuple(p.name for p in parts if p.discrimination is not None and p.discrimination < _NEGATIVE),
        everybody=tuple(check for check in hidden if check.passed == 1.0),
        nobody=tuple(check for check in hidden if check.passed == 0.0),
        questions=questions,
        learners=tuple(tally.learners),
        grid=tuple(tally.grid),
        public_only=tuple(_public_only(tally)),
    )


def _table(tally: _Tally) -> tuple[Array, Array]:
    """The shares, shape (learners, parts), and the points of the parts, shape (parts,).

    If no attempt at a part is graded, the whole column is open: the zeros of those who did not try mean nothing.
    """
    names = list(tally.possible)
    points = np.array([tally.possible[name][2] for name in names], float)
    for row, given in zip(tally.rows, tally.by_hand, strict=True):
        for name, value in given.items():
            row[name] = value / tally.possible[name][2] if tally.possible[name][2] else math.nan
    table = np.array([[row.get(name, 0.0) for name in names] for row in tally.rows], float)
    table = table.reshape(len(tally.rows), len(names))
    untold = np.array([tally.tried[name] == 0 for name in names], bool) & np.isnan(table).any(axis=0)
    table[:, untold] = math.nan
    return table, points


def _count(tally: _Tally, mark: Mark, answers: Mapping[str, object]) -> None:
    row: dict[str, float] = {}
    beliefs: set[tuple[str, str]] = set()  # each counts once per learner
    checks: dict[tuple[str, str, str, str], float] = {}
    given = {change.part: change.points for change in mark.overridden}
    by_hand: dict[str, float] = {}
    for result, _ in mark.work.results if mark.work else ():
        if _is_blank(result) and not given and not any(item.id in answers for item in result.items):
            if id(result) in tally.blank:
                continue
            tally.blank[id(result)] = result
        for part in result.parts:
            row[part.name] = _share(tally, result.id, part, given, by_hand)
            if part.misconception:
                beliefs.add((result.id, part.misconception))
                tally.of_part.setdefault(part.name, Counter())[part.misconception] += 1
        for item in result.items:
            counted = () if item.unread else items.counted(item.kind, answers.get(item.id))
            if counted:
                tally.answers.setdefault(item.id, Counter()).update(counted)
        for exercise in result.exercises:
            for outcome in exercise.outcomes if exercise.status not in _NOT_TRIED else ():
                if outcome.verdict.applies and outcome.status not in _OPEN:
                    key = (exercise.name, outcome.check, outcome.case, outcome.visibility)
                    checks[key] = float(outcome.status is Status.PASSED)
    tally.beliefs.update(beliefs)
    tally.learners.append(mark.learner.id)
    tally.totals.append(mark.earned / mark.possible if mark.possible else 0.0)
    tally.rows.append(row)
    tally.by_hand.append(by_hand)
    tally.checks.append(checks)
    tally.grid.append(tuple(earned / possible if possible else 0.0 for _, earned, possible in mark.questions))


@cached_by_identity(4096)
def _is_blank(result: QuestionResult) -> bool:
    """Whether nothing was submitted for a question, so that its result has no points and no misconceptions."""
    return all(part.status is Status.MISSING and not part.earned and not part.misconception for part in result.parts)


def _share(
    tally: _Tally,
    question: str,
    found: ItemResult | ExerciseResult,
    given: Mapping[str, float],
    by_hand: dict[str, float],
) -> float:
    """A learner's share of the points of a part; NaN if it is open. Counts the attempt.

    An override in ``given`` for an open cell goes to ``by_hand``: its share is computed once the whole class is read.
    """
    name = found.name
    most = max(found.possible, tally.possible[name][2] if name in tally.possible else 0.0)
    tally.possible[name] = (question, "item" if isinstance(found, ItemResult) else "exercise", most)
    unread = isinstance(found, ItemResult) and found.unread
    is_open = unread or found.status is Status.PENDING or (found.status is Status.UNMARKED and not found.possible)
    if is_open and name in given:
        by_hand[name] = given[name]
    if (name in by_hand) if is_open else (found.status not in _NOT_TRIED):
        tally.tried[name] += 1
    if is_open:
        return math.nan
    return found.earned / found.possible if found.possible else 0.0


def _parts(tally: _Tally, table: Array, points: Array) -> Iterator[PartStatistics]:
    """The statistics of every part. What the others earned is summed from both sides, once for all parts."""
    open_ = np.isnan(table)
    earned, worth = np.where(open_, 0.0, table) * points, np.where(open_, 0.0, points)
    after = [_sums_after(each) for each in (earned, worth)]
    before = [np.zeros(len(table)), np.zeros(len(table))]
    for at, (name, (question, kind, _)) in enumerate(tally.possible.items()):
        told = ~open_[:, at]
        own = table[told, at]
        got, most = ((left + right[:, at])[told] for left, right in zip(before, after, strict=True))
        yield PartStatistics(
            name,
            question,
            kind,
            len(own),
            tally.tried[name],
            float(own.mean()) if len(own) else None,
            correlation(own[most > 0], got[most > 0] / most[most > 0]),
            tuple(_ranked(tally.of_part.get(name, Counter()))),
            tuple(_ranked(tally.answers.get(name, Counter()))),
        )
        before = [left + column[:, at] for left, column in zip(before, (earned, worth), strict=True)]


def _sums_after(columns: Array) -> Array:
    """For every column the sum of those to its right, row by row."""
    sums = np.zeros_like(columns)
    sums[:, :-1] = np.cumsum(columns[:, :0:-1], axis=1)[:, ::-1]
    return sums


def _checks(tally: _Tally, totals: Array) -> tuple[CheckStatistics, ...]:
    keys = dict.fromkeys(key for row in tally.checks for key in row)
    found = []
    for key in keys:
        having = [at for at, row in enumerate(tally.checks) if key in row]
        own = np.array([tally.checks[at][key] for at in having])
        found.append(CheckStatistics(*key, len(having), float(own.mean()), correlation(own, totals[having])))
    return tuple(found)


def _public_only(tally: _Tally) -> Iterator[PublicOnly]:
    """Learners who pass the public cases of a check and none of its hidden ones, each once for all attempts."""
    told: set[tuple[str, str, str]] = set()
    for learner, row in zip(tally.learners, tally.checks, strict=True):
        found: dict[tuple[str, str], dict[str, list[float]]] = {}
        for (exercise, check, _, visibility), passed in row.items():
            found.setdefault((exercise, check), {"public": [], "hidden": []})[visibility].append(passed)
        for (exercise, check), cases in found.items():
            public, hidden = cases["public"], cases["hidden"]
            alone = bool(public) and all(public) and len(hidden) >= _HIDDEN_MISSED and not any(hidden)
            if alone and (learner, exercise, check) not in told:
                told.add((learner, exercise, check))
                yield PublicOnly(learner, exercise, check, len(public), len(hidden))


def correlation(own: Array, rest: Array) -> float | None:
    """Pearson's correlation; None if either side is constant or has fewer than ``_FEWEST`` values."""
    if len(own) < _FEWEST or np.ptp(own) == 0 or np.ptp(rest) == 0:
        return None
    return float(np.corrcoef(own, rest)[0, 1])


def _alpha(scores: Array) -> float | None:
    """Cronbach's alpha: k/(k−1) · (1 − Σ Var(part) / Var(total)) (Cronbach 1951, equation 2).

    Computed over the parts that are graded and the learners for whom all of these are graded; None if not defined.
    """
    scores = scores[:, ~np.isnan(scores).all(axis=0)]
    scores = scores[~np.isnan(scores).any(axis=1)]
    learners, parts = scores.shape
    if learners < _FEWEST or parts < 2:
        return None
    total = scores.sum(axis=1).var(ddof=1)
    if total == 0:
        return None
    return float(parts / (parts - 1) * (1 - scores.var(axis=0, ddof=1).sum() / total))


def spread_of(shares: Array | Sequence[float], handed_in: int) -> Spread:
    """The distribution of the learners' shares of all points."""
    totals = np.asarray(shares)
    if len(totals) == 0:
        return Spread(0, 0, 0.0, 0.0, (0.0, 0.0, 0.0), (0,) * 10)
    low, middle, high = (float(value) for value in np.quantile(totals, [0.25, 0.5, 0.75]))
    tenths = np.bincount(np.clip((totals * 10).astype(int), 0, 9), minlength=10)
    deviation = float(totals.std(ddof=1)) if len(totals) > 1 else 0.0
    return Spread(len(totals), handed_in, float(totals.mean()), deviation, (low, middle, high), tuple(map(int, tenths)))


def _disagreements(parts: Sequence[PartStatistics], questions: Sequence[str]) -> tuple[Disagreement, ...]:
    found = []
    for question in questions:
        shares = {
            kind: [
                part.difficulty * part.learners / part.tried  # among those who tried
                for part in parts
                if part.question == question and part.kind == kind and part.tried and part.difficulty is not None
            ]
            for kind in ("item", "exercise")
        }
        if shares["item"] and shares["exercise"]:
            in_items, in_exercises = (float(np.mean(shares[kind])) for kind in ("item", "exercise"))
            if abs(in_items - in_exercises) > _DISAGREE:
                found.append(Disagreement(question, in_items, in_exercises))
    return tuple(found)


def _ranked(counted: Counter[T]) -> list[tuple[T, int]]:
    """By frequency, the most frequent first; ties are in the order of the names."""
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


# -------------------------------------------------------------------------------------------- misconceptions of a class


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
        before = len(earlier.get((question, name), ()))
        found.append(ClassMisconception(question, name, tuple(sorted(by_learner)), tuple(_ranked(parts)), before))
    return tuple(sorted(found, key=lambda each: (-len(each.learners), each.question, each.name)))


def _when(work: GradedSubmission) -> datetime:
    if work.row.at is not None:
        return work.row.at
    return max((run.at for _, run in work.results), default=datetime.min.replace(tzinfo=UTC))


def _shown(work: GradedSubmission) -> Iterator[tuple[str, str, str]]:
    """(question, part, misconception) of a submission."""
    for result, _ in work.results:
        for part in result.parts:
            if part.misconception:
                yield result.id, part.name, part.misconception
