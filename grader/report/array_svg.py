"""Draws arrays as inline SVG: the expected and the actual result side by side, with one colour scale.

The SVG contains numbers and names of ours, nothing that a learner could have written. Its colours are CSS classes, so a
page can have a light and a dark version.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Literal

import numpy as np
from markupsafe import Markup

from grader.core.model import ArrayComparison, Message, Text
from grader.report.figures.palette import Colour, between, hexadecimal, ink

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from grader.core.model import AnyArray


#: Colours run from level 0 to this one.
LEVELS = 16
#: The most rows and columns of a matrix that are drawn, and the most matrices of an array.
CELLS = 64
SLICES = 3
SLICES_OF_RIGHT = 2

#: Cells contain numbers if the matrix has at most this many (rows, columns).
_ROOM = (12, 7)
_WIDE, _HIGH = 40, 26
_WORDS = {-1: "NaN", -2: "+∞", -3: "−∞"}
_SIGNS = {-1: "✕ NaN", -2: "▲ +∞", -3: "▼ −∞"}

_ROWS = Message("rows {first} to {last} of {all}")
_COLUMNS = Message("columns {first} to {last} of {all}")
_SLICES = Message("{shown} of {all} matrices shown")
_BEYOND = Message("values outside the scale have the colour of its nearest end")
_RANGE = Message("shape {shape}, {low} to {high}")


@dataclass(frozen=True, slots=True)
class Scale:
    """What the colours mean: ``flags`` (False, True), ``rising`` from ``low``, or ``both`` sides of zero."""

    kind: Literal["flags", "rising", "both"]
    low: float
    high: float

    def levels(self, values: AnyArray) -> NDArray[np.int64]:
        """The level of each entry; −1 for NaN, −2 for +∞, −3 for −∞."""
        plain = values.astype(np.float64)
        result = np.full(plain.shape, -1)
        finite = np.isfinite(plain)
        half = self.high / 2 - self.low / 2  # halves, because the difference of two large numbers may overflow
        share = (np.clip(plain[finite], self.low, self.high) / 2 - self.low / 2) / (half or 1)
        result[finite] = np.rint(share * LEVELS)
        result[plain == math.inf] = -2
        result[plain == -math.inf] = -3
        return result

    @property
    def colours(self) -> str:
        """The first letter of its CSS classes."""
        return "b" if self.kind == "both" else "s"

    def bar(self) -> Markup:
        """The colours from lowest to highest."""
        steps = "".join(
            f'<path class="{self.colours}{level}" d="M{level * 8} 0h8v10h-8z"/>' for level in range(LEVELS + 1)
        )
        wide = (LEVELS + 1) * 8
        return Markup(
            f'<svg class="bar" width="{wide}" height="10" viewBox="0 0 {wide} 10" aria-hidden="true">{steps}</svg>'
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """A drawn matrix of an array. ``label`` is its index; empty if there is only one."""

    label: str
    svg: Markup
    cut: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrayPicture:
    """Two arrays side by side: rows of matrices, descriptions of both arrays, signs in use, and notes."""

    scale: Scale
    rows: tuple[tuple[Slice | None, Slice | None], ...]
    expected: Text
    actual: Text
    odd: tuple[str, ...]
    notes: tuple[Text, ...]

    @property
    def ends(self) -> tuple[str, str]:
        """The ends of the scale as text."""
        return brief(self.scale.low), brief(self.scale.high)


def array_picture(shown: ArrayComparison) -> ArrayPicture:
    """The drawing of ``shown``, with the first difference marked on both sides."""
    scale = scale_of(shown.expected, shown.actual)
    at = shown.difference.index if shown.difference else None
    same = shown.expected.shape == shown.actual.shape
    many = SLICES_OF_RIGHT if same and at is None else SLICES
    left, right = (tuple(slices(array, scale, at, many)) for array in (shown.expected, shown.actual))
    count = _matrices(shown.expected)
    notes = [_SLICES.fill(shown=len(left), all=count)] if len(left) < count else []
    notes += [_BEYOND] if _beyond(scale, shown.actual) else []
    drawn = [array for array in (shown.expected, shown.actual) if not _numbered(array.shape, scale)]
    odd = dict.fromkeys(_SIGNS[level] for array in drawn for level in _odd(array))
    rows = tuple(zip_longest(left, right))
    return ArrayPicture(scale, rows, describe(shown.expected), describe(shown.actual), tuple(odd), tuple(notes))


def mask(values: AnyArray) -> tuple[Slice, ...]:
    """The drawing of a mask; if it has more matrices than are drawn, an ellipsis says so."""
    drawn = tuple(slices(values, Scale("flags", 0, 1), None, SLICES_OF_RIGHT))
    if len(drawn) == _matrices(values):
        return drawn
    return (*drawn, Slice("…", Markup(""), (_SLICES.fill(shown=len(drawn), all=_matrices(values)),)))


def scale_of(expected: AnyArray, actual: AnyArray) -> Scale:
    """A scale for both arrays; for the expected one alone if the actual entries are more than four times as large."""
    if expected.dtype.kind == actual.dtype.kind == "b":
        return Scale("flags", 0, 1)
    right, both = _finite(expected), np.concatenate([_finite(expected), _finite(actual)])
    if right.size and 0 < np.abs(right).max() < np.abs(both).max() / 4:
        both = right
    if not both.size:
        return Scale("rising", 0, 1)
    low, high = float(both.min()), float(both.max())
    if low < 0:
        reach = max(-low, high)
        return Scale("both", -reach, reach)
    return Scale("rising", low if high / 2 < low < high else 0, high or 1)


def slices(values: AnyArray, scale: Scale, at: tuple[int, ...] | None, many: int) -> Iterator[Slice]:
    """The first ``many`` matrices of an array, with the one that contains the index ``at`` among them."""
    matrices = values.reshape(1, -1) if values.ndim == 1 else values
    lead = matrices.shape[:-2]
    place = None if at is None else ((0, *at) if values.ndim == 1 else at)
    chosen = list(islice(np.ndindex(lead), many))
    if place is not None and len(place) == matrices.ndim and place[:-2] not in chosen:
        chosen[-1] = place[:-2]
    for index in chosen:
        cell = place[-2:] if place is not None and place[:-2] == index else None
        yield _slice(matrices[index], scale, cell, f"[{', '.join(map(str, index))}]" if lead else "")


def _slice(matrix: AnyArray, scale: Scale, cell: tuple[int, ...] | None, label: str) -> Slice:
    """A window of ``matrix`` that contains ``cell``."""
    first = [0, 0]
    if cell is not None:
        first = [max(0, min(i - CELLS // 2, n - CELLS)) for i, n in zip(cell, matrix.shape, strict=True)]
    row, column = first
    window = matrix[row : row + CELLS, column : column + CELLS]
    cut = tuple(
        text.fill(first=start, last=start + size - 1, all=full)
        for text, start, size, full in zip((_ROWS, _COLUMNS), first, window.shape, matrix.shape, strict=True)
        if size < full
    )
    inner = None if cell is None else (cell[0] - row, cell[1] - column)
    return Slice(label, draw(window, scale, inner), cut)


def draw(matrix: AnyArray, scale: Scale, cell: tuple[int, int] | None = None) -> Markup:
    """One matrix as SVG: a path for each level, numbers where there is room, ``cell`` framed."""
    rows, columns = matrix.shape
    numbered = _numbered(matrix.shape, scale)
    wide, high = (_WIDE, _HIGH) if numbered else (max(4, min(22, 300 // max(rows, columns, 1))),) * 2
    gap = 1 if wide >= 8 else 0
    levels = scale.levels(matrix)
    parts = [
        f'<path class="{_colour(level, scale)}" d="{_cells(levels == level, wide, high, gap)}"/>'
        for level in np.unique(levels).tolist()
    ]
    parts += _numbers(matrix, levels, scale) if numbered else _signs(levels, wide)
    if cell is not None:
        frame = f'x="{cell[1] * wide}" y="{cell[0] * high}" width="{wide - gap}" height="{high - gap}"'
        parts.append(f'<rect class="halo" {frame}/><rect class="mark" {frame}/>')
    across, down = columns * wide + 4, rows * high + 4
    size = f'width="{across}" height="{down}" viewBox="-2 -2 {across} {down}"'
    return Markup(f'<svg {size} aria-hidden="true">{"".join(parts)}</svg>')


def _numbered(shape: tuple[int, ...], scale: Scale) -> bool:
    rows, columns = (1, *shape)[-2:]
    return rows <= _ROOM[0] and columns <= _ROOM[1] and scale.kind != "flags"


def _colour(level: int, scale: Scale) -> str:
    return "odd" if level < 0 else f"{scale.colours}{level}"


def _cells(chosen: NDArray[np.bool_], wide: int, high: int, gap: int) -> str:
    """The SVG path of the chosen cells; without a gap, neighbours in a row are merged."""
    parts = []
    for y, row in enumerate(chosen):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]]))).reshape(-1, 2)
        runs = edges.tolist() if not gap else [(x, x + 1) for x in np.flatnonzero(row).tolist()]
        parts += [
            f"M{first * wide} {y * high}h{(last - first) * wide - gap}v{high - gap}h-{(last - first) * wide - gap}z"
            for first, last in runs
        ]
    return "".join(parts)


def _numbers(matrix: AnyArray, levels: NDArray[np.int64], scale: Scale) -> Iterator[str]:
    reach = max(abs(scale.low), abs(scale.high))
    whole = bool((np.abs(np.rint(_finite(matrix)) - _finite(matrix)) < 1e-3).all())
    for (y, x), level in np.ndenumerate(levels):
        name = "sign" if level < 0 else f"on-{_colour(int(level), scale)}"
        word = _WORDS.get(int(level)) or _fixed(float(matrix[y, x]), reach, whole)
        yield f'<text class="{name}" x="{x * _WIDE + (_WIDE - 1) / 2:g}" y="{y * _HIGH + 17}">{word}</text>'


def _signs(levels: NDArray[np.int64], size: int) -> Iterator[str]:
    """A cross for NaN, a triangle pointing up for +∞ or down for −∞."""
    near, far, half = size // 4, size - 1 - size // 4, (size - 1) / 2
    for row, column in np.argwhere(levels < 0).tolist():
        x, y, level = column * size, row * size, levels[row, column]
        cross = f"M{x + near} {y + near}L{x + far} {y + far}M{x + far} {y + near}L{x + near} {y + far}"
        base, tip = (far, near) if level == -2 else (near, far)
        triangle = f"M{x + near} {y + base}H{x + far}L{x + half:g} {y + tip}z"
        yield f'<path class="sign" d="{cross if level == -1 else triangle}"/>'


# ------------------------------------------------------------------------------------------ in words


def describe(values: AnyArray) -> Text:
    """Shape, range, and the number of entries that are not finite."""
    shape = "(" + ", ".join(map(str, values.shape)) + ("," if values.ndim == 1 else "") + ")"
    finite = _finite(values)
    text = Message("shape {shape}").fill(shape=shape)
    if values.dtype.kind != "b" and finite.size:
        text = _RANGE.fill(shape=shape, low=brief(float(finite.min())), high=brief(float(finite.max())))
    for level, count in _odd(values).items():
        text = Message("{said}, {count} × {word}").fill(said=text, count=count, word=_WORDS[level])
    return text


def brief(value: float) -> str:
    """A number with three significant digits."""
    return f"{value + 0.0:.3g}".replace("-", "−")  # + 0.0: never "−0"


def _fixed(value: float, reach: float, whole: bool) -> str:
    """An entry, short enough for its cell."""
    if abs(value) >= 1000 or (0 < reach < 0.05 and value):
        mantissa, exponent = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    decimals = 0 if whole or not value or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value + 0.0:.{decimals}f}".replace("-", "−")


def _finite(values: AnyArray) -> NDArray[np.float64]:
    plain = values.astype(np.float64)
    return plain[np.isfinite(plain)]


def _beyond(scale: Scale, values: AnyArray) -> bool:
    finite = _finite(values)
    return bool(((finite < scale.low) | (finite > scale.high)).any())


def _odd(values: AnyArray) -> dict[int, int]:
    """The number of entries that are not finite, by level."""
    plain = values.astype(np.float64)
    counts = {-1: np.isnan(plain).sum(), -2: (plain == math.inf).sum(), -3: (plain == -math.inf).sum()}
    return {level: int(count) for level, count in counts.items() if count}


def _matrices(values: AnyArray) -> int:
    return math.prod(values.shape[:-2])


# ------------------------------------------------------------------------------------------- colours

#: From light to dark on a light page, and the reverse on a dark one; negative values are orange.
_RISING: dict[str, tuple[Colour, ...]] = {
    "light": ((240, 238, 231), (143, 184, 194), (44, 104, 130), (14, 44, 66)),
    "dark": ((38, 43, 49), (44, 88, 107), (104, 166, 183), (222, 241, 240)),
}
_BOTH: dict[str, tuple[Colour, ...]] = {
    "light": ((150, 66, 16), (233, 170, 116), (240, 238, 231), (143, 184, 194), (18, 70, 100)),
    "dark": ((255, 178, 108), (140, 84, 44), (38, 43, 49), (44, 88, 107), (150, 212, 228)),
}


def rules(mode: Literal["light", "dark"]) -> str:
    """CSS rules for the colours of the levels and of the text on them."""
    written = []
    for letter, colours in (("s", _RISING[mode]), ("b", _BOTH[mode])):
        for level in range(LEVELS + 1):
            colour = between(colours, level / LEVELS)
            written.append(f".{letter}{level}{{fill:{hexadecimal(colour)}}}")
            written.append(f".on-{letter}{level}{{fill:{hexadecimal(ink(colour))}}}")
    return "".join(written)
