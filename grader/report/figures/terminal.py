"""A figure in a terminal: coloured cells for heat maps, dots and marks for lines.

It reads without colours, too: cells become shades or numbers, and every line has its own mark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from rich.text import Text as Styled

from grader.core.layout import cells, pad, shorten, wrap
from grader.core.model import Lang, Text
from grader.report.figures import palette
from grader.report.figures.figure import Axis, Figure, Floats, HeatMap, Line, Lines, Panel, marked, points
from grader.report.figures.palette import Colour, colour, hexadecimal

if TYPE_CHECKING:
    from rich.console import Console

#: The lines of a panel, all equally wide.
Block: TypeAlias = list[Styled]

_WIDEST = 100
_GAP = 2
_HEIGHT = 26
_LOWEST = 8
_NARROW = 18
_SHADES = " ░▒▓█"
#: The mark of each hue: the reference's, the learner's, and both at one place.
_MARKS = ("●○◉", "■□▣", "▲△◬", "◆◇◈", "▼▽▽", "★☆☆")
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a braille character, row by row
_PERCENT_CELL = 4
BOTH = Text("both at one place", "两者重合")


def render(figure: Figure, lang: Lang, console: Console) -> None:
    """Writes ``figure`` to ``console``, as large as it allows."""
    width = min(console.width, _WIDEST)
    note = wrap(figure.note.of(lang), width)
    lines = [fitting for row in figure.rows for fitting in _fitting(row, width)]
    free = (console.height if console.is_terminal else _HEIGHT) - len(note) - 2
    height = max(free // len(lines), _LOWEST)
    coloured = console.color_system is not None
    for said in wrap(figure.title.of(lang), width):
        _print(console, Styled(said, style="bold"))
    for panels in lines:
        room = (width - _GAP * (len(panels) - 1)) // len(panels)
        blocks = [_block(panel, room, height, lang, coloured) for panel in panels]
        for text in _beside(blocks):
            _print(console, text)
    for said in note:
        _print(console, Styled(said, style="dim"))


def _fitting(row: Sequence[Panel | None], width: int) -> list[Sequence[Panel | None]]:
    """A row as it is, or in pairs, or one by one, whichever is not too narrow."""
    counts = [count for count in (len(row), 2, 1) if count <= len(row)]
    fit = next((c for c in counts if all(_least(panel) * c + _GAP * (c - 1) <= width for panel in row)), 1)
    return [row[at : at + fit] for at in range(0, len(row), fit)]


def _least(panel: Panel | None) -> int:
    """The cells across that a panel needs to be read."""
    if isinstance(panel, HeatMap):
        names = max(map(cells, panel.rows.names), default=2) + 1
        columns = int(panel.values.shape[1])
        return names + (columns * _PERCENT_CELL if panel.percent else min(2 * columns, _NARROW))
    return _NARROW if panel is None else 36


def _print(console: Console, text: Styled) -> None:
    """One line as it is: never wrapped or cut by rich, which does not know where Chinese may break."""
    text.rstrip()
    console.print(text, no_wrap=True, overflow="ignore", crop=False)


def _block(panel: Panel | None, width: int, height: int, lang: Lang, coloured: bool) -> Block:
    if panel is None:
        return [Styled(" " * width)]
    if isinstance(panel, HeatMap):
        return _heat_map(panel, width, height, lang, coloured)
    return _lines(panel, width, height, lang)


def _beside(blocks: Sequence[Block]) -> Block:
    """Blocks next to each other, as high as the highest."""
    widths = [max(line.cell_len for line in block) for block in blocks]
    rows = []
    for at in range(max(map(len, blocks))):
        row = Styled()
        for number, (block, width) in enumerate(zip(blocks, widths, strict=True)):
            line = block[at] if at < len(block) else Styled()
            row.append_text(line)
            if number < len(blocks) - 1:
                row.append(" " * (width - line.cell_len + _GAP))
        rows.append(row)
    return rows


# ------------------------------------------------------------------------------------------- heat maps


def _heat_map(panel: HeatMap, width: int, height: int, lang: Lang, coloured: bool) -> Block:
    count_rows, count_columns = panel.values.shape
    margin = max(cells(name) for name in _names(panel.rows, count_rows)) + 1
    room = width - margin
    numbers = panel.percent and count_columns * _PERCENT_CELL <= room
    cell = _PERCENT_CELL if numbers else 2 if 2 * count_columns <= room else 1
    columns = _spread(count_columns, room // cell)
    lines = height - 3  # the title, the columns' names, and the key
    halves = coloured and not numbers and count_rows > lines
    rows = _spread(count_rows, max(lines, count_rows if numbers else 0) * (2 if halves else 1))
    block = [Styled(shorten(panel.title.of(lang), width), style="bold")]
    block.append(Styled(" " * margin + _heading(panel, columns, cell, lang), style="dim"))
    values = panel.values[np.ix_(rows, columns)]
    names = _names(panel.rows, count_rows)
    step = 2 if halves else 1
    marked = _marked(len(rows), step, bool(panel.rows.names))
    for at in range(0, len(rows), step):
        name = names[rows[at]] if at in marked else ""
        line = Styled(pad(name, margin - 1, right=True) + " ", style="dim")
        if halves:
            below = values[at + 1] if at + 1 < len(rows) else np.full(len(columns), np.nan)
            line.append_text(_half_cells(panel, values[at], below, cell))
        else:
            line.append_text(_cells(panel, values[at], cell, numbers, coloured))
        block.append(line)
    block.append(_key(panel, margin, width, lang, coloured, numbers))
    return block


def _names(axis: Axis, count: int) -> Sequence[str]:
    return axis.names or [str(at) for at in range(count)]


def _spread(count: int, room: int) -> list[int]:
    """At most ``room`` of ``count`` places, evenly spread."""
    if count <= room:
        return list(range(count))
    return [at * count // max(room, 1) for at in range(max(room, 1))]


def _marked(count: int, step: int, named: bool) -> set[int]:
    """The rows that get their name: all that have one, else about five."""
    if named:
        return set(range(count))
    every = max(step, -(-count // 5) // step * step)
    return set(range(0, count, every))


def _heading(panel: HeatMap, columns: list[int], cell: int, lang: Lang) -> str:
    """The names of the columns, or numbers at some of them."""
    names = _names(panel.columns, panel.values.shape[1])
    if cell == _PERCENT_CELL:
        return "".join(pad(shorten(names[at], cell - 1), cell, right=True) for at in columns)
    if panel.columns.names and cell == 2:
        return "".join(pad(shorten(names[at], 2), 2) if cells(names[at]) < 2 else names[at][:1] + " " for at in columns)
    line = ""
    for place, at in enumerate(columns):
        if place * cell >= len(line) + (2 if line else 0) and place % 8 == 0:
            line = line.ljust(place * cell) + str(at)
    return line[: max(len(columns) * cell, 1)]


def _share(panel: HeatMap, value: float) -> float:
    return (float(value) - panel.low) / ((panel.high - panel.low) or 1.0)


def _paint(panel: HeatMap, value: float) -> Colour:
    return colour(panel.scale, _share(panel, value)) if math.isfinite(value) else palette.MISSING


def _cells(panel: HeatMap, values: Floats, cell: int, numbers: bool, coloured: bool) -> Styled:
    line = Styled()
    for value in values:
        said = f"{100 * value:.0f}".rjust(cell - 1) + " " if numbers and math.isfinite(value) else " " * cell
        if coloured:
            ground = _paint(panel, value)
            line.append(said, f"{hexadecimal(palette.ink(ground))} on {hexadecimal(ground)}")
        else:
            line.append(said if numbers else _shade(panel, value, cell))
    return line


def _shade(panel: HeatMap, value: float, cell: int) -> str:
    """A cell without colours: the fuller, the more."""
    if not math.isfinite(value):
        return "x".ljust(cell)
    share = min(max(_share(panel, value), 0.0), 1.0)
    return _SHADES[round(share * (len(_SHADES) - 1))] * cell


def _half_cells(panel: HeatMap, above: Floats, below: Floats, cell: int) -> Styled:
    """Two rows in one line: the upper half of a cell in one colour, the lower in the other."""
    line = Styled()
    for upper, lower in zip(above, below, strict=True):
        style = f"{hexadecimal(_paint(panel, upper))} on {hexadecimal(_paint(panel, lower))}"
        line.append("▀" * cell, style)
    return line


def _key(panel: HeatMap, margin: int, width: int, lang: Lang, coloured: bool, numbers: bool) -> Styled:
    """What the sides are, and what the colours mean."""
    line = Styled(" " * margin)
    sides = f"↓ {panel.rows.label.of(lang)}  → {panel.columns.label.of(lang)}"
    line.append(shorten(sides, width - margin), "dim")
    if numbers:
        return line
    if panel.scale == "boolean":
        ends = ("", " False ", " True")
        samples: list[float] = [0.0, 1.0]
    else:
        ends = (f"{panel.low:g} ", f" {panel.high:g}", "")
        samples = [float(x) for x in np.linspace(panel.low, panel.high, 6)]
    key = Styled()
    for at, value in enumerate(samples):
        if at == 0:
            key.append(ends[0], "dim")
        key.append_text(_cells(panel, np.array([value]), 2, False, coloured))
        if panel.scale == "boolean":
            key.append(ends[at + 1], "dim")
    if panel.scale != "boolean":
        key.append(ends[1], "dim")
    if line.cell_len + key.cell_len + 2 <= width:
        line.append("  ").append_text(key)
    return line


# ----------------------------------------------------------------------------------------------- lines


class _Scale:
    """Numbers along an axis as shares of its length."""

    def __init__(self, axis: Axis, values: list[float]) -> None:
        self.log = axis.log
        usable = [value for value in values if math.isfinite(value) and (value > 0 or not axis.log)]
        self.low = axis.low if axis.low is not None else min(usable, default=1.0)
        self.high = axis.high if axis.high is not None else max(usable, default=1.0)
        if self.high <= self.low:
            self.low, self.high = self.low / 2 - (not axis.log), self.high * 2 + (not axis.log)

    def share(self, value: float) -> float | None:
        """Where ``value`` lies, 0 to 1; None for what cannot be shown."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return None
        found = (self._of(value) - self._of(self.low)) / (self._of(self.high) - self._of(self.low))
        return found if -0.001 <= found <= 1.001 else None

    def ticks(self) -> list[float]:
        """A few round numbers on the axis; its ends where there are none."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            round_ones = [10.0**power for power in range(first, last + 1)]
            return round_ones if len(round_ones) > 1 else [self.low, self.high]
        raw = (self.high - self.low) / 4
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(size * by for by in (1, 2, 5, 10) if size * by >= raw * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [at * step for at in range(first, last + 1)]

    def _of(self, value: float) -> float:
        return math.log(value) if self.log else value


def _lines(panel: Lines, width: int, height: int, lang: Lang) -> Block:
    legend = _legend(panel, width, lang)
    x = _Scale(panel.x, [value for line in panel.lines for value in line.x])
    y = _Scale(panel.y, [value for line in panel.lines for value in line.y])
    rows = max(height - 5 - len(legend), _LOWEST - 1)
    ticks = {round((1 - (y.share(value) or 0.0)) * (rows - 1)): _number(value) for value in y.ticks()}
    margin = max(map(len, ticks.values()))
    columns = max(width - margin - 2, 10)
    canvas = _Canvas(columns, rows)
    for line in panel.lines:
        canvas.draw(line, x, y)
    block = [Styled(shorten(panel.title.of(lang), width), style="bold")] if panel.title.en else []
    block.append(Styled(shorten(f"↑ {panel.y.label.of(lang)}", width), style="dim"))
    for at, drawn in enumerate(canvas.rows()):
        edge = "┤" if at in ticks else "│"
        block.append(Styled(ticks.get(at, "").rjust(margin) + edge, style="dim").append_text(drawn))
    block.append(Styled(" " * margin + "└" + "─" * columns, style="dim"))
    block.append(Styled(" " * (margin + 1) + _numbers(panel, x, columns), style="dim"))
    name = shorten(f"→ {panel.x.label.of(lang)}", width)
    block.append(Styled(" " * (width - cells(name)) + name, style="dim"))
    return block + legend


def _numbers(panel: Lines, x: _Scale, columns: int) -> str:
    """The numbers below the axis: at the points where these are few, else round ones; as many as fit."""
    row = ""
    for value in points(panel) or x.ticks():
        said, share = _number(value), x.share(value)
        start = 0 if share is None else round(share * (columns - 1)) - len(said) // 2
        start = max(min(start, columns - len(said)), 0)
        if not row or start > len(row):
            row = row.ljust(start) + said
    return row


def _legend(panel: Lines, width: int, lang: Lang) -> Block:
    block: Block = []
    current = Styled("  ")
    for line in panel.lines:
        entry = Styled(_mark(line), _style(line)).append(" " + line.label.of(lang), "")
        if current.cell_len > 2 and current.cell_len + entry.cell_len + 3 > width:
            block.append(current)
            current = Styled("  ")
        current.append_text(entry).append("   ")
    block.append(current)
    if any(line.who == "learner" for line in panel.lines):
        both = "".join(
            dict.fromkeys(_MARKS[line.hue % len(_MARKS)][2] for line in panel.lines if line.who == "learner")
        )
        block.append(Styled(f"  {' '.join(both)} {BOTH.of(lang)}", style="dim"))
    return block


def _mark(line: Line) -> str:
    return "·" if line.who == "theory" else _MARKS[line.hue % len(_MARKS)][line.who == "learner"]


def _style(line: Line) -> str:
    if line.who == "theory":
        return hexadecimal(palette.THEORY)
    return hexadecimal(palette.HUES[line.hue % len(palette.HUES)])


def _number(value: float) -> str:
    """A tick: short enough for a margin."""
    size = abs(value)
    if size >= 1e4 or 0 < size < 1e-3:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return f"{value:.3g}"


class _Canvas:
    """A field of characters: braille dots for what lies between points, marks on the points."""

    def __init__(self, columns: int, rows: int) -> None:
        self._dots = np.zeros((rows, columns), dtype=int)
        self._styles: dict[tuple[int, int], str] = {}
        self._marks: dict[tuple[int, int], tuple[str, str]] = {}
        self._columns, self._rows = columns, rows

    def draw(self, line: Line, x: _Scale, y: _Scale) -> None:
        """The line on top of what is there."""
        last: tuple[float, float] | None = None
        places = marked(line)
        for at, (one, other) in enumerate(zip(line.x, line.y, strict=True)):
            across, up = x.share(one), y.share(other)
            if across is None or up is None:
                last = None
                continue
            point = (across * (2 * self._columns - 1), (1 - up) * (4 * self._rows - 1))
            self._join(last or point, point, _style(line))
            if line.who != "theory" and at in places:
                self._put(point, line)
            last = point

    def _join(self, start: tuple[float, float], end: tuple[float, float], style: str) -> None:
        steps = int(max(abs(end[0] - start[0]), abs(end[1] - start[1]))) + 1
        for step in range(steps + 1):
            column = round(start[0] + (end[0] - start[0]) * step / steps)
            row = round(start[1] + (end[1] - start[1]) * step / steps)
            place = (min(max(row // 4, 0), self._rows - 1), min(max(column // 2, 0), self._columns - 1))
            self._dots[place] |= _DOTS[row % 4][column % 2]
            self._styles[place] = style

    def _put(self, point: tuple[float, float], line: Line) -> None:
        place = (min(round(point[1]) // 4, self._rows - 1), min(round(point[0]) // 2, self._columns - 1))
        marks = _MARKS[line.hue % len(_MARKS)]
        there = self._marks.get(place, ("", ""))[0]
        mark = marks[2] if line.who == "learner" and there == marks[0] else _mark(line)
        self._marks[place] = (mark, _style(line))

    def rows(self) -> Block:
        """The field, line by line."""
        block = []
        for row in range(self._rows):
            drawn = Styled()
            for column in range(self._columns):
                place = (row, column)
                if place in self._marks:
                    drawn.append(*self._marks[place])
                elif self._dots[place]:
                    drawn.append(chr(0x2800 + int(self._dots[place])), self._styles[place])
                else:
                    drawn.append(" ")
            block.append(drawn)
        return block
