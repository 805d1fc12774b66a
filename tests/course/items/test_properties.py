"""Properties of formulas in flat form."""

from __future__ import annotations

import pytest

from grader.core.marks import plain
from grader.course.items._properties import Operators, Property, failures, foreign, holds, unknown
from grader.formulas.declarations import read_declarations
from grader.formulas.flat import Flat
from grader.formulas.parse import parse

NAMES = read_declarations(
    {
        **{"n": "positive integer", "d": "positive integer", "x": "real", "y": "real", "s": "vector(n)"},
        **{"A": "matrix(n, n)", "B": "matrix(n, n)", "m": "integer", "θ": "real", "R": "rotation(θ)"},
    },
    {"q": "iid(mean=0, var=1, size=d)", "k": "iid(mean=0, var=1, size=d)"},
)
SINES = Property(is_=("sin", "cos"))


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("Var(Σ_i q_i k_i)", Property(mentions=("Σ", "q")), True),
        ("Var(q·k)", Property(mentions=("Σ",)), False),
        ("Var(q·k)", Property(mentions=("dot",)), True),
        ("Σ_{i=1}^{n} x", Property(mentions=("n",)), False),
        ("x + exp(y)", Property(mentions_any=("log", "exp")), True),
        ("x + exp(y)", Property(mentions_any=("log", "sin")), False),
        ("x + exp(y)", Property(free_of=("log",)), True),
        ("x + exp(y)", Property(free_of=("y",)), False),
        ("x", Property(only_one_of=("x", "y")), True),
        ("x y", Property(only_one_of=("x", "y")), False),
        ("n", Property(only_one_of=("x", "y")), False),
        ("x y", Property(not_both=("x", "y")), False),
        ("n", Property(not_both=("x", "y")), True),
        ("exp(x) + exp(y)", Property(some=Operators(("exp",), inside=Property(mentions=("y",)))), True),
        ("exp(x) + exp(y)", Property(every=Operators(("exp",), inside=Property(mentions=("y",)))), False),
        ("x", Property(some=Operators(("exp",))), False),
        ("x", Property(every=Operators(("exp",), inside=Property(mentions=("y",)))), True),
        ("sin(x) cos(y)", Property(product=(SINES, Property(mentions=("y",)))), True),
        ("sin(x) + cos(y)", Property(product=(SINES, Property(mentions=("y",)))), False),
        ("sin(x) n/2", Property(product=(SINES, SINES)), False),
        ("A B s", Property(neighbours=(Property(mentions=("B",)), Property(mentions=("A",)))), True),
        ("A B s", Property(neighbours=(Property(mentions=("A",)), Property(mentions=("s",)))), False),
        ("x + y", Property(terms=2), True),
        ("x y", Property(terms=1), True),
        ("x y", Property(top="×"), True),
        ("x + y", Property(top="×"), False),
        ("Σ_i Σ_j E[q_i k_j]", Property(count={"Σ": 2}), True),
        ("Σ_i E[q_i]", Property(count={"Σ": 2}), False),
        ("Σ_{i=1}^{n} s_i", Property(is_=("Σ",), over=("n",)), True),
        ("Σ_{i=1}^{d} q_i", Property(over=("n",)), False),
        ("x", Property(any=(Property(mentions=("y",)), Property(mentions=("x",)))), True),
        ("x", Property(any=(Property(mentions=("y",)),)), False),
        ("x", Property(all=(Property(mentions=("x",)), Property(mentions=("y",)))), False),
        ("x", Property(not_=Property(mentions=("x",))), False),
        ("δ_ij x", Property(mentions=("kron",)), True),
        ("I + A", Property(mentions=("kron",)), True),
        ("√x", Property(mentions=("√",)), True),
        ("R_m s", Property(some=Operators(("R",), Property(mentions=("m",)))), True),
        ("Aᵀ s", Property(mentions=("T",)), True),
        ("(x, y)", Property(is_=("[]",)), True),
        ("∂(x²)/∂y", Property(every=Operators(("∂",), inside=Property(free_of=("y",)))), True),
    ],
)
def test_what_holds(text: str, wanted: Property, expected: bool) -> None:
    """Symbols and operators count, not spellings; bounds and variables of derivatives do not."""
    node = Flat(NAMES)(parse(text, NAMES.vocabulary))
    assert holds(node, wanted, NAMES) is expected
    assert (failures(node, wanted, NAMES) == []) is expected


@pytest.mark.parametrize(
    ("text", "wanted", "said"),
    [
        ("x", Property(mentions=("Σ",)), "there is no Σ"),
        ("x", Property(mentions=("kron",)), "there is no δ_ij, diag, onehot or I"),
        ("x", Property(mentions_any=("sin", "cos")), "there is none of sin, cos"),
        ("Var(q_1)", Property(free_of=("Var",)), "there is still Var"),
        ("x y", Property(not_both=("x", "y")), "x, y still stand together"),
        (
            "Var(Σ_i q_i)",
            Property(every=Operators(("Var",), inside=Property(free_of=("Σ",)))),
            "there is still Σ in “Var(Σ_i q_i)”",
        ),
        ("x", Property(some=Operators(("Var", "E"))), "there is none of Var, E"),
        ("x", Property(some=Operators(("Var",))), "there is no Var"),
        ("x", Property(terms=2), ""),
    ],
)
def test_why_not(text: str, wanted: Property, said: str) -> None:
    """In words about the formula as written, made from the test that failed; in both languages."""
    why = failures(parse(text, NAMES.vocabulary), wanted, NAMES)[0].said
    assert plain(why.en) == said and bool(why.zh) == bool(said)


def test_names_that_mean_nothing() -> None:
    """Wherever they stand in a property."""
    wanted = Property(
        any=(Property(mentions=("q", "w")),),
        some=Operators(("Variance",), inside=Property(not_=Property(free_of=("Σ", "u")))),
    )
    assert unknown(wanted, NAMES) == ["Variance", "u", "w"]


def test_foreign_operators() -> None:
    """Those that neither the ends nor the stages name."""
    node = parse("max(x, |y|) + √x + exp(x) + Σ_i s_i", NAMES.vocabulary)
    assert foreign(node, {"exp"}, NAMES) == {"max", "abs", "√"}
