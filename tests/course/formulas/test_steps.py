"""Lines as people write them: words are told from formulas."""

from __future__ import annotations

import pytest

from grader.course.formulas.declarations import read_declarations
from grader.course.formulas.errors import ParseError
from grader.course.formulas.steps import parse_lines, split_lines, strip_words

KNOWN = read_declarations(
    {"d_k": "positive integer", "n": "positive integer", "x": "vector(n)"},
    {"q": "iid(mean=0, var=1, size=d_k)", "k": "iid(mean=0, var=1, size=d_k)"},
).vocabulary


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("d_k", "d_k"),
        ("= d_k", "d_k"),
        ("3. = d_k", "d_k"),
        ("so d_k", "d_k"),
        ("∴ d_k.", "d_k"),
        ("所以 = d_k。", "d_k"),
        ("d_k  # by independence", "d_k"),
        ("d_k // why", "d_k"),
        ("d_k (independence)", "d_k"),
        ("d_k （独立）", "d_k"),
        ("d_k [mean 0] (given)", "d_k"),
        ("d_k, because E[q] = 0", "d_k"),
        ("d_k since they are alike", "d_k"),
        ("d_k, mean zero", "d_k"),
        ("d_k 因为独立", "d_k"),
        ("d_k，由独立性", "d_k"),
        ("d_k (q·k)", "d_k (q·k)"),
        ("d_k (q_1 k_1)", "d_k (q_1 k_1)"),
        ("n (Var(q_1) + d_k)", "n (Var(q_1) + d_k)"),
        ("n (sin n)", "n (sin n)"),
        ("n/(n + eps)", "n/(n + eps)"),
        ("Var(something)", "Var(something)"),
        ("sum(q*k)", "sum(q*k)"),
        ("方差(q·k)", "方差(q·k)"),
        ("Σ_i 期望[q_i] （线性）", "Σ_i 期望[q_i]"),
        ("sum(q[i], i=1..d_k)", "sum(q[i], i=1..d_k)"),
        ("# nothing but words", ""),
        ("因为独立", ""),
        ("", ""),
        ("(words only)", "(words only)"),
        (")", ")"),
    ],
)
def test_words_are_left_out(line: str, kept: str) -> None:
    """Reasons, numbers of lines, and what joins a line to the one before."""
    assert strip_words(line, KNOWN) == kept


def test_lines_and_what_stands_between_equals_signs() -> None:
    """Each with the number of its line; empty ones and comments count as lines."""
    found = parse_lines([*split_lines("Var(q·k) = d_k\n# words\nd_k ⟹ n = d_k; 1")], KNOWN)
    assert [[(step.number, step.text) for step in line] for line in found] == [
        [(1, "Var(q·k)"), (1, "d_k")],
        [(3, "d_k")],
        [(4, "n"), (4, "d_k")],
        [(5, "1")],
    ]


def test_a_line_that_cannot_be_read_is_named() -> None:
    """By its number."""
    with pytest.raises(ParseError, match="Line 2: “d_k \\+”: the formula ends here"):
        parse_lines(["d_k", "d_k +"], KNOWN)
    with pytest.raises(ParseError, match="At most 60 lines"):
        parse_lines(["d_k"] * 61, KNOWN)
