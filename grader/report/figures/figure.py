"""A picture as plain data: panels of lines and heat maps, with words in both languages.

Whatever draws it, on paper or in a terminal, takes this and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Text

Floats: TypeAlias = NDArray[np.float64]

#: Whose numbers they are; ``theory`` is a formula.
Who: TypeAlias = Literal["reference", "learner", "theory"]
#: ``sequential`` from little to much; ``diverging`` around 0; ``boolean``: no and yes.
Scale: TypeAlias = Literal["sequential", "diverging", "boolean"]


@dataclass(frozen=True, slots=True)
class Axis:
    """What is shown along one side. ``names`` stand at the rows or columns of a heat map."""

    label: Text
    log: bool = False
    names: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """Points to be joined. Lines that show the same thing have the same ``hue``, whosever they are."""

    label: Text
    x: tuple[float, ...]
    y: tuple[float, ...]
    hue: int = 0
    who: Who = "reference"


@dataclass(frozen=True, slots=True)
class Lines:
    """A panel of lines."""

    title: Text
    x: Axis
    y: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A panel that shows a matrix by colours between ``low`` and ``high``; what is not finite is left grey.

    ``percent`` writes the values into the cells, where there is room.
    """

    title: Text
    rows: Axis
    columns: Axis
    values: Floats
    scale: Scale = "sequential"
    low: float = 0.0
    high: float = 1.0
    percent: bool = False


Panel: TypeAlias = Lines | HeatMap


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole picture: rows of panels side by side (None: a place left free), and what there is to see in it."""

    title: Text
    note: Text
    rows: tuple[tuple[Panel | None, ...], ...]


#: Lines of more points than this have their mark on some of them only.
_FEW = 30
_MARKS = 10


def marked(line: Line) -> range:
    """The points that get the mark of the line: all of few; of many some, others for each hue."""
    count = len(line.x)
    step = 1 if count <= _FEW else count // _MARKS
    return range(line.hue * step // 3 % step, count, step)


def points(panel: Lines) -> list[float]:
    """Where along the horizontal axis there are points, where these are few enough to be named; else nothing."""
    found = sorted({value for line in panel.lines for value in line.x})
    return found if len(found) <= 12 else []


def line(label: Text, x: Sequence[float], y: Sequence[float] | Floats, hue: int = 0, who: Who = "reference") -> Line:
    """A line from any sequences of numbers."""
    return Line(label, tuple(map(float, x)), tuple(map(float, y)), hue, who)
