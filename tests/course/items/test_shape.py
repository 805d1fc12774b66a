from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.marks import formula, plain
from grader.core.model import Status, Text
from grader.core.text import same, show_path
from grader.course.items import Context, Judgment, shape
from grader.course.items.shape import Spec, WrongShape

ADA = Context("spring", "ada", "Q10.split")
SIZES = {name: Text(f"en {name}", f"中 {name}") for name in ("batch", "h", "n", "d_k", "d_model")}
HEADS = Spec(
    "(batch, h, n, d_k)",
    SIZES,
    {"d_model": "h * d_k"},
    {"batch": ("B", "批次"), "h": ("num_heads",)},
    wrong=(WrongShape("(batch, n, h, d_k)", "no-transpose"), WrongShape("(batch, n, d_model)", "not-cut")),
)
MERGED = Spec("(batch, n, d_model)", SIZES, {"d_model": "h * d_k"})
OPEN = Spec("(..., n, 2*d_k)", SIZES)
SQUARE = Spec("(n, d_k**2)", SIZES)
FLAT = Spec("(n * d_k,)", SIZES)
SCALAR = Spec("()")
NUMBERS = Spec(
    "(2, heads, 512 // heads)", draw={"heads": (4, 8, 16)}, wrong=(WrongShape("(2, 512 // heads, heads)", "m"),)
)
CASES = Spec("(n, N)", {"n": Text("few", "少"), "N": Text("many", "多")})


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (HEADS, "(batch, h, n, d_k)"),
        (HEADS, "[batch,h,n,d_k]"),
        (HEADS, "batch, h, n, d_k"),
        (HEADS, "（batch，h，n，d_k）"),
        (HEADS, "【ｂａｔｃｈ、ｈ、ｎ、ｄ＿ｋ】"),
        (HEADS, "batch×h×n×d_k"),
        (HEADS, "batch × h × n × d_k"),
        (HEADS, "batch*h*n*d_k"),
        (HEADS, "batch x h x n x d_k"),
        (HEADS, "batch h n d_k"),
        (HEADS, "b h n d_k".replace("b ", "B ")),
        (HEADS, "(b, h, n, d_k)."),
        (HEADS, "(批次, h, n, d_k)"),
        (HEADS, "(batch, num_heads, n, d_k)"),
        (HEADS, "(batch, h, n, dk)"),
        (HEADS, "(batch, h, n, dₖ)"),
        (HEADS, "$(batch, h, n, d_{k})$"),
        (HEADS, r"$batch \times h\,\times n \times d_k$"),
        (HEADS, "ℝ^{batch×h×n×d_k}"),
        (HEADS, r"\mathbb{R}^{batch \times h \times n \times d_k}"),
        (HEADS, "torch.Size([batch, h, n, d_k])"),
        (HEADS, "((batch, h, n, d_k))"),
        (HEADS, "(batch, h, n, d_k,)"),
        (HEADS, "(batch; h; n; d_k)。"),
        (HEADS, "(batch, h, n, d_model / h)"),
        (HEADS, "(batch, h, n, d_model//h)"),
        (HEADS, "(batch, d_model/d_k, n, d_k)"),
        (HEADS, ["batch", "h", "n", "d_k"]),
        (HEADS, ["B", "h", "n", "d_model // h"]),
        (HEADS, ("batch", "h", "n", "d_k")),
        (HEADS, ["(batch, h, n, d_k)"]),
        (MERGED, "(batch, n, h*d_k)"),
        (MERGED, "(batch, n, h·d_k)"),
        (MERGED, "(batch, n, h×d_k)"),
        (MERGED, "(batch, n, h d_k)"),
        (MERGED, "(batch, n, (h*d_k))"),
        (MERGED, "batch × n × (h·d_k)"),
        (MERGED, "batch n (h d_k)"),
        (MERGED, "(batch, n, dModel)"),
        (MERGED, "(batch, n, 2d_model/2)"),
        (OPEN, "(..., n, 2*d_k)"),
        (OPEN, "(…, n, 2d_k)"),
        (OPEN, "(⋯, n, 2 d_k)"),
        (OPEN, "(*, n, d_k + d_k)"),
        (SQUARE, "(n, d_k^2)"),
        (SQUARE, "(n, d_k²)"),
        (SQUARE, "(n, d_k * d_k)"),
        (SQUARE, "n × d_k²"),
        (FLAT, "(n*d_k,)"),
        (FLAT, "n * d_k"),
        (FLAT, "(n·d_k)"),
        (FLAT, ["n * d_k"]),
        (SCALAR, "()"),
        (SCALAR, "[]"),
        (SCALAR, []),
        (SCALAR, "torch.Size([])"),
        (NUMBERS, "(2, 8, 64)"),
        (NUMBERS, [2, 8, 64]),
        (NUMBERS, ["2", 8, "512/8"]),
        (NUMBERS, "2x8x64"),
        (NUMBERS, "2 8 64"),
        (CASES, "(n, N)"),
    ],
)
def test_the_right_shape_passes_however_it_is_written(spec: Spec, value: object) -> None:
    """Brackets and signs of all kinds, other names, and what has the same value."""
    assert shape.judge(spec, value, replace(ADA, learner="cy")) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("spec", "value", "misconception", "said"),
    [
        (HEADS, "(batch, n, h, d_k)", "no-transpose", None),
        (HEADS, "B×n×h×(d_model/h)", "no-transpose", None),
        (HEADS, "(batch, n, h*d_k)", "not-cut", None),
        (HEADS, ["batch", "n", "d_model"], "not-cut", None),
        (NUMBERS, "(2, 64, 8)", "m", None),
        (HEADS, "(h, batch, n, d_k)", None, "two of them are swapped"),
        (HEADS, "(h, n, batch, d_k)", None, "their order is wrong"),
        (HEADS, "(batch, h, n)", None, "Axes in your shape: 3; there should be 4"),
        (HEADS, "n", None, "Axes in your shape: 1; there should be 4"),
        (HEADS, 5, None, "Axes in your shape: 1"),
        (HEADS, "()", None, "Axes in your shape: 0"),
        (HEADS, "(batch, h, n, d_model)", None, "Axis 3 (counting from 0) is not “d_model”"),
        (HEADS, "(batch, h, n, n)", None, "Axis 3 (counting from 0) is not “n”"),
        (HEADS, "batch × 8 × n × 64", None, "Axis 1 (counting from 0) is not “8”"),
        (HEADS, "(batch, h, n, d_k + 1)", None, "Axis 3"),
        (HEADS, "(batch, h, n, d_model - h)", None, "Axis 3"),
        (MERGED, "(batch, n, h + d_k)", None, "Axis 2"),
        (OPEN, "(batch, n, 2*d_k)", None, "Axis 0 (counting from 0) is not “batch”"),
        (OPEN, "(n, 2*d_k)", None, "Axes in your shape: 2; there should be 3"),
        (CASES, "(N, n)", None, "two of them"),
        (SQUARE, "(n, 2d_k)", None, "Axis 1"),
        (NUMBERS, "(2, 4, 128)", None, "Axis 1"),
    ],
)
def test_a_wrong_shape_is_told_where(spec: Spec, value: object, misconception: str | None, said: str | None) -> None:
    """The axis that differs first, or that only the order does; and nothing of what is right."""
    found = shape.judge(spec, value, replace(ADA, learner="cy"))
    assert (found.status, found.fraction, found.misconception) == (Status.FAILED, 0.0, misconception)
    assert found.readable
    assert (found.message is None) is (said is None)
    assert said is None or (found.message is not None and said in plain(found.message.en) and "轴" in found.message.zh)


