"""Marks of code and formulas in texts."""

from __future__ import annotations

import pytest

from grader.core import marks
from grader.core.layout import cells, wrap
from grader.core.model import Text
from grader.core.text import clean, cleaned
from grader.core.typesetting.html import prose, typeset
from grader.core.typesetting.latex import markdown

SOURCE = "Use `f(x)` of $√d_k$:\n$$softmax(s) V$$\nthen\n```python\ndef f(x):\n\n    return x\n```\nend"


def test_what_marks_mean() -> None:
    """Parts with their kinds, in the order of the text; a listing is one part."""
    text = marks.marked(SOURCE)
    kinds = [(kind, said) for kind, said in marks.pieces(text) if kind]
    assert kinds == [
        ("code", "f(x)"),
        ("formula", "√d_k"),
        ("display", "softmax(s) V"),
        ("listing", "def f(x):\n\n    return x"),
    ]
    assert marks.plain(text).startswith("Use `f(x)` of √d_k:\n  softmax(s) V\nthen\n  def f(x):")
    assert "`" not in marks.bare(text)
    assert marks.marked(marks.source(text)) == text


@pytest.mark.parametrize("text", ["a `b", "a $b", "`a\nb`", "$$"])
def test_marks_come_in_pairs(text: str) -> None:
    """A mark without a partner on its line is refused."""
    with pytest.raises(ValueError, match="has no partner"):
        marks.marked(text)


def test_learners_cannot_mark_anything() -> None:
    """What is typed stays text, also where it is filled into a marked text, and also the characters of marks."""
    typed = "`a` $b$ \ue001<b>\ue00f"
    filled = Text(marked_sentence := marks.marked("You wrote `{it}`."), marked_sentence).fill(it=clean(typed))
    assert clean(typed) == "`a` $b$ <b>"
    assert list(marks.pieces(filled.en)) == [(None, "You wrote "), ("code", "`a` $b$ <b>"), (None, ".")]
    assert "<b>" not in typeset(typed)
    assert cleaned(filled).en == filled.en


def test_lines_break_outside_of_marks() -> None:
    """No line ends within a formula or code, and lines are as wide as they look."""
    text = marks.marked("word $a + b + c$ word `f(x, y)` word")
    assert wrap(text, 14) == ["word a + b + c", "word `f(x, y)`", "word"]
    assert cells(text) == len("word a + b + c word `f(x, y)` word")


def test_html_and_markdown() -> None:
    """Blocks stand alone, lists are lists, and LaTeX is what notebooks read."""
    text = marks.marked(SOURCE)
    assert typeset(text).count("<math") == 2
    assert '<code class="listing" tabindex="0"><span class="code-keyword">def</span> ' in typeset(text)
    assert prose(marks.marked("- $a$\n- b\n\nc")).count("<li>") == 2
    assert markdown(text).startswith("Use `f(x)` of $\\sqrt{d_{k}}$:\n")
    assert "$$\\operatorname{softmax} ( s ) V$$" in markdown(text) and "```python\ndef f(x):" in markdown(text)
    assert markdown(marks.marked("$(a$")) == "`(a`"
