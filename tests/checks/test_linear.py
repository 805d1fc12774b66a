from __future__ import annotations

import pytest

from grader.model import CheckSpec, Normal, Status, Verdict
from grader.sandbox import Sandbox
from tests.attention import edit
from tests.helpers import case, exercise, verdicts

TORCH = "import torch\ndef attend(q, k, v): return torch.softmax(q @ k.transpose(-2, -1), -1) @ v"
OF_X = CheckSpec("linear", 1.0, (), (("of", "x"),))
EXERCISES = (
    exercise("attend(q, k, v)", case(q=Normal((2, 4, 3)), k=Normal((2, 5, 3)), v=Normal((2, 5, 2)))),
    exercise(
        "project(x, w)",
        case(x=Normal((4, 3)), w=Normal((3, 3))),
        checks=(CheckSpec("linear", 1.0, (), (("of", "x"),)),),
    ),
)
PASSES = [
    ("attention", TORCH),
    ("NumPy", "import numpy as np\ndef attend(q, k, v): return np.exp(q @ k.swapaxes(-2, -1)) @ v"),
    ("a projection", "def project(x, w): return x @ w"),
    ("another width", "def attend(q, k, v): return v[..., :1].sum(-2)"),
]
BENT, SHIFTED = "not linear in", "affine"
CAUGHT = [
    ("normalised values", edit(TORCH, ("@ v", "@ torch.softmax(v, -1)")), BENT),
    ("a residual connection with q", edit(TORCH, ("@ v", "@ v + q[..., :2]")), SHIFTED),
    ("a bias", "def project(x, w): return x @ w + 1", SHIFTED),
    ("relu", "import torch\ndef project(x, w): return torch.relu(x @ w)", BENT),
    ("self-attention", "import torch\ndef project(x, w): return torch.softmax(x @ w @ x.T, -1) @ x", BENT),
    ("rounded", edit(TORCH, ("@ v", "@ v.round(decimals=2)")), BENT),
    ("clipped, with a bias", "import torch\ndef project(x, w): return (x @ w).clamp(-1, 1) + 1", BENT),
    ("a constant", edit(TORCH, ("@ v", "")), "does not depend on v"),
    (
        "the length of v",
        "import torch\ndef attend(q, k, v): return torch.ones(int(abs(v.sum()) * 9))",
        "is an empty array",
    ),
    ("an exception", "def project(x, w): return x @ x", "ValueError"),
]


@pytest.fixture(scope="module")
def found(sandbox: Sandbox) -> dict[str, Verdict]:
    """The verdict on every row."""
    return verdicts(sandbox.observe, "linear", EXERCISES, "", [*PASSES, *CAUGHT])


@pytest.mark.parametrize("name", [name for name, _ in PASSES])
def test_what_is_linear_passes(name: str, found: dict[str, Verdict]) -> None:
    """In the argument that is asked about; in others it need not be."""
    assert found[name] == Verdict(Status.PASSED)


@pytest.mark.parametrize(("name", "fragment"), [(name, fragment) for name, _, fragment in CAUGHT])
def test_what_is_not_linear_is_caught(name: str, fragment: str, found: dict[str, Verdict]) -> None:
    """An affine function is told apart from one that bends."""
    assert found[name].status is not Status.PASSED
    assert found[name].applies
    assert found[name].message is not None
    assert fragment in found[name].message.en
