"""Formulas for typesetting: read as they are typed, and written in MathML and LaTeX."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from grader.core.marks import display, marked, plain
from grader.core.marks import formula as mark_formula
from grader.core.model import Item, Text
from grader.core.typesetting.html import formula, prose, typeset
from grader.core.typesetting.latex import latex
from grader.core.typesetting.layout import LayoutError, layout
from grader.core.typesetting.mathml import mathml
from grader.course import items
from grader.course.items import derivation, expression

ROWS, PARTS = (
    yaml.safe_load(Path(__file__).with_name(name).read_text("utf-8")) for name in ("typeset.yaml", "mathml.yaml")
)


def _said(part: ElementTree.Element) -> str:
    joint = {"mfrac": "|"}.get(part.tag, "")
    return ("√" if part.tag == "msqrt" else "") + (part.text or "").replace("\u2061", "") + joint.join(map(_said, part))


@pytest.mark.parametrize(("typed", "text", "written"), ROWS)
def test_formulas(typed: str, text: str, written: str) -> None:
    """Well-formed MathML with every sign as it was typed, and LaTeX; words are upright in both."""
    assert _said(ElementTree.fromstring(mathml(typed))) == text
    assert re.sub(r"\\operatorname\*?\{(\w+)\}", r"\1", latex(typed)) == written


@pytest.mark.parametrize(("typed", "part"), PARTS)
def test_spaces_and_heights(typed: str, part: str) -> None:
    """What a browser cannot know from the signs alone, and what screen readers need."""
    assert part in mathml(typed, display=True)


@pytest.mark.parametrize(
    ("typed", "text", "written"),
    [
        ("softmax(QKᵀ / √d_k) V", "softmax(QK⊤|√dk)V", r" \left( \frac{Q K^{\top}}{\sqrt{d_{k}}} \right) V"),
        ("p(x)/q(x) + 1/Σ_j e^{s_j}", "p(x)|q(x)+1|∑jesj", r"\frac{p ( x )}{q ( x )} + \frac{1}"),
        ("∂L/∂z_i = a + 4 b/(c + d)", "∂L|∂zi=a+4b|c+d", r"\frac{4 b}{c + d}"),
    ],
)
def test_displayed_fractions(typed: str, text: str, written: str) -> None:
    """A bar goes below the product before the slash, and above one factor, a call, or what a sum covers."""
    assert written in latex(typed, display=True)
    written = mathml(typed, display=True).replace("<wbr>", "")
    assert _said(ElementTree.fromstring(f"<p>{written}</p>")) == text


CHAIN = f"{display('Var(s)')}\n{display('= Σ_i a_i')}  # by {mark_formula('a')}\n{display('= n')}"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (CHAIN, [("", "Var(s)", ""), ("", "=∑iai", "by a"), ("", "=n", "")]),
        (marked("$$a = b$$\n$$c + d ≤ e = f$$"), [("a", "=b", ""), ("c+d", "≤e=f", "")]),
    ],
)
def test_formulas_below_each_other_are_aligned(text: str, cells: list[tuple[str, str, str]]) -> None:
    """At their first relation, each with its reason; also in a text of several paragraphs."""
    for html in (typeset(f"Then\n{text}\nfollows."), prose(f"Then\n{text}\nfollows.")):
        chain = ElementTree.fromstring(f"<p>{html}</p>".replace("&", "&amp;")).find(".//span[@class='chain']")
        assert chain is not None and [tuple(map(_said, step)) for step in chain] == cells
    assert plain(CHAIN).count("\n") == 2 and plain(CHAIN).endswith("= n")


def test_no_line_begins_with_punctuation() -> None:
    """A formula or short code is in one piece with the punctuation and brackets around it."""
    html = typeset(marked("若 $n$，则（`k`）；$a = b = c_1 + c_2 + c_3 + c_4 + c_5$。"))
    held = re.findall(r'<span class="whole">(.*?)</span>', re.sub(r"</?(math|mi|code|mrow)\b[^>]*>", "", html))
    assert held[:2] == ["n，", "（k）；"] and held[-1].endswith("。") and len(held) == 5
    assert "whole" not in typeset(marked("$n$ is even"))


def test_shapes_stand_below() -> None:
    """In displayed formulas only: elsewhere, a colon is a colon."""
    assert "<munder" in mathml("Wᵀ:(n, d)", display=True) and "<munder" not in mathml("Wᵀ:(n, d)")
    assert latex("Q:(n, d) x", display=True) == r"\underset{( n , d )}{Q} x"
    assert "<munder" not in mathml("f: (n, d)", display=True)


def test_long_formulas_can_break() -> None:
    """Between the sides of relations, because no browser breaks a line inside of an element."""
    long = "Var(q·k) = E[(q·k)²] = Σ_i Var(q_i k_i) = d_k"
    assert mathml(long).count("<math>") == 4 and mathml("a = b").count("<math>") == 1
    assert '<math><mrow><mo form="infix">+</mo>' in mathml(" + ".join("abcdefghijklmnopqrstuvwxyz"))


@pytest.mark.parametrize(
    "typed",
    [
        "(a, b",
        "x]",
        "a_",
        "a^",
        "√",
        "√)",
        "x @ y",
        "1 /",
        "1e" + "9" * 9999 + "@",
        "(" * 999 + ")" * 999,
        "√" * 9999 + "n",
    ],
)
def test_no_formulas(typed: str) -> None:
    """What lacks a part is refused, with the reason; pages then show it as it was typed."""
    with pytest.raises(LayoutError, match=r"“|need|nothing|nested"):
        layout(typed, display=True)


def test_text_is_escaped() -> None:
    """Whatever a formula holds, it is text."""
    for typed in ('a < b > c & "<b>"', "“<i>”", "<script>(x)"):
        assert "<b>" not in formula(typed) and "<i>" not in formula(typed) and "<script>" not in formula(typed)


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
        (LINES, ["3 n = 4 n  # no", "# a comment", "= 5 n"], "3 n = 4 n\n= 5 n", 2),
        (LINES, ["3 n", "n +"], None, 0),
        (LINES, {"a": 1}, None, 0),
    ],
)
def test_what_was_read_is_kept(item: Item, answer: object, reading: str | None, formulas: int) -> None:
    """For an incorrect answer only; as text that can be read again, and typeset."""
    judged = items.judge(item, answer, ADA)
    assert judged.reading == reading
    found = items.formulas(item, judged.reading or "")
    assert len(found) == formulas and all(formula(each).startswith("<math>") for each in found)
    assert items.doubtful(CHOICE, "a") == ()
