"""Whether a line shows an idea: order, names of indices and further factors do not matter, the structure does."""

from __future__ import annotations

import pytest

from grader.formulas.declarations import read_declarations
from grader.formulas.match import contains
from grader.formulas.parse import parse

KNOWN = read_declarations(
    {
        "d": "positive integer",
        "n": "positive integer",
        "A": "matrix(d, d)",
        "x": "vector(d)",
        "R": "rotation",
        "F": "map(d, d)",
    },
    {"q": "iid(mean=0, var=1, size=d)", "k": "iid(mean=0, var=1, size=d)"},
)


@pytest.mark.parametrize(
    ("line", "pattern", "shown"),
    [
        ("Σ_i Var(q_i k_i)", "Σ_i Var(q_i k_i)", True),
        ("Σ_j Var(k_j q_j)", "Σ_i Var(q_i k_i)", True),
        ("2 + d Σ_{j=1}^{d} Var(q_j * k_j)", "Σ_i Var(q_i k_i)", True),
        ("d Var(q_1 k_1)", "d Var(q_i k_i)", True),
        ("d·Var(k_i)·Var(q_i)", "Var(q_i) Var(k_i)", True),
        ("d Var(q_i) Var(k_j)", "Var(q_i) Var(k_i)", False),
        ("Σ_i (Var(q_i) + Var(k_i))", "Var(q_i) Var(k_i)", False),
        ("Σ_i E[q_i²] E[k_i²] − 0", "E[?] E[?]", True),
        ("Σ_i E[q_i² k_i²]", "E[?] E[?]", False),
        ("Var(Σ_i q_i k_i)", "Var(q·k)", True),
        ("Var(sum(k*q))", "Var(q·k)", True),
        ("Var(qᵀk)", "Var(Σ_i q_i k_i)", True),
        ("Var(q*k)", "Var(q·k)", False),
        ("Var(q·k)/d", "Var(?)/d", True),
        ("d·Var(q·k)", "Var(?)/d", False),
        ("1/d", "?/d", True),
        ("xᵀAᵀA x", "AᵀA", True),
        ("xᵀ A A x", "AᵀA", False),
        ("R_n R_{−n} x", "R_{−n}", True),
        ("R_n x", "R_{−n}", False),
        ("n (n + 2d)", "2d + n", True),
        ("n + 2d + 1", "n + 2d", True),
        ("n − 2d", "n + 2d", False),
        ("n² − 2 n d", "n d", True),
        ("n^3", "n^2", False),
        ("(x, 2)[1] + softmax(x)_1", "softmax(x)", True),
        ("[n, d]", "[n, ?]", True),
        ("[n, d, 1]", "[n, ?]", False),
        ("∂F(x)/∂x + I", "∂F(x)/∂x", True),
        ("∂F(x)/∂x + I", "∂x/∂x", False),
        ("Σ_{i≠j} Cov(q_i, q_j)", "Σ_{i≠j} Cov(q_i, ?)", True),
        ("Σ_{i<j} Cov(q_i, q_j)", "Σ_{i≠j} Cov(q_i, q_j)", False),
        ("Σ_i Σ_j q_i k_j", "Σ_{i,j} q_i k_j", False),
        ("3 d", "2 d", False),
        ("A_{12}", "A_{ij}", True),
        ("x_1 x_2", "x_i x_i", False),
        ("(x·x) (A ⊙ A)", "A ⊙ A", True),
    ],
)
def test_what_a_line_contains(line: str, pattern: str, shown: bool) -> None:
    """Factors and terms may stand beside it; ? is anything."""
    node = parse(line, KNOWN.vocabulary)
    assert contains(node, parse(pattern, KNOWN.vocabulary, pattern=True), KNOWN) is shown


def test_trying_comes_to_an_end() -> None:
    """A pattern that fits in too many ways is given up."""
    many = parse(" + ".join(f"x_{i}" for i in range(1, 10)) + " + n", KNOWN.vocabulary)
    pattern = parse("? + ? + ? + ? + ? + ? + ? + ? + d", KNOWN.vocabulary, pattern=True)
    assert not contains(many, pattern, KNOWN)
