"""Verdicts, points and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

from grader.core.model.submission import Notice
from grader.core.model.text import ArrayType, Text, Visibility

if TYPE_CHECKING:
    from grader.core.model.programs import AnyArray


class Status(StrEnum):
    """The result of a check, an item or an exercise; values are those of ``--json``."""

    PASSED = "passed"
    FAILED = "failed"
    RAISED = "raised"
    TIMED_OUT = "timed-out"
    DIED = "died"
    MISSING = "missing"
    SKIPPED = "skipped"
    PENDING = "pending"
    UNMARKED = "unmarked"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first entry in which two arrays differ, formatted for people.

    - `index`: of that entry
    - `expected`: its value in the result of the reference
    - `actual`: its value in the result of the submission
    - `differing`: how many entries differ
    - `size`: how many entries there are
    """

    index: tuple[int, ...]
    expected: str
    actual: str
    differing: int
    size: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a check on one case.

    If ``applies`` is false, the weight goes to the other checks. If ``final`` is true, calling the exercise in another
    form cannot change the verdict. ``broken`` means that the check itself raised an exception, which is our fault.
    ``printed`` is what the learner's code printed in a public case that failed, cleaned and shortened.
    """

    status: Status
    message: Text | None = None
    difference: Difference | None = None
    remark: Text | None = None
    misconception: str | None = None
    applies: bool = True
    final: bool = False
    broken: bool = False
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict with its points."""

    check: str
    case: str
    visibility: Visibility
    verdict: Verdict
    earned: float
    possible: float

    @property
    def status(self) -> Status:
        """The verdict's status."""
        return self.verdict.status


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The result of a quiz item. ``reading`` shows how the formulas of an incorrect answer were parsed, one a line.

    If an answer is not ``readable``, ``message`` says what to change. ``given`` is the answer, shortened if it is long;
    None if there is none, or in results of older versions.
    """

    id: str
    kind: str
    status: Status
    earned: float
    possible: float
    message: Text | None = None
    misconception: str | None = None
    reading: str | None = None
    readable: bool = True
    given: str | None = None

    @property
    def unread(self) -> bool:
        """Whether there is an answer that could not be read, so that a person has to look at it."""
        return not self.readable


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a submitted file: lines from 1, columns from 0 in characters, the end exclusive.

    ``source`` is its first line as submitted, for reports; empty if that is too long to show.
    """

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    source: str = ""


#: What explains why code is wrong: an authored mistake, the place that is wrong, a relation between the result and the
#: correct one, the condition under which it fails, or another exercise that it depends on.
Voice: TypeAlias = Literal["mistake", "place", "relation", "condition", "dependency"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One explanation of wrong results. Explanations never change points."""

    voice: Voice
    text: Text
    misconception: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ExerciseResult:
    """The result of an exercise. ``message`` is the first thing to fix; ``diagnosis`` explains failures, best first."""

    name: str
    status: Status
    earned: float
    possible: float
    outcomes: tuple[Outcome, ...]
    message: Text | None = None
    misconception: str | None = None
    file: str | None = None
    array_type: ArrayType | None = None
    remarks: tuple[Text, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()

    @property
    def first_failure(self) -> Outcome | None:
        """The outcome to fix first: the earliest one that cost points."""
        lost = (o for o in self.outcomes if o.status not in (Status.PASSED, Status.PENDING) and o.verdict.applies)
        return next(lost, None)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The results of one question's items and exercises."""

    id: str
    title: Text
    items: tuple[ItemResult, ...]
    exercises: tuple[ExerciseResult, ...]

    @property
    def earned(self) -> float:
        """Points earned."""
        return sum(i.earned for i in self.items) + sum(e.earned for e in self.exercises)

    @property
    def possible(self) -> float:
        """Points that could be earned."""
        return sum(i.possible for i in self.items) + sum(e.possible for e in self.exercises)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of grading one submission. Sums are derived, never stored.

    ``unlisted`` are the points of those questions in ``not_attempted`` that count although they are not listed.
    With a learners' ``edition``, the instructor decides pending results with the full course.
    """

    learner: str
    course_title: Text
    course_digest: str
    seed: str
    questions: tuple[QuestionResult, ...]
    layers: tuple[str, ...]
    unsafe: bool
    versions: tuple[tuple[str, str], ...]
    seconds: float
    notices: tuple[Notice, ...] = ()
    late_by_seconds: float | None = None
    not_attempted: tuple[str, ...] = field(default=())
    edition: bool = False
    unlisted: float = 0.0

    @property
    def earned(self) -> float:
        """Points earned over all questions."""
        return sum(q.earned for q in self.questions)

    @property
    def possible(self) -> float:
        """Points possible over all questions."""
        return sum(q.possible for q in self.questions) + self.unlisted

    @property
    def shown_seconds(self) -> float:
        """``seconds`` as shown to learners: with a secret seed, rounded up to a power of two.

        Otherwise, code could reveal a hidden input through its running time.
        """
        return self.seconds if self.seed == "public" else float(2 ** max(0, math.ceil(math.log2(self.seconds or 1))))

    @property
    def complete(self) -> bool:
        """False if anything could not be graded because of an internal error."""
        statuses = [i.status for q in self.questions for i in q.items]
        statuses += [o.status for q in self.questions for e in q.exercises for o in e.outcomes]
        statuses += [e.status for q in self.questions for e in q.exercises]
        return Status.UNMARKED not in statuses

    @property
    def passed(self) -> bool:
        """True if every graded item and exercise passed; in a learners' edition, pending ones do not count."""
        statuses = [i.status for q in self.questions for i in q.items]
        statuses += [e.status for q in self.questions for e in q.exercises]
        return not self.unlisted and all(s is Status.PASSED or (self.edition and s is Status.PENDING) for s in statuses)

    @property
    def pending_points(self) -> float:
        """Points of a learners' edition that the instructor decides; otherwise 0."""
        waiting = [i.possible for q in self.questions for i in q.items if i.status is Status.PENDING]
        outcomes = (o for q in self.questions for e in q.exercises for o in e.outcomes)
        waiting += [o.possible for o in outcomes if o.status is Status.PENDING]
        return sum(waiting) if self.edition else 0.0


@dataclass(frozen=True, slots=True)
class ArrayComparison:
    """The expected and actual result of an exercise for a public case, as arrays to draw.

    ``what`` is ``weights`` if every value vector was a unit vector, so that the result is the attention weights.
    ``difference`` is None if nothing differs, or the shapes do. ``masks`` are the masks among the inputs.
    """

    exercise: str
    case: str
    what: Literal["result", "weights"]
    expected: AnyArray
    actual: AnyArray
    difference: Difference | None = None
    masks: tuple[tuple[str, AnyArray], ...] = ()


@dataclass(frozen=True, slots=True)
class WatchState:
    """What ``attncheck watch`` shows: the exercise to fix next (of ``left``), with ``hints`` by number, from 1."""

    report: Report | None
    error: Text | None
    current: ExerciseResult | None
    left: int
    hints: tuple[int, ...]
    seconds: float
