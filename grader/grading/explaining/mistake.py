"""An explainer: typical mistakes, alone, two at once, or each in different cases.

A failure is attributed to a mistake if it agrees with exactly one signature everywhere. If several things are wrong,
agreement on all results of the check ``values`` is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from grader.core.model import ArrayType, Diagnosis, Mistake, Returned
from grader.course import edits
from grader.grading.explaining import pairs
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.mistakes import MistakeSignature, agree
from grader.grading.explaining.relations import leaves
from grader.grading.plan import module_of

#: How many wrong results a name needs if each says little; results with so many entries, or such numbers, say more.
_ENOUGH, _MANY, _LARGE = 3, 8, 100


def mistake(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The misconception that explains all evidence, or two that do so together."""
    possible = [each for each in failure.known if not failure.rules_out(each.mistake)]
    single = diagnose(failure.evidence, possible, failure.array_type)
    if single is not None and not _is_confirmed(failure, single):
        return
    names = (single.misconception,) if single else pairs.both(failure) or pairs.by_case(failure)
    shown = next((each.seen.spec.kind for each in failure.evidence if each.failed), "")
    names = tuple(sorted(names, key=lambda name: shown not in _checks_failed(failure, name)))
    for believed in map(failure.question.misconception, names):
        if believed is not None:
            yield Diagnosis("mistake", believed.truth, believed.id)


def _checks_failed(failure: WrongExercise, misconception: str) -> set[str]:
    """The checks that the mistakes with this misconception fail; a report shows the first that failed."""
    mistakes = (each.mistake for each in failure.known if each.mistake.misconception == misconception)
    return {check.partition("/")[0] for mistake in mistakes for check in mistake.fails}


def diagnose(
    evidence: Sequence[Evidence], signatures: Sequence[MistakeSignature], array_type: ArrayType
) -> Mistake | None:
    """The mistake that explains the evidence; None unless exactly one does."""
    counted = [at for at, each in enumerate(evidence) if each.counts]
    values = [number for number in counted if evidence[number].of_values]
    if found := _only(evidence, signatures, counted, array_type):
        return found
    if any(evidence[number].failed for number in values):
        return _only(evidence, signatures, values, array_type)
    return None


def _only(
    evidence: Sequence[Evidence], signatures: Sequence[MistakeSignature], numbers: Sequence[int], array_type: ArrayType
) -> Mistake | None:
    """The only mistake that agrees with the evidence at all ``numbers``.

    At least one observation must be a returned value, so code that always raises agrees with nothing.
    """
    found = [
        each.mistake
        for each in signatures
        if all(
            agree(evidence[at].signature, each.observations[at], array_type, evidence[at].seen.spec.kind)
            for at in numbers
        )
        and any(isinstance(seen, Returned) for at in numbers for seen in evidence[at].signature)
    ]
    return found[0] if len({mistake.misconception for mistake in found}) == 1 else None


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