UNREADABLE = (
    *("(batch, , n)", "(batch, h", "batch)(h", "9**9**9**9", "(batch, 9^9^9^9)", "__import__('os').getcwd()"),
    *("(" * 199, "x" * 10_000, " ", "\ud800", "\x00", "(\x1b[31m, h)"),
)


@pytest.mark.parametrize(
    ("spec", "value", "en", "zh"),
    [
        (HEADS, "(batch, -1, n, d_k)", "`-1` only tells `reshape`", "只是让 `reshape`"),
        (HEADS, "(batch, － 1, n, d_k)", "`-1` only tells", "只是让"),
        (HEADS, "(..., h, n, d_k)", "“...” does not say", "“...”没有说明"),
        (HEADS, "(*batch, h, n, d_k)", "“*batch” does not say", "没有说明"),
        (HEADS, "(None, h, n, d_k)", "“None” does not say", "没有说明"),
        (
            HEADS,
            "(batch, heads, n, d_k)",
            "no size “heads” in this question; the sizes are batch, h, n, d_k, d_model",
            "“heads”",
        ),
        (HEADS, "(batch, h, n, x.shape[-1])", "cannot be read as a shape", "无法读成形状"),
        (HEADS, "I don't know", "no size “I”", "“I”"),
        (HEADS, "don't know", "“don't know” cannot be read", "“don't know”"),
        (HEADS, "(batch, h, n, d_k / 0)", "(2*a, b, 5)`, using batch, h, n", "用 batch、h、n、d_k、d_model 和数字"),
        (HEADS, "", "“” cannot be read", "无法"),
        (HEADS, None, "“…” cannot", "无法"),
        *((HEADS, text, "cannot be read", "无法") for text in UNREADABLE),
        *(
            (HEADS, value, "cannot be read", "无法")
            for value in (True, 1.5, {"batch": 1}, ["batch", ["h"]], ["batch", None])
        ),
        pytest.param(HEADS, [10**30000], "cannot", "无法", id="huge"),
        (HEADS, "{said}", "“said”", "“said”"),
        (NUMBERS, "(2, h, 64)", "“h” is not defined in this question; write numbers", "“h”"),
        (NUMBERS, "(2, heads, 64)", "“heads” is not defined", "“heads”"),
        (CASES, "(n, M)", "no size “M”", "“M”"),
    ],
)
def test_what_is_no_shape_is_told_why(spec: Spec, value: object, en: str, zh: str) -> None:
    """It costs no try, and nothing that stands there is an exception or runs."""
    found = shape.judge(spec, value, replace(ADA, learner="cy"))
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, False)
    assert found.message is not None
    assert en in plain(found.message.en)
    assert zh in plain(found.message.zh)


