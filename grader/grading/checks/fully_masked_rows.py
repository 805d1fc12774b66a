"""A query that may attend to no key gets a row of zeros: not NaN, and not the mean of all values.

## What it checks

The result agrees with that of the reference, as for `values`. Where only the rows without any key are wrong, the
message names the cause: NaN comes from a softmax over nothing but −inf, and a mean of all values from a large
negative number in place of −inf.

## Why it matters

Padding produces such rows in every batch of sentences of different lengths. One NaN spreads through the whole network
in a single step of training.

## Example

```yaml
function: scaled_dot_product_attention
signature: (q, k, v, mask=None)
reference: attention.scaled_dot_product_attention
cases:
  - name: no key allowed
    public: true
    args:
      q: {normal: [2, 4, 6]}
      k: {normal: [2, 7, 6]}
      v: {normal: [2, 7, 3]}
      mask: {mask: [2, 4, 7], empty: [1]}
checks:
  - {fully_masked_rows: {on: [no key allowed], weight: 0.4}}
mistakes:
  - {misconception: nothing-left, replace: "weights.masked_fill(~mask, 0.0)", with: weights, fails: [fully_masked_rows]}
```

## Source

The conventions of the course: a query with no key gets a zero row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grader.core.model import Array, Message, Status, Text, Verdict
from grader.grading.checks import CheckKind, JudgeInput, sent
from grader.grading.compare import SHARED, compare
from grader.grading.properties import one_call

KIND = CheckKind(
    Message("fully masked rows", "check"),
    alone=Message(
        "Every other result is correct; only some queries that may attend to no key, in all heads or in one, get a "
        "wrong output."
    ),
    reference=True,
    every_case=True,
)


_NAN = Message(
    "a query whose keys are all masked gives NaN: softmax over nothing but −inf is 0/0; "
    "attention should give it a row of zeros"
)
_OTHER = Message(
    "a query whose keys are all masked does not give a zero row: "
    "a large negative number instead of −inf attends to everything equally"
)
SECRETS = (_NAN, _OTHER, *SHARED)


calls = one_call


def judge(seen: JudgeInput) -> Verdict:
    """As for values, with the two usual causes explained."""
    ((got,),), ((expected,),) = sent(seen.got), sent(seen.expected)
    mismatch = compare(expected, got)
    if mismatch is None:
        return Verdict(Status.PASSED)
    message = mismatch.text if seen.case.public else mismatch.secret
    message = _cause(mismatch.kind, got, expected) or message
    return Verdict(Status.FAILED, message, mismatch.difference if seen.case.public else None)


def _cause(kind: str, got: Any, expected: Any) -> Text | None:
    """A specific message if only the rows that are NaN, or that should be zero, are wrong."""
    if not (isinstance(got, Array) and isinstance(expected, Array) and got.values.shape == expected.values.shape != ()):
        return None
    match kind:
        case "nan" if not np.isnan(got.values).any(axis=-1).all() or not expected.values.any():
            rows, text = ~np.isnan(got.values).any(axis=-1), _NAN
        case "values":
            rows, text = expected.values.any(axis=-1), _OTHER
        case _:
            return None
    fault = compare(replace(expected, values=expected.values[rows]), replace(got, values=got.values[rows]))
    return text if fault is None else None
