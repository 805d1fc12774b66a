"""An explainer: a relation between the wrong results and the correct ones, or the results for other inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Diagnosis, Message, Observation, Returned, Text
from grader.grading import checks
from grader.grading.explaining import relations
from grader.grading.explaining.evidence import Evidence, OtherInputs, WrongExercise, WrongPart, parts
from grader.grading.explaining.relations import ENOUGH, Pair, leaves, near
from grader.grading.inputs import Drawn
from grader.grading.plan import function_of, module_of
from grader.grading.programs import Target
from grader.submission.messages import printable

#: More integers and booleans than floats are required, because small ones agree by chance.
_ENOUGH_EXACT = 8
#: The correct result is not looked for among more parts than this.
_MOST_PARTS = 64
#: The longest key that is quoted.
_LONGEST_KEY = 80
#: The maximum number of inputs that the reference is run on for one explanation.
_MOST_INPUTS = 240


def relation(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The relation of the lowest rank that holds in every public case that fails, if any.

    If several values are returned, it is about the first value that has one.
    """
    if (beside := _among(failure)) is not None:
        yield Diagnosis("relation", beside)
        return
    with np.errstate(all="ignore"):
        for part in parts(failure):
            if (said := _said(failure, part)) is not None:
                yield Diagnosis("relation", said)
                return


def _said(failure: WrongExercise, part: WrongPart) -> Text | None:
    """The message of the relation with the lowest rank. Relations to other inputs that hold for one value come last."""
    ranked = sorted(relations.kinds().values(), key=lambda kind: kind.RANK)
    for kind in ranked:
        if hasattr(kind, "others"):
            if (said := _elsewhere(kind, failure, part, whole=True)) is not None:
                return said
        elif (said := kind.relate(part.pairs)) is not None:
            return _about(part, said)
    for kind in ranked if part.at else ():
        if hasattr(kind, "others") and (said := _elsewhere(kind, failure, part, whole=False)) is not None:
            return _about(part, said)
    return None


def _about(part: WrongPart, said: Text) -> Text:
    """``said``, preceded by which of several values it is about."""
    return _PART.fill(where=_where(part), said=said) if part.at else said


def _where(part: WrongPart) -> Text:
    """Which value of several it is, in words."""
    match part.evidence[0].seen.expected, part.at:
        case (Returned((dict(),)),), (first, *_):
            return _KEY.fill(key=printable(repr(first), _LONGEST_KEY))
        case (Returned(((tuple() | list()) as values,)),), (int() as first, *_):
            return _ITEM.fill(number=first + 1, count=len(values))
    raise ValueError("not one of several values")


_PART = Message("In what you return ({where}): {said}")
_AMONG = Message("The correct result is one of the values that you return ({where}). Return only that one.")
_NOTHING = Message("The call returns nothing: `return` what you computed.")
_ITEM = Message("item {number} of {count}")
_KEY = Message("under the key {key}")
_STACK = Message("Every part of the correct result is there, but in separate arrays: combine them into one.")
_ORDER = Message(
    "All the values are there, but in a different form: return them as {count} values, in the order that the task "
    "gives."
)


def _among(failure: WrongExercise) -> Text | None:
    """Whether the correct result is part of what is returned."""
    wrong = list(failure.public_values())
    if wrong and all(_is_nothing(each.seen.got) for each in wrong):
        return _NOTHING
    said = {_part(each) for each in wrong}
    return said.pop() if len(said) == 1 else None


def _is_nothing(got: Sequence[Observation]) -> bool:
    """Whether the result is None, or consists of nothing but None."""
    match got:
        case (Returned((value,)),):
            return _is_only_none(value)
    return False


def _is_only_none(value: object) -> bool:
    if isinstance(value, dict):
        return bool(value) and all(map(_is_only_none, value.values()))
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_only_none, value))
    return value is None


def _stacked(parts: list[NDArray[Any]], whole: NDArray[Any]) -> bool:
    if len(parts) < 2 or len({part.shape for part in parts}) > 1:
        return False
    return any(near(np.stack(parts, axis), whole) for axis in range(parts[0].ndim + 1) if whole.ndim > parts[0].ndim)


