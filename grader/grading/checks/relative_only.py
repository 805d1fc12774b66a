"""Dot products of encoded vectors depend on the difference of their positions, and on nothing else about them.

## What it checks

A query and a key are encoded where they are, with both positions moved by 3 and by 11, and with only the key moved.
Moving both must change no dot product. Moving one must change some, because leaving the vectors alone would be
“relative” too.

## Why it matters

This is the defining property of RoPE, whatever the convention for pairing components. Code that passes has the right
frequencies in both places; code that fails mixes two conventions or adds positions instead of rotating.

## Options

- `of`: the argument with the vectors.
- `positions`: the argument with their positions.

## Example

```yaml
function: apply_rope
signature: (x, positions, base=10000.0)
reference: position.apply_rope
cases:
  - name: positions 5 to 8
    public: true
    args: {x: {normal: [2, 4, 6]}, positions: {value: [5, 6, 7, 8], dtype: int64}}
checks:
  - {relative_only: {of: x, positions: positions, weight: 0.4}}
mistakes:
  - {misconception: adds, body: "return x + positions[:, None]", fails: [relative_only]}
```

## Source

Su et al. 2021, equation 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Message, Program, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import SHARED, Floats, argument_names, program, random_like, require_shape, results


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments with the vectors and with their positions."""

    of: str = "x"
    positions: str = "positions"


KIND = CheckKind(Message("relative only", "check"), Options)


_SHIFTS = (3, 11)
_ABSOLUTE = Message(
    "dot products of a query and a key change when both positions move by the same amount: "
    "they should depend on the difference of the positions only"
)
_NOWHERE = Message("dot products do not depend on the positions at all: were {positions} used?")
_NO_POSITIONS = Message("{exercise}, check `relative_only`, positions: found {found}; expected an array")
SECRETS = (_ABSOLUTE, *SHARED)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """Queries and keys at their positions, both shifted, and the keys shifted alone."""
    options, exercise = read(spec, Options), target.exercise.name
    positions = options.positions
    (name,) = argument_names(spec, "of", options.of, drawn, exercise)
    if not isinstance(dict(drawn.args).get(positions), np.ndarray):
        raise CourseError(_NO_POSITIONS.fill(exercise=exercise, found=repr(positions)))
    queries, places = drawn.value(name), drawn.value(positions)
    keys = drawn.changed(**{name: random_like(queries, 0)})

    def moved(inputs: Drawn, by: int) -> Drawn:
        return inputs.changed(**{positions: places + np.asarray(by, places.dtype)})

    both = [moved(inputs, by) for by in (0, *_SHIFTS) for inputs in (drawn, keys)]
    return (program(target, *both, moved(keys, 1)),)


def judge(seen: JudgeInput) -> Verdict:
    """Passes if products depend on the difference of the positions, and on nothing else about them."""
    arrays = results(seen.got, seen.case, 2 * len(_SHIFTS) + 3)
    options = read(seen.spec, Options)
    require_shape(arrays, seen.drawn.value(options.of).shape, seen.case.public)
    *both, alone = arrays
    here, *shifted = (_products(both[start], both[start + 1]) for start in range(0, len(both), 2))
    longest = [float(np.linalg.norm(vectors, axis=-1).max()) for vectors in both[:2]]
    size = longest[0] * longest[1] or 1.0
    if all(_distance(here, there) < 1e-3 * size for there in (_products(both[0], alone), *shifted)):
        return Verdict(Status.FAILED, _NOWHERE.fill(positions=options.positions))
    if any(_distance(here, there) > 1e-4 * size for there in shifted):
        return Verdict(Status.FAILED, _ABSOLUTE)
    return Verdict(Status.PASSED)


def _products(queries: Floats, keys: Floats) -> Floats:
    product: Floats = queries @ np.swapaxes(keys, -2, -1)
    return product


def _distance(a: Any, b: Any) -> float:
    return float(np.abs(a - b).max(initial=0.0))
