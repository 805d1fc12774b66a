"""What the text of a submission tells about names that an exercise forbids."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest

from grader.core import bounded
from grader.core.model import Part, SourceFile
from grader.grading.definitions import Use, first_use
from tests.helpers import source

SDPA = "torch.nn.functional.scaled_dot_product_attention"
NAMES = (SDPA, "torch.nn.MultiheadAttention", "torch.softmax", "numpy.einsum")

USES = [
    ("import torch\ndef f(x):\n    return torch.softmax(x, -1)", "torch.softmax", 3),
    ("import torch as t\ndef f(x):\n    return t.softmax(x, -1)", "torch.softmax", 3),
    ("from torch import softmax as s\ndef f(x):\n    return s(x, -1)", "torch.softmax", 3),
    ("from torch.nn import functional as F\ndef f(x):\n    return F.softmax(x, -1)", "torch.softmax", 3),
    ("import torch.nn.functional as F\ndef f(x):\n    return F.scaled_dot_product_attention(x, x, x)", SDPA, 3),
    ("def f(x):\n    import torch.nn.functional as F\n    return F.scaled_dot_product_attention(x, x, x)", SDPA, 3),
    ("def f(x):\n    from torch.nn.functional import softmax\n    return softmax(x, -1)", "torch.softmax", 3),
    ("from torch.nn.functional import *\ndef f(x):\n    return scaled_dot_product_attention(x, x, x)", SDPA, 3),
    ("import torch\ndef f(x):\n    return getattr(torch.nn.functional, 'softmax')(x, -1)", "torch.softmax", 3),
    (
        "import torch\ndef f(x):\n    return getattr(getattr(torch, 'nn').functional, 'softmax', 0)(x)",
        "torch.softmax",
        3,
    ),
    ("import importlib\ndef f(x):\n    return importlib.import_module('torch').softmax(x, -1)", "torch.softmax", 3),
    ("def f(x):\n    return __import__('torch').softmax(x, -1)", "torch.softmax", 2),
    ("import torch\ng = torch.softmax\ndef f(x):\n    return g(x, -1)", "torch.softmax", 2),
    ("import torch\ndef h(x):\n    return torch.softmax(x, -1)\ndef f(x):\n    return h(x)", "torch.softmax", 3),
    ("import torch\nf = torch.softmax", "torch.softmax", 2),
    ("import torch\nfrom functools import partial\nf = partial(torch.softmax, dim=-1)", "torch.softmax", 3),
    ("from torch import nn\nclass f(nn.MultiheadAttention):\n    pass", "torch.nn.MultiheadAttention", 2),
    ("import torch\nclass f:\n    def g(self, x):\n        return torch.softmax(x, -1)", "torch.softmax", 4),
    ("import torch\ndef f(x, g=torch.softmax):\n    return g(x, -1)", "torch.softmax", 2),
    ("import torch\n@torch.softmax\ndef f(x):\n    return x", "torch.softmax", 2),
    (
        "import torch\ntry:\n    g = torch.softmax\nexcept AttributeError:\n    pass\nf = lambda x: g(x, -1)",
        "torch.softmax",
        3,
    ),
    ("import torch\ns, f = torch.exp, torch.softmax", "torch.softmax", 2),
    ("import torch\nf: object = torch.softmax", "torch.softmax", 2),
    ("import numpy as np\ndef f(x):\n    return np.einsum('ij->i', x)", "numpy.einsum", 3),
    ("import torch\nasync def h(x):\n    return torch.softmax(x, -1)\ndef f(x):\n    return h(x)", "torch.softmax", 3),
]

NO_USES = [
    "import torch\nfrom torch import softmax\ndef f(x):\n    return x  # torch.softmax",
    "def f(x):\n    'torch.softmax(x, -1)'\n    return x",
    "import torch\ndef f(x):\n    return x\nif __name__ == '__main__':\n    print(torch.softmax(f(1), -1))",
    "import torch\ndef f(x):\n    return x\ndef compare(x):\n    return torch.softmax(x, -1)",
    "def softmax(x):\n    return x\ndef f(x):\n    return softmax(x)",
    "from torch import softmax\ndef softmax(x):\n    return x\ndef f(x):\n    return softmax(x)",
    "import torch\ndef f(x: torch.nn.MultiheadAttention) -> torch.softmax:\n    y: torch.softmax = x\n    return y",
    "from torch import nn\ndef f(x):\n    return isinstance(x, nn.MultiheadAttention)",
    "class torch:\n    softmax = abs\ndef f(x):\n    return torch.softmax(x)",
    "import torch\ndef f(softmax, torch):\n    return torch.softmax(softmax)",
    "import torch\ndef f(x):\n    return torch.log_softmax(x, -1).exp()",
    "import torch\nclass f:\n    def softmax(self, x):\n        return self.softmax(x)",
    "import torch\ndef f(x):\n    return torch.softmax(x, -1)\ndef f(x):\n    return x",
    "import scipy.special\ndef f(x):\n    return scipy.special.softmax(x)",
    "from torch.nn.functional import *\ndef softmax(x):\n    return x\ndef f(x):\n    return softmax(x)",
    "def g(x):\n    return f(x)\ndef f(x):\n    return g(x) if x else 0",
    "def f(x):\n    return getattr(x, x.name)(len(x))(1)",
]


def use(text: str) -> Use | None:
    """The first use of a forbidden name in a submission of one file."""
    file = source("q05.py", text)
    return first_use("f", NAMES, file, (file,))


@pytest.mark.parametrize(("text", "name", "line"), USES)
def test_a_use_is_found_with_its_line(text: str, name: str, line: int) -> None:
    """However the library's own is imported and called, the exercise that leads to it says where."""
    assert use(text) == Use(name, "q05.py", line)


