"""Formulas in MathML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from grader.core.model import Item, Text
from grader.course import items
from grader.course.items import derivation, expression
from grader.formulas.declarations import read_declarations
from grader.formulas.mathml import mathml
from grader.formulas.parse import parse

SYMBOLS = {
    "n": "positive integer", "d_model": "positive integer", "x": "vector(n)", "A": "matrix(n, n)", "F": "map(n, n)",
    "θ": "real", "z": "random(mean=0, var=1)",
}  # fmt: skip
GIVEN = {"z": SYMBOLS.pop("z")}


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("4 n^2 d_model", "4n2dmodel"),
        ("n/d_model", "n|dmodel"),
        ("(n + 1)/2", "n+1|2"),
        ("n (n + 1)", "n(n+1)"),
        ("n*2", "n·2"),
        ("-n - 1", "−n−1"),
        ("(n + 1)^2", "(n+1)2"),
        ("√(n + 1)", "√n+1"),
        ("exp(n)", "en"),
        ("log2(n)", "log2(n)"),
        ("|θ|", "|θ|"),
        ("‖x‖", "‖x‖"),
        ("xᵀ A", "x⊤A"),
        ("x_i", "xi"),
        ("A ⊙ A", "A⊙A"),
        ("Σ_{i=1}^{n} x_i", "∑i=1nxi"),
        ("Σ_i x_i", "∑ixi"),
        ("[n, 1]", "[n,1]"),
        ("∂F(x)/∂x", "∂F(x)|∂x"),
        ("F'(x)", "F'(x)"),
        ("δ_ij", "δ_{i,j}"),
        ("E[z^2 + Var(n z | z)]", "E[z2+Var(nz|z)]"),
    ],
)
def test_formulas(formula: str, text: str) -> None:
    """Well-formed, with everything that was read; here roots begin with √ and a bar separates numerators."""
    node = parse(formula, read_declarations(SYMBOLS, GIVEN).vocabulary)
    root = ElementTree.fromstring(mathml(node))

    def said(part: ElementTree.Element) -> str:
        joint = {"mfrac": "|"}.get(part.tag, "")
        return ("√" if part.tag == "msqrt" else "") + (part.text or "") + joint.join(map(said, part))

    assert root.tag == "math" and said(root) == text


def test_names_are_escaped() -> None:
    """Whatever a name holds, it is text."""
    from grader.formulas.ast import FunctionCall, Name  # unusual names, which no parser returns

    for node in (Name("<b>"), Name("a_<b>"), FunctionCall("<b>", (Name("&"),))):
        assert "<b>" not in mathml(node)


SPEC = derivation.Spec({"n": "positive real"}, "n + n", "2 n", (), ())
LINES = Item("Q1.lines", "derivation", Text("?", "？"), spec=SPEC)
FORMULA = Item("Q1.formula", "expression", Text("?", "？"), spec=expression.Spec({"n": "positive integer"}, "2 n"))
CHOICE = Item("Q1.choice", "choice", Text("?", "？"))
ADA = items.Context("c", "ada", "Q1.formula")


@pytest.mark.parametrize(
    ("item", "answer", "reading", "formulas"),
    [
        (FORMULA, "\\frac{n}{3} tokens", "n/3", 1),
        (FORMULA, "2 n", None, 0),
        (FORMULA, "n +", None, 0),
        (FORMULA, None, None, 0),
        (LINES, ["3 n = 4 n  # no", "# a comment", "5 n"], "3 n = 4 n\n5 n", 2),
        (LINES, ["3 n", "n +"], None, 0),
        (LINES, {"a": 1}, None, 0),
    ],
)
def test_what_was_read_is_kept(item: Item, answer: object, reading: str | None, formulas: int) -> None:
    """For an incorrect answer only; as text that can be read again, and as MathML."""
    judged = items.judge(item, answer, ADA)
    assert judged.reading == reading
    found = items.mathml(item, judged.reading or "")
    assert len(found) == formulas and all(each.startswith("<math>") for each in found)
    assert items.doubtful(CHOICE, "a") == ()
