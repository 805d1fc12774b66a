"""A small course in place of the bundled one, and a way to run commands as from a shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.commands import run
from grader.core.model import Case, Course, Exercise, Item, Misconception, Parameter, Question, Text
from grader.course import loader
from grader.course.items.choice import Option, Spec
from grader.grading import courses

ITEM = Item(
    "Q5.output",
    "choice",
    Text("What comes out?", "结果是什么？"),
    1,
    "graded",
    Spec((Option("a", Text("Scores", "得分")), Option("b", Text("Means", "平均"), correct=True))),
)
SDPA = Exercise(
    name="scaled_dot_product_attention",
    kind="function",
    signature="scaled_dot_product_attention(q, k, v, mask=None)",
    parameters=(Parameter("q", True), Parameter("mask", False)),
    summary=Text("One weighted mean of the values for each query.", "为每个查询计算值的加权平均。"),
    result=Text("(..., n_q, d_v)", "(..., n_q, d_v)"),
    reference="attention.scaled_dot_product_attention",
    points=7,
    cases=(Case("basic", True, ()), Case("more keys", False, ()), Case("empty rows", False, ())),
    checks=(),
    returns="attention",
)
MHA = Exercise(
    name="MultiHeadAttention",
    kind="class",
    signature="MultiHeadAttention(d_model, num_heads)",
    parameters=(Parameter("d_model", True), Parameter("num_heads", True)),
    summary=Text("Attention in several heads.", "多头注意力。"),
    result=Text("(batch, n_q, d_model)", "(batch, n_q, d_model)"),
    reference="heads.MultiHeadAttention",
    points=9,
    cases=(Case("basic", False, ()),),
    checks=(),
    forward_signature="forward(query, key, value, mask=None)",
    forward=(Parameter("query", True), Parameter("mask", False)),
    adapter="projections",
    array_types=("torch",),
)


@pytest.fixture(autouse=True)
def course(monkeypatch: pytest.MonkeyPatch) -> Course:
    """The course that every command finds."""
    q5 = Question(
        id="Q5",
        title=Text("Scaled dot-product attention", "缩放点积注意力"),
        group="self-attention",
        prompt=Text("Write it **yourself**.", "自己写。"),
        file="q05.yaml",
        misconceptions=(Misconception("no-scaling", Text("Divide by √d_k.", "要除以 √d_k。")),),
        items=(ITEM,),
        exercises=(SDPA,),
    )
    q11 = Question(
        id="Q11",
        title=Text("A title that is by far too long for one line of any table " * 2, "头" * 60),
        group="multi-head",
        prompt=Text("Write it.", "写。"),
        file="q11.yaml",
        exercises=(MHA,),
    )
    groups = (("self-attention", Text("Self-attention", "自注意力")), ("multi-head", Text("Heads", "多头")))
    made = Course(Text("Attention", "注意力"), "test", groups, (q5, q11), (), (), "digest", "")
    monkeypatch.setattr(loader, "find", lambda folder: Path(folder or "."))
    monkeypatch.setattr(courses, "load", lambda folder, *_: made)
    return made


@pytest.fixture(autouse=True)
def progress_file(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where progress is kept: every test begins with none."""
    path = tmp_path_factory.mktemp("state") / "progress.jsonl"
    monkeypatch.setenv("ATTNCHECK_STATE", str(path))
    return path


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def attncheck(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs a command line in this process."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def execute(*args: str) -> Ran:
        code = run(args)
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return execute
