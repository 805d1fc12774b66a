"""An explainer: typical mistakes, alone, two at once, or each in different cases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grader.core.model import Diagnosis, Mistake, Returned
from grader.course import edits
from grader.grading.explaining import pairs
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.mistakes import diagnose
from grader.grading.explaining.relations import leaves
from grader.grading.plan import module_of

#: How many wrong results a name needs if each says little; results with so many entries, or such numbers, say more.
_ENOUGH, _MANY, _LARGE = 3, 8, 100


def mistake(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The misconception that explains all evidence, or two that do so together."""
    single = diagnose(failure.evidence, failure.known, failure.array_type)
    if single is not None and not _is_confirmed(failure, single):
        return
    names = (single.misconception,) if single else pairs.both(failure) or pairs.by_case(failure)
    for believed in map(failure.question.misconception, names):
        if believed is not None:
            yield Diagnosis("mistake", believed.truth, believed.id)


def _is_confirmed(failure: WrongExercise, mistake: Mistake) -> bool:
    """Whether wrong results say enough, or the code does what the mistake does for all fresh inputs, too.

    Other mistakes may return the same few ids, small numbers or truth values in one or two cases.
    """
    wrong = [each for each in failure.evidence if each.of_values and each.failed]
    if not wrong or len(wrong) >= _ENOUGH or any(map(_says_much, wrong)):
        return True
    edited = edits.apply(failure.course.reference, mistake.edits, module_of(failure.exercise))
    return False not in failure.rerun(failure.fresh(), reference=edited)


def _says_much(evidence: Evidence) -> bool:
    """Whether other code would hardly return the same by chance: floats, large numbers, or many."""
    values = [value for seen in evidence.seen.got if isinstance(seen, Returned) for value in seen.values]
    arrays = [array for value in values for _, array in leaves(value)]
    return any(array.dtype.kind == "f" or array.size >= _MANY or np.max(array, initial=0) >= _LARGE for array in arrays)
