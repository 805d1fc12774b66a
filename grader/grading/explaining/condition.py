"""An explainer: the condition under which code is wrong, if it is correct whenever the condition is false."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Case, Diagnosis, Exercise, Message, Text, Verdict
from grader.core.text import name_list
from grader.grading.checks import kinds
from grader.grading.checks.repeatable import DIFFERENT, STATE
from grader.grading.explaining.case_tags import TAGS
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.relations import array_arguments
from grader.grading.inputs import Drawn

_SAYS = Message("Correct in every case where {right}; wrong in every case where {wrong}.")
_ONLY_WRONG = Message("Correct in {right} of {all} cases; wrong only in {names}.")
_ONLY_RIGHT = Message("Wrong in most of the {all} cases; correct only in {names}.")
_NOT_REPEATABLE = Message(
    "The same call does not always give the same result: something in it is random, or it keeps something from an "
    "earlier call."
)
#: The maximum number of cases that are named.
_FEW = 4
#: From this tag on, at least ``_BOTH`` cases must be correct, and as many wrong.
_FIRST_WEAK, _BOTH = "several-samples", 2
#: With fewer cases, any split would have some tag by chance.
_FEWEST = 3
_LARGE, _FAR, _MANY, _LONG = 50.0, 10.0, 8, 16


def condition(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The first tag that all wrong cases have and no correct one has, or the reverse."""
    main = _main_check(failure.exercise)
    values = [each for each in failure.evidence if each.counts and each.seen.spec.kind == main]
    wrong = {each.seen.case.name for each in values if each.failed}
    said_of_calls = [each.verdict.message for each in failure.evidence if each.counts]
    if wrong and (DIFFERENT in said_of_calls or STATE in said_of_calls):
        yield Diagnosis("condition", _NOT_REPEATABLE)
    if values and not wrong:
        alone = [_of_check(each) for each in failure.evidence if each.failed]
        yield from (Diagnosis("condition", said) for said in dict.fromkeys(alone) if said is not None)
        return
    tags = {each.seen.case.name: set(_tags(each.seen.case, each.seen.drawn)) for each in values}
    if len(tags) < _FEWEST or not wrong < tags.keys():
        return
    said = _split(tags, wrong) or _named(wrong, set(tags))
    if said is not None:
        yield Diagnosis("condition", said)


def _of_check(evidence: Evidence) -> Text | None:
    """The explanation if only this check fails."""
    check = kinds()[evidence.seen.spec.kind]
    alone: Callable[[Verdict], Text | None] | None = getattr(check, "alone", None)
    return check.ALONE if alone is None else alone(evidence.verdict)


def _main_check(exercise: Exercise) -> str:
    """The check that compares results: ``values``, or the one with the largest weight where there is none."""
    if any(spec.kind == "values" for spec in exercise.checks):
        return "values"
    return max(exercise.checks, key=lambda spec: spec.weight).kind


def _named(wrong: set[str], cases: set[str]) -> Text | None:
    """The names of the wrong cases or of the correct ones, whichever are fewer."""
    right = cases - wrong
    fewer, said = (wrong, _ONLY_WRONG) if len(wrong) <= len(right) else (right, _ONLY_RIGHT)
    if len(fewer) > _FEW:
        return None
    names = name_list(f"“{name}”" for name in sorted(fewer))
    return said.fill(right=len(right), all=len(cases), names=names)


def _split(tags: Mapping[str, set[_Tag]], wrong: set[str]) -> Text | None:
    """The first tag that separates wrong cases from correct ones."""
    order = list(TAGS)
    fewest = min(len(wrong), len(tags) - len(wrong))
    for key in sorted(set().union(*tags.values()), key=lambda key: (order.index(key[0]), key[1])):
        if fewest < _BOTH and order.index(key[0]) >= order.index(_FIRST_WEAK):
            break  # a single case has many such properties by chance
        having = {case for case, found in tags.items() if key in found}
        tag = TAGS[key[0]]
        sentences = {"having": tag.having.fill(name=key[1]), "lacking": tag.lacking.fill(name=key[1])}
        if having == wrong:
            return _SAYS.fill(right=sentences["lacking"], wrong=sentences["having"])
        if having == tags.keys() - wrong:
            return _SAYS.fill(right=sentences["having"], wrong=sentences["lacking"])
    return None


