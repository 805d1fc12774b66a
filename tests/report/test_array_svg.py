"""Arrays as SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any, Literal

import numpy as np
import pytest

from grader.core.model import Array, ArrayComparison
from grader.grading.compare import compare
from grader.report import array_svg
from grader.report.array_svg import Scale, array_picture, brief, describe, draw, mask, rules, scale_of, slices
from grader.report.figures.palette import contrast
from grader.report.html import sheet

NAN, INF = np.nan, np.inf
UNIT = Scale("rising", 0, 1)


def shown(expected: Any, actual: Any) -> ArrayComparison:
    """Two arrays as ``grader.grading.public_arrays`` hands them over."""
    right, mine = np.asarray(expected), np.asarray(actual)
    found = compare(Array(right), Array(mine))
    return ArrayComparison("attend", "basic", "result", right, mine, found.difference if found else None)


@pytest.mark.parametrize(
    ("expected", "actual", "scale"),
    [
        ([True], [False], Scale("flags", 0, 1)),
        ([True], [1.0], Scale("rising", 0, 1)),
        ([0.1, 0.9], [0.2, 0.8], Scale("rising", 0, 0.9)),
        ([5.0, 7.0], [5.0, 8.0], Scale("rising", 5, 8)),
        ([3.0, 3.0], [3.0, 3.0], Scale("rising", 0, 3)),
        ([0.0, 0.0], [0.0, 0.0], Scale("rising", 0, 1)),
        ([-1.0, 2.0], [0.0, 1.0], Scale("both", -2, 2)),
        ([-0.5, 0.0], [-3.0, 0.0], Scale("both", -0.5, 0.5)),
        ([0.0, 1.0], [0.0, 4.0], Scale("rising", 0, 4)),
        ([0.0, 1.0], [0.0, 9.0], Scale("rising", 0, 1)),
        ([NAN, INF], [-INF, NAN], Scale("rising", 0, 1)),
        ([NAN, 2.0], [INF, 1.0], Scale("rising", 0, 2)),
        ([1e308, -1e308], [1e308, 1e308], Scale("both", -1e308, 1e308)),
        ([1, 2], [2, 2], Scale("rising", 0, 2)),
    ],
)
def test_scale(expected: Any, actual: Any, scale: Scale) -> None:
    """Both arrays share a scale, from zero or around it where that says more; strays do not stretch it."""
    assert scale_of(np.asarray(expected), np.asarray(actual)) == scale


@pytest.mark.parametrize(
    ("scale", "values", "levels"),
    [
        (UNIT, [0, 0.5, 1, 7, -7], [0, 8, 16, 16, 0]),
        (Scale("both", -2, 2), [-2, 0, 2], [0, 8, 16]),
        (Scale("both", -1.5e308, 1.5e308), [-1.5e308, 0, 1.5e308], [0, 8, 16]),
        (Scale("rising", 0, 5e-324), [0, 5e-324], [0, 0]),
        (UNIT, [NAN, INF, -INF], [-1, -2, -3]),
    ],
)
def test_levels(scale: Scale, values: list[float], levels: list[int]) -> None:
    """Levels follow the values to the ends of the scale; what is not finite has levels of its own."""
    assert scale.levels(np.array(values)).tolist() == levels


def test_the_first_difference_is_framed_on_both_sides() -> None:
    """The cell is the one that the difference names, in the matrix where it lies."""
    right = np.zeros((2, 5, 2, 3))
    wrong = right.copy()
    wrong[1, 3, 1, 2] = 1
    made = array_picture(shown(right, wrong))
    assert [(left.label, actual.label) for left, actual in made.rows if left and actual] == [
        ("[0, 0]", "[0, 0]"),
        ("[0, 1]", "[0, 1]"),
        ("[1, 3]", "[1, 3]"),
    ]
    frame = '<rect class="mark" x="80" y="26"'
    assert [(frame in left.svg, frame in actual.svg) for left, actual in made.rows if left and actual] == [
        (False, False),
        (False, False),
        (True, True),
    ]
    assert made.notes[0].en == "3 of 10 matrices shown"


def test_what_is_right_is_drawn_briefly() -> None:
    """Equal arrays take two matrices at most, and no frame."""
    made = array_picture(shown(np.ones((5, 2, 3)), np.ones((5, 2, 3))))
    assert len(made.rows) == array_svg.SLICES_OF_RIGHT
    assert "mark" not in "".join(left.svg for left, _ in made.rows if left)


def test_other_shapes() -> None:
    """Arrays of unequal shapes stand beside each other, each with its own matrices."""
    made = array_picture(shown(np.ones((2, 2, 3)), np.ones(4)))
    assert [(left is None, right is None) for left, right in made.rows] == [(False, False), (False, True)]
    assert (made.expected.en, made.actual.en) == ("shape (2, 2, 3), 1 to 1", "shape (4,), 1 to 1")


@pytest.mark.parametrize(
    ("shape", "at", "cut", "frame"),
    [
        ((200, 70), (150, 3), ["rows 118 to 181 of 200", "columns 0 to 63 of 70"], (3, 32)),
        ((3, 1000), (2, 999), ["columns 936 to 999 of 1000"], (63, 2)),
        ((64, 64), (63, 63), [], (63, 63)),
        ((1000,), (500,), ["columns 468 to 531 of 1000"], (32, 0)),
    ],
)
def test_a_window_of_large_arrays(
    shape: tuple[int, ...], at: tuple[int, ...], cut: list[str], frame: tuple[int, int]
) -> None:
    """No more than 64 × 64 cells are drawn, those around the first difference, and the page says which."""
    (made,) = slices(np.zeros(shape), UNIT, at, 1)
    assert [text.en for text in made.cut] == cut
    size = int(re.findall(r'<rect class="mark" x="\d+" y="\d+" width="(\d+)"', made.svg)[0])
    assert f'x="{frame[0] * size}" y="{frame[1] * size}"' in made.svg


def test_svg_stays_small() -> None:
    """The largest picture takes some 100 kB, however large the array."""
    values = np.random.default_rng(0).standard_normal((3, 500, 500))
    assert len(array_picture(shown(values, values)).rows[0][0].svg) < 150_000  # type: ignore[union-attr]


@pytest.mark.parametrize("columns", [3, 30])
def test_what_is_not_finite_has_a_sign_of_its_own(columns: int) -> None:
    """NaN and the infinities are told apart without colour: by words in cells with room, else by signs and a legend."""
    values = np.zeros((2, columns))
    values[0, :3] = [NAN, INF, -INF]
    made = array_picture(shown(np.zeros((2, columns)), values))
    svg = str(made.rows[0][1].svg)  # type: ignore[union-attr]
    if columns == 3:
        assert re.findall(r">([^<>]+)</text>", svg) == ["NaN", "+∞", "−∞", "0", "0", "0"]
        assert made.odd == ()
    else:
        assert svg.count('<path class="sign"') == 3
        assert made.odd == ("✕ NaN", "▲ +∞", "▼ −∞")
    assert made.actual.en == f"shape (2, {columns}), 0 to 0, 1 × NaN, 1 × +∞, 1 × −∞"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.25, 1.0, 0.0], ["0.25", "1.00", "0"]),
        ([2.0, 7.0, -1.0], ["2", "7", "−1"]),
        ([12.345, -0.5, 123.4], ["12.3", "−0.50", "123"]),
        ([-0.0, 0.5, 1.5], ["0", "0.50", "1.50"]),
        ([12345.0, 0.5, 1.0], ["1e4", "0.50", "1.00"]),
        ([0.0012, -0.03, 0.0], ["1e−3", "−3e−2", "0"]),
    ],
)
def test_numbers_in_cells(values: list[float], words: list[str]) -> None:
    """Cells with room say their value, shortly."""
    matrix = np.array([values])
    assert re.findall(r">([^<>]+)</text>", draw(matrix, scale_of(matrix, matrix))) == words


def test_values_beyond_the_scale_are_mentioned() -> None:
    """Where one array would drown the other, its colours stop at the ends and a note says so."""
    assert [note.en for note in array_picture(shown([0.0, 1.0], [0.0, 90.0])).notes] == [
        "values outside the scale have the colour of its nearest end"
    ]


@pytest.mark.parametrize("dtype", ["bool", "int64", "uint8", "float16", "float64"])
@pytest.mark.parametrize("shape", [(2,), (1, 2), (4, 9), (2, 1, 3), (2, 2, 2, 2)])
def test_svg_is_well_formed(dtype: str, shape: tuple[int, ...]) -> None:
    """Whatever the array, the drawing is XML that assistive technology passes over: the words beside it say it."""
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    made = array_picture(shown(values, values))
    for svg in (made.scale.bar(), *(each.svg for row in made.rows for each in row if each)):
        assert ET.fromstring(svg).get("aria-hidden") == "true"


def test_masks() -> None:
    """Masks among the inputs are drawn as True and False."""
    first, second, rest = mask(np.ones((3, 2, 2), bool))
    assert (first.label, second.label, rest.label) == ("[0]", "[1]", "…")
    assert [text.en for text in rest.cut] == ["2 of 3 matrices shown"] and rest.svg == ""
    (made,) = mask(np.array([[True, False]]))
    assert re.findall(r'path class="(\w+)"', made.svg) == ["s0", "s16"]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_can_be_read(mode: Literal["light", "dark"]) -> None:
    """Numbers stand out from the colour of their cell, on every level; code from the paper behind it."""
    style = sheet().split("@media screen")[mode == "dark"]
    colours = dict(re.findall(r"(?:--|\.)([\w-]+)(?:: |\{fill:)(#\w{6})", style + rules(mode)))

    def rgb(name: str) -> tuple[int, int, int]:
        red, green, blue = bytes.fromhex(colours[name][1:])
        return red, green, blue

    cells = [name for name in colours if f"on-{name}" in colours]
    assert len(cells) == 2 * (array_svg.LEVELS + 1)
    assert min(contrast(rgb(name), rgb(f"on-{name}")) for name in cells) >= 4.5
    code = re.findall(r"\.code-\w+ \{ color: var\(--(\w+)\)", sheet())
    assert len(code) == 5
    assert min(contrast(rgb(name), rgb(on)) for name in code for on in ("paper", "card", "tint")) >= 4.5


@pytest.mark.parametrize(("value", "words"), [(0.123456, "0.123"), (-2.0, "−2"), (-0.0, "0"), (1e-7, "1e−07")])
def test_brief(value: float, words: str) -> None:
    """Three digits, and a real minus."""
    assert brief(value) == words


def test_describe_flags() -> None:
    """Booleans have a shape and no range; so have arrays without a finite entry."""
    assert describe(np.array([True, False])).en == "shape (2,)"
    assert describe(np.array([[NAN, NAN]])).zh == "形状 (1, 2)，2 个 NaN"
