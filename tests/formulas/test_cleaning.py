"""What matters of a formula: disguises fall away, and what the value depends on stays."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest

from grader.core.cache import SizedCache
from grader.formulas import cleaning, scalars
from grader.formulas.ast import Node
from grader.formulas.cleaning import Cleaner, NotJudgedError
from grader.formulas.compare import evaluators, with_general_variances
from grader.formulas.declarations import Declarations, read_declarations
from grader.formulas.errors import FormulaError, TooExpensiveError
from grader.formulas.exact import Exact, whole
from grader.formulas.flat import Flat, shape, with_ones
from grader.formulas.parse import parse
from grader.formulas.printer import show
from grader.formulas.scalars import Meter, remembered, step_budget

SCORE = with_general_variances(
    read_declarations(
        {"d": "positive integer", "x": "positive real"},
        {"q": "iid(mean=0, var=1, size=d)", "k": "iid(mean=0, var=1, size=d)"},
    )
)
LOOKUP = read_declarations(
    {
        **{"n": "positive integer", "d": "positive integer", "s": "vector(n)", "p": "softmax(s) (definition)"},
        **{"K": "matrix(n, d)", "v": "vector(n)", "q": "vector(d)", "m": "real", "M": "real", "P": "permutation(n)"},
    }
)
TURNED = read_declarations(
    {"q": "vector(2)", "k": "vector(2)", "m": "integer", "n": "integer", "θ": "real", "R": "rotation(θ)"}
)
SUM = "Σ_i Var(q_i k_i)"


def read(text: str, names: Declarations) -> Node:
    """The tree of ``text``."""
    return parse(text, names.vocabulary)


def cleaned(text: str, names: Declarations) -> set[Node]:
    """The variants of ``text``."""
    return set(Cleaner(names, Flat(names)).clean(read(text, names)).variants)


@pytest.mark.parametrize(
    "disguise",
    [
        "{0} + {1} − {1}", "{0} + log(1)·({1})", "{0}·({1})^0", "{0}·({1})/({1})", "({0} x + {0})/(x + 1)",
        "{0}·(sigmoid(x) + sigmoid(−x))", "{0}·(cos(x)² + sin(x)²)", "{0} cos(x)² + {0} sin(x)²",
        "{0} + 2·({1}) − ({1}) − ({1})", "{0} + ({1}) Cov(q_1, k_1)", "{0}·exp(x)·exp(−x)", "{0} + sin(0)·({1})",
        "{0} + (cos²1 + sin²1 − 1)·({1})", "{0}·(1 + ({1})) − {0}·({1})", "({0})^(1 + 0·({1}))",
        "{0}·(({1})/({0}))²·(({0})/({1}))²", "{0} + Var(3)", "√(({0})²)",
    ],
)  # fmt: skip
def test_disguises_fall_away(disguise: str) -> None:
    """One of the variants is the start itself, whatever is planted."""
    text = disguise.format("Var(q·k)", SUM)
    assert cleaned("Var(q·k)", SCORE) & cleaned(text, SCORE)


@pytest.mark.parametrize("form", ["{0}/2 + ({1})/2", "2·({0}) − ({1})", "{0}/3 + (2/3)·({1})"])
def test_of_equal_halves_each_is_a_variant(form: str) -> None:
    """Which one goes is arbitrary."""
    found = cleaned(form.format("Var(q·k)", SUM), SCORE)
    assert found >= cleaned("Var(q·k)", SCORE) | cleaned(SUM, SCORE)


@pytest.mark.parametrize(
    ("text", "names", "shown"),
    [
        (SUM, SCORE, "Σ_{i0…=1}^{d} Var(k_{i0…} q_{i0…})"),
        ("d Var(q_1) Var(k_1)", SCORE, "Var(k_1) Var(q_1) d"),
        ("Σ_i (E[q_i² k_i²] − E[q_i k_i]²)", SCORE, "Σ_{i0…=1}^{d} E[k_{i0…}² q_{i0…}²]"),
        ("exp(m − M) Σ_{j=1}^{n} exp(s_j − m)", LOOKUP, "exp(−M + m) Σ_{i0…=1}^{n} exp(−m + s_{i0…})"),
        ("exp(m − M) exp(M − m) Σ_j exp(s_j − M)", LOOKUP, "Σ_{i0…=1}^{n} exp(−M + s_{i0…})"),
        ("Kᵀ (diag(p) − p pᵀ) v", LOOKUP, "Kᵀ (diag(p) − p pᵀ) v"),
        ("softmax(s)·v", LOOKUP, "p·v"),
        ("qᵀ R_mᵀ R_n k", TURNED, "qᵀ R_mᵀ R_n k"),
        ("⟨R_m R_{−n} R_n q, R_n k⟩", TURNED, "R_m q·(R_n k)"),
        ("p_i (δ_ij − p_j)", LOOKUP, "δ_{i,j} p_i − p_i p_j"),
    ],
)
def test_what_matters_stays(text: str, names: Declarations, shown: str) -> None:
    """Also where the value does not depend on a symbol as a whole, or is 0 unless two indices are equal."""
    assert {show(variant) for variant in cleaned(text, names)} == {shown}


def test_what_was_left_out_is_told() -> None:
    """As it was written."""
    cleaner = Cleaner(SCORE, Flat(SCORE))
    found = cleaner.clean(read("Var(q·k) + x − x", SCORE))
    assert [show(part) for part in found.dropped] == ["x − x"]


def test_a_formula_without_a_value_is_refused() -> None:
    """There is nothing to compare with."""
    with pytest.raises(FormulaError):
        cleaned("1/(x − x)", SCORE)


def test_a_line_that_takes_too_long_is_not_judged() -> None:
    """Every evaluation counts."""
    trial = cleaning._Trial(SCORE, read("x", SCORE), left=2)
    with pytest.raises(NotJudgedError):
        [trial.same(read(f"x + {number}·x − {number}·x", SCORE)) for number in range(3)]


def test_what_is_known_costs_the_same() -> None:
    """It is computed once, and takes its steps from every answer; from none, if it was cut short."""
    cache: SizedCache[str, tuple[int, int]] = SizedCache(1000)
    computed: list[int] = []

    def compute() -> int:
        Meter(100).spend(30)
        computed.append(30)
        return 7

    for steps, left in ((40, 10), (30, 0), (29, -1)):
        with contextlib.suppress(TooExpensiveError), step_budget(steps) as budget:
            assert remembered(cache, "x", 1, compute) == 7
        assert (budget.left, len(computed)) == (left, 1)


def test_parts_of_formulas_are_evaluated_once() -> None:
    """For each value of the indices that they depend on, and not in derivatives; what is known costs one step."""
    node = read("Σ_i (s_i + Σ_j s_i s_j + Σ_j p_j) + s_1 m + (∂(s_1 m)/∂m) + Σ_i s_i", LOOKUP)
    plain, knowing = (next(one for one in evaluators(LOOKUP, (node,)) if one.numbers["n"] == 3) for _ in range(2))
    knowing.memory = {}
    assert plain.value(node) == knowing.value(node) and plain.meter.left < knowing.meter.left
    left = knowing.meter.left
    assert plain.value(node) == knowing.value(node) and knowing.meter.left == left - 1


@pytest.mark.parametrize(("one", "two"), [("1/2", "1/3"), ("2", "-3"), ("1/2", "-1/2"), ("0", "5/7")])
def test_exact_numbers_are_fractions(one: str, two: str) -> None:
    """With the same sums and products, also with fractions and floats."""
    x, y = Fraction(one), Fraction(two)
    for quick in (Exact(two), y):
        for made, expected in ((Exact(one) + quick, x + y), (quick * Exact(one), x * y), (-Exact(one), -x)):
            assert made == expected and str(made) == str(expected) and type(made) is Exact
    root = scalars.square_root(Fraction(2))
    assert (Exact(one) * root, root + Exact(one)) == (scalars.to_mpf(x) * root, scalars.to_mpf(x) + root)
    assert str(whole(True)) == "1"


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("q·k", SCORE, "number"), ("K q", LOOKUP, "column"), ("pᵀ", LOOKUP, "row"), ("p pᵀ", LOOKUP, "matrix"),
        ("vᵀ K", LOOKUP, "row"), ("K_i", LOOKUP, "row"), ("Σ_i K_i", LOOKUP, "row"), ("∂p/∂s", LOOKUP, "matrix"),
        ("∂(p·v)/∂q", LOOKUP, "column"), ("P softmax(s)", LOOKUP, "column"), ("R_m", TURNED, "matrix"),
        ("p ⊙ v", LOOKUP, "column"), ("p ⊗ v", LOOKUP, "matrix"), ("I", LOOKUP, "matrix"), ("(m, M)", LOOKUP, "column"),
        ("[[m, M], [M, m]]", LOOKUP, "matrix"), ("δ_ij", LOOKUP, "number"), ("onehot(1)", LOOKUP, "column"),
    ],
)  # fmt: skip
def test_shapes(text: str, names: Declarations, expected: str) -> None:
    """From the declarations alone."""
    assert shape(read(text, names), names) == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [("v − p·v", "v − p·v ones(n)"), ("p − 1", "p − 1 ones(n)"), ("K q + m", "K q + m ones(n)"), ("m + M", "m + M")],
)
def test_numbers_added_to_vectors(text: str, shown: str) -> None:
    """They are added to each component."""
    assert show(with_ones(read(text, LOOKUP), LOOKUP)).replace("(p·v)", "p·v") == shown


def test_brackets_are_kept_if_they_are_the_question() -> None:
    """Otherwise, both sides are the same."""
    names = read_declarations(
        {"n": "positive integer", "d": "positive integer", "Q": "matrix(n, d)", "K": "matrix(n, d)"}
    )
    left, right = (read(text, names) for text in ("(Q Kᵀ) Q", "Q (Kᵀ Q)"))
    assert Flat(names)(left) == Flat(names)(right)
    assert Flat(names, brackets=True)(left) != Flat(names, brackets=True)(right)
