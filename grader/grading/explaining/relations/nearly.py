"""The result is nearly correct.

## What it says

How large the difference is: rounding in a narrower type, a term such as ε in another place, or an approximation.

## Example

ε added to the standard deviation instead of the variance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, count_distinct, near

RANK = 70
_SAYS = Message(
    "Your result is nearly correct: no number is off by more than {percent:g} % of the largest one. Look for a small "
    "term such as $ε$ in the wrong place, an approximation, or a data type with less precision."
)
#: Bounds on the difference, in percent, so that nothing more exact is said of hidden cases.
_PERCENT = (0.001, 0.01, 0.1, 1, 2)


def relate(pairs: Sequence[Pair]) -> Text | None:
    """How near the result is."""
    if not all(pair.alike and pair.expected.dtype.kind == "f" for pair in pairs) or count_distinct(pairs) < ENOUGH:
        return None
    shares = []
    for pair in pairs:
        sure = np.isfinite(pair.expected)
        if not sure.any() or not np.isfinite(pair.got[sure]).all() or not near(pair.got[~sure], pair.expected[~sure]):
            return None
        largest = float(np.abs(pair.expected[sure]).max())
        shares.append(float(np.abs(pair.got[sure] - pair.expected[sure]).max()) / largest if largest else 1.0)
    bound = next((percent for percent in _PERCENT if 100 * max(shares) < percent), None)
    return None if bound is None else _SAYS.fill(percent=bound)
