"""Which term or factor a result has too much or too little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.core.model import Text
from grader.grading.explaining import terms
from grader.grading.explaining.terms import NamedValue
from tests.explaining import ROWS, pair

SMALL = ROWS[:2, :3]
STD = (ROWS.std(-1, keepdims=True), SMALL.std(-1, keepdims=True))


def said(*results: tuple[Any, Any], values: tuple[Any, ...], **args: tuple[Any, ...]) -> str:
    """What is said of (result, correct one) for each case, where the reference has ``values``."""
    given = [{name: each[at] for name, each in args.items()} for at in range(len(results))]
    pairs = [pair(got, expected, **more) for (got, expected), more in zip(results, given, strict=True)]
    text = terms.find(pairs, [NamedValue(Text("the part", "那部分"), tuple(map(np.asarray, values)))])
    return text.en if text else ""


@pytest.mark.parametrize(
    ("change", "values", "expected"),
    [
        (lambda x, part: x - part, (ROWS**2, SMALL**2), "minus this term: the part."),
        (lambda x, part: x + part, (ROWS**2, SMALL**2), "plus this term: the part."),
        (lambda x, part: x * part, STD, "times this factor: the part."),
        (lambda x, part: x / part, STD, "divided by this factor: the part."),
        (lambda x, part: x + part + 1, (ROWS**2, SMALL**2), ""),
        (lambda x, part: x - part if x is ROWS else 2 * x, (ROWS**2, SMALL**2), ""),
        (lambda x, part: x + part, (np.ones_like(ROWS), np.ones_like(SMALL)), ""),
    ],
)
def test_a_landmark(change: Any, values: tuple[Any, ...], expected: str) -> None:
    """It is said what was done with it, in every case; one that is the same everywhere says nothing."""
    results = [(change(x, part), x) for x, part in zip((ROWS, SMALL), values, strict=True)]
    found = said(*results, values=values)
    assert found.endswith(expected) if expected else not found


def test_a_product() -> None:
    """Of a landmark and an argument; their shapes need not be equal."""
    results = [(x - part * x**3, x) for x, part in zip((ROWS, SMALL), STD, strict=True)]
    found = said(*results, values=STD, grad=(ROWS**3, SMALL**3), other=(ROWS[0], SMALL[0]))
    assert found == "Your result is the correct one minus this term: the part times `grad`."
