"""The files a learner starts from."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import pytest
import yaml

from grader.core.layout import cells
from grader.core.model import Case, Exercise, Item, Lang, Parameter, Question, Text
from grader.course import items, starter
from grader.course.items import multi, number
from grader.course.items.choice import Option, Spec

SDPA = Exercise(
    name="scaled_dot_product_attention",
    kind="function",
    signature="scaled_dot_product_attention(q, k, v, mask=None)",
    parameters=(Parameter("q", True), Parameter("k", True), Parameter("v", True), Parameter("mask", False)),
    summary=Text(
        'Scores q kᵀ / √d_k, a softmax over the keys, a weighted mean of the values: three steps in one \\ """ line.',
        "得分 q kᵀ / √d_k，在键上做 softmax，再对值加权平均：三个步骤合在一起，写成一个不长不短的函数。",
    ),
    result=Text("(..., n_q, d_v)", "(..., n_q, d_v)"),
    reference="attention.scaled_dot_product_attention",
    points=7,
    cases=(Case("basic", True, ()),),
    checks=(),
    returns="attention",
)
MHA = replace(
    SDPA,
    name="MultiHeadAttention",
    kind="class",
    signature="MultiHeadAttention(d_model, num_heads)",
    parameters=(Parameter("d_model", True), Parameter("num_heads", True)),
    forward_signature="forward(query, key, value, mask=None)",
    forward=(Parameter("query", True), Parameter("mask", False)),
    adapter="projections",
    cases=(Case("indivisible", False, (), raises="ValueError"),),
)
CACHE = replace(
    SDPA, name="KVCache", kind="class", signature="KVCache()", parameters=(), array_types=("torch",), returns="value"
)
ITEM = Item(
    id="Q5.output",
    kind="choice",
    ask=Text("What comes out?\n  (one row per query)", "结果是什么？"),
    points=1,
    use="graded",
    spec=Spec(
        (Option("a", Text("The scores", "得分")), Option("b", Text("Means of values", "值的平均"), correct=True))
    ),
)
QUESTION = Question(
    id="Q5",
    title=Text("Scaled dot-product attention", "缩放点积注意力"),
    group="self-attention",
    prompt=Text("Write it.", "写出来。"),
    file="q05.yaml",
    items=(ITEM, replace(ITEM, id="Q5.practice", use="practice")),
    exercises=(SDPA, MHA, CACHE),
)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_stub_is_python_that_does_nothing(lang: Lang) -> None:
    """It parses, imports nothing, and defines every exercise with its signature and a docstring."""
    text = starter.stub(QUESTION, lang)
    module = ast.parse(text)
    assert not [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    function, mha, cache = module.body[1:]
    assert isinstance(function, ast.FunctionDef)
    assert (function.name, ast.unparse(function.args)) == ("scaled_dot_product_attention", "q, k, v, mask=None")
    assert [type(node) for node in function.body] == [ast.Expr, ast.Raise]
    assert isinstance(mha, ast.ClassDef) and isinstance(cache, ast.ClassDef)
    signatures = {
        f"{node.name}.{method.name}({ast.unparse(method.args)})"
        for node in (mha, cache)
        for method in node.body
        if isinstance(method, ast.FunctionDef)
    }
    assert signatures == {
        "MultiHeadAttention.__init__(self, d_model, num_heads)",
        "MultiHeadAttention.forward(self, query, key, value, mask=None)",
        "KVCache.__init__(self)",
    }
    said = " ".join((ast.get_docstring(function) or "").split())
    assert said.startswith(SDPA.summary.of(lang)[:40])
    assert "(..., n_q, d_v)" in said


def test_a_stub_raises_not_implemented() -> None:
    """What nobody has written yet says so when it is called."""
    names: dict[str, object] = {}
    exec(starter.stub(QUESTION, "en"), names)
    with pytest.raises(NotImplementedError):
        names["scaled_dot_product_attention"](1, 2, 3)  # type: ignore[operator]
    with pytest.raises(NotImplementedError):
        names["MultiHeadAttention"](8, 2)  # type: ignore[operator]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_stub_fits_an_editor(lang: Lang) -> None:
    """Its lines are short, whatever the language, and none ends in a blank."""
    for text in (starter.stub(QUESTION, lang), starter.answers([QUESTION], lang)):
        assert max(map(cells, text.splitlines())) <= 92
        assert not re.search(r"[ \t]$", text, re.MULTILINE)
        assert text.endswith("\n") and not text.endswith("\n\n")


@pytest.mark.parametrize(
    ("exercises", "fragment", "there"),
    [
        ((SDPA,), "Masks are boolean", True),
        ((CACHE,), "marked “torch”", True),
        ((CACHE,), "any other file numpy.ndarray", False),
        ((SDPA,), "marked “torch”", False),
        ((MHA,), "w_q, w_k, w_v and w_o", True),
        ((SDPA,), "w_q, w_k, w_v and w_o", False),
        ((replace(MHA, adapter="table"),), "w_q, w_k, w_v and w_o", False),
        ((replace(MHA, adapter="encoder_layer"),), "in the order in which you define them", True),
        ((MHA,), "d_k = d_model // num_heads", True),
        ((MHA,), "raise ValueError", True),
        ((MHA,), "Masks may differ between heads", True),
        ((SDPA,), "Masks may differ between heads", False),
        ((SDPA,), "(output, weights)", True),
        ((MHA,), "projections are x @ w", True),
        ((replace(MHA, adapter="table"),), "projections are x @ w", False),
        ((), "by position", False),
    ],
)
def test_conventions_are_those_that_matter(exercises: tuple[Exercise, ...], fragment: str, there: bool) -> None:
    """Only conventions that one of the exercises can meet are stated."""
    said = " ".join(text.en for text in starter.conventions(exercises))
    assert (fragment in said) is there


@pytest.mark.parametrize(("name", "expected"), [("Q5", "q05.py"), ("Q24", "q24.py")])
def test_file_name(name: str, expected: str) -> None:
    """Files sort like the questions."""
    assert starter.file_name(replace(QUESTION, id=name)) == expected


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_answers(lang: Lang) -> None:
    """The skeleton is valid, answers nothing, leaves practice out, and shows the options as comments."""
    text = starter.answers([QUESTION], lang)
    assert yaml.safe_load(text) == {"format": 1, "learner": "your-name", "answers": {"Q5.output": None}}
    for option in ITEM.spec.options:
        assert f"#   {option.id}: {option.text.of(lang)}" in text
    assert ITEM.ask.of(lang).splitlines()[0] in text


SIZE = replace(
    ITEM,
    id="Q5.size",
    kind="number",
    ask=Text("How large is √d_k for d_k = {d_k}, in {braces}?", "d_k = {d_k} 时，√d_k 是多少？"),
    spec=number.Spec("sqrt(d_k)", {"d_k": (16, 64, 256), "n": (2, 4)}, unit=Text("units", "个")),
)
SEVERAL = replace(ITEM, id="Q5.several", kind="multi", spec=multi.Spec(ITEM.spec.options))


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        (
            "en",
            [
                "# How large is √d_k for d_k = {d_k}, in {braces}?",
                "# {d_k} is one of 16, 64, 256. {n} is one of 2, 4. The learner's name decides which:",
                "--learner NAME`.",
                "# Unit: units (optional).",
                "# Answer with a number, such as `1536`, `1.5e3`, `3/4` or `2^10`.",
                "# Answer with a list of letters, such as [a, c]; more than one may be right.",
                "#   b: Means of values",
            ],
        ),
        (
            "zh",
            ["# d_k = {d_k} 时", "# {d_k} 是 16、64、256 中的一个", "# 单位：个（可以不写）。", "# 答案填一个数，例如"],
        ),
    ],
)
def test_answers_of_other_kinds(lang: Lang, fragments: list[str]) -> None:
    """Each kind says how to answer; numbers that go by a name nobody gave are shown with their choices."""
    text = starter.answers([replace(QUESTION, items=(SIZE, SEVERAL))], lang)
    assert yaml.safe_load(text)["answers"] == {"Q5.size": None, "Q5.several": None}
    assert max(map(cells, text.splitlines())) <= 92
    for fragment in fragments:
        assert fragment in text


@pytest.mark.parametrize("learner", ["ada", "李雷", 'a "b": # c', "yes", "12"])
def test_answers_for_somebody(learner: str) -> None:
    """The name stands in the file as it was given, and the numbers are those that grading will draw."""
    text = starter.answers([replace(QUESTION, items=(SIZE,))], "en", "spring", learner)
    assert yaml.safe_load(text)["learner"] == learner
    d_k = items.draw(SIZE.spec, items.Context("spring", learner, "Q5.size"))["d_k"]
    assert f"for d_k = {d_k}, in {{braces}}?" in text
    assert "is one of" not in text


def test_answers_without_items() -> None:
    """Nothing to answer is still a valid file."""
    text = starter.answers([replace(QUESTION, items=())], "en")
    assert yaml.safe_load(text)["answers"] == {}
