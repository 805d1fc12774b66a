"""An explainer: a relation between the wrong results and the correct ones, or the results for other inputs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, Diagnosis, Exercise, Message, Observation, Returned, Text
from grader.grading import checks
from grader.grading.explaining import relations, terms
from grader.grading.explaining.evidence import Evidence, OtherInputs, WrongExercise, WrongPart, hidden_pairs, own, parts
from grader.grading.explaining.relations import ENOUGH, Pair, leaves, near
from grader.grading.inputs import Drawn
from grader.grading.plan import reference_target
from grader.submission.messages import printable

#: More integers and booleans than floats are required, because small ones agree by chance.
_ENOUGH_EXACT = 8
#: The correct result is not looked for among more parts than this.
_MOST_PARTS = 64
#: The maximum number of hidden cases in which a term is looked for.
_MOST_CONFIRMING = 3
#: The longest key that is quoted.
_LONGEST_KEY = 80
#: The maximum number of inputs that the reference is run on for one explanation.
_MOST_INPUTS = 240


def relation(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The relation of the lowest rank that holds in every public case that fails, if any.

    If several values are returned, it is about the first value that has one.
    """
    if (beside := _among(failure)) is not None and (beside is _NOTHING or not failure.exercise.through):
        yield Diagnosis("relation", beside)
        return
    if (order := _order(failure)) is not None:
        numbers = [str(at + 1) for at in order]
        yield Diagnosis("relation", _REORDERED.fill(order=Text(", ".join(numbers), "、".join(numbers))))
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
        if kind.RANK == relations.AFTER_TERMS and (said := _term(failure, part)) is not None:
            return _about(failure, part, said)
        if hasattr(kind, "others"):
            if (said := _elsewhere(kind, failure, part, whole=True)) is not None:
                return said
        elif (said := _confirmed(kind, failure, part)) is not None:
            return _about(failure, part, said)
    for kind in ranked if part.at else ():
        if hasattr(kind, "others") and (said := _elsewhere(kind, failure, part, whole=False)) is not None:
            return _about(failure, part, said)
    return None


def _term(failure: WrongExercise, part: WrongPart) -> Text | None:
    """The message about a missing term or factor, which has to explain some hidden cases, too, if there are any."""
    hidden = list(hidden_pairs(failure, part.at))[:_MOST_CONFIRMING]
    pairs = (*part.pairs, *(pair for _, pair in hidden))
    if len(pairs) < 2:
        return None
    return terms.find(pairs, failure.landmarks((*part.evidence, *(each for each, _ in hidden))))


def _confirmed(kind: relations.Relation, failure: WrongExercise, part: WrongPart) -> Text | None:
    """The message of a relation that also holds in most hidden cases that fail, which have other sizes and numbers.

    If none does, but a more general one in all cases, its message.
    """
    said = kind.relate(part.pairs)
    if said is None:
        return None
    hidden = [pair for _, pair in hidden_pairs(failure, part.at)]
    holds = [kind.relate((*part.pairs, pair)) == said for pair in hidden]
    return said if 2 * sum(holds) > len(holds) or not holds else kind.relate((*part.pairs, *hidden))


def _about(failure: WrongExercise, part: WrongPart, said: Text) -> Text | None:
    """``said``, preceded by which of several values it is about; None if the learner's code does not return them."""
    if not part.at:
        return said
    return None if failure.exercise.through else _PART.fill(where=_where(part), said=said)


def _where(part: WrongPart) -> Text:
    """Which value of several it is about, in words."""
    match part.evidence[0].seen.expected:
        case (Returned((dict() | list() | tuple() as values,)),):
            return _place(values, part.at)
    raise ValueError("not one of several values")


def _place(values: dict[str, Any] | list[Any] | tuple[Any, ...], path: tuple[Any, ...]) -> Text:
    """Which of ``values`` the one at the end of ``path`` is, or is in."""
    if isinstance(values, dict):
        return _KEY.fill(key=printable(repr(path[0]), _LONGEST_KEY))
    return _ITEM.fill(number=path[0] + 1, count=len(values))


_PART = Message("In what you return ({where}): {said}")
_AMONG = Message("The correct result is one of the values that you return ({where}). Return only that one.")
_NOTHING = Message("The call returns nothing: `return` what you computed.")
_ITEM = Message("result {number} of {count}")
_KEY = Message("under the key {key}")
_REORDERED = Message(
    "The values that you return are correct, but in the wrong order. The task asks for yours in the order {order}."
)
_MOST_RETURNED = 5
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


def _order(failure: WrongExercise) -> tuple[int, ...] | None:
    """The order in which the returned values would be correct, in every case that fails; None if there is none."""
    wrong = [each for each in failure.evidence if each.failed and each.of_values]
    found = {_order_in(each) for each in wrong}
    public = any(each.seen.case.public for each in wrong)
    return found.pop() if len(found) == 1 and public and not failure.exercise.through else None


def _order_in(evidence: Evidence) -> tuple[int, ...] | None:
    match evidence.seen.got, evidence.seen.expected:
        case (Returned(((tuple() | list()) as got,)),), (Returned(((tuple() | list()) as expected,)),):
            mine, right = list(map(_arrays, got)), list(map(_arrays, expected))
        case _:
            return None
    if len(mine) != len(right) or not 2 <= len(mine) <= _MOST_RETURNED or not all(mine) or not all(right):
        return None
    orders = [
        order
        for order in itertools.permutations(range(len(mine)))
        if all(_near(mine[at], each) for at, each in zip(order, right, strict=True))
    ]
    return orders[0] if len(orders) == 1 and orders[0] != tuple(range(len(mine))) else None


