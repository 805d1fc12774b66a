"""Tags of cases: properties of the inputs, each with phrases to use if it decides whether code is correct.

The phrases are in ``case_tags.yaml``.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Text
from grader.core.tables import table, text_of
from grader.grading.explaining.relations import array_arguments
from grader.grading.inputs import Drawn

_LARGE, _FAR, _MANY, _LONG = 50.0, 10.0, 8, 16


@dataclass(frozen=True, slots=True)
class CaseTag:
    """Phrases for cases ``having`` the tag and cases ``lacking`` it, to complete "every case where …"."""

    having: Text
    lacking: Text


@functools.cache
def phrases() -> Mapping[str, CaseTag]:
    """The phrases of every tag by its name, in the order in which tags are tried."""
    rows = table(__file__, "case_tags.yaml").items()
    return {name: CaseTag(text_of(row["having"]), text_of(row["lacking"])) for name, row in rows}


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
        "no-samples": array.ndim <= 2 and array.dtype.kind == "f",  # ids may have one text per row
        "one-axis": array.ndim == 1,
        "three-axes": array.ndim == 3,
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
