"""Lines as people write them: words are told from formulas."""

from __future__ import annotations

import pytest

from grader.core.tables import table
from grader.formulas.declarations import read_declarations
from grader.formulas.errors import ParseError
from grader.formulas.steps import number_lines, parse_lines, remarks, strip_words

KNOWN = read_declarations(
    {"d_k": "positive integer", "n": "positive integer", "x": "vector(n)"},
    {"q": "iid(mean=0, var=1, size=d_k)", "k": "iid(mean=0, var=1, size=d_k)"},
).vocabulary


@pytest.mark.parametrize(("line", "kept"), table(__file__, "words.yaml"))
def test_words_are_left_out(line: str, kept: str) -> None:
    """Reasons, numbers of lines, and what joins a line to the one before."""
    assert strip_words(line, KNOWN) == kept


def test_sentences_are_no_steps() -> None:
    """Neither headings nor remarks, even with a formula inside."""
    headings = ["In components, for every index:", "a constant factor leaves the variance squared, therefore"]
    for line in (*headings, "Since E[q·k] = 0, the variance is just the second moment"):
        assert parse_lines([(1, line)], KNOWN) == (), line


def test_whole_sentences_with_formulas_are_remarks() -> None:
    """Their author may have meant a step, so they are named."""
    said = ["Var(q·k)", "I use complex numbers: q = Re(e^{ia}).", "所以除以 √d_k 之后方差为 1。", "= d_k"]
    assert remarks([*enumerate(said)], KNOWN) == (1, 2)
    assert [side.number for sides in parse_lines([*enumerate(said)], KNOWN) for side in sides] == [0, 3]
    assert remarks([(1, "i = j：n，因为这里有自己的分数。"), (2, "i ≠ j：0，因为分子里没有它。")], KNOWN) == ()


def test_lines_and_what_stands_between_equals_signs() -> None:
    """Each with the number of the line its author wrote it on; empty ones and comments count, arrows do not."""
    found = parse_lines([*number_lines(["Var(q·k) = d_k\n# words\nd_k ⟹ n = d_k; 1"])], KNOWN)
    assert [[(step.number, step.text) for step in line] for line in found] == [
        [(1, "Var(q·k)"), (1, "d_k")],
        [(3, "d_k")],
        [(3, "n"), (3, "d_k")],
        [(3, "1")],
    ]


def test_a_line_that_cannot_be_read_is_named() -> None:
    """By its number."""
    with pytest.raises(ParseError, match="Line 2, “d_k \\+”: “d_k \\+”: the formula ends here"):
        parse_lines([(1, "d_k"), (2, "d_k +")], KNOWN)
    for line in ("= foo d_k, for every single one of them.", "d_k +.", "the sum of q k over n"):  # no whole sentences
        with pytest.raises(ParseError, match="Line 1, “"):
            parse_lines([(1, line)], KNOWN)
    with pytest.raises(ParseError, match="At most 60 lines"):
        parse_lines([(1, "d_k")] * 61, KNOWN)


@pytest.mark.parametrize("line", ["平移不变：d_k/n", "解：原式 = d_k", "d_k 独立 = n", "so we get Var(q·k) for it"])
def test_a_formula_among_words_is_never_dropped(line: str) -> None:
    """It is read, or the line is quoted; words alone and comments are left out."""
    try:
        assert parse_lines([(1, line)], KNOWN)
    except ParseError as error:
        assert error.text.en.startswith("Line 1, “") and error.text.zh.startswith("第 1 行“")
    assert parse_lines([(1, "# d_k = 1"), (2, "因为独立"), (3, "")], KNOWN) == ()