_Tag = tuple[str, str]


def _tags(case: Case, drawn: Drawn) -> Iterator[_Tag]:
    """Every tag of a case, as (name of the tag, argument that it is about)."""
    if case.then:
        yield "second-call", ""
    yield from _numbers(drawn)
    yield from _each(drawn)
    yield from _several(drawn)


def _numbers(drawn: Drawn) -> Iterator[_Tag]:
    for name, value in (*drawn.construct, *drawn.args):
        if value is None:
            continue
        yield "given", name
        if type(value) is bool and value:
            yield "true", name
        if type(value) in (int, float):
            facts = {
                "zero": value == 0,
                "negative": value < 0,
                "one": value == 1,
                "odd": value % 2 == 1,
                "fraction": value != int(value),
                "many": value > _MANY,
            }
            yield from ((tag, name) for tag, holds in facts.items() if holds)


def _each(drawn: Drawn) -> Iterator[_Tag]:
    for name, array in array_arguments(drawn):
        facts = _shape(array) | (_mask(name, array) if array.dtype == bool else _entries(array))
        yield from ((tag, name) for tag, holds in facts.items() if holds)
        if array.dtype == bool and array.ndim > 1 and not array.any(axis=-1).all():
            yield "empty-rows", ""


def _shape(array: NDArray[np.generic]) -> dict[str, bool]:
    several = array.ndim >= 2
    return {
        "empty": array.size == 0,
        "several-samples": array.ndim >= 3 and array.shape[0] > 1,
        "no-samples": array.ndim <= 2,
        "many-axes": array.ndim >= 4,
        "square": several and array.shape[-1] == array.shape[-2],
        "one-row": several and array.shape[-2] == 1,
        "odd-width": array.shape[-1] % 2 == 1,
        "odd-rows": several and array.shape[-2] % 2 == 1,
        "long": several and array.shape[-2] > _LONG,
    }


def _mask(name: str, mask: NDArray[np.generic]) -> dict[str, bool]:
    """The tags of a mask. Two axes are queries and keys, except in a padding mask (samples and keys)."""
    sampled = mask.ndim > 2 or (mask.ndim == 2 and name == "key_padding")
    square = mask.ndim >= 2 and mask.shape[-1] == mask.shape[-2]
    return {
        "different-per-sample": sampled and mask.shape[0] > 1 and not (mask == mask[:1]).all(),
        "asymmetric": square and not np.array_equal(mask, mask.swapaxes(-1, -2)),
    }


def _entries(array: NDArray[np.generic]) -> dict[str, bool]:
    if not array.size or array.dtype.kind not in "if":
        return {}
    numbers = array.astype(np.float64)
    ids = array.dtype.kind == "i"
    return {
        "holds-negative": bool((numbers < 0).any()),
        "holds-zero": ids and bool((numbers == 0).any()),
        "repeated": ids and len(np.unique(numbers)) < numbers.size,
        "large": not ids and bool(np.abs(numbers).max() > _LARGE),
        "offset": not ids and bool(abs(numbers.mean()) > _FAR * max(float(numbers.std()), 1e-6)),
        "constant": numbers.size > 1 and bool(np.ptp(numbers) == 0),
    }


def _several(drawn: Drawn) -> Iterator[_Tag]:
    """The tags of pairs of arrays with rows."""
    arrays = [(name, array) for name, array in array_arguments(drawn) if array.ndim >= 2 and array.dtype != bool]
    for (one, first), (two, second) in itertools.combinations(arrays, 2):
        both = f"{one}, {two}"
        if first.shape[-2] != second.shape[-2]:
            yield "unequal-lengths", both
            yield ("first-longer" if first.shape[-2] > second.shape[-2] else "first-shorter"), both
        if first.shape[-1] != second.shape[-1]:
            yield "unequal-widths", both
