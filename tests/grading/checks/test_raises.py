from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import Exercise, Literal_, Normal, Raised, Recipe, Status, Unreadable
from grader.grading.checks import raises
from tests.helpers import case, exercise, returned, seen


def refusing(signature: str, args: dict[str, Recipe], **construct: int) -> Exercise:
    """An exercise whose only case must raise ValueError; a class where there is something to construct it with."""
    sizes = tuple((name, Literal_(size)) for name, size in construct.items())
    bad = replace(case("bad", **args), raises="ValueError", construct=sizes)
    return exercise(signature, bad, forward="forward(x)" if construct else None)


EXERCISES = (
    refusing("Heads(d_model, num_heads)", {}, d_model=10, num_heads=3),
    refusing("split(x, num_heads)", {"x": Normal((2, 10)), "num_heads": Literal_(3)}),
    refusing("Table(max_len)", {"x": Normal((9,))}, max_len=8),
)
HEADS = """\
import torch
class Heads(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads: {}
    def forward(self, x):
        return x
"""
SPLIT = "def split(x, num_heads):\n  if x.shape[-1] % num_heads: {}\n  return x"
TABLE = """\
class Table:
    def __init__(self, max_len):
        self.max_len = max_len
    def forward(self, x):
        if len(x) > self.max_len: {}
        return x
"""
RAISE = "raise ValueError('no')"
#: The exception of the contract, or one derived from it, whoever raises it.
PASSES = [
    ("when it is made", HEADS.format(RAISE)),
    ("without words", HEADS.format("raise ValueError")),
    ("a kind of ValueError", "class Odd(ValueError): pass\n" + HEADS.format("raise Odd(d_model)")),
    ("a kind that Python has", HEADS.format("raise UnicodeError")),
    ("from another exception", HEADS.format("raise ValueError from KeyError(1)")),
    ("from a function", SPLIT.format(RAISE)),
    ("from a library", "import numpy as np\ndef split(x, num_heads): return x.reshape(num_heads, -1)"),
    ("in forward, where the case has arguments", TABLE.format(RAISE)),
]
NONE = "invalid arguments are accepted; expected ValueError"
#: Accepting bad arguments, and refusing them in another way.
CAUGHT = [
    ("no check", HEADS.format("pass"), NONE),
    ("a word", HEADS.format("print('indivisible')"), NONE),
    ("only in forward", HEADS.format("pass").replace("return x", RAISE), NONE),
    ("assert", HEADS.format("assert False"), "it raised AssertionError; expected ValueError"),
    ("any exception", HEADS.format("raise Exception('ValueError')"), "it raised Exception; expected ValueError"),
    (
        "one that is called so",
        "class ValueError(Exception): pass\n" + HEADS.format(RAISE),
        "raised ValueError; expected ValueError",
    ),
    ("from torch", HEADS.format("torch.zeros(10).view(3, -1)"), "it raised RuntimeError; expected ValueError"),
    ("nothing to call", SPLIT.format("pass") + "\nsplit = 3", "split cannot be called ("),
    ("an exit", HEADS.format("raise SystemExit(1)"), "it raised SystemExit; expected ValueError"),
    ("returned", SPLIT.format("return ValueError('no')"), NONE),
    ("not written", SPLIT.format("raise NotImplementedError"), "not written yet"),
    ("accepted in forward", TABLE.format("x = x[:self.max_len]"), NONE),
]


@pytest.mark.parametrize(
    ("got", "status"),
    [
        (Raised("Odd", "", None, None, bases=("ValueError", "Exception")), Status.PASSED),
        (Raised("ValueError", "", None, None, during="import", bases=("ValueError",)), Status.RAISED),
        (Unreadable("type", ("Heads",)), Status.FAILED),
        (returned(), Status.FAILED),
    ],
)
def test_only_a_call_can_refuse(got: object, status: Status) -> None:
    """An exception at import is no refusal; a result that cannot be read is none either."""
    assert raises.judge(seen("raises", [got])).status is status
