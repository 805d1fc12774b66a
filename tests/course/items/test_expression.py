from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from grader.core import marks
from grader.core.marks import plain
from grader.core.model import Item, Status, Text
from grader.core.text import show_path
from grader.core.typesetting.html import formula
from grader.course.items import MOST_READING, Context, Judgment, derivation, expression, formulas, judge
from grader.course.items._values import KnownWrongAnswer
from grader.course.items.expression import Spec

ADA = Context("spring", "ada", "Q8.total")
TOTAL = Spec(
    symbols={"d_model": "positive integer", "h": "positive integer", "d_k": "d_model / h (definition)"},
    answer="4 d_model^2",
    wrong=(
        KnownWrongAnswer("3 d_model^2", "output-projection-forgotten"),
        KnownWrongAnswer("4 h d_model^2", "every-head-full-width"),
        KnownWrongAnswer("4 d_k^2", "head-matrix-is-square"),
    ),
)
GROWTH = Spec(
    symbols={"n": "positive integer", "d": "positive integer"},
    answer="O(n^2 d + n d^2)",
    grows=True,
    wrong=(KnownWrongAnswer("O(n^2 d)", "projections-are-free"),),
)
SCORE = Spec(
    symbols={"d_k": "positive integer"},
    given={"q": "iid(mean=0, var=1, size=d_k)", "k": "iid(mean=0, var=1, size=d_k)"},
    answer="d_k",
)
CACHE = Spec(symbols={"n": "positive integer"}, answer="2 n", unit=Text("bytes", "字节"))
SCORES = Spec(symbols={"n": "positive integer"}, answer="2 n^2", unit=Text("bytes", "字节"))
HALF = Spec(symbols={}, answer="1/2", wrong=(KnownWrongAnswer(2, "upside-down"),))


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (TOTAL, "4*d_model**2"),
        (TOTAL, "４ｄ＿ｍｏｄｅｌ＾２"),
        (TOTAL, "h(3 d_model d_k) + d_model²"),
        (TOTAL, "= 4 d_model^2。"),
        (TOTAL, r"$4 d_{\text{model}}^2$"),
        (TOTAL, "（2·d_model）²"),
        (GROWTH, "O(nd(n+d))"),
        (GROWTH, "Θ(n²d + nd² + n)"),
        (GROWTH, "4n²d + 8nd²"),
        (SCORE, "Var(q·k)"),
        (SCORE, "Σ_i E[q_i²] E[k_i²]"),
        (CACHE, "2n"),
        (CACHE, "2n bytes"),
        (CACHE, "2n 字节"),
        (SCORES, "2 n² bytes"),
        (SCORES, "2 n² 字节"),
        (SCORES, "2 n² Ｂｙｔｅｓ"),
        (HALF, 0.5),
        (HALF, "2/4"),
        (HALF, "50/100"),
    ],
)
def test_equal_formulas_pass(spec: Spec, answer: object) -> None:
    """In every spelling, with the unit or without it."""
    assert expression.judge(spec, answer, ADA) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("spec", "answer", "misconception"),
    [
        (TOTAL, "d_model² + 2 d_model²", "output-projection-forgotten"),
        (TOTAL, "4·d_model·h·d_model", "every-head-full-width"),
        (TOTAL, "4 d_model²/h²", "head-matrix-is-square"),
        (GROWTH, "O(n²d + n)", "projections-are-free"),
        (HALF, 2, "upside-down"),
    ],
)
def test_known_wrong_formulas_are_named(spec: Spec, answer: object, misconception: str) -> None:
    """In every spelling."""
    assert expression.judge(spec, answer, ADA) == Judgment(Status.FAILED, 0.0, misconception=misconception)


@pytest.mark.parametrize(
    ("spec", "answer", "words"),
    [
        (TOTAL, "5 d_model^2", "for d_model = 2, yours is 20"),
        (TOTAL, 12, "yours is 12"),
        (HALF, "1/3", "Not the right formula: yours is 1/3."),
        (GROWTH, "O(n^2)", "Yours grows like O(n²)"),
        (SCORE, "d_k E[q_1^4]", "Yours depends on E[q⁴]"),
        (SCORE, "q·k", "for d_k = 1"),
        (TOTAL, "1/0", "has no value: division by 0"),
        (TOTAL, "√(0 − d_model)", "the square root of a negative number"),
        (SCORE, "q", "yours is"),
        (SCORE, "q + d_k", "Shapes do not fit"),
    ],
)
def test_wrong_formulas_are_shown_their_own_value(spec: Spec, answer: object, words: str) -> None:
    """At an instance; the right value is not given away."""
    found = expression.judge(spec, answer, ADA)
    assert found.message is not None and words in plain(found.message.en)
    assert (found.status, found.fraction, found.misconception, found.readable) == (Status.FAILED, 0.0, None, True)
    assert any("\u4e00" <= char <= "\u9fff" for char in found.message.zh)


