from __future__ import annotations

import pytest

from grader.core.model import CheckSpec, Literal_, Normal, Status
from grader.grading.checks import values
from tests.helpers import array, case, exercise, returned, seen

REFERENCE = """
    import torch

    def double(x):
        return 2 * x

    def larger(x, y):
        return x > y

    def ranks(x):
        return x.argsort().argsort()

    def total(x):
        return x.sum()

    def count(x):
        return x.numel()

    def halves(x):
        return x[:2], x[2:]

    def attend(x, mask=None):
        return x.mean(0)

    def name(x):
        return "softmax"
    """
X = Normal((4,))
EXERCISES = (
    exercise("double(x)", case(x=Normal((1, 3)))),
    exercise("larger(x, y)", case(x=X, y=Normal((4,), scale=2.0))),
    exercise("ranks(x)", case(x=X)),
    exercise("total(x)", case(x=X)),
    exercise("count(x)", case(x=X)),
    exercise("halves(x)", case(x=X)),
    exercise("attend(x, mask=None)", case(x=Normal((3, 2)), mask=Literal_(None)), returns="attention"),
    exercise("name(x)", case(x=X)),
)
#: Any width of number and either library will do, as long as kind, shape and values are right.
PASSES = [
    ("torch", "import torch\ndef double(x): return torch.add(x, x)"),
    ("NumPy", "import numpy as np\ndef double(x): return np.multiply(x, 2)"),
    ("float64", "import torch\ndef double(x): return 2 * x.double()"),
    ("half a digit off", "def double(x): return x * 2.00001"),
    ("booleans", "import torch\ndef larger(x, y): return torch.gt(x, y)"),
    ("NumPy booleans", "def larger(x, y): return y < x"),
    ("integers", "import numpy as np\ndef ranks(x): return np.argsort(np.argsort(x)).astype(np.int32)"),
    ("a Python float", "import torch\ndef total(x): return x.sum().item()"),
    ("a NumPy scalar", "def total(x): return x.sum()"),
    ("a tensor without axes", "import torch\ndef total(x): return x.sum()"),
    ("a Python integer", "def count(x): return len(x)"),
    ("a NumPy integer", "import numpy as np\ndef count(x): return np.int32(x.size)"),
    ("a tuple", "def halves(x): return x[:2], x[2:]"),
    ("a list", "import torch\ndef halves(x): return list(x.split(2))"),
    ("output alone", "def attend(x, mask=None): return x.mean(0)"),
    ("output and weights", "def attend(x, mask=None): return x.mean(0), [1, 2]"),
    ("a string", "def name(x): return 'soft' + 'max'"),
]
#: Nothing passes by broadcasting, as NaN, or as another kind of thing; the message says what came back.
CAUGHT = [
    (
        "whole floats",
        "import torch\ndef ranks(x): return x.argsort().argsort().float()",
        "expected integers: these are ids",
    ),
    ("half a percent off", "def double(x): return x * 2.01", "the values differ"),
    ("transposed", "def double(x): return 2 * x.T", "has shape (3, 1); expected (1, 3)"),
    ("without its axis of one", "def double(x): return 2 * x[0]", "has shape (3,); expected (1, 3)"),
    ("a row that would broadcast", "def double(x): return 2 * x[:, :1]", "has shape (1, 1)"),
    ("a number that would broadcast", "def double(x): return 1.0", "the result is a number; expected an array"),
    ("division by zero", "import torch\ndef double(x): return 2 * x / (x - x)", "contains inf"),
    ("one NaN", "import torch\ndef double(x):\n  y = 2 * x\n  y[0, 1] = torch.nan\n  return y", "contains NaN"),
    ("infinity", "import numpy as np\ndef double(x): return x + np.inf", "contains inf"),
    ("booleans for floats", "def double(x): return x > 0", "the result is booleans; expected floats"),
    ("a list for an array", "def double(x): return (2 * x).tolist()", "a list of 1; expected an array"),
    ("nothing", "def double(x): print(2 * x)", "None (is a return missing?)"),
    ("a string for an array", "def double(x): return str(2 * x)", "the result is a string"),
    ("a dict", "def double(x): return {'x': 2}", "the result is a dict"),
    ("a method", "def double(x): return x.sum", "is of type builtin_function_or_method; expected an array"),
    ("complex numbers", "def double(x): return 2 * x + 0j", "complex64, which cannot be graded"),
    ("an exception", "def double(x):\n  return x @ x", "line 2"),
    ("not written", "def double(x): raise NotImplementedError", "not written yet"),
    ("integers for booleans", "def larger(x, y): return (x > y) * 1", "the result is integers; expected booleans"),
    ("floats for booleans", "import torch\ndef larger(x, y): return (x > y).float()", "floats; expected booleans"),
    ("the wrong way round", "def larger(x, y): return x < y", "the values differ"),
    ("places for ranks", "def ranks(x): return x.argsort()[::-1].copy()", "the values differ"),
    ("an axis too many", "def total(x): return x.sum(keepdims=True)", "has shape (1,); expected ()"),
    ("one number too few", "def total(x): return x[1:].sum()", "the values differ"),
    ("True for a number", "def total(x): return True", "the result is booleans; expected floats"),
    ("nothing for a number", "def count(x): pass", "expected a number"),
    ("off by one", "def count(x): return len(x) + 1", "the values differ"),
    ("one part", "def halves(x): return (x[:2],)", "the length of the result is 1; expected 2"),
    ("one array for two", "import torch\ndef halves(x): return torch.stack(x.split(2))", "expected 2 values"),
    ("parts exchanged", "def halves(x): return x[2:], x[:2]", "result 1 of 2: the values differ"),
    ("weights first", "def attend(x, mask=None): return x[0], x.mean(0)", "the values differ"),
    ("another word", "def name(x): return 'softmin'", "the values differ"),
]


def test_a_public_case_shows_the_first_difference() -> None:
    """Index, both numbers, and how many differ: in public."""
    verdict = values.judge(seen("values", [returned(array([1, 3, 4]))], [returned(array([1, 2, 3], "float64"))]))
    assert verdict.difference is not None
    assert verdict.difference.index == (1,)
    assert (verdict.difference.expected, verdict.difference.actual) == ("2", "3")
    assert (verdict.difference.differing, verdict.difference.size) == (2, 3)


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (array([1, 3, 4]), "the values are wrong"),
        (array([[1, 2, 3]]), "the result has the wrong shape"),
        (None, "None (is a return missing?)"),
    ],
)
def test_a_hidden_case_shows_no_numbers(got: object, said: str) -> None:
    """Neither a shape nor a value of a hidden case is told."""
    hidden = case("hidden", public=False)
    verdict = values.judge(seen("values", [returned(got)], [returned(array([1, 2, 3]))], case=hidden))
    assert (verdict.status, verdict.difference) == (Status.FAILED, None)
    assert verdict.message is not None
    assert said in verdict.message.en
    assert not any(digit in verdict.message.en for digit in "1234")


def test_the_bank_may_widen_the_tolerance() -> None:
    """``rtol`` and ``atol`` of the check's options count."""
    pair = [returned(array([1.01]))], [returned(array([1.0]))]
    assert values.judge(seen("values", *pair)).status is Status.FAILED
    for option in ("rtol", "atol"):
        spec = CheckSpec("values", 1.0, options=((option, 0.02),))
        assert values.judge(seen("values", *pair, spec=spec)).status is Status.PASSED
