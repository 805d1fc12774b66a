from __future__ import annotations

from grader.core.model import CheckSpec, Normal
from tests.attention import edit
from tests.helpers import case, exercise

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
#: In the argument that is asked about; in others it need not be.
PASSES = [
    ("attention", TORCH),
    ("NumPy", "import numpy as np\ndef attend(q, k, v): return np.exp(q @ k.swapaxes(-2, -1)) @ v"),
    ("a projection", "def project(x, w): return x @ w"),
    ("another width", "def attend(q, k, v): return v[..., :1].sum(-2)"),
]
BENT, SHIFTED = "not linear in", "affine"
#: An affine function is told apart from one that bends.
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