@pytest.mark.parametrize(
    ("spec", "answer", "words"),
    [
        (TOTAL, "", "There is no formula here"),
        (TOTAL, None, "written as text"),
        (TOTAL, True, "written as text"),
        pytest.param(TOTAL, 10**5000, "written as text", id="huge"),
        (TOTAL, float("nan"), "“nan” is not known here"),
        (TOTAL, ["4 d_model^2"], "written as text"),
        (TOTAL, "4 d_modle^2", "did you mean `d_model`?"),
        (TOTAL, "3 d_model^2 = 4 d_model^2", "one formula"),
        (TOTAL, "4 d_model^", "the formula ends here"),
        (TOTAL, "4 d_model^2 !", "is not a symbol that formulas can have here"),
        (TOTAL, "9^9^9^9", "too expensive"),
        (TOTAL, "d_model^1000", "exponent 1000 is too large"),
        (TOTAL, "x" * 3000, "at most 2000 characters"),
        (GROWTH, "O(2^n)", "cannot be part of a growth rate"),
        (GROWTH, "sin(n)", "cannot be part of a growth rate"),
        (GROWTH, "n/(n+d+1)", "keep only its largest term"),
        (GROWTH, "log(log n)", "cannot be part"),
        (GROWTH, "(n+d)^40", "keep only its largest term"),
        (GROWTH, "0", "This is 0"),
        (GROWTH, "n^d", "cannot be part"),
        (GROWTH, "((n+d+1)^12 (n+2d)^12)^12", "too expensive"),
    ],
)
def test_what_cannot_be_read_costs_nothing(spec: Spec, answer: object, words: str) -> None:
    """And is never a misconception."""
    found = expression.judge(spec, answer, ADA)
    assert found.message is not None and words in plain(found.message.en)
    assert (found.status, found.fraction, found.misconception, found.readable) == (Status.FAILED, 0.0, None, False)


def test_what_holds_only_here_is_accepted_with_a_remark() -> None:
    """d·Var(q)² is d_k only for the variances are 1."""
    score = replace(SCORE, answer="Var(q·k)")
    found = expression.judge(score, "d_k Var(q)²", ADA)
    assert found.status is Status.PASSED
    assert found.message is not None and "only for the variances" in plain(found.message.en)
    assert expression.judge(score, "d_k Var(q) Var(k)", ADA).message is None
    assert expression.judge(score, "d_k", ADA).message is None


