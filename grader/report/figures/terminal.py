"""Shows a figure in a terminal: a heat map as coloured cells, lines as a table of numbers.

Without colours, cells are shades or numbers. For curves, save the figure to a file (``svg.document``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table
from rich.text import Text as Styled

from grader.core.layout import cells, pad, shorten, wrap
from grader.core.marks import plain
from grader.core.model import Lang, Message
from grader.report.figures import palette
from grader.report.figures.figure import Figure, Floats, HeatMap, LinePlot, Panel
from grader.report.figures.palette import colour, hexadecimal

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100
_GAP = 3
#: A heat map has at most this many rows; from a larger matrix, evenly spaced rows are shown.
_ROWS = 16
_SHADES = " ░▒▓█"
_PERCENT_CELL = 4
_CELL = 2
#: The width of a column of numbers, with the space before it.
_NUMBER = 9
#: From which size on a number has which unit.
_UNITS = ((1e12, 1e12, "T"), (1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))


def render(figure: Figure, lang: Lang, console: Console) -> None:
    """Writes ``figure`` to ``console``: title, panels, note. Heat maps of a row are side by side if they fit."""
    width = min(console.width, _WIDEST)
    coloured = console.color_system is not None
    for line in wrap(figure.title.of(lang), width):
        _print(console, Styled(line, style="bold"))
    for row in figure.rows:
        panels = [_panel(panel, width, lang, coloured) for panel in row if panel is not None]
        widths = [max(line.cell_len for line in panel) for panel in panels]
        console.print()
        if sum(widths) + _GAP * (len(widths) - 1) <= width:
            _beside(panels, console)
        else:
            for at, panel in enumerate(panels):
                for styled in [*([Styled()] if at else []), *panel]:
                    _print(console, styled)
    console.print()
    for line in wrap(figure.note.of(lang), width):
        _print(console, Styled(line, style="dim"))


def _print(console: Console, text: Styled) -> None:
    """One line as it is: rich does not know where Chinese text may break."""
    text.rstrip()
    console.print(text, no_wrap=True, overflow="ignore", crop=False)


def _beside(panels: Sequence[list[Styled]], console: Console) -> None:
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
    grid.add_row(*(Styled("\n", no_wrap=True).join(panel) for panel in panels))
    console.print(grid)


def _panel(panel: Panel, width: int, lang: Lang, coloured: bool) -> list[Styled]:
    return _heat_map(panel, width, lang, coloured) if isinstance(panel, HeatMap) else _table(panel, width, lang)


def _spread(count: int, most: int) -> list[int]:
    """At most ``most`` of the indices below ``count``, evenly spaced, with the first and the last."""
    return sorted(set(np.linspace(0, count - 1, min(count, max(most, 1))).round().astype(int).tolist()))


# ------------------------------------------------------------------------------------------- heat maps


def _heat_map(panel: HeatMap, width: int, lang: Lang, coloured: bool) -> list[Styled]:
    count_rows, count_columns = panel.values.shape
    names = panel.rows.called(count_rows, lang)
    margin = max(map(cells, names)) + 1
    numbers = panel.percent and margin + count_columns * _PERCENT_CELL <= width
    cell = _PERCENT_CELL if numbers else _CELL
    columns = _spread(count_columns, (width - margin) // cell)
    heading = " " * margin + _heading(panel.columns.called(count_columns, lang), columns, cell)
    sides = Message("↓ {rows}  → {columns}").fill(rows=panel.rows.label, columns=panel.columns.label).of(lang)
    found = [*_title(panel.title.of(lang), width), Styled(heading, style="dim")]
    for row in _spread(count_rows, _ROWS):
        line = Styled(pad(names[row], margin - 1, right=True) + " ", style="dim")
        found.append(line.append_text(_cells(panel, panel.values[row, columns], cell, numbers, coloured)))
    found.append(Styled(shorten(sides, width), style="dim"))
    return found if numbers else [*found, _key(panel, coloured)]


def _title(said: str, width: int) -> list[Styled]:
    return [Styled(line, style="bold") for line in wrap(said, width)] if said else []


def _heading(names: Sequence[str], columns: Sequence[int], cell: int) -> str:
    """The names of the columns, cut to ``cell``; of narrow columns, every fourth."""
    if cell == _PERCENT_CELL:
        return "".join(pad(shorten(names[at], cell - 1), cell, right=True) for at in columns)
    return "".join(pad(shorten(names[at], 4 * cell - 1), 4 * cell) for at in columns[::4])[: cell * len(columns)]


def _share(panel: HeatMap, value: float) -> float:
    return (value - panel.low) / ((panel.high - panel.low) or 1.0)


def _cells(panel: HeatMap, values: Floats, cell: int, numbers: bool, coloured: bool) -> Styled:
    line = Styled()
    for value in map(float, values):
        said = " " * cell
        if numbers:
            said = (f"{100 * value:.0f}" if math.isfinite(value) else "x").rjust(cell - 1) + " "
        elif not coloured:
            said = _shade(panel, value) * cell
        ground = colour(panel.scale, _share(panel, value)) if math.isfinite(value) else palette.MISSING
        line.append(said, f"{hexadecimal(palette.ink(ground))} on {hexadecimal(ground)}" if coloured else "")
    return line


def _shade(panel: HeatMap, value: float) -> str:
    """A cell without colours: the darker, the more; x where there is no number."""
    if not math.isfinite(value):
        return "x"
    return _SHADES[round(min(max(_share(panel, value), 0.0), 1.0) * (len(_SHADES) - 1))]


def _key(panel: HeatMap, coloured: bool) -> Styled:
    """What the colours mean."""
    ends = ("False", "True") if panel.scale == "boolean" else (f"{panel.low:.3g}", f"{panel.high:.3g}")
    samples = np.linspace(panel.low, panel.high, 2 if panel.scale == "boolean" else 6)
    key = Styled(f"{ends[0]} ", style="dim")
    return key.append_text(_cells(panel, samples, _CELL, False, coloured)).append(f" {ends[1]}", "dim")


# ----------------------------------------------------------------------------------------------- lines


def _table(panel: LinePlot, width: int, lang: Lang) -> list[Styled]:
    """A row for each line, a column for each x; if there are more than fit, evenly spaced ones."""
    title, quantity = panel.title.of(lang), panel.y.label.of(lang)
    labels = [plain(each.of(lang)) for each in (panel.x.label, *(line.label for line in panel.lines))]
    margin = min(max(map(cells, labels)), width // 2)
    places = sorted({value for line in panel.lines for value in line.x})
    places = [places[at] for at in _spread(len(places), (width - margin) // _NUMBER)]
    rows: list[list[float | None]] = [
        [*places],
        *([dict(zip(line.x, line.y, strict=True)).get(x) for x in places] for line in panel.lines),
    ]
    found = _title(f"{title} · {quantity}" if title else quantity, width)
    for at, (label, values) in enumerate(zip(labels, rows, strict=True)):
        numbers = "".join(("" if value is None else _number(value)).rjust(_NUMBER) for value in values)
        found.append(Styled(pad(shorten(label, margin), margin) + numbers, style="" if at else "dim"))
    return found


def _number(value: float) -> str:
    """About four significant digits in at most eight characters: 0.0123, 1020, 12.3M, -4.1e-07."""
    size = abs(value)
    if not math.isfinite(value) or size >= 1e15:
        return f"{value:.0e}"
    if 0 < size < 1e-3:
        return f"{value:.1e}"
    if size < 1000:
        return f"{value + 0.0:.3g}"  # + 0.0: never "-0"
    for least, unit, name in _UNITS:
        if size >= least:
            return f"{value / unit:.4g}{name}"
    return f"{value:.0f}"