@pytest.mark.parametrize("text", NO_USES)
def test_what_is_no_use(text: str) -> None:
    """Words, annotations, code that the exercise does not lead to, and names of one's own cost nobody a point."""
    assert use(text) is None


FILES = {
    "q05.py": "from tools.helpers import g as h\ndef f(x):\n    return h(x)",
    "tools/helpers.py": "import torch\nfrom .deeper import inner\ndef g(x):\n    return inner(x)\ng.o = torch.softmax",
    "tools/deeper.py": "import torch\ndef inner(x):\n    return torch.softmax(x, -1)",
}


def files(**changes: str) -> tuple[SourceFile, ...]:
    """The files, some of them changed."""
    return tuple(
        source(path, changes.get(path.rpartition("/")[2].removesuffix(".py"), text)) for path, text in FILES.items()
    )


def test_a_star_import_of_another_file_is_followed() -> None:
    """Its names are found like any others."""
    helper = source("tools.py", "import torch\ndef g(x):\n    return torch.softmax(x, -1)")
    file = source("q05.py", "from tools import *\ndef f(x):\n    return g(x)")
    assert first_use("f", NAMES, file, (file, helper)) == Use("torch.softmax", "tools.py", 3)


def test_other_files_are_followed() -> None:
    """What a definition imports from the submission's own files is part of the solution; the rest of them is not."""
    found = files()
    assert first_use("f", NAMES, found[0], found) == Use("torch.softmax", "tools/deeper.py", 3)
    whole = files(q05="import tools.helpers\ndef f(x):\n    return tools.helpers.g(x)")
    assert first_use("f", NAMES, whole[0], whole) == Use("torch.softmax", "tools/deeper.py", 3)
    honest = files(deeper="def inner(x):\n    return x")
    assert first_use("f", NAMES, honest[0], honest) is None


def test_cells_of_a_notebook_are_one_file() -> None:
    """The last definition counts, and the place is that of its cell; a cell that is no Python is passed over."""
    cells = ("import torch", "def f(x):\n    return torch.softmax(x)", "def f(", "def g(x):\n    return x")
    parts = tuple(Part(f"q05.ipynb cell {at}", dedent(text)) for at, text in enumerate(cells, 1))
    file = SourceFile("q05.ipynb", "q05", parts)
    assert first_use("f", NAMES, file, (file,)) == Use("torch.softmax", "q05.ipynb cell 2", 2)
    again = SourceFile("q05.ipynb", "q05", (*parts, Part("q05.ipynb cell 5", "def f(x):\n    return g(x)")))
    assert first_use("f", NAMES, again, (again,)) is None


def test_what_is_said_about_it() -> None:
    """Both languages name the file, the line, and what was used."""
    said = Use("torch.softmax", "q05.py", 3).text()
    assert said.en == "q05.py, line 3 uses torch.softmax, which this exercise forbids"
    assert "q05.py 第 3 行" in said.zh and "torch.softmax" in said.zh


def test_large_files_are_looked_at_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the process with limits the same is found; where it comes to its end, that is an error to be told."""
    text = f"import torch\ndef f(x):\n    return torch.softmax(x)\n#{'x' * bounded.SMALL}\n"
    file = SourceFile("q05.py", "q05", (Part("q05.py", text),))
    assert first_use("f", NAMES, file, (file,)) == Use("torch.softmax", "q05.py", 3)
    monkeypatch.setattr(bounded, "READING", bounded.Bounds(cpu=0.001))
    with pytest.raises(bounded.Exceeded):
        first_use("f", NAMES, replace(file, parts=(Part("q05.py", text + "a," * 100_000),)), (file,))