def _part(evidence: Evidence) -> Text | None:
    """The message if the correct result is part of what was returned in this case; else None."""
    match evidence.seen.got, evidence.seen.expected:
        case (Returned((dict() | list() | tuple() as got,)),), (Returned((expected,)),):
            mine, right = _parts(got), [array for _, array in leaves(expected)]
        case _:
            return None
    if type(expected) is type(got) or not right or len(mine) > _MOST_PARTS:
        return None
    if len(right) == 1 and not isinstance(got, dict) and _stacked(list(mine.values()), right[0]):
        return _STACK
    places = [next((at for at, array in mine.items() if near(array, each)), ()) for each in right]
    if not all(places):
        return None
    if len(right) > 1:
        return _ORDER.fill(count=len(right))
    first = places[0][0]
    where = (
        _KEY.fill(key=printable(repr(first), _LONGEST_KEY))
        if isinstance(got, dict)
        else _ITEM.fill(number=first + 1, count=len(got))
    )
    return _AMONG.fill(where=where)


def _parts(got: dict[str, Any] | list[Any] | tuple[Any, ...]) -> dict[tuple[Any, ...], NDArray[Any]]:
    """The parts of what was returned, by path; plain numbers count as parts."""
    if not isinstance(got, dict) and all(type(each) in (int, float) for each in got):
        return {(at,): np.asarray(each) for at, each in enumerate(got)}
    return dict(leaves(got))


def _elsewhere(kind: relations.Relation, failure: WrongExercise, part: WrongPart, whole: bool) -> Text | None:
    """The message about other inputs whose correct results were returned: as a ``whole``, or in ``part``."""
    if failure.run is None or not _is_telling(part.pairs):
        return None
    key = (failure.exercise.name, kind.RANK, *(pair.case for pair in part.pairs))
    for other in failure.cached(key, lambda: _others(kind, failure, part)):
        both = zip(other.results, part.evidence, strict=True)
        if all(_same(result, each.seen.got, part.at, whole) for result, each in both):
            return other.said
    return None


def _others(kind: relations.Relation, failure: WrongExercise, part: WrongPart) -> tuple[OtherInputs, ...]:
    """What the reference returns for the other inputs that exist in every case."""
    assert failure.run is not None
    exercise, count = failure.exercise, len(part.pairs)
    asked: list[list[tuple[Text, Drawn]]] = [list(kind.others(exercise, pair.drawn)) for pair in part.pairs]
    sentences = [said for said, _ in asked[0] if all(said in [other for other, _ in each] for each in asked)]
    inputs = [(said, number) for said in sentences for number in range(count)][:_MOST_INPUTS]
    if not inputs:
        return ()
    target = Target(exercise, module_of(exercise), "torch", "float64", calls=function_of(exercise))
    spec = part.evidence[0].seen.spec
    jobs = [checks.kinds()[spec.kind].calls(target, dict(asked[number])[said], spec)[0] for said, number in inputs]
    results = dict(zip(inputs, failure.run(tuple(jobs)), strict=True))
    complete = dict.fromkeys(said for said, number in inputs if number == count - 1)
    return tuple(OtherInputs(said, tuple(results[said, number] for number in range(count))) for said in complete)


def _is_telling(found: Sequence[Pair]) -> bool:
    """Whether there are enough numbers that results for other inputs do not agree by chance."""
    exact = all(pair.got.dtype.kind in "biu" for pair in found)
    return sum(pair.got.size for pair in found) >= (_ENOUGH_EXACT if exact else ENOUGH)


def _same(result: Observation, got: Sequence[Observation], at: tuple[object, ...], whole: bool) -> bool:
    """Whether both are equal: as a ``whole``, or in the part ``at`` this place."""
    match result, got:
        case Returned((theirs,)), (Returned((mine,)),):
            one, other = dict(leaves(theirs)), dict(leaves(mine))
            places = other.keys() if whole else {at}
            return one.keys() == other.keys() and all(near(one[place], other[place]) for place in places)
    return False