def _arrays(value: object) -> dict[tuple[Any, ...], NDArray[Any]]:
    return dict(leaves(value)) if isinstance(value, (Array, list, tuple)) else {}


def _near(one: dict[tuple[Any, ...], NDArray[Any]], other: dict[tuple[Any, ...], NDArray[Any]]) -> bool:
    return one.keys() == other.keys() and all(near(one[at], other[at]) for at in one)


def _is_nothing(got: Sequence[Observation]) -> bool:
    """Whether the result is None, or consists of nothing but None."""
    match got:
        case (Returned((value,)),):
            return _is_only_none(value)
    return False


def _is_only_none(value: object) -> bool:
    if isinstance(value, (dict, list, tuple)):
        return bool(value) and all(map(_is_only_none, value.values() if isinstance(value, dict) else value))
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
        return Message("Every part of the correct result is there, but in separate arrays: combine them into one.")
    places = [next((at for at, array in mine.items() if near(array, each)), ()) for each in right]
    if not all(places):
        return None
    return _ORDER.fill(count=len(right)) if len(right) > 1 else _AMONG.fill(where=_place(got, places[0]))


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
            return other.said if _holds_in_others(kind, failure, part, other.said, whole) else None
    return None


def _holds_in_others(
    kind: relations.Relation, failure: WrongExercise, part: WrongPart, said: Text, whole: bool
) -> bool:
    """Whether the same other inputs give what was returned in most other cases that fail, and in most that do not.

    Cases have other sizes, for which numbers that agree by chance do not agree.
    """
    chosen = {pair.case for pair in part.pairs}
    unseen = [
        each for each in failure.evidence if each.counts and each.of_values and each.seen.case.title not in chosen
    ]
    inputs = [(each, _inputs(kind, failure.exercise, each.seen.drawn).get(said)) for each in unseen]
    for failed in (True, False):
        cases = [(each, other) for each, other in inputs if other is not None and each.failed is failed]
        held = [
            _same(result, each.seen.got, part.at, whole)
            for result, (each, _) in zip(_results(failure, said, cases), cases, strict=True)
            if isinstance(result, Returned)
        ]
        if 2 * sum(held) <= len(held) > 0:
            return False
    return True


def _results(failure: WrongExercise, said: Text, cases: Sequence[tuple[Evidence, Drawn]]) -> tuple[Observation, ...]:
    """What the reference returns for these inputs, which ``said`` describes, in the cases that they replace."""
    if not cases:
        return ()
    key = (failure.exercise.name, said, *(each.seen.case.name for each, _ in cases))
    inputs = [drawn for _, drawn in cases]
    (found,) = failure.cached(key, lambda: (OtherInputs(said, _run(failure, cases[0][0], inputs)),))
    return found.results


def _others(kind: relations.Relation, failure: WrongExercise, part: WrongPart) -> tuple[OtherInputs, ...]:
    """What the reference returns for the other inputs that exist in every case."""
    count = len(part.evidence)
    asked = [_inputs(kind, failure.exercise, each.seen.drawn) for each in part.evidence]
    sentences = [said for said in asked[0] if all(said in each for each in asked)]
    inputs = [(said, number) for said in sentences for number in range(count)][:_MOST_INPUTS]
    ran = _run(failure, part.evidence[0], [asked[number][said] for said, number in inputs])
    results = dict(zip(inputs, ran, strict=True))
    complete = dict.fromkeys(said for said, number in inputs if number == count - 1)
    return tuple(OtherInputs(said, tuple(results[said, number] for number in range(count))) for said in complete)


def _inputs(kind: relations.Relation, exercise: Exercise, drawn: Drawn) -> dict[Text, Drawn]:
    """Other inputs by what is said of them; only arguments with names of the learner's are changed."""
    mine = own(exercise, drawn)
    names = {name for name, _ in mine.args}
    rest = tuple(each for each in drawn.args if each[0] not in names)
    return {said: replace(other, args=(*other.args, *rest)) for said, other in kind.others(exercise, mine)}


def _run(failure: WrongExercise, like: Evidence, inputs: Sequence[Drawn]) -> tuple[Observation, ...]:
    """What the reference returns for these inputs, in the check of ``like``."""
    if not inputs or failure.run is None:
        return ()
    target = reference_target(failure.exercise)
    calls = checks.kinds()[like.seen.spec.kind].calls
    return failure.run(tuple(calls(target, drawn, like.seen.spec)[0] for drawn in inputs))


def _is_telling(found: Sequence[Pair]) -> bool:
    """Whether there are enough numbers that results for other inputs do not agree by chance."""
    exact = all(pair.got.dtype.kind in "biu" for pair in found)
    return sum(pair.got.size for pair in found) >= (_ENOUGH_EXACT if exact else ENOUGH)


def _same(result: Observation, got: Sequence[Observation], at: tuple[object, ...], whole: bool) -> bool:
    """Whether both are equal: as a ``whole``, or in the part ``at`` this place."""
    match result, got:
        case Returned((theirs,)), (Returned((mine,)),):
            one, other = dict(leaves(theirs)), dict(leaves(mine))
            return _near(one, other) if whole else one.keys() == other.keys() and near(one[at], other[at])
    return False
