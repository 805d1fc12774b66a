"""Words around an answer are dropped only if they do not change it."""

from __future__ import annotations

import pytest

from grader.core.model import Status, Text
from grader.course.items import Context, Judgment, expression, number, shape

ADA = Context("spring", "ada", "Q4.words")
FORMULA = expression.Spec({"n": "positive integer", "d": "positive integer", "a": "positive integer"}, "n^2 d")
NUMBER = number.Spec(8)
PERCENT = number.Spec(10, unit="%")
SHAPE = shape.Spec("(n, d)", {"n": Text("tokens", "词元"), "d": Text("width", "宽度")})


def said(judged: Judgment) -> str:
    """Right, wrong or unread."""
    return "unread" if not judged.readable else "right" if judged.status is Status.PASSED else "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "half of n^2 d", "n^2 d squared", "n^2 d (squared)", "n^2 d doubled", "twice n^2 d", "n^2 d (times two)",
        "n^2 d per head", "n^2 d for each head", "not n^2 d", "the answer is not n^2 d", "all but n^2 d",
        "n^2 d minus one", "n^2 d or n d", "at most n^2 d", "less than n^2 d", "n^2 d - total", "n : d",
        "the root of n^2 d", "1 over n^2 d", "the inverse of n^2 d", "n^2 d 的一半", "n^2 d 的两倍", "不是 n^2 d",
        "一半的 n^2 d", "n^2 d（的两倍）", "每个头 n^2 d", "n^2 d 的平方", "不等于 n^2 d", "n^2 d 除以 h",
        "不是：n^2 d",
        "not this: n^2 d", "n^2 d, so 2", "a b n^2 d", "n^2 d thousand", "n^2 d, halved",
        "n^2 d, negated", "n^2 d, with 2 n d on top", "n^2 d (reciprocal)",
    ],
)  # fmt: skip
def test_words_that_change_a_formula_are_not_dropped(text: str) -> None:
    """Whoever writes them has not written the right formula; what cannot be read costs nothing."""
    assert said(expression.judge(FORMULA, text, ADA)) != "right"


@pytest.mark.parametrize(
    "text",
    [
        "half of 8", "8 squared", "8 or 9", "not 8", "the answer is not 8", "at least 8", "more than 8", "8 per head",
        "8 thousand", "8 million", "minus 8", "negative 8", "the square of 8", "the root of 8", "1 over 8", "8 dozen",
        "8 halves", "8 and a half", "8 percent", "8 to 9", "8 minus 1", "8 k", "8 的一半", "不是 8", "8 的平方",
        "8 的倒数",
        "负 8", "8 分之一", "不等于 8", "8 百", "8 千", "8 万", "少 8", "每头 8", "减少 8", "by 8 times 2", "8 of 64",
        "8, so 9", "8 wrong", "sqrt 8", "8 hundred in all", "8 false entries", "it isn't equal to 8",
        "never equals 8", "不会等于 8", "8, halved", "8 (negative)",
    ],
)  # fmt: skip
def test_words_that_change_a_number_are_not_dropped(text: str) -> None:
    """As in formulas."""
    assert said(number.judge(NUMBER, text, ADA)) != "right"


@pytest.mark.parametrize(
    "text",
    ["减少 10%", "decreases by 10%", "down by 10 %", "-10%", "not 10%", "10% of 10%", "1/10 % = 10 %", "1/5 = 10 %"],
)
def test_words_that_change_a_percentage_are_not_dropped(text: str) -> None:
    """As in formulas."""
    assert said(number.judge(PERCENT, text, ADA)) != "right"


@pytest.mark.parametrize(
    "text",
    ["(n, d) transposed", "transposed: (n, d)ᵀ", "not (n, d)", "(n, d) without d", "(n, d) or (d, n)", "n 列 d 行"],
)
def test_words_that_change_a_shape_are_not_dropped(text: str) -> None:
    """As in formulas."""
    assert said(shape.judge(SHAPE, text, ADA)) != "right"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (FORMULA, "the answer is n^2 d"), (FORMULA, "n times n times d: n^2 d"), (FORMULA, "n^2 d (row by row)"),
        (FORMULA, "n n = n^2, so n^2 d"), (FORMULA, "n^2 d because of the scores"), (FORMULA, "费用等于 n^2 d"),
        (FORMULA, "pow(n, 2) d"), (FORMULA, "np.exp(2 math.log(n)) d"),
    ],
)  # fmt: skip
def test_other_words_are_dropped_around_a_formula(spec: expression.Spec, text: str) -> None:
    """A description, a remark, a reason, a conclusion; functions are called as in code."""
    assert said(expression.judge(spec, text, ADA)) == "right"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (NUMBER, "by a factor of 8"), (NUMBER, "8-fold"), (NUMBER, "8 tokens back"), (NUMBER, "一共 8 个"),
        (NUMBER, "标准差 8"), (NUMBER, "根号64"), (NUMBER, "np.sqrt(64)"), (PERCENT, "增加 10%"),
        (PERCENT, "1/10 = 10 %"),
    ],
)  # fmt: skip
def test_other_words_are_dropped_around_a_number(spec: number.Spec, text: str) -> None:
    """As around formulas."""
    assert said(number.judge(spec, text, ADA)) == "right"


@pytest.mark.parametrize(
    "text", ["x.shape == (n, d)", "W: (n, d)", "(n, d) matrix", "n 行 d 列", "n rows and d columns"]
)
def test_other_words_are_dropped_around_a_shape(text: str) -> None:
    """As around formulas."""
    assert said(shape.judge(SHAPE, text, ADA)) == "right"
