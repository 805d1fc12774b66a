"""A picture as data: panels of lines and heat maps, with texts in both languages.

``svg`` and ``terminal`` draw it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Lang, Text
from grader.core.text import EMPTY

Floats: TypeAlias = NDArray[np.float64]

#: The source of the numbers; ``theory`` is a formula.
Who: TypeAlias = Literal["reference", "learner", "theory"]
#: ``sequential`` from low to high, ``diverging`` around 0, ``boolean`` for False and True.
AxisScale: TypeAlias = Literal["sequential", "diverging", "boolean"]


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """One axis. ``names`` has a word for each row or column of a heat map; without it, they are numbered."""

    label: Text
    log: bool = False
    names: Text = EMPTY
    low: float | None = None
    high: float | None = None

    def called(self, count: int, lang: Lang) -> list[str]:
        """The names of ``count`` rows or columns."""
        return self.names.of(lang).split() or [str(at) for at in range(count)]


@dataclass(frozen=True, slots=True)
class Line:
    """Connected points. Lines of reference and learner that show the same quantity have the same ``hue``."""

    label: Text
    x: tuple[float, ...]
    y: tuple[float, ...]
    hue: int = 0
    who: Who = "reference"


@dataclass(frozen=True, slots=True)
class LinePlot:
    """A panel of lines."""

    title: Text
    x: PlotAxis
    y: PlotAxis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A panel that shows a matrix by colours between ``low`` and ``high``; cells that are not finite are grey.

    ``percent`` writes the values into the cells if there is room.
    """

    title: Text
    rows: PlotAxis
    columns: PlotAxis
    values: Floats
    scale: AxisScale = "sequential"
    low: float = 0.0
    high: float = 1.0
    percent: bool = False


Panel: TypeAlias = LinePlot | HeatMap


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture: rows of panels side by side (None: an empty place), and a note on what it shows."""

    title: Text
    note: Text
    rows: tuple[tuple[Panel | None, ...], ...]


#: Lines with more points than this have marks on some of them only.
_FEW = 30
_MARKS = 10


def marked(line: Line) -> range:
    """The indices of the points with a mark: all if there are few, else some, different ones for each hue."""
    count = len(line.x)
    step = 1 if count <= _FEW else count // _MARKS
    return range(line.hue * step // 3 % step, count, step)


def points(panel: LinePlot) -> list[float]:
    """The x values of all points, if there are few enough to label each of them; otherwise empty."""
    places = sorted({value for line in panel.lines for value in line.x})
    return places if len(places) <= 12 else []


def line(label: Text, x: Sequence[float], y: Sequence[float] | Floats, hue: int = 0, who: Who = "reference") -> Line:
    """A line from any sequences of numbers."""
    return Line(label, tuple(map(float, x)), tuple(map(float, y)), hue, who)
