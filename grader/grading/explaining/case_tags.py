"""Tags of cases: properties of the inputs, each with phrases to use if it decides whether code is correct.

``{name}`` in a phrase is the argument that the tag is about. ``TAGS`` are tried in this order, the most informative
ones first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import array_arguments
from grader.grading.inputs import Drawn

_LARGE, _FAR, _MANY, _LONG = 50.0, 10.0, 8, 16


@dataclass(frozen=True, slots=True)
class CaseTag:
    """Phrases for cases ``having`` the tag and cases ``lacking`` it, to complete "every case where …"."""

    having: Text
    lacking: Text


_TAGS = {
    "given": CaseTag(Message("`{name}` is given"), Message("`{name}` is not given")),
    "true": CaseTag(Message("`{name}` is True"), Message("`{name}` is False")),
    "empty-rows": CaseTag(
        Message("some query may attend to no key at all"), Message("every query may attend to at least one key")
    ),
    "different-per-sample": CaseTag(
        Message("`{name}` differs from sample to sample"), Message("`{name}` is the same for all samples")
    ),
    "unequal-lengths": CaseTag(Message("`{name}` have different lengths"), Message("`{name}` have the same length")),
    "first-longer": CaseTag(Message("the first of `{name}` is longer"), Message("the first of `{name}` is not longer")),
    "first-shorter": CaseTag(
        Message("the first of `{name}` is shorter"), Message("the first of `{name}` is not shorter")
    ),
    "unequal-widths": CaseTag(Message("`{name}` have different widths"), Message("`{name}` have the same width")),
    "zero": CaseTag(Message("`{name}` is 0"), Message("`{name}` is not 0")),
    "negative": CaseTag(Message("`{name}` is negative"), Message("`{name}` is not negative")),
    "one": CaseTag(Message("`{name}` is 1"), Message("`{name}` is not 1")),
    "odd": CaseTag(Message("`{name}` is odd"), Message("`{name}` is not odd")),
    "holds-negative": CaseTag(Message("`{name}` has negative entries"), Message("`{name}` has no negative entries")),
    "holds-zero": CaseTag(Message("`{name}` contains 0"), Message("`{name}` does not contain 0")),
    "repeated": CaseTag(
        Message("`{name}` contains the same entry twice"), Message("the entries of `{name}` are all different")
    ),
    "large": CaseTag(Message("`{name}` has very large numbers"), Message("`{name}` has no very large numbers")),
    "offset": CaseTag(Message("the mean of `{name}` is far from 0"), Message("the mean of `{name}` is not far from 0")),
    "constant": CaseTag(
        Message("all numbers in `{name}` are equal"), Message("the numbers in `{name}` are not all equal")
    ),
    "several-samples": CaseTag(Message("`{name}` has several samples"), Message("`{name}` has only one sample")),
    "no-samples": CaseTag(Message("`{name}` has no batch axis"), Message("`{name}` has a batch axis")),
    "many-axes": CaseTag(Message("`{name}` has four or more axes"), Message("`{name}` has at most three axes")),
    "asymmetric": CaseTag(
        Message("`{name}` is square, but not symmetric"), Message("`{name}` is symmetric or not square")
    ),
    "square": CaseTag(
        Message("the last two axes of `{name}` have the same length"),
        Message("the last two axes of `{name}` differ in length"),
    ),
    "one-row": CaseTag(Message("`{name}` has only one row"), Message("`{name}` has several rows")),
    "odd-width": CaseTag(Message("`{name}` has an odd width"), Message("the width of `{name}` is even")),
    "odd-rows": CaseTag(
        Message("`{name}` has an odd number of rows"), Message("the number of rows of `{name}` is even")
    ),
    "fraction": CaseTag(Message("`{name}` is not a whole number"), Message("`{name}` is a whole number")),
    "many": CaseTag(Message("`{name}` is larger than 8"), Message("`{name}` is at most 8")),
    "long": CaseTag(Message("`{name}` has more than 16 rows"), Message("`{name}` has at most 16 rows")),
}
#: Every tag by name.
TAGS: Mapping[str, CaseTag] = MappingProxyType(_TAGS)
#: The name of a tag, and the argument that it is about; of two arguments, with a comma.
Tag: TypeAlias = tuple[str, str]


def tags(drawn: Drawn) -> Iterator[Tag]:
    """Every tag of a case with these inputs."""
    yield from _numbers(drawn)
    yield from _each(drawn)
    yield from _several(drawn)


def _numbers(drawn: Drawn) -> Iterator[Tag]:
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


def _each(drawn: Drawn) -> Iterator[Tag]:
    for name, array in array_arguments(drawn):
        facts = _shape(array) | (_mask(name, array) if array.dtype == bool else _entries(array))
        yield from ((tag, name) for tag, holds in facts.items() if holds)
        if array.dtype == bool and array.ndim > 1 and not array.any(axis=-1).all():
            yield "empty-rows", name


def _shape(array: NDArray[np.generic]) -> dict[str, bool]:
    several = array.ndim >= 2
    return {
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


def _several(drawn: Drawn) -> Iterator[Tag]:
    """The tags of pairs of arrays with rows."""
    arrays = [(name, array) for name, array in array_arguments(drawn) if array.ndim >= 2 and array.dtype != bool]
    for (one, first), (two, second) in itertools.combinations(arrays, 2):
        both = f"{one}, {two}"
        if first.shape[-2] != second.shape[-2]:
            yield "unequal-lengths", both
            yield ("first-longer" if first.shape[-2] > second.shape[-2] else "first-shorter"), both
        if first.shape[-1] != second.shape[-1]:
            yield "unequal-widths", both
