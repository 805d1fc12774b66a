"""What explainers look at: the checks of an exercise, what was observed, and functions that run references."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from grader.core.model import (
    Array,
    ArrayType,
    Course,
    Diagnosis,
    Exercise,
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

#: Runs programs on the references of the course, or looks up their cached results.
RunReference: TypeAlias = Callable[[tuple[Program, ...]], tuple[Observation, ...]]
#: What the reference with two typical mistakes returns for some of the evidence (all are indices); None if the edits
#: overlap.
RunMistakePair: TypeAlias = Callable[[int, int, tuple[int, ...]], "list[tuple[Observation, ...]] | None"]

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
    exercise and its inputs, for all submissions.
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

    def public_values(self) -> Iterator[Evidence]:
        """The public cases in which values are wrong."""
        return (each for each in self.evidence if each.failed and each.of_values and each.seen.case.public)


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
    found: list[tuple[Evidence, dict[tuple[object, ...], Pair]]] = []
    for each in failure.public_values():
        match each.seen.got, each.seen.expected:
            case (Returned((got,)),), (Returned((expected,)),):
                mine, right = dict(leaves(got)), dict(leaves(expected))
                if mine.keys() != right.keys():
                    return ()
                both = {at: Pair(each.seen.case.name, mine[at], right[at], each.seen.drawn) for at in right}
                found.append((each, {at: pair for at, pair in both.items() if _wrong(pair)}))
            case _:
                return ()
    if not found:
        return ()
    shared = [at for at in found[0][1] if all(at in wrong for _, wrong in found)]
    seen = tuple(each for each, _ in found)
    return tuple(WrongPart(at, seen, tuple(wrong[at] for _, wrong in found)) for at in shared)


def _wrong(pair: Pair) -> bool:
    return compare(Array(np.asarray(pair.expected)), Array(np.asarray(pair.got))) is not None
