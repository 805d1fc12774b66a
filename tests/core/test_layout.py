"""Width, wrapping and columns of text in two languages."""

from __future__ import annotations

import pytest

from grader.core.layout import cells, columns, indent, pad, shorten, shorten_distinct, wrap
from grader.core.marks import REASON, display


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("abc", 3), ("注意力", 6), ("√d_k，", 6), ("é", 1), ("e\u0301", 1), ("✓…–", 3)]
)
def test_cells(text: str, expected: int) -> None:
    """Chinese takes two cells, combining marks none."""
    assert cells(text) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("", 10, [""]),
        ("one two three", 8, ["one two", "three"]),
        ("one  two", 8, ["one  two"]),
        ("one two  x", 8, ["one two", "x"]),
        ("注意力机制", 8, ["注意力机", "制"]),
        ("注意力机。制", 8, ["注意力", "机。制"]),
        ("注意力（机）", 8, ["注意力", "（机）"]),
        ("用 softmax 归一化", 12, ["用 softmax", "归一化"]),
        ("用softmax归一化", 12, ["用softmax归", "一化"]),
        ("abcdefghijkl", 8, ["abcdefgh", "ijkl"]),
        ("a\nb", 10, ["a", "b"]),
        ("a\n\nb\n", 10, ["a", "", "b"]),
        ("    one two three", 12, ["    one two", "    three"]),
        ("  - one two three\n- 注意力机制", 11, ["  - one two", "    three", "- 注意力机", "  制"]),
        ("-x * y", 4, ["-x *", "y"]),
        (" " * 9 + "one", 8, ["    one"]),
    ],
)
def test_wrap(text: str, width: int, expected: list[str]) -> None:
    """Lines break at spaces and between Chinese characters, never before a closing mark."""
    assert wrap(text, width) == expected


@pytest.mark.parametrize("width", range(8, 40, 5))
def test_wrap_keeps_to_the_width_and_loses_nothing(width: int) -> None:
    """Every line fits, and every visible character is still there."""
    text = "注意力（attention）把查询、键和值结合起来：softmax(QKᵀ/√d_k)V。" * 4 + "averylongwordwithoutanyspace" * 2
    lines = wrap(text, width)
    assert max(map(cells, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_indent() -> None:
    """Every line moves right, and the whole still fits."""
    assert indent("one two three\n\nfour", 2, 10) == "  one two\n  three\n\n  four"


def test_shorten() -> None:
    """Too long a text ends with an ellipsis."""
    assert shorten("注意力", 6) == "注意力"
    assert shorten("注意力机制", 6) == "注意…"


def test_apart() -> None:
    """What fits stays whole; of what does not, only those that would look alike are marked."""
    assert shorten_distinct(["ada", "b" * 9, "c" * 20 + "1", "c" * 20 + "2"], 12) == {
        "ada": "ada",
        "b" * 9: "b" * 9,
        "c" * 20 + "1": "ccc…db3afbdc",
        "c" * 20 + "2": "ccc…a24d36ea",
    }
    assert shorten_distinct(["d" * 20], 12) == {"d" * 20: "ddddddddddd…"}


def test_columns() -> None:
    """Columns line up by cells; numbers may stand right."""
    assert columns([("id", "标题", "n"), ("Q10", "a", "12")], right=[2]) == ["id   标题   n", "Q10  a     12"]
    assert columns([]) == []
    assert pad("值", 4) == "值  "


def test_a_reason_that_does_not_fit_has_lines_of_its_own() -> None:
    """Below the displayed formula that it is for."""
    step = display("= Σ_i a_i + b")
    assert wrap(f"{step}{REASON}by definition", 24) == ["= Σ_i a_i + b", "      # by definition"]
    assert wrap(f"{step}{REASON}known", 24) == ["= Σ_i a_i + b  # known"]
