"""A count is off by a product of sizes: by this amount or by this factor.

## What it says

What is added, missing, multiplied or divided, as a product of the arguments: `2·d_model`, `n·n`, `d_model/num_heads`.
This has to hold in at least two public cases.

## Example

A count of parameters that includes the biases.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, number_arguments

RANK = 19
_MORE = Message("Your result is too large by {what}.")
_LESS = Message("Your result is too small by {what}.")
_TIMES = Message("Your result is the correct one times {what}.")
_DIVIDED = Message("Your result is the correct one divided by {what}.")
_COEFFICIENTS = (1, 2, 3, 4, 5, 6, 8, 0.5)
_MOST_ARGUMENTS, _HIGHEST = 6, 3
_EXACT = 1e-9


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The message naming the simplest product of sizes that explains the ratio, or None."""
    given = [dict(_counts(pair)) for pair in pairs]
    if len(pairs) < 2 or any(pair.got.ndim or pair.expected.ndim for pair in pairs) or not given[0]:
        return None
    if any(pair.got.dtype.kind == "b" or not math.isfinite(float(pair.got)) for pair in pairs):
        return None
    names = tuple(name for name in given[0] if all(name in each for each in given))[:_MOST_ARGUMENTS]
    both = [(float(pair.got), float(pair.expected)) for pair in pairs]
    wanted = [(_MORE, [got - right for got, right in both]), (_LESS, [right - got for got, right in both])]
    if all(got and right for got, right in both):
        wanted.append((_TIMES, [got / right for got, right in both]))
        wanted.append((_DIVIDED, [right / got for got, right in both]))
    for said, values in wanted:
        if len({round(value, 9) for value in values}) < 2:
            continue  # constants are left to other relations
        for powers in _monomials(len(names)):
            for coefficient in _COEFFICIENTS:
                if all(
                    math.isclose(coefficient * _product(each, names, powers), value, rel_tol=_EXACT)
                    for each, value in zip(given, values, strict=True)
                ):
                    return said.fill(what=_written(coefficient, names, powers))
    return None


def _counts(pair: Pair) -> Iterator[tuple[str, float]]:
    for name, value in number_arguments(pair.drawn):
        if value > 1:
            yield name, float(value)


@functools.cache
def _monomials(count: int) -> tuple[tuple[int, ...], ...]:
    """The exponents of all monomials of low degree in ``count`` arguments, simple ones first."""
    every = itertools.product(range(-1, _HIGHEST + 1), repeat=count)
    some = [powers for powers in every if any(powers) and sum(map(abs, powers)) <= _HIGHEST]
    return tuple(sorted(some, key=lambda powers: (sum(map(abs, powers)), min(powers) < 0, powers)))


def _product(given: dict[str, float], names: Sequence[str], powers: Sequence[int]) -> float:
    return math.prod(given[name] ** power for name, power in zip(names, powers, strict=True))


def _written(coefficient: float, names: Sequence[str], powers: Sequence[int]) -> str:
    up = [name for name, power in zip(names, powers, strict=True) for _ in range(power)]
    down = [name for name, power in zip(names, powers, strict=True) if power < 0]
    up = [*([f"{coefficient:g}"] if coefficient != 1 or not up else []), *up]
    below = "·".join(down)
    return "·".join(up) + (f"/({below})" if len(down) > 1 else f"/{below}" if down else "")
