"""What nobody writes by accident: huge, deep, long, or meaningless; only our own errors, in bounded time."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import strategies as st

from grader.core.model import Status, Text
from grader.course.items import Context, Judgment, derivation, expression
from grader.course.items._properties import Property
from grader.course.items._stages import Route, Stage
from grader.course.items.derivation import DerivationLine

NOBODY = Context("", "", "")
SYMBOLS = {
    "n": "positive integer", "d_k": "positive integer", "θ": "real", "x": "vector(n)", "Q": "matrix(n, d_k)",
    "F": "map(n, n)", "R": "rotation(θ)", "y": "x + F(x) (definition)", "t": "index(n)",
}  # fmt: skip
GIVEN = {"q": "iid(mean=0, var=1, size=d_k)", "k": "iid(mean=0, var=1, size=d_k)"}
VALUE = expression.Spec(SYMBOLS, "Var(q·k)", GIVEN)
GROWTH = expression.Spec(SYMBOLS, "O(n^2)", grows=True)
SUMMED = Stage(Property(mentions=("Σ",)), Text("Where is the sum?", "求和在哪里？"))
ROUTE = Route((SUMMED,), Property(free_of=("Var", "Σ")))
CHAIN = derivation.Spec(SYMBOLS, "Var(q·k)", "d_k", (DerivationLine("d_k"),), (ROUTE,), GIVEN)


def judged(text: str) -> tuple[Judgment, ...]:
    """``text`` as an answer to items that read formulas; as a chain only where it has lines."""
    found = [expression.judge(VALUE, text, NOBODY), expression.judge(GROWTH, text, NOBODY)]
    if any(sign in text for sign in ("=", ";", "given", "#", "⇒")):
        found.append(derivation.judge(CHAIN, text, NOBODY))
    return tuple(found)


HOSTILE = [
    "9^9^9^9", "9**9**9**9", "(((((9^40)^40)^40)^40)^40)", "n^n^n^n", "(1/3)^(n^40)", "n^(10^30)", "1e400", "9" * 39,
    "0^1E400", "1E9999", "-1E-99999", "1E999^40",
    "(" * 10_000, "(" * 900 + "1" + ")" * 900, "(" * 10_000 + "1" + ")" * 10_000, "{" * 900, "[" * 900, "⟨" * 900,
    "-" * 1900 + "1", "√" * 1900 + "2", "1+" * 900 + "1", "x'" * 400, "x" + "'" * 1900, "n^" * 900 + "2",
    "2^" * 30 + "2", "a" * 1_000_000, "1" * 1_000_000, "1" * 1900, "n" * 1990, "d_k" * 600, "theta" * 300,
    "ndknd" * 300, "\x00" * 100, "\x00", "😀" * 30, "\u202e\u200f abc", "ａ" * 1000, "½" * 200, "²" * 500, "x²²²²",
    "." * 1000, "_" * 1000, "_{" * 500, "\\frac" * 300, "\\frac{" * 100, "|" * 1000, "‖" * 999, "=;" * 500,
    "=\n" * 500, "n=" * 300 + "n", "'" * 50 + "x", "Σ_i " * 200 + "q_i", "Σ_{i=1}^{10^9} i",
    "Σ_{i=1}^{n} Σ_{j=1}^{1999} Σ_{l=1}^{1999} q_1", "Σ", "Σ_", "Σ^", "Σ_{", "∂",
    "Σ_i Σ_j Σ_t Σ_l Σ_m Σ_n q_i q_j q_t q_l q_m", "∂/∂", "∂x/∂", "∇_", "⟨x", "⟨x,", "rot(", "?", "#", "因为", "\\",
    "exp(" * 30 + "9" + ")" * 30, "exp(exp(exp(exp(9))))", "e^{e^{e^{e^n}}}", "sin(10^39)", "log(0)", "0^0", "0^(-1)",
    "E[" * 30 + "q_1" + "]" * 30, "Var(" * 9 + "q·k" + ")" * 9, "(q·k+n)^20", "E[(q·k)^40]", "E[exp(q·k)]",
    "E[1/q_1]", "E[softmax(q)·softmax(k)]", "E[abs(q·k)·exp(q·q)]", "Var(sqrt(q_1))", "Cov(q, k)", "Var(Q)", "E[Q]",
    "max(q_1, 1)", "ones(10^9)", "ones(-1)", "x[10^30]", "x[0]", "Q[1,2,3]", "onehot(99)", "x_t", "F", "F + 1", "R_θ",
    "R", "R(x)", "y'", "D(" * 9 + "x" + ",x)" * 9, "F(" * 20 + "x" + ")" * 20, "softmax(" * 30 + "x" + ")" * 30,
    "D(y, y)", "D(Q, Q)", "I", "I^2", "I/2", "exp(I)", "sum(I)", "I[1,1]", "1..2", "1...2", "… + 1", "1 + …",
    "1 · … · 1", "1 + 2 + … + n", "max()", "given q: iid(mean=9^9^9^9)", "given q: " + "(" * 1000,
    "given q: iid(" + "(" * 1000 + ")", "given q: q(q(q))",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: f"{text[:24]!r} {len(text)}")
def test_hostile_answers_are_judged_in_time(text: str) -> None:
    """Never passed, never an exception; memory stays small. The bound on time is a generous one: machines are busy."""
    start = time.process_time()
    found = judged(text)
    assert all(each.status is Status.FAILED for each in found) or text == "1 + 2 + … + n"
    assert time.process_time() - start < 10


def test_memory_stays_small() -> None:
    """A megabyte of text, or numbers with a billion digits, are not unfolded."""
    tracemalloc.start()
    try:
        for text in ("a" * 1_000_000, "9^9^9^9", "(" * 10_000 + "1" + ")" * 10_000, "n" * 900):
            judged(text)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


#: What formulas are put together from by tests/fuzz.
PIECES = [
    "n", "d_k", "θ", "x", "Q", "F", "R", "y", "t", "q", "k", "q_i", "k_i", "q_1", "Q_ij", "Q'", "Q^T", "Kᵀ", "x_i",
    "sum(", "Σ_i ", "Σ_{i=1}^{d_k} ", "Σ_{i≠j} ", "E[", "Var(", "Cov(", ",", ")", "]", "(", "[", "{", "}", "+", "-",
    "*", "·", "/", "^", "^2", "²", "**", "=", "@", "⊙", "⊗", "√", "sqrt(", "exp(", "log ", "sin ", "softmax(", "D(",
    "∂", "∂x", "/∂x", "∇_x ", "|", "‖", "⟨", "⟩", "\\frac", "}{", "\\sum", "_", "_{", "1", "2", "0", "3.5", "1e9",
    "9^9^9^9", "…", "..", ".", "i", "j", "I", "π", "e", "onehot(t)", "δ_{ij}", "ones(", "rot(", "R_m", "R_{n-t}",
    "mean(", "max(", "diag(", "F(", "F'(", "#", "because", "因为", "期望", ";", "⇒", "'", "?", "\\", "$", "&",
    "😀",
    "\x00", "\u200b", " ", "\n", "O(",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
LEAVES = st.sampled_from(
    ["n", "d_k", "θ", "x", "Q", "F", "y", "t", "q", "k", "q_i", "x_i", "Q_{ij}", "1", "0", "I", "q·k"]
)
SHAPES = [
    "({0}) + ({1})", "({0}) − ({1})", "({0})*({1})", "({0})·({1})", "({0})/({1})", "({0}) ({1})", "({0}) @ ({1})",
    "({0}) ⊙ ({1})", "({0})^2", "({0})^({1})", "({0})ᵀ", "Σ_i ({0})", "Σ_{{i=1}}^{{n}} ({0})", "sum({0})", "E[{0}]",
    "Var({0})", "Cov({0}, {1})", "exp({0})", "softmax({0})", "sqrt({0})", "log({0})", "D({0}, x)", "D({0}, θ)",
    "abs({0})", "[{0}, {1}]", "({0})[1]", "({0})[i]", "max({0}, {1})", "F({0})", "R({0})", "mean({0})", "norm({0})",
    "{0} = {1}",
]  # fmt: skip


def applied(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A sign or function on one or two formulas."""
    return st.builds(lambda shape, one, two: shape.format(one, two), st.sampled_from(SHAPES), inner, inner)


FORMULAS = st.recursive(LEAVES, applied, max_leaves=8)
