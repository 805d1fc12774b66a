from __future__ import annotations

import pytest

from grader.core.model import Literal_, Symbol
from grader.grading.checks import shifts
from tests.attention import edit
from tests.helpers import case, exercise, seen

TURN = """
import numpy as np

def shift(delta, d_model):
    m = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        angle = delta * 10000.0 ** (-i / d_model)
        m[i, i] = m[i + 1, i + 1] = np.cos(angle)
        m[i + 1, i], m[i, i + 1] = np.sin(angle), -np.sin(angle)
    return m
"""
FITTED = """
import numpy as np

def shift(delta, d_model):
    column = np.arange(d_model)
    angle = np.arange(300 + delta)[:, None] * 10000.0 ** (-(column - column % 2) / d_model)
    pe = np.where(column % 2, np.cos(angle), np.sin(angle))
    return np.linalg.pinv(pe[:300]) @ pe[delta:]
"""
SHIFT = exercise("shift(delta, d_model)", case(delta=Literal_(3), d_model=Literal_(6)))
BASED = exercise("turn(delta, d_model, base=10000.0)", case(delta=Literal_(2), d_model=Symbol(4), base=Literal_(50.0)))
OTHER_BASE = edit(TURN, ("shift(delta, d_model)", "turn(delta, d_model, base)"), ("10000.0 **", "base **"))
EXERCISES = (SHIFT, BASED)
#: However it was found, and in whatever precision.
PASSES = [
    ("rotations", TURN),
    ("in float32", edit(TURN, ("return m", "return m.astype('f')"))),
    ("a tensor", edit(TURN, ("return m", "import torch; return torch.tensor(m)"))),
    ("fitted to many rows", FITTED),
    ("another base", OTHER_BASE),
]
ELSEWHERE = "pe[pos] @ M is not pe[pos + delta]"
#: By where it moves the rows to, or because it is no matrix of this size.
CAUGHT = [
    ("backwards", edit(TURN, ("return m", "return m.T")), ELSEWHERE),
    ("the identity", "import numpy as np\ndef shift(delta, d_model): return np.eye(d_model)", ELSEWHERE),
    ("one step too many", edit(TURN, ("delta *", "(delta + 1) *")), ELSEWHERE),
    ("fitted to few rows", edit(FITTED, ("300", "3")), ELSEWHERE),
    ("the base forgotten", edit(OTHER_BASE, ("base ** (", "10000.0 ** (")), ELSEWHERE),
    ("nearly", edit(TURN, ("delta *", "1.001 * delta *")), ELSEWHERE),
    ("a row", edit(TURN, ("return m", "return m[0]")), "has shape (6,); expected (6, 6)"),
    ("NaN", edit(TURN, ("return m", "return m * np.nan")), "NaN"),
    ("a list", edit(TURN, ("return m", "return m.tolist()")), "expected an array"),
    ("an exception", edit(TURN, ("return m", "return m[d_model]")), "IndexError"),
]


def test_the_first_difference_is_shown_for_public_cases_only() -> None:
    """A hidden case does not print what was expected."""
    from tests.helpers import array, returned

    wrong = returned(array([[1.0, 0.0], [0.0, 1.0]]))
    arguments = {"delta": Literal_(1), "d_model": Literal_(2)}
    public, hidden = (
        shifts.judge(seen("shifts", [wrong], of=exercise("shift(delta, d_model)", case(public=public, **arguments))))
        for public in (True, False)
    )
    assert public.difference is not None
    assert (hidden.difference, hidden.message) == (None, public.message)


def test_one_program_is_expected() -> None:
    """Anything else is a fault of the grader."""
    with pytest.raises(ValueError, match="unpack"):
        shifts.judge(seen("shifts", []))