def test_what_is_asked_and_the_key() -> None:
    """The symbols in words, the unit, and the answer in the notation of messages."""
    asked = expression.prompt(TOTAL, ADA)
    assert asked.form == "line"
    (fact,) = asked.facts
    assert plain(fact.en) == "Symbols: d_model (a positive integer); h (a positive integer); d_k (= d_model / h)."
    assert plain(fact.zh) == "可用的符号：d_model（正整数）；h（正整数）；d_k（= d_model / h）。"
    assert expression.prompt(GROWTH, ADA).how.en.startswith("Answer with a growth rate")
    assert expression.prompt(CACHE, ADA).facts[-1].zh == "单位：字节（可以不写）。"
    assert expression.prompt(HALF, ADA).facts == ()
    shaped = Spec({"W": "matrix(d, e)", "x": "vector(d)", "R": "rotation", "F": "map(d, d)"}, "W")
    words = plain(expression.prompt(shaped, ADA).facts[0].en)
    assert "W (a matrix of shape (d, e)); x (a vector of length d); R (R_θ rotates by θ)" in words
    assert expression.key(TOTAL, ADA).en == marks.formula("4 d_model²")
    assert expression.key(CACHE, ADA).zh == f"{marks.formula('2 n')} 字节"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (TOTAL, []),
        (GROWTH, []),
        (SCORE, []),
        (CACHE, []),
        (HALF, []),
        (
            replace(TOTAL, answer="4 d^2"),
            ["answer: found '4 d^2'; expected a formula with a value (the problem: “d” is not known here"],
        ),
        (
            replace(TOTAL, answer="1/(h − h)"),
            ["answer: found '1/(h − h)'; expected a formula with a value (the problem: division"],
        ),
        (
            replace(TOTAL, wrong=(KnownWrongAnswer("3 (", "m"),)),
            ["wrong[0].answer: found '3 ('; expected a formula with a value"],
        ),
        (
            replace(TOTAL, wrong=(KnownWrongAnswer("2 d_model 2 d_model", "m"),)),
            ["wrong[0].answer: found '2 d_model 2 d_model'; expected"],
        ),
        (
            replace(TOTAL, wrong=(KnownWrongAnswer("(2 d_model)^2", "m"),)),
            ["wrong[0].answer: found '(2 d_model)^2'; expected an answer that is not equal to the right answer"],
        ),
        (
            replace(TOTAL, wrong=(KnownWrongAnswer("h", "m"), KnownWrongAnswer("h·1", "m"))),
            ["wrong[1].answer: found 'h·1'; expected an answer that is not equal to another"],
        ),
        (
            replace(GROWTH, wrong=(KnownWrongAnswer("n d (n + d)", "m"),)),
            ["wrong[0].answer: found 'n d (n + d)'; expected an answer"],
        ),
        (
            replace(TOTAL, symbols={"d_model": "number"}),
            ["symbols.d_model: found 'number'; expected a declaration, but"],
        ),
        (
            replace(TOTAL, symbols={"2d": "real"}),
            ["symbols.2d: found 'real'; expected a declaration, but: “2d” is not a name."],
        ),
        (replace(TOTAL, symbols={"x": "vector(d, e)"}), ["symbols.x: found 'vector(d, e)'; expected a declaration"]),
        (
            replace(TOTAL, symbols={"a": "b (definition)", "b": "a (definition)"}),
            ["symbols.a: found 'b (definition)'; expected a declaration, but: the definition of “a” uses “a” itself"],
        ),
        (replace(SCORE, given={"q": "uniform(0, 1)"}), ["given.q: found 'uniform(0, 1)'; expected a declaration"]),
    ],
)
def test_specs_are_checked(spec: Spec, said: list[str]) -> None:
    """Formulas have values; wrong ones differ from the right one and from each other."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in expression.validate(spec)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)


#: Formulas within the limits that become longer, or deeper, when they are written out.
SPREADING = {
    "brackets": "n" + "^{-1}" * 50,
    "tokens": "n" + "^T" * 200,
    "characters": "+".join(["d_model"] * 210),
    "everything": "+".join(["n"] * 440),
    "markup": "n^{-1}" * 10,
}


@pytest.mark.prove
@pytest.mark.parametrize("kind", ["expression", "derivation"])
@pytest.mark.parametrize("answer", SPREADING.values(), ids=SPREADING)
def test_every_reading_can_be_set(kind: str, answer: str) -> None:
    """One that is too long to be read back stays text, and one that is far too long is left out."""
    symbols = {"n": "positive integer", "d_model": "positive integer"}
    one, several = Spec(symbols=symbols, answer="7 n"), derivation.Spec(symbols, "n", "7 n", (), ())
    item = Item("Q1.x", kind, Text("?", "？"), 1, "graded", one if kind == "expression" else several)
    value = answer if kind == "expression" else ["n", *[f"= {answer}"] * 4]
    judged = judge(item, value, ADA)
    assert judged.status is Status.FAILED
    if (kind, answer) == ("derivation", SPREADING["tokens"]):  # takes too long to clean, and so costs nothing
        assert not judged.readable and judged.message and "too complicated to be judged" in plain(judged.message.en)
    else:
        assert judged.readable
    assert len(judged.reading or "") <= MOST_READING
    for line in formulas(item, judged.reading or ""):
        assert formula(line).startswith(("<math>", "<code>"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("d = 2d", "not equal"),
        ("d = d + d", "not equal"),
        ("n >= 2d", "without `<`, `>`"),
        ("less than 4d: 2d", "“less” is not known"),
        ("长度小于 4d：2d", "cannot be part"),
        ("exp(d) : 2", "unexpected “:”"),
        ("2d : 1", None),
        ("n = 2s with s = d", None),
        ("2d, where n = 3d", "not equal"),
        ("n = 2d", None),
        ("the length: 2d", None),
        ("2d FLOPs/byte", None),
    ],
)
def test_a_left_side_names_the_answer_or_makes_it_another_one(text: str, says: str | None) -> None:
    """``d = 2d`` and ``n >= 2d`` are no formulas for a length; what cannot be read is no attempt."""
    spec = Spec({"n": "positive integer", "d": "positive integer"}, "2 d")
    judged = expression.judge(spec, text, Context("spring", "ada", "Q1.length"))
    assert judged.readable is (says is None) is (judged.status is Status.PASSED)
    assert says is None or (judged.message is not None and says in plain(judged.message.en))


def test_an_instance_shows_the_difference() -> None:
    """At n = 2, g = 7, the first instance, both formulas are 0.99999 to five digits."""
    spec = Spec({"n": "positive integer", "g": "positive real"}, "exp(2 g) / (exp(2 g) + n - 1)")
    judged = expression.judge(spec, "exp(2 g) / (exp(2 g) + 2 n)", Context("spring", "ada", "Q1.share"))
    assert judged.message is not None
    said = re.search(r"n = (\S+), g = (\S+), yours is (\S+)\.$", plain(judged.message.en))
    assert said is not None
    n, g, mine = map(float, map(Fraction, said.groups()))
    right = math.exp(2 * g) / (math.exp(2 * g) + n - 1)
    assert abs(mine - right) > right / 50
