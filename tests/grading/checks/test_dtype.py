from __future__ import annotations

import pytest

from grader.core.model import ArrayType, Normal, Status
from grader.grading.checks import dtype
from grader.sandbox import Sandbox
from tests.attention import EXERCISES, MODULE, NUMPY, PLAIN, REFERENCE, TORCH, edit, first
from tests.helpers import array, case, exercise, returned, seen, verdicts

REFERENCE = (
    REFERENCE + "\ndef halves(x): return x[:2], x[2:]\ndef larger(x): return x > 0\ndef total(x): return x.sum()\n"
)
X = Normal((4,))
EXERCISES = (
    *EXERCISES,
    exercise("halves(x)", case(x=X)),
    exercise("larger(x)", case(x=X)),
    exercise("total(x)", case(x=X)),
)
#: Float64 in gives float64 out with its accuracy, float32 gives float32.
PASSES = [
    ("torch", TORCH),
    ("NumPy", NUMPY),
    ("a module", MODULE),
    ("a class", PLAIN),
    ("written into zeros of its dtype", edit(TORCH, ("return output", "return torch.zeros_like(output) + output"))),
    ("two arrays", "import torch\ndef halves(x): return x.split(2)"),
    ("a scalar", "def total(x): return x.sum()"),
    ("a Python float", "import torch\ndef total(x): return x.sum().item()"),
]
#: At the end or on the way, in either library; the message names both dtypes.
CAUGHT = [
    ("float32 out", edit(TORCH, ("return output", "return output.float()")), "float64 in, float32 out"),
    ("float32 on the way to a Python float", "import torch\ndef total(x): return x.float().sum().item()", "accuracy"),
    ("float32 out of NumPy", edit(NUMPY, ("return output", "return output.astype('f')")), "float64 in, float32 out"),
    ("float64 out", edit(TORCH, ("return output", "return output.double()")), "float32 in, float64 out"),
    ("bfloat16 out", edit(TORCH, ("return output", "return output.bfloat16()")), "float64 in, bfloat16 out"),
    (
        "bfloat16 for float32",
        edit(TORCH, ("return output", "return output if q.dtype == torch.float64 else output.bfloat16()")),
        "float32 in, bfloat16 out",
    ),
    ("float32 inside", edit(TORCH, ("weights @ v", "(weights.float() @ v.float()).to(v)")), "the accuracy of float32"),
    (
        "float32 inside NumPy",
        edit(NUMPY, ("weights @ v", "(weights.astype('f') @ v.astype('f')).astype(v.dtype)")),
        "the accuracy of float32",
    ),
    ("wrong values", edit(TORCH, ("** 0.5", "** 0.4")), "the values are wrong"),
    ("a list", edit(TORCH, ("return output", "return output.tolist()")), "expected an array"),
    ("only float32", first(TORCH, "assert q.dtype == torch.float32"), "AssertionError"),
    ("one of two", "import torch\ndef halves(x): return x[:2], x[2:].float()", "float64 in, float32 out"),
    ("one for two", "import torch\ndef halves(x): return x", "expected 2 values"),
    ("list in float32", "def halves(x): return (x[:2], x[2:]) if x.itemsize == 8 else x.tolist()", "is 4; expected 2"),
    ("no booleans", "def larger(x): return x", "the result is floats; expected booleans"),
]


def test_the_promotion_of_numpy_is_remarked_on(sandbox: Sandbox) -> None:
    """Float32 to float64 costs nothing in NumPy."""
    promoted = edit(NUMPY, ("q.shape[-1] ** 0.5", "np.sqrt(np.array([q.shape[-1]]))"))
    verdict = verdicts(sandbox.observe, "dtype", EXERCISES, REFERENCE, [("promoted", promoted)])["promoted"]
    assert verdict.status is Status.PASSED
    assert verdict.remark is not None
    assert "look for float64 arrays" in verdict.remark.en


def test_what_has_no_float_dtype_is_not_judged(sandbox: Sandbox) -> None:
    """Booleans give the weight of the check to the others."""
    rows = [("booleans", "import torch\ndef larger(x): return x > 0")]
    found = verdicts(sandbox.observe, "dtype", EXERCISES, REFERENCE, rows)["booleans"]
    assert (found.status, found.applies) == (Status.SKIPPED, False)


@pytest.mark.parametrize(
    ("narrow", "array_type", "status"),
    [
        ("float64", "numpy", Status.PASSED),
        ("float64", "torch", Status.FAILED),
        ("float16", "numpy", Status.FAILED),
        ("float32", "torch", Status.PASSED),
    ],
)
def test_only_numpy_may_promote(narrow: str, array_type: ArrayType, status: Status) -> None:
    """In torch the dtype is kept both ways; precision is lost in neither library."""
    got = [returned(array([1.0], "float64")), returned(array([1.0], narrow))]
    expected = [returned(array([1.0], "float64")), returned(array([1.0], "float64"))]
    assert dtype.judge(seen("dtype", got, expected, array_type=array_type)).status is status
