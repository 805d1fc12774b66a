"""Figures in a terminal: every number that is shown is one of the figure's, and everything fits."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from grader.core.model import Text
from grader.report.figures.figure import Figure, HeatMap, LinePlot, Panel, PlotAxis, line
from grader.report.figures.terminal import _number, render

NOTHING = Text("", "")


def shown(*panels: Panel | None, width: int = 60) -> list[str]:
    """One row of panels as a terminal without colours shows it."""
    out = io.StringIO()
    render(Figure(Text("Title", "标题"), NOTHING, (panels,)), "en", Console(file=out, width=width, color_system=None))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_lines_are_a_table() -> None:
    """A row for each line, a column for each x; a line without a point there leaves its cell empty."""
    lines = (line(Text("a", "a"), [1, 2, 4], [0.5, -1e-7, 2e6]), line(Text("b", "b"), [2], [float("nan")]))
    panel = LinePlot(Text("Cost", "成本"), PlotAxis(Text("n", "n")), PlotAxis(Text("work", "计算量")), lines)
    assert shown(panel)[2:6] == [
        "Cost · work",
        "n        1        2        4",
        "a      0.5 -1.0e-07       2M",
        "b               nan",
    ]


def test_long_lines_are_sampled() -> None:
    """Of more points than fit, evenly spaced ones are shown, with the first and the last."""
    panel = LinePlot(
        NOTHING, PlotAxis(Text("n", "n")), PlotAxis(Text("y", "y")), (line(Text("a", "a"), range(100), range(100)),)
    )
    _, _, quantity, heading, row, *_ = shown(panel, width=30)
    assert quantity == "y"
    assert heading.split()[1:] == row.split()[1:] == ["0", "50", "99"]


def test_heat_maps() -> None:
    """Percentages are written out; other cells are shades, x where there is no number; two stand side by side."""
    values = np.array([[0.25, 0.75], [np.nan, 1.0]])
    axes = PlotAxis(Text("row", "行")), PlotAxis(Text("column", "列"))
    percent, shades = (HeatMap(Text("Map", "图"), *axes, values, percent=percent) for percent in (True, False))
    assert shown(percent, None, shades)[2:] == [
        "Map               Map",
        "     0   1          0",
        "0  25  75         0 ░░▓▓",
        "1   x 100         1 xx██",
        "↓ row  → column   ↓ row  → column",
        "                  0   ░░▒▒▒▒▓▓██ 1",
        "",
        "",
    ]
    large = HeatMap(NOTHING, *axes, np.zeros((500, 500)))
    assert len(shown(large)) < 25
    assert max(map(len, shown(large))) <= 60


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.012345, "0.0123"),
        (-999.4, "-999"),
        (1020, "1020"),
        (12345, "12.35k"),
        (-2_000_000, "-2M"),
        (5e9, "5G"),
        (7e12, "7T"),
        (-1e300, "-1e+300"),
        (4.1e-7, "4.1e-07"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(value: float, said: str) -> None:
    """Short, with a unit rather than a power of ten."""
    assert _number(value) == said
