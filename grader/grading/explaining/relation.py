"""Voice 3: what holds between the wrong results and the correct ones, or the results for other inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Diagnosis, Observation, Returned, Text
from grader.grading import checks
from grader.grading.explaining import relations
from grader.grading.explaining.evidence import Evidence, Failure, pairs
from grader.grading.explaining.relations import ENOUGH, Pair, leaves, near
from grader.grading.inputs import Drawn
from grader.grading.plan import function_of, module_of
from grader.grading.programs import Target
from grader.submission.messages import printable

#: Of integers and truth values there have to be more, since small ones agree by chance.
_ENOUGH_EXACT = 8
#: In more parts than these the correct result is not looked for.
_MOST_PARTS = 64
#: The longest key that is quoted.
_LONGEST_KEY = 80
#: The most inputs that the reference is run on for one explanation.
_MOST_INPUTS = 240


def relation(failure: Failure) -> Iterator[Diagnosis]:
    """The relation of the lowest rank that holds in every public case that fails, if there is one."""
    found, beside = pairs(failure), _among(failure)
    if beside is not None:
        yield Diagnosis("relation", beside)
        return
    if not found:
        return
    ranked = sorted(relations.kinds().values(), key=lambda kind: kind.RANK)
    with np.errstate(all="ignore"):
        for kind in ranked:
            said = _told(kind, failure, found)
            if said is not None:
                yield Diagnosis("relation", said)
                return


_AMONG = Text(
    "The correct result is one of the values that you return ({where}). Return only that one.",
    "正确的结果就在你返回的内容里（{where}），请只返回它。",
)
_NOTHING = Text(
    "The call returns nothing: `return` what you computed.",
    "调用没有返回任何内容：请用 `return` 返回算出的结果。",
)
_ITEM = Text("item {number} of {count}", "{count} 个中的第 {number} 个")
_KEY = Text("under the key {key}", "键为 {key}")
_STACK = Text(
    "Every part of the correct result is there, but in separate arrays: combine them into one.",
    "正确结果的各部分都有，只是分成了几个数组：请把它们合成一个。",
)
_ORDER = Text(
    "All the values are there, but in a different form: return them as {count} values, in the order that the task "
    "gives.",
    "要求的值都有，只是形式不对：请返回 {count} 个值，次序与题目一致。",
)


def _told(kind: relations.Relation, failure: Failure, found: Sequence[Pair]) -> Text | None:
    if hasattr(kind, "others"):
        return _elsewhere(kind, failure, found)
    return kind.relate(found)


def _among(failure: Failure) -> Text | None:
    """Whether the correct result is part of what is returned."""
    wrong = list(failure.public_values())
    if wrong and all(_is_nothing(each.seen.got) for each in wrong):
        return _NOTHING
    said = {_part(each) for each in wrong}
    return said.pop() if len(said) == 1 else None


def _is_nothing(got: Sequence[Observation]) -> bool:
    """Whether what came back is None, also if it was asked for several times."""
    match got:
        case (Returned((None,)),):
            return True
        case (Returned(((tuple() | list()) as several,)),):
            return bool(several) and all(each is None for each in several)
    return False


def _stacked(parts: list[NDArray[Any]], whole: NDArray[Any]) -> bool:
    if len(parts) < 2 or len({part.shape for part in parts}) > 1:
        return False
    return any(near(np.stack(parts, axis), whole) for axis in range(parts[0].ndim + 1) if whole.ndim > parts[0].ndim)


def _part(evidence: Evidence) -> Text | None:
    """The sentence if the correct result is part of what came back in this case."""
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
    """What came back, part by part; plain numbers are parts, too."""
    if not isinstance(got, dict) and all(type(each) in (int, float) for each in got):
        return {(at,): np.asarray(each) for at, each in enumerate(got)}
    return dict(leaves(got))


def _elsewhere(kind: relations.Relation, failure: Failure, found: Sequence[Pair]) -> Text | None:
    """The sentence of the other inputs whose correct results are those of every case."""
    if failure.run is None or not _is_telling(found):
        return None
    asked: list[list[tuple[Text, Drawn]]] = [list(kind.others(failure.exercise, pair.drawn)) for pair in found]
    sentences = [said for said, _ in asked[0] if all(said in [other for other, _ in each] for each in asked)]
    inputs = [(said, number) for said in sentences for number in range(len(found))][:_MOST_INPUTS]
    if not inputs:
        return None
    exercise = failure.exercise
    target = Target(exercise, module_of(exercise), "torch", "float64", calls=function_of(exercise))
    spec = next(each.seen.spec for each in failure.public_values())
    jobs = [checks.kinds()[spec.kind].calls(target, dict(asked[number])[said], spec)[0] for said, number in inputs]
    seen = failure.run(tuple(jobs))
    results = dict(zip(inputs, seen, strict=True))
    for said in dict.fromkeys(said for said, number in inputs if number == len(found) - 1):
        if all(_same(results[said, number], each.seen.got) for number, each in enumerate(failure.public_values())):
            return said
    return None


def _is_telling(found: Sequence[Pair]) -> bool:
    """Whether there are so many numbers that the result for some other inputs does not agree by chance."""
    exact = all(pair.got.dtype.kind in "biu" for pair in found)
    return sum(pair.got.size for pair in found) >= (_ENOUGH_EXACT if exact else ENOUGH)


def _same(result: Observation, got: Sequence[Observation]) -> bool:
    match result, got:
        case Returned((theirs,)), (Returned((mine,)),):
            one, other = dict(leaves(theirs)), dict(leaves(mine))
            return one.keys() == other.keys() and all(near(one[at], other[at]) for at in one)
    return False
