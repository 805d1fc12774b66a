"""An explainer: typical mistakes, alone, two at once, or each in different cases."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.model import Diagnosis
from grader.grading.explaining import pairs
from grader.grading.explaining.evidence import WrongExercise
from grader.grading.explaining.mistakes import CheckedCase, diagnose


def mistake(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The misconception that explains all evidence, or two that do so together."""
    seen = [CheckedCase(each.seen.spec.kind, each.signature, each.verdict) for each in failure.evidence]
    single = diagnose(seen, failure.known, failure.array_type)
    names = (single.misconception,) if single else pairs.both(failure) or pairs.by_case(failure)
    for believed in map(failure.question.misconception, names):
        if believed is not None:
            yield Diagnosis("mistake", believed.truth, believed.id)
