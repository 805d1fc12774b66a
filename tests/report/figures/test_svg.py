"""Pictures on pages: whatever the numbers are, the SVG is well-formed and everything is inside its frame."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from grader.core.model import Lang, Message, Text
from grader.core.text import same
from grader.report.figures import svg
from grader.report.figures.figure import AxisScale, Figure, HeatMap, LinePlot, Panel, PlotAxis, line

X, Y = Text("time <s>", "时间"), Text("the length of a rather long label", "一个相当长的标签")
ODD = (math.nan, math.inf, -math.inf, 0.0, -1.0, 1e-12, 1e12)


def plot(values: tuple[float, ...], *, log: bool) -> Panel:
    """A line of the reference and one of a learner through ``values``."""
    both = [line(X, range(1, len(values) + 1), values, hue, who) for hue, who in ((0, "reference"), (7, "learner"))]  # type: ignore[arg-type]
    theory = line(Y, (1.0, 2.0), (1.0, 4.0), who="theory")
    return LinePlot(Text("a & b", "甲"), PlotAxis(X, log=log), PlotAxis(Y, log=log), (*both, theory))


def heat(rows: int, columns: int, scale: AxisScale = "sequential", *, names: bool = False) -> Panel:
    """A matrix with values that have no colour."""
    values = np.linspace(-3, 3, rows * columns).reshape(rows, columns)
    values.flat[: min(len(ODD), values.size)] = ODD[: values.size]
    given = " ".join(f"<{at}>" for at in range(rows)) if names else ""
    return HeatMap(Text("", ""), PlotAxis(Y, names=same(given)), PlotAxis(X), values, scale, -1.0, 1.0, percent=names)


@pytest.mark.parametrize(
    "panel",
    [
        *(plot(values, log=log) for log in (False, True) for values in (ODD, (5.0,), (3.0, 3.0), (math.nan,))),
        heat(1, 1),
        heat(2, 9, "boolean"),
        heat(6, 6, "diverging", names=True),
        heat(70, 90),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_everything_is_in_the_frame(panel: Panel, lang: str) -> None:
    """No NaN in a place, no mark outside, no text that became markup; a name for those who cannot see it."""
    figure = Figure(X, Y, ((panel, None),))
    ((drawn,),) = svg.draw(figure, "zh" if lang == "zh" else "en")
    root = ElementTree.fromstring(str(drawn.picture))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    assert root.attrib["aria-label"] and root.attrib["role"] == "img"
    text = str(drawn.picture)
    assert not re.search(r"\bnan\b|\binf\b|style=", text) and "time <s>" not in text
    for each in root.iter():
        for name, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(each.get(name, "0")) <= most, (each.tag, each.attrib)
        if each.tag == "path":
            starts = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", each.attrib["d"])
            assert all(-0.1 <= float(x) <= width and -0.1 <= float(y) <= height for x, y in starts)
    for sample, said in drawn.legend:
        ElementTree.fromstring(str(sample))
        assert said


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (0, "0"),
        (0.05, "0.05"),
        (-2, "−2"),
        (20_000, "20k"),
        (3e6, "3M"),
        (1e-7, "10⁻⁷"),
        (2e-7, "2·10⁻⁷"),
        (1e15, "10¹⁵"),
    ],
)
def test_labels(value: float, label: str) -> None:
    """Short numbers."""
    assert svg._number(value) == label


def test_formulas_have_indices_and_exponents() -> None:
    """Lower and higher than what follows, which is on the line again."""
    drawn = ElementTree.fromstring(str(svg._text(0, 0, Message("$y = d_k^2$ and `f`").en)))
    assert [part.get("dy") for part in drawn] == [None, None, None, "4", "-8", "4"]
    assert "".join(drawn.itertext()).replace("\u200b", "") == "y = dk2 and f"
    assert drawn[0].get("font-style") == "italic"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_file_holds_every_panel_and_its_legend(lang: Lang) -> None:
    """A file is well-formed, large enough for its panels, and has the words of title, note, axes and legends."""
    rows = ((plot((1.0, 2.0), log=False), heat(3, 3, "boolean")), (heat(40, 40), None))
    root = ElementTree.fromstring(svg.document(Figure(X, Y, rows), lang))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    panels = [panel for row in svg.draw(Figure(X, Y, rows), lang) for panel in row]
    assert width > panels[0].space[0] + panels[1].space[0]
    assert height > panels[0].space[1] + panels[2].space[1]
    said = "".join(root.itertext())
    assert all(words in said for panel in panels for words in (panel.title, *(words for _, words in panel.legend)))
    assert said.count(X.of(lang)) > 3 and Y.of(lang) in said
