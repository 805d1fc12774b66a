"""Every picture, from the references through the real sandbox: what it shows is true, and it can be drawn anywhere."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.core.layout import wrap
from grader.core.marks import marked
from grader.core.model import Course, Lang, Text
from grader.course import loader
from grader.grading import courses
from grader.report.figures import run, svg, terminal
from grader.report.figures.figure import Figure, HeatMap, Line, LinePlot, PlotAxis
from grader.report.figures.kinds import NONE, SourceResults, kinds
from grader.sandbox import Sandbox
from tests import stills

NAMES = sorted(kinds())


@pytest.fixture(scope="module")
def course() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


@pytest.fixture(scope="module")
def seen(course: Course, sandbox: Sandbox) -> Callable[[str], SourceResults]:
    """What the references give for a picture, worked out once."""
    found: dict[str, SourceResults] = {}

    def of(name: str) -> SourceResults:
        if name not in found:
            found[name] = run.reference(course, kinds()[name], sandbox.observe)
        return found[name]

    return of


def lines(figure: Figure) -> dict[str, Line]:
    """The lines of a figure by their English labels, those of the first panel first."""
    found: dict[str, Line] = {}
    for row in figure.rows:
        for panel in row:
            for line in panel.lines if isinstance(panel, LinePlot) else ():
                found.setdefault(line.label.en, line)
    return found


def panels(figure: Figure) -> list[Any]:
    """All panels, row by row."""
    return [panel for row in figure.rows for panel in row if panel is not None]


def text(figure: Figure, lang: Lang, width: int = 80, colour: bool = False) -> str:
    """A figure as a terminal shows it."""
    out = io.StringIO()
    system = "truecolor" if colour else None
    terminal.render(figure, lang, Console(file=out, width=width, color_system=system, force_terminal=colour))  # type: ignore[arg-type]
    return out.getvalue()


# ------------------------------------------------------------------------------------------- everywhere


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_titles_and_labels(name: str, lang: Lang, seen: Callable[[str], SourceResults]) -> None:
    """Titles of heat maps are short enough, no line is called what the axis is, and the still is up to date."""
    figure = kinds()[name].draw((seen(name),))
    kept, drawn = (stills.parts(each) for each in (stills.read(name, lang), stills.still(figure, lang)))
    assert kept[0] == drawn[0], "`make docs` draws the stills"
    np.testing.assert_allclose(kept[1], drawn[1], atol=0.5)
    for panel in panels(figure):
        assert not isinstance(panel, HeatMap) or len(wrap(panel.title.of(lang), 30)) <= 1, panel.title
        if isinstance(panel, LinePlot):
            assert panel.x.label.of(lang) not in [line.label.of(lang) for line in panel.lines]


#: Drawn with two sources in every run.
_BESIDE = ("cost", "masks", "norms")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.prove if name in ("encodings", "heads") else ())
        for name in NAMES
        if name not in _BESIDE
    ],
)
def test_a_picture_can_be_drawn(name: str, seen: Callable[[str], SourceResults]) -> None:
    """In a terminal of 80 and of 50 columns, in colour and without, in both languages, and as a file."""
    picture = kinds()[name]
    figure = picture.draw((seen(name),))
    for lang in ("en", "zh"):
        for width in (50, 80):
            shown = text(figure, lang, width)  # type: ignore[arg-type]
            assert max(map(cell_len, shown.splitlines())) <= width
            assert picture.TITLE.of(lang)[:6] in shown  # type: ignore[arg-type]
    assert "\x1b[" in text(figure, "en", colour=True)
    assert svg._text(24, 24, picture.TITLE.en, kind="title") in svg.document(figure, "en")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in _BESIDE else pytest.mark.prove) for name in NAMES]
)
def test_a_learner_stands_beside_the_reference(name: str, seen: Callable[[str], SourceResults]) -> None:
    """With two sources everything says whose it is, and both are on the same scale."""
    mine = replace(seen(name), who="learner")
    alone, both = (kinds()[name].draw(sources) for sources in ((seen(name),), (seen(name), mine)))
    whose = [
        line for panel in panels(both) if isinstance(panel, LinePlot) for line in panel.lines if line.who == "learner"
    ]
    maps = [panel for panel in panels(both) if isinstance(panel, HeatMap)]
    assert whose or len(maps) == 2 * len(panels(alone))
    assert all(line.label.en.endswith(": yours") for line in whose)
    for one, other in zip(maps[::2], maps[1::2], strict=True):
        assert (one.low, one.high, one.scale) == (other.low, other.high, other.scale)
        assert one.title.en.endswith(": reference")
        assert other.title.en.endswith(": yours")
    assert "yours" in text(both, "en")
    assert "yours" in svg.document(both, "en")


# ----------------------------------------------------------------------------------------- what they show


def test_variance(seen: Callable[[str], SourceResults]) -> None:
    """Without the division the variance is d_k, with it 1, within sampling error."""
    found = lines(kinds()["variance"].draw((seen("variance"),)))
    plain, scaled = found[marked("$q·k$, as sampled")], found["scaled_scores"]
    np.testing.assert_allclose(np.array(plain.y) / plain.x, 1, atol=0.35)
    np.testing.assert_allclose(np.array(plain.y) / plain.x, scaled.y, rtol=1e-4)


def test_saturation(seen: Callable[[str], SourceResults]) -> None:
    """The larger the scores, the more weight is on one key, and in the end hardly any gradient is left."""
    figure = kinds()["saturation"].draw((seen("saturation"),))
    largest, gradient = (panel.lines[-1].y for panel in panels(figure))
    assert list(largest) == sorted(largest)
    assert largest[-1] > 0.9
    assert gradient[-1] < max(gradient) / 2


@pytest.mark.parametrize("name", ["attention", "heads"])
def test_maps_of_weights(name: str, seen: Callable[[str], SourceResults]) -> None:
    """Every row is a distribution."""
    for panel in panels(kinds()[name].draw((seen(name),))):
        np.testing.assert_allclose(panel.values.sum(axis=-1), 1, atol=1e-6)


def test_masks(seen: Callable[[str], SourceResults]) -> None:
    """A causal mask is a lower triangle, its last rows where fewer queries ask; padding is at the end of a row.

    Panels that share a row have the same height.
    """
    causal, weights, fewer, padding = panels(kinds()["masks"].draw((seen("masks"),)))
    assert len(causal.values) == len(weights.values) and len(fewer.values) == len(padding.values)
    n = causal.values.shape[0]
    np.testing.assert_array_equal(causal.values, np.tril(np.ones((n, n))))
    np.testing.assert_array_equal(fewer.values, causal.values[-fewer.values.shape[0] :])
    assert [int(row.sum()) for row in padding.values] == [8, 5, 2]
    assert np.triu(weights.values, 1).max() == 0


def test_encodings(seen: Callable[[str], SourceResults]) -> None:
    """Sines and rotations stay between −1 and 1; a bias is 0 at the query itself and falls before it."""
    sines, learned, rope, alibi = panels(kinds()["encodings"].draw((seen("encodings"),)))
    assert np.abs(sines.values).max() <= 1
    assert np.abs(rope.values).max() <= 1 + 1e-6
    assert np.abs(learned.values).max() < 1
    np.testing.assert_array_equal(np.diag(alibi.values), 0)
    assert (np.diff(alibi.values[-1]) > 0).all()


def test_distance(seen: Callable[[str], SourceResults]) -> None:
    """Similarity is 1 at distance 0 and smaller everywhere else for the sines; biases fall in straight lines."""
    dots, biases = panels(kinds()["distance"].draw((seen("distance"),)))
    sines = dots.lines[0].y
    assert sines[0] == pytest.approx(1)
    assert max(sines[1:]) < 1
    for line in biases.lines:
        np.testing.assert_allclose(np.diff(line.y, 2), 0, atol=1e-6)


def test_norms(seen: Callable[[str], SourceResults]) -> None:
    """In the last layer of a deep stack the gradient is larger with post-LN than with pre-LN."""
    by_layer, last = panels(kinds()["norms"].draw((seen("norms"),)))
    post, pre = (line.y for line in last.lines)
    assert post[-1] > 2 * pre[-1]
    assert len(by_layer.lines[0].y) == 12


def test_residual(seen: Callable[[str], SourceResults]) -> None:
    """Without connections the gradient shrinks by orders of magnitude on its way; with them it arrives."""
    (panel,) = panels(kinds()["residual"].draw((seen("residual"),)))
    off, on = (line.y for line in panel.lines)
    assert off[0] < 1e-2 * on[0]


def test_cost(seen: Callable[[str], SourceResults]) -> None:
    """Work and memory of full attention grow like n², those of linear attention like n; tiles save memory alone."""
    work, memory = panels(kinds()["cost"].draw((seen("cost"),)))
    full, tiled, linear = (line.y for line in work.lines if line.who == "reference")
    assert full[-1] / full[-2] == pytest.approx(4, rel=0.1)
    assert tiled[-1] / full[-1] == pytest.approx(1, rel=0.5)
    assert linear[-1] / linear[-2] == pytest.approx(2, rel=0.05)
    full, tiled, linear = (line.y for line in memory.lines if line.who == "reference")
    assert full[-1] / full[-2] == 4
    assert max(tiled[-1] / tiled[-2], linear[-1] / linear[-2]) <= 2


def test_cache(seen: Callable[[str], SourceResults]) -> None:
    """With a cache a step takes about as much work as the one before; without it always more."""
    per_step, in_all = panels(kinds()["cache"].draw((seen("cache"),)))
    cached, anew = sorted((np.array(line.y) for line in per_step.lines), key=lambda work: work[-1])
    assert anew[-1] / anew[0] > 5 * cached[-1] / cached[0]
    assert in_all.lines[0].y[-1] == pytest.approx(sum(per_step.lines[0].y))


def test_formulas_of_one_panel_look_different() -> None:
    """All formulas are grey, so their dashes differ."""
    axis = PlotAxis(NONE)
    lines = tuple(Line(Text(str(at), str(at)), (1.0, 2.0), (1.0, at), who="theory") for at in range(3))
    drawn = svg.document(Figure(NONE, NONE, ((LinePlot(NONE, axis, axis, lines),),)), "en")
    assert len(set(re.findall(r'stroke-dasharray="[0-9 ]+"', drawn))) == 3
