from __future__ import annotations

from grader.core.model import CheckSpec, Normal
from tests.helpers import case, exercise

SOFTMAX = "import torch\ndef weigh(x): return torch.softmax(x, -1)"
EXERCISES = (
    exercise("weigh(x)", case(x=Normal((2, 3, 4)))),
    exercise("columns(x)", case(x=Normal((3, 4))), checks=(CheckSpec("rows_sum_to_one", 1.0, (), (("axis", -2),)),)),
    exercise("second(x)", case(x=Normal((3, 4))), checks=(CheckSpec("rows_sum_to_one", 1.0, (), (("axis", 1),)),)),
)
#: Whatever the weights are.
PASSES = [
    ("softmax", SOFTMAX),
    ("NumPy", "import numpy as np\ndef weigh(x): return np.exp(x) / np.exp(x).sum(-1, keepdims=True)"),
    ("one key", "import numpy as np\ndef weigh(x): return np.eye(4)[x.argmax(-1)]"),
    ("counted from the front", "import torch\ndef second(x): return torch.softmax(x, 1)"),
    ("another axis", "import torch\ndef columns(x): return torch.softmax(x, 0)"),
]
#: The usual wrong axis is named.
CAUGHT = [
    ("over the queries", "import torch\ndef weigh(x): return torch.softmax(x, -2)", "along axis -2, not along axis -1"),
    ("over the batch", "import torch\ndef weigh(x): return torch.softmax(x, 0)", "along axis -3, not along axis -1"),
    ("over the keys", "import torch\ndef columns(x): return torch.softmax(x, 1)", "along axis -1, not along axis -2"),
    ("over everything", "import torch\ndef weigh(x): return torch.softmax(x.flatten(), 0).view(2, 3, 4)", "together"),
    ("a flat softmax", "import torch\ndef second(x): return torch.softmax(x.flatten(), 0)", "all weights together"),
    ("a flat result", "import torch\ndef second(x): return torch.softmax(x, 1).flatten()", "too few axes"),
    ("empty", "import torch\ndef weigh(x): return torch.zeros(0, 1 << 40)", "empty"),
    ("not normalised", "import torch\ndef weigh(x): return torch.exp(x)", "do not sum to 1"),
    ("masked after the softmax", "import torch\ndef weigh(x): return torch.softmax(x, -1).tril()", "do not sum to 1"),
    ("negative", "def weigh(x): return x / x.sum(-1, keepdims=True)", "negative"),
    ("the logarithm", "import torch\ndef weigh(x): return torch.log_softmax(x, -1)", "negative"),
    ("a number", "def weigh(x): return 1.0", "a single number"),
    ("NaN", "def weigh(x): return x - x + float('nan')", "NaN"),
    ("nothing", "def weigh(x): pass", "is a return missing?"),
]
