"""Finds two mistakes that explain what no single mistake does: both at once, or each in different cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Observation, Returned
from grader.course import edits
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.mistakes import agree
from grader.grading.explaining.relations import ENOUGH, equal_entries, leaves
from grader.grading.plan import module_of

#: The maximum number of pairs that are run for one failing exercise.
_MOST_RUN = 40
#: One in so many cases may have another result than that of the only mistake that changes it.
_ODD = 4
#: With fewer different numbers in the wrong results, two mistakes could explain them by chance.
_TELLING = 2 * ENOUGH
#: How many different numbers such results need at least: all mistakes may have the same constant.
_DIFFERENT = 3


def both(failure: WrongExercise) -> tuple[str, ...]:
    """The misconceptions of the pair that explains all evidence; first, one that changes the case that a report shows.

    If several pairs do, only the misconceptions that they share are returned. Results that say little, such as counts,
    have to be those of the pair for all fresh inputs, too.
    """
    values = tuple(at for at, each in enumerate(failure.evidence) if each.counts and each.of_values)
    telling = {at: _tells(failure.evidence[at].signature) for at in values if failure.evidence[at].failed}
    if failure.pair is None or not telling:
        return ()
    most = max(telling, key=lambda at: telling[at])
    found, known, changed = [], failure.known, failure.changed()
    for one, two in itertools.islice(_candidates(failure), _MOST_RUN):
        # Nearly all pairs fail the first test, which is cheap.
        agrees = all(_explains(failure, (one, two), numbers) for numbers in ((most,), values))
        if agrees and (sum(telling.values()) >= _TELLING or _is_confirmed(failure, one, two)):
            ordered = sorted((one, two), key=lambda number: min(telling) not in changed[number])
            found.append(tuple(known[number].mistake.misconception for number in ordered))
    if not found:
        return ()
    shared = set(found[0]).intersection(*map(set, found[1:]))
    return tuple(dict.fromkeys(name for name in found[0] if name in shared))


def _is_confirmed(failure: WrongExercise, one: int, two: int) -> bool:
    """Whether the code does what both mistakes together do, for all fresh inputs, and not always the same."""
    made = (failure.known[one].mistake.edits, failure.known[two].mistake.edits)
    both = edits.apply_both(failure.course.reference, *made, module_of(failure.exercise))
    wrong = [_entries(each.signature) for each in failure.evidence if each.failed and each.of_values]
    numbers = {number for found in wrong for each in found.values() for number in each.ravel().tolist()}
    return len(numbers) >= _DIFFERENT and {*failure.rerun(failure.fresh(), reference=both)} == {True}


def _candidates(failure: WrongExercise) -> Iterator[tuple[int, int]]:
    """The pairs (indices) that may explain the evidence, judged by what each of the two mistakes does alone.

    A case that neither changes must be correct, and one that both change may have any result. One that a single mistake
    changes has the result of that mistake in all cases (these pairs come first) or in most, because the other mistake
    may need the first to matter. Most numbers of a case that only one of them changes must be wrong: one mistake may
    undo another, whose text is then not true.
    """
    known = failure.known
    values = [(at, each) for at, each in enumerate(failure.evidence) if each.counts and each.of_values]
    changed = [each.intersection(at for at, _ in values) for each in failure.changed()]
    same = [{at for at, each in values if _agrees(failure, at, mistake.observations[at])} for mistake in known]
    failed = {at for at, each in values if each.failed}
    made = [at for at, each in enumerate(known) if not failure.rules_out(each.mistake)]
    found = []
    for one, two in itertools.combinations(made, 2):
        odd = (changed[one] - changed[two] - same[one]) | (changed[two] - changed[one] - same[two])
        covered = changed[one] and changed[two] and odd <= failed <= changed[one] | changed[two]
        both = ((each, known[one].observations[at], known[two].observations[at]) for at, each in values)
        if covered and _ODD * len(odd) <= len(values) and not any(itertools.starmap(_is_undone, both)):
            found.append((len(odd), one, two))
    return ((one, two) for _, one, two in sorted(found))


def _is_undone(evidence: Evidence, *alone: Sequence[Observation]) -> bool:
    """Whether most numbers are correct that exactly one of two mistakes makes wrong ``alone``."""
    right, *others = map(_entries, (evidence.seen.expected, evidence.signature, *alone))
    alike = (at for at in right if all(at in each and each[at].shape == right[at].shape for each in others))
    correct = ([equal_entries(each[at], right[at]) for each in others] for at in alike)
    return any(2 * (mine & (one != two)).sum() > (one != two).sum() for mine, one, two in correct)


def _explains(failure: WrongExercise, mistakes: tuple[int, int], numbers: tuple[int, ...]) -> bool:
    """Whether both mistakes together give the observed results, in the evidence with these ``numbers``."""
    assert failure.pair is not None
    observed = failure.pair(*mistakes, numbers)
    return observed is not None and all(_agrees(failure, at, seen) for at, seen in zip(numbers, observed, strict=True))


def by_case(failure: WrongExercise) -> tuple[str, ...]:
    """Two misconceptions that together explain all wrong cases, each at least two that the other does not.

    A mistake explains a case if it gives the observed result; the one that explains the earliest case, which a report
    shows, is the first. Empty if several pairs would explain the cases.
    """
    failed = [at for at, each in enumerate(failure.evidence) if each.failed and each.of_values]
    if any(_tells(failure.evidence[at].signature) < ENOUGH for at in failed):
        return ()  # too little information for any explanation
    explained: dict[str, set[int]] = {}
    for mistake in failure.known:
        if failure.rules_out(mistake.mistake):
            continue
        here = {at for at in failed if _agrees(failure, at, mistake.observations[at])}
        explained[mistake.mistake.misconception] = explained.get(mistake.mistake.misconception, set()) | here
    covers = [
        (one, two)
        for one, two in itertools.combinations(explained, 2)
        if len(explained[one] | explained[two]) == len(failed)
        and len(explained[one] - explained[two]) >= 2
        and len(explained[two] - explained[one]) >= 2
    ]
    return tuple(sorted(covers[0], key=lambda name: min(explained[name]))) if len(covers) == 1 else ()


def _agrees(failure: WrongExercise, at: int, seen: tuple[Observation, ...]) -> bool:
    """Whether a mistake gives the observed result in this case of the check ``values``."""
    return agree(failure.evidence[at].signature, seen, failure.array_type, "values")


def _tells(seen: tuple[Observation, ...]) -> int:
    """How informative results are: the number of distinct numbers in arrays; of four booleans, one counts."""
    return sum(map(_numbers, _entries(seen).values()))


def _entries(seen: Sequence[Observation]) -> dict[tuple[Any, ...], NDArray[Any]]:
    """The arrays and numbers that programs returned, each with its place."""
    return dict(leaves([each.values for each in seen if isinstance(each, Returned)]))


def _numbers(array: NDArray[Any]) -> int:
    if not array.ndim:  # an integer is often a count, which other formulas give by chance
        return 0 if float(array).is_integer() else 2
    return array.size // 4 if array.dtype.kind == "b" else len(np.unique(array))
