from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.errors import CourseError
from grader.core.model import Causal, CheckSpec, Literal_, Normal, Same
from grader.grading.checks import causal
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from grader.grading.verdicts import judge
from tests.attention import MODULE, edit
from tests.helpers import array, case, exercise, returned, seen

TORCH = """
import torch

def attend(q, k, v):
    n, m = q.shape[-2], k.shape[-2]
    allowed = torch.ones(n, m, dtype=torch.bool).tril(m - n)
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), -1)
    return weights @ v
"""
NUMPY = """
import numpy as np

def attend(q, k, v):
    later = k.shape[-2] - q.shape[-2]
    rows = []
    for i in range(q.shape[-2]):
        scores = q[..., i : i + 1, :] @ k[..., : i + later + 1, :].swapaxes(-2, -1) / q.shape[-1] ** 0.5
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        rows.append(weights / weights.sum(-1, keepdims=True) @ v[..., : i + later + 1, :])
    return np.concatenate(rows, axis=-2)
"""
LINEAR = """
import torch

def linear(x):
    weights = torch.exp(x)
    return (weights * x).cumsum(-2) / weights.cumsum(-2)
"""
EXERCISES = (
    exercise("attend(q, k, v)", case(q=Normal((2, 5, 3)), k=Normal((2, 7, 3)), v=Normal((2, 7, 2)))),
    exercise("linear(x)", case(x=Normal((6, 3)))),
    exercise("shift(x)", case(x=Normal((3, 6))), checks=(CheckSpec("causal", 1.0, (), (("axis", -1),)),)),
    exercise(
        "Attention(d_model)",
        replace(
            case(query=Normal((2, 5, 4)), key=Same("query"), mask=Causal((5, 5))),
            construct=(("d_model", Literal_(4)),),
            parameters=tuple((f"w_{role}", Normal((4, 4))) for role in "qkvo"),
        ),
        forward="forward(query, key, mask)",
        adapter="projections",
    ),
)
#: However the future is kept out: masks, loops, running sums; in either library, in functions and classes.
PASSES = [
    ("a mask", TORCH),
    ("a large negative number", edit(TORCH, ("-torch.inf", "-1e9"))),
    (
        "a mask after the exponential",
        edit(
            TORCH,
            (
                "torch.softmax(scores.masked_fill(~allowed, -torch.inf), -1)",
                "scores.exp() * allowed / (scores.exp() * allowed).sum(-1, keepdim=True)",
            ),
        ),
    ),
    ("loops", NUMPY),
    ("running sums", LINEAR),
    (
        "the library",
        "import torch\ndef attend(q, k, v):\n  allowed = torch.ones(5, 7).tril(2).bool()\n"
        "  return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)",
    ),
    ("a module and a mask", MODULE),
    ("another axis", "import numpy as np\ndef shift(x): return np.cumsum(x, -1)"),
]
FUTURE, NEXT, BLIND = "looks into the future", "off by one", "that position itself"
#: Leaks, large or small; and what sees nothing, which would be causal, too.
CAUGHT = [
    ("no mask", edit(TORCH, ("~allowed", "allowed & ~allowed")), FUTURE),
    ("a soft mask", edit(TORCH, ("-torch.inf)", "-1e9)"), ("-1e9", "-8.0")), FUTURE),
    ("a mask the wrong way round", edit(TORCH, ("tril(m - n)", "triu(m - n)")), FUTURE),
    ("a mask after the softmax", edit(TORCH, (
        "torch.softmax(scores.masked_fill(~allowed, -torch.inf), -1)", "torch.softmax(scores, -1) * allowed"
    )), FUTURE),
    ("normalised by everything", edit(LINEAR, ("weights.cumsum(-2)\n", "weights.sum(-2, keepdim=True)\n")), FUTURE),
    ("a leak of one part in a hundred thousand", edit(LINEAR, ("return ", "return 1e-5 * x.sum(-2) + ")), FUTURE),
    ("the next one, too", edit(TORCH, ("tril(m - n)", "tril(m - n + 1)")), NEXT),
    ("a loop that goes too far", edit(NUMPY, ("i + later + 1", "i + later + 2")), NEXT),
    ("not even itself", edit(TORCH, ("tril(m - n)", "tril(m - n - 1)")), BLIND),
    ("the first query on the first key", edit(TORCH, ("tril(m - n)", "tril(0)")), BLIND),
    ("shifted by one", "import torch\ndef shift(x): return torch.cat([0 * x[..., :1], x[..., :-1]], -1)", BLIND),
    ("turned round", "def shift(x): return x[..., ::-1]", FUTURE),
    ("nothing at all", edit(TORCH, ("return weights @ v", "return torch.ones_like(q)")), "depend on k, v at all"),
    ("a module that ignores the mask", edit(MODULE, ("~mask", "mask & ~mask")), FUTURE),
    ("the mean over positions", "def linear(x): return x.mean(0)", "no row for each position"),
    ("other shapes", "def linear(x): return x[:int(1 + abs(x[-1, 0]))]", "has shape"),
    ("NaN", edit(LINEAR, ("weights * x", "weights / 0 * x")), "NaN"),
    ("a list", "def linear(x): return x.tolist()", "a list of 6; expected an array of numbers"),
    ("an exception", "def linear(x): return x[9]", "IndexError"),
]  # fmt: skip


def test_leaks_of_a_hidden_case_tell_nothing() -> None:
    """No sizes, no numbers."""
    hidden = case("hidden", public=False, x=Normal((3, 2)))
    one = exercise("linear(x)", hidden)
    grown = [returned(array([[1, 2]]), array([[1, 2], [3, 4]]), array([[1, 2]]))]
    verdict = judge(seen("causal", grown, of=one))
    assert verdict.message is not None
    assert verdict.message.en == "the result has the wrong shape"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((("perturb", ["w"]),), "causal, perturb: found 'w'; expected an array of floats of its own: x"),
        ((("axis", -3),), "x with 0 positions on axis -3; expected 2 or more"),
    ],
)
def test_options_that_do_not_fit_name_their_place(options: tuple[tuple[str, object], ...], said: str) -> None:
    """A mistake of the bank, not of a learner."""
    one = EXERCISES[1]
    with pytest.raises(CourseError, match=said):
        causal.calls(
            Target(one, "q"), draw(one.cases[0], "linear", Seed.public()), CheckSpec("causal", 1.0, (), options)
        )
