"""Which definitions are still stubs."""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent

import pytest

from grader.core import bounded
from grader.core.model import CheckSpec, Job, Limits, Observed, Part, Raised, Status
from grader.grading.definitions import only_raises, unwritten
from grader.grading.grade import grade
from grader.report import words
from grader.sandbox import Sandbox
from tests.grading.test_grade import COURSE, DOUBLE, X, fake, result
from tests.helpers import array, case, course, exercise, question, returned, source, submission

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
