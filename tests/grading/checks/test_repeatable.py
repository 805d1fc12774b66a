from __future__ import annotations

import numpy as np
import pytest

from grader.core.model import Text
from grader.grading.checks import repeatable
from tests.attention import MODULE, NUMPY, PLAIN, TORCH, edit, first, last, layer, made
from tests.helpers import returned, seen

DROPOUT = made(MODULE, "self.dropout = nn.Dropout(0.5)")
COUNTER = last(
    edit(TORCH, ("def attend", "calls = []\n\ndef attend")), "calls.append(1)", "output = output * len(calls)"
)
MEAN = edit(made(MODULE, "self.mean = 0"), ("return self.w_o(weights @ v)", "return self.w_o(weights @ v) - self.mean"))
SHARED = edit(
    MODULE,
    ("class Attention", "layers = [nn.Linear(4, 4, bias=False) for _ in range(4)]\n\nclass Attention"),
    *(layer(role, f"layers[{at}]") for at, role in enumerate("qkvo")),
)
#: Memories that change no result are fine.
PASSES = [
    ("torch", TORCH),
    ("NumPy", NUMPY),
    ("a module", MODULE),
    ("a class", PLAIN),
    ("NaN twice", last(TORCH, "output[0, 0] = torch.nan")),
    ("dropout of a module, which eval turns off", edit(DROPOUT, ("weights @ v", "self.dropout(weights) @ v"))),
    (
        "a table that is filled as needed",
        first(edit(TORCH, ("def attend", "known = {}\n\ndef attend")), "known[q.shape] = 1"),
    ),
    ("a result that is kept and not used", last(MODULE, "self.weights = weights")),
]
SAME = "the same inputs gave different results"
STATE = "after other calls than on a fresh instance"
STALE = "gives the same result as the first one: are the arguments used"
RESULTS = last(
    edit(TORCH, ("def attend", "known = {}\n\ndef attend")), "output = known.setdefault((q.shape, q.dtype), output)"
)
#: Whatever is left on, or left over from another call or another instance.
CAUGHT = [
    ("dropout", edit(TORCH, ("weights @ v", "torch.dropout(weights, 0.5, True) @ v")), SAME),
    ("dropout in forward", edit(MODULE, ("weights @ v", "nn.functional.dropout(weights) @ v")), SAME),
    ("a little noise", last(NUMPY, "output = output + 1e-3 * np.random.randn(*output.shape)"), SAME),
    ("Python's own randomness", last(TORCH, "import random", "output = output * random.random()"), SAME),
    ("a counter", COUNTER, SAME),
    ("a running mean", last(MEAN, "self.mean = 0.9 * self.mean + v.detach().mean()"), SAME),
    ("layers that all instances share", SHARED, SAME),
    ("the first mask of an instance", first(MODULE, "mask = self.__dict__.setdefault('mask', mask)"), STATE),
    ("the first keys of an instance", first(PLAIN, "key = self.__dict__.setdefault('key', key)"), STATE),
    ("the result for each shape", RESULTS, STALE),
    ("numbers that are not used", last(TORCH, "output = torch.zeros_like(output)"), STALE),
    (
        "an exception in the second call",
        first(PLAIN, "assert not hasattr(self, 'used')", "self.used = 1"),
        "AssertionError",
    ),
]


def test_other_inputs_are_other_everywhere() -> None:
    """Floats are negated and mirrored, masks mirrored; integers, constants and the original stay."""
    given = (
        ("x", np.array([[1.0, 2.0]])),
        ("mask", np.array([[True, False]])),
        ("scale", np.array(3.0)),
        ("tokens", np.array([1, 2])),
        ("n", 4),
    )
    changed = dict(repeatable.other(given))
    assert [np.asarray(changed[name]).tolist() for name in ("x", "mask", "scale", "tokens", "n")] == [
        [[-2.0, -1.0]],
        [[False, True]],
        -3.0,
        [1, 2],
        4,
    ]
    assert given[0][1].tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("got", "alone", "said"),
    [
        ([1, 2, 3, 1], [2, 3], None),
        ([1, 2, 3, 9], [2, 3], repeatable.DIFFERENT),
        ([1, 9, 3, 1], [2, 3], repeatable.STATE),
        # Equal on a fresh instance: it may be kept for all of them, or the code may be wrong for these arguments.
        ([1, 2, 9, 1], [2, 9], repeatable.LATER),
        ([1, 1, 3, 1], [1, 3], repeatable.STALE),
        ([7, 7, 3, 7], [7, 3], repeatable.STALE),
    ],
)
def test_only_what_is_certain_is_said(got: list[int], alone: list[int], said: Text | None) -> None:
    """Kept state is named only if the same call gave two results; otherwise it is asked for beside other reasons."""
    asked = seen("repeatable", [returned(*got), returned(*alone)], [returned(1, 2, 3, 1), returned(2, 3)])
    assert repeatable.judge(asked).message == said


def test_another_number_of_programs_is_our_mistake() -> None:
    """The check judges what it has asked for."""
    with pytest.raises(ValueError, match="unpack"):
        repeatable.judge(seen("repeatable", [returned(1)]))
