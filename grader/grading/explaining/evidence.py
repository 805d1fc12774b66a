"""What explainers look at: the checks of an exercise, what was observed, and functions that run references."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from grader.core.model import (
    Array,
    ArrayType,
    CheckSpec,
    Course,
    Diagnosis,
    Exercise,
    Mistake,
    Observation,
    Program,
    Question,
    Returned,
    SourceFile,
    Status,
    Submission,
    Text,
    Verdict,
)
from grader.grading.checks import JudgeInput
from grader.grading.compare import compare
from grader.grading.explaining.mistakes import MistakeSignature
from grader.grading.explaining.relations import Pair, leaves
from grader.grading.explaining.terms import NamedValue
from grader.grading.inputs import Drawn

#: Runs programs on the references of the course, or looks up their cached results.
RunReference: TypeAlias = Callable[[tuple[Program, ...]], tuple[Observation, ...]]
#: What the reference with two typical mistakes returns for some of the evidence (all are indices); None if the edits
#: overlap.
RunMistakePair: TypeAlias = Callable[[int, int, tuple[int, ...]], "list[tuple[Observation, ...]] | None"]


class Rerun(Protocol):
    """Runs the submitted code, or these ``files`` in its place, on other inputs."""

    def __call__(
        self,
        asked: Sequence[tuple[CheckSpec, Drawn]],
        files: tuple[SourceFile, ...] | None = None,
        reference: tuple[SourceFile, ...] | None = None,
    ) -> Sequence[bool | None]:
        """Whether each result is that of the reference, or of another ``reference``; None if that cannot be told."""


#: Returns the result of a function, cached by key.
CachedFind: TypeAlias = "Callable[[Hashable, Callable[[], tuple[OtherInputs, ...]]], tuple[OtherInputs, ...]]"


@dataclass(frozen=True, slots=True)
class OtherInputs:
    """Other inputs, described by the sentence ``said``, and what the reference returns for them in each case."""

    said: Text
    results: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One check on one case: its inputs and observations, verdict, and the ``signature`` to compare with mistakes."""

    seen: JudgeInput
    verdict: Verdict
    signature: tuple[Observation, ...]

    @property
    def counts(self) -> bool:
        """Whether the check applies and was decided."""
        return self.verdict.applies and self.verdict.status is not Status.PENDING

    @property
    def failed(self) -> bool:
        """Whether the check was not passed."""
        return self.counts and self.verdict.status is not Status.PASSED

    @property
    def of_values(self) -> bool:
        """Whether it compares results with those of the reference."""
        return self.seen.spec.kind == "values"


@dataclass(frozen=True, slots=True)
class WrongExercise:
    """A wrong exercise, with everything that is known about it. ``file`` is the one that defines it.

    ``known`` are the results of its typical mistakes; ``changed`` says which values each of them makes wrong. ``run``
    and ``pair`` are None if references cannot be run, as in a learners' edition. ``places`` looks for the place that is
    wrong, given the misconceptions that have already been ``named``. ``cached`` caches results that depend only on the
    exercise and its inputs, for all submissions. ``landmarks`` are the named values of the reference in some cases;
    ``rerun`` runs the code on other inputs than those of the cases, such as ``fresh`` ones.
    """

    course: Course
    question: Question
    exercise: Exercise
    submission: Submission
    file: SourceFile
    array_type: ArrayType
    evidence: tuple[Evidence, ...]
    known: tuple[MistakeSignature, ...]
    changed: Callable[[], tuple[frozenset[int], ...]]
    run: RunReference | None
    pair: RunMistakePair | None
    places: Callable[[tuple[str, ...]], tuple[Diagnosis, ...]] = lambda named: ()
    named: tuple[str, ...] = ()
    cached: CachedFind = lambda key, find: find()
    landmarks: Callable[[Sequence[Evidence]], tuple[NamedValue, ...]] = lambda cases: ()
    rerun: Rerun = lambda asked, files=None, reference=None: [None] * len(asked)
    fresh: Callable[[], Sequence[tuple[CheckSpec, Drawn]]] = lambda: ()

    def public_values(self) -> Iterator[Evidence]:
        """The public cases in which values are wrong."""
        return (each for each in self.evidence if each.failed and each.of_values and each.seen.case.public)

    def rules_out(self, mistake: Mistake) -> bool:
        """Whether the code passes every check of a kind that ``mistake`` fails: then it was not made."""
        counted = [(each.seen.spec.kind, each.failed) for each in self.evidence if each.counts]
        passed = {kind for kind, _ in counted} - {kind for kind, failed in counted if failed}
        return any(name.partition("/")[0] in passed for name in mistake.fails)


@dataclass(frozen=True, slots=True)
class WrongPart:
    """A value that is wrong in every public case that fails. ``at`` is its path in a result of several values."""

    at: tuple[object, ...]
    evidence: tuple[Evidence, ...]
    pairs: tuple[Pair, ...]


def parts(failure: WrongExercise) -> tuple[WrongPart, ...]:
    """The wrong results of public cases with the correct ones, value by value.

    Empty unless every public case that fails returned a result of the correct structure.
    """
    found = [(each, _wrong_pairs(failure.exercise, each)) for each in failure.public_values()]
    if not found or any(wrong is None for _, wrong in found):
        return ()
    seen, known = tuple(each for each, _ in found), [wrong for _, wrong in found if wrong is not None]
    shared = [at for at in known[0] if all(at in wrong for wrong in known)]
    return tuple(WrongPart(at, seen, tuple(wrong[at] for wrong in known)) for at in shared)


def hidden_pairs(failure: WrongExercise, at: tuple[object, ...]) -> Iterator[tuple[Evidence, Pair]]:
    """The wrong results of hidden cases at this place. They confirm what public cases suggest; nothing quotes them."""
    for each in failure.evidence:
        if each.failed and each.of_values and not each.seen.case.public:
            pair = (_wrong_pairs(failure.exercise, each) or {}).get(at)
            if pair is not None:
                yield each, pair


def own(exercise: Exercise, drawn: Drawn) -> Drawn:
    """The inputs that have a name in the learner's code, unlike those of the helper ``through``."""
    return drawn if exercise.through is None else drawn.only(exercise.own_names.__contains__)


def _wrong_pairs(exercise: Exercise, evidence: Evidence) -> dict[tuple[object, ...], Pair] | None:
    """The wrong values of a result with the correct ones, by path; None if the structure is another."""
    match evidence.seen.got, evidence.seen.expected:
        case (Returned((got,)),), (Returned((expected,)),):
            mine, right = dict(leaves(got)), dict(leaves(expected))
            if mine.keys() == right.keys():
                drawn = own(exercise, evidence.seen.drawn)
                pairs = {at: Pair(evidence.seen.case.title, mine[at], right[at], drawn) for at in right}
                return {at: pair for at, pair in pairs.items() if _wrong(pair)}
    return None


def _wrong(pair: Pair) -> bool:
    return compare(Array(np.asarray(pair.expected)), Array(np.asarray(pair.got))) is not None
