from __future__ import annotations

from grader.core.model import Literal_, Normal, Same, Status
from grader.grading.checks import unchanged_inputs
from tests.attention import EXERCISES, MODULE, NUMPY, PLAIN, TORCH, edit, first, last
from tests.helpers import array, case, exercise, returned, seen

EXERCISES = (*EXERCISES, exercise("product(x, y, n)", case(x=Normal((3,)), y=Same("x"), n=Literal_(2))))
#: In-place operations on one's own arrays are fine.
PASSES = [
    ("torch", TORCH),
    ("NumPy", NUMPY),
    ("a module", MODULE),
    ("a class", PLAIN),
    ("in place on its own", last(TORCH, "output *= 1")),
    ("on a copy", first(TORCH, "q = q.clone()", "q *= 2")),
    ("on a copy in NumPy", first(NUMPY, "mask = mask.copy()", "mask[:] = 1")),
    ("the same array twice", "def product(x, y, n): return x * y"),
]
#: Values, shape, dtype and even the sign of zero stay; the message names the arguments.
CAUGHT = [
    ("q scaled", first(TORCH, "q /= 2"), "argument q in place"),
    ("q scaled in NumPy", first(NUMPY, "q /= 2"), "argument q in place"),
    ("k turned round", edit(TORCH, ("k.transpose", "k.transpose_")), "argument k in place"),
    ("an axis added to k", first(TORCH, "k.unsqueeze_(0).squeeze_(0).neg_()"), "k in place"),
    ("an axis left on q", last(TORCH, "q.unsqueeze_(0)"), "argument q in place"),
    ("q turned into float64", last(TORCH, "q.data = q.double()"), "q in place"),
    ("v through its memory", last(TORCH, "v.numpy()[:] = 0"), "argument v in place"),
    ("one entry of v", last(NUMPY, "v[-1, -1, -1] += 1e-6"), "argument v in place"),
    (
        "the mask inverted",
        edit(TORCH, ("~mask, -", "mask.logical_not_(), -"), ("~mask, 0", "mask, 0")),
        "mask in place",
    ),
    ("two of them", last(TORCH, "q.zero_(), v.zero_()"), "argument q, v in place"),
    ("zero and minus zero", last(TORCH, "q.zero_().neg_()"), "argument q in place"),
    ("in forward", first(MODULE, "query.mul_(2)"), "argument query in place"),
    ("in a class", first(PLAIN, "mask |= True"), "argument mask in place"),
    ("through its other name", "def product(x, y, n):\n  y *= 2\n  return x", "argument x in place"),
    ("an exception", "def product(x, y, n): return x[9]", "IndexError"),
]


def test_a_constant_is_no_array() -> None:
    """Only arrays of their own are watched."""
    assert unchanged_inputs.arrays(seen("unchanged_inputs", [], of=EXERCISES[-1]).drawn) == ["x"]


def test_something_else_in_the_place_of_an_array_is_a_change() -> None:
    """What came back for the argument has to be an array with equal bytes."""
    for left in (None, array([0.0, 0.0, 0.0])):
        assert unchanged_inputs.judge(seen("unchanged_inputs", [returned(left)])).status is Status.FAILED


def test_fewer_arrays_than_were_given_are_not_unchanged() -> None:
    """Whatever a child says, there is a verdict."""
    assert unchanged_inputs.judge(seen("unchanged_inputs", [returned()])).status is Status.FAILED