def test_sizes_are_explained() -> None:
    """What each name is, and what follows from others."""
    asked = shape.prompt(HEADS, ADA)
    assert asked.form == "line"
    assert plain(asked.facts[0].zh) == "batch：中 batch"
    assert asked.facts[-1].en == f"{formula('d_model = h·d_k')}: en d_model"
    assert shape.prompt(SCALAR, ADA).facts == ()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (HEADS, "(batch, h, n, d_k)"),
        (OPEN, "(..., n, 2*d_k)"),
        (FLAT, "(n * d_k,)"),
        (SCALAR, "()"),
        (NUMBERS, "(2, 8, 64)"),
        (Spec("(n, k * n)", {"n": Text("a", "甲")}, draw={"k": (3,)}), "(n, 3 * n)"),
    ],
)
def test_the_key_of_a_shape_passes(spec: Spec, expected: str) -> None:
    """With the numbers of this learner."""
    cy = replace(ADA, learner="cy")
    assert shape.key(spec, cy) == same(formula(expected))
    assert shape.judge(spec, expected, cy).status is Status.PASSED


A = {"a": Text("a", "甲"), "b": Text("b", "乙")}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        *((spec, []) for spec in (HEADS, MERGED, OPEN, SQUARE, FLAT, SCALAR, NUMBERS, CASES)),
        (
            Spec("(a, c)", A),
            ["answer: found '(a, c)'; expected a shape such as (batch, n, 2*d), but: There is no size “c”"],
        ),
        (Spec("(a, b", A), ["answer: found '(a, b'; expected a shape such as (batch, n, 2*d), but: it cannot be read"]),
        (Spec("(a, 0)", A), ["answer: found '(a, 0)'; expected axes of positive length"]),
        (Spec("(a, d - 4)", A, draw={"d": (4, 8)}), ["answer: found '(a, d - 4)'; expected axes of positive length"]),
        (Spec("(a,)", {"sqrt": Text("a", "甲")}), ["sizes.sqrt: found 'sqrt'; expected a name such as d_k"]),
        (Spec("(a,)", {f"a{i}": Text("a", "甲") for i in range(13)}), ["sizes: found 13 of them; expected at most 12"]),
        (Spec("(a,)", A, aliases={"c": ("C",)}), ["aliases.c: found 'c'; expected a name of `sizes`: a, b"]),
        (Spec("(a,)", A, aliases={"a": ("b",)}), ["aliases.a[0]: found 'b'; expected a name such as B"]),
        (Spec("(a,)", A, {"c": "a"}), ["equal.c: found 'c'; expected a name of `sizes`: a, b"]),
        (Spec("(a,)", A, {"b": "a *"}), ["equal.b: found 'a *'; expected a number, or arithmetic"]),
        (Spec("(a,)", A, {"b": "b * a"}), ["equal.b: found 'b'; expected a size that is not defined by others: a"]),
        (Spec("(a,)", A, draw={"d": ()}), ["draw.d: found []; expected one number or more, all positive"]),
        (Spec("(a,)", A, wrong=(WrongShape("(a", "m"),)), ["wrong[0].answer: found '(a'; expected a shape such as"]),
        (
            Spec("(a, 2*b)", A, wrong=(WrongShape("(a, b+b)", "m"),)),
            ["wrong[0].answer: found '(a, b+b)'; expected a shape that is never"],
        ),
        (
            Spec("(d, 4)", draw={"d": (8, 4)}, wrong=(WrongShape("(4, d)", "m"),)),
            ["wrong[0].answer: found '(4, d)'; expected a shape that is never right, but it is with d = 4"],
        ),
    ],
)
def test_specs_are_checked(spec: Spec, said: list[str]) -> None:
    """Every shape has a value whatever is drawn, and no wrong one is ever right."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in shape.validate(spec)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)
