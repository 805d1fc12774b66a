"""What a text tells before it runs: names that an exercise forbids, and definitions still to write."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent, indent

import pytest

from grader.core import bounded
from grader.core.model import CheckSpec, Job, Limits, Observed, Part, Raised, SourceFile, Status
from grader.grading.definitions import Use, first_use, only_raises, unwritten
from grader.grading.grade import grade
from grader.report import words
from grader.sandbox import Sandbox
from tests.grading.test_grade import COURSE, DOUBLE, X, fake, result
from tests.helpers import array, case, course, exercise, question, returned, source, submission

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


STUBS = (
    "pass",
    "...",
    "return",
    "return None",
    "raise NotImplementedError",
    "raise NotImplementedError('later')",
    '"""What it does."""',
    '"""What it does."""\n...',
)
WRITTEN = ("return x", "x + 1", "raise ValueError", "y = x\nraise NotImplementedError", "print(x)", "if x: pass")


@pytest.mark.parametrize("body", STUBS)
def test_a_stub(body: str) -> None:
    """With nothing in it but what says nothing; as a function, and as every method of a class."""
    function = f"def double(x):\n{indent(body, '    ')}\n"
    assert unwritten("double", source("q05.py", f"import torch\n{function}")) == ("q05.py", 2)
    methods = "\n".join(f"def {name}(self):\n{indent(body, '    ')}" for name in ("__init__", "forward"))
    text = f"from torch import nn\nclass Layer(nn.Module):\n{indent(methods, '    ')}\n"
    assert unwritten("Layer", source("q05.py", text)) == ("q05.py", 2)


@pytest.mark.parametrize(
    "text",
    [
        "from math import *\ndef double(x): pass\n",
        "def double(x): pass\nprint(double(1))\n",
        "class double(nn.Module):\n    def __init__(self):\n        super(double, self).__init__()\n",
    ],
)
def test_still_a_stub(text: str) -> None:
    """An earlier star import, a call of it and the old form of ``super`` change nothing."""
    assert unwritten("double", source("q05.py", text)) is not None


@pytest.mark.parametrize("body", WRITTEN)
def test_written(body: str) -> None:
    """Whatever else is in it, however little that is."""
    assert unwritten("double", source("q05.py", f"def double(x):\n{indent(body, '    ')}\n")) is None


@pytest.mark.parametrize(
    "text",
    [
        "def other(x): pass\n",
        "def double(x): pass\ndouble = len\n",
        "@wrap\ndef double(x): pass\n",
        "class double(Base): pass\n",
        "class double:\n    def __init__(self): self.x = 1\n    def forward(self): ...\n",
        "class double: pass\ndef run(self): return 1\ndouble.forward = run\n",
        "class double: pass\n@add_to(double)\ndef forward(self): return 1\n",
        "from other import double\n",
        "try:\n    def double(x): return x\nexcept ImportError:\n    def double(x): raise NotImplementedError\n",
        "if True:\n    def double(x): return x\nelse:\n    def double(x): ...\n",
        "def double(x): pass\nfrom mine import *\n",
        "def double(x): pass\n(double := len)\n",
        "def double(x): pass\nfor double in [len]: pass\n",
        "def double(x): pass\ndef run(x): return x\ndouble.__code__ = run.__code__\n",
        "class double: pass\nsetattr(double, 'forward', len)\n",
        "class Module:\n    def forward(self): return 1\nclass double(Module): pass\n",
        "class double(metaclass=Meta): pass\n",
    ],
)
def test_what_may_be_written_elsewhere_is_no_stub(text: str) -> None:
    """Another meaning of the name, decorators, bases, methods that are added from outside, and half a class."""
    assert unwritten("double", source("q05.py", text)) is None


def test_a_large_file_is_not_searched() -> None:
    """Parsing it would take the time of a process with limits."""
    file = source("q05.py", "def double(x): pass\n")
    large = replace(file, parts=(Part("q05.py", file.parts[0].text + "#" * bounded.SMALL),))
    assert unwritten("double", file) and unwritten("double", large) is None


@pytest.mark.parametrize("body", ["pass", "raise NotImplementedError"])
def test_a_stub_is_missing_and_says_so_in_both_languages(body: str) -> None:
    """Whether it returns nothing or raises: the same words, no exception, and other exercises are graded."""
    nothing = Raised("NotImplementedError", "", "q11.py", 1) if "raise" in body else returned(None)
    report = grade(COURSE, submission(q11=f"def halve(x): {body}\n", q05=DOUBLE), fake(q11=nothing))
    found = result(report, "halve")
    assert (found.status, found.earned, found.file) == (Status.MISSING, 0, "q11.py")
    assert found.message is not None and words.is_stub(found)
    assert (found.message.en, found.message.zh) == ("not written yet at q11.py, line 1", "还没有写（q11.py 第 1 行）")
    assert result(report, "double").status is Status.PASSED
    there = fake(q11=Raised("NotImplementedError", "", "q05.py", 1))
    needed = result(grade(COURSE, submission(q11="def halve(x): return x / 2\n", q05=DOUBLE), there), "halve").message
    assert needed is not None and needed.en == "not written yet: code that it needs, at q05.py, line 1"


def test_points_are_never_taken_from_what_looks_like_a_stub() -> None:
    """If some values are right after all, it was written somewhere."""
    right = returned(array([1.0, 2.0, 3.0]))
    report = grade(COURSE, submission(q11="def halve(x): pass\n"), fake(q11=right))
    assert result(report, "halve").status is Status.PASSED


def test_doing_nothing_earns_nothing(sandbox: Sandbox) -> None:
    """A function without a body leaves its inputs unchanged, which alone is worth no points."""
    checks = (CheckSpec("values", 4.0), CheckSpec("unchanged_inputs", 1.0))
    given = course(
        question("Q5", exercise("double(x)", case("seen", x=X), checks=checks)),
        reference="import torch\ndef double(x): return 2 * x\n",
    )
    for body, status in (("pass", Status.MISSING), ("x.sum()", Status.FAILED)):
        found = result(grade(given, submission(q05=f"def double(x): {body}\n"), sandbox.observe), "double")
        assert (found.status, found.earned > 0) == (status, status is Status.FAILED)


STUB = "def double(x): raise NotImplementedError\n"


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        (STUB, True),
        ("from torch import nn\nclass double(nn.Module):\n    def forward(self): raise NotImplementedError\n", True),
        ("def double(x): return None\n", False),
        ("async def double(x): raise NotImplementedError\n", False),
        ("def double(x):\n    return\n    raise NotImplementedError\n", False),
        (STUB + "from math import *\n", False),
        (STUB + "globals()['double'] = len\n", False),
        (STUB + "import q05\nq05.double = len\n", False),
        (
            "class Module: __call__ = len\nclass double(Module):\n    def forward(self): raise NotImplementedError\n",
            False,
        ),
        ("class double:\n    def __init__(self): pass\n", False),
    ],
)
def test_what_need_not_be_run(text: str, certain: bool) -> None:
    """A stub that certainly raises is not run; one that may return something, or be replaced as code runs, is."""
    file = source("q05.py", text)
    assert (only_raises("double", file, (file,)) is not None) is certain
    other = source("q06.py", "import q05\nq05.double = len\n")
    assert only_raises("double", file, (file, other)) is None


def test_stubs_alone_run_nothing() -> None:
    """Neither they nor any reference: the report needs no sandbox."""

    def observe(job: Job, limits: Limits) -> Observed:
        raise AssertionError

    report = grade(COURSE, submission(q05=STUB, q11=STUB.replace("double", "halve")), observe)
    assert [result(report, name).status for name in ("double", "halve")] == [Status.MISSING] * 2
