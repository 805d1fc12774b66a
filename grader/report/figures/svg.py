"""Draws a picture as SVG: one for each panel of a page, or one file with everything in it.

Lines have the classes ``hue0`` … ``hue5`` and ``theory``, texts ``axis`` and ``cell``; cells that a script draws are
``level0`` … ``level24``. On a page, the style sheet of the page gives them colours, with ``RULES`` for light and dark;
a file brings its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from markupsafe import Markup, escape

from grader.core.layout import cells, wrap
from grader.core.marks import pieces, plain
from grader.core.model import Lang, Message
from grader.core.typesetting.layout import RELATIONS, Atom, Fence, Root, Row, Scripts, Tree, layout
from grader.report.figures import palette
from grader.report.figures.figure import Figure, HeatMap, Line, LinePlot, Panel, PlotAxis, marked, points

_WIDTH, _HEIGHT = 460, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 22, 10, 44
#: Heat maps with more rows or columns than this have no names, and one path for each colour.
_MOST_NAMES = 20
#: Colours of a large heat map.
_LEVELS = 24
#: How many labels an axis has at most.
_MOST_TICKS = 9
_ALLOWED = (Message("False"), Message("True"))
_DASHES = ("2 3", "8 4", "8 3 2 3", "12 3")


def _level(at: int) -> str:
    fill = palette.colour("sequential", at / _LEVELS)
    ink = palette.hexadecimal(palette.ink(fill))
    return f".level{at}{{fill:{palette.hexadecimal(fill)}}}.level{at}+.cell{{fill:{ink}}}"


_HUES = tuple(f".hue{at}{{color:{palette.hexadecimal(each)}}}" for at, each in enumerate(palette.HUES))
#: Style rules: the colours of cells, and the hues; the dark hues are the same colours, lighter.
RULES = "".join(
    [
        *map(_level, range(_LEVELS + 1)),
        *_HUES,
        "@media screen and (prefers-color-scheme: dark){",
        *(
            f".hue{at}{{color:{palette.hexadecimal(palette.between((each, (255, 255, 255)), 0.35))}}}"
            for at, each in enumerate(palette.HUES)
        ),
        "}",
    ]
)


#: Pixels between the parts of a file, of a line of text, and of a character that is one cell wide.
_GAP, _LINE, _CELL = 24, 18, 6.6


@dataclass(frozen=True, slots=True)
class DrawnPanel:
    """A panel of a page: its title, the picture with its size in pixels, and its legend as (sample, words)."""

    title: str
    picture: Markup
    size: tuple[float, float]
    legend: tuple[tuple[Markup, str], ...] = ()

    @property
    def space(self) -> tuple[float, float]:
        """The width and height that the panel takes in a file, with its title and its legend."""
        lines = len(self.legend) + bool(self.title)
        words = max((40 + _length(said) for _, said in self.legend), default=0)
        return max(self.size[0], words, _length(self.title)), self.size[1] + lines * _LINE


def document(figure: Figure, lang: Lang) -> str:
    """The whole picture as an SVG file: title, panels with their legends, and note."""
    from grader.report.html import environment  # loads jinja2

    placed, y, width = [], float(_GAP + _LINE), 0.0
    for panels in draw(figure, lang):
        x = float(_GAP)
        for panel in panels:
            placed.append((x, y, panel))
            x += panel.space[0] + _GAP
        width = max(width, x)
        y += max(panel.space[1] for panel in panels) + _GAP
    note = wrap(figure.note.of(lang), int((width - 2 * _GAP) / _CELL))
    size = {
        "width": round(width),
        "height": round(y + (len(note) + 1) * _LINE),
        "bottom": y,
        "gap": _GAP,
        "line": _LINE,
    }
    parts = {"placed": placed, "note": note, "hues": Markup("".join(_HUES)), "text": _text}
    template = environment().get_template("figure.svg")
    return template.render(figure=figure, lang=lang, **size, **parts) + "\n"


def draw(figure: Figure, lang: Lang) -> tuple[tuple[DrawnPanel, ...], ...]:
    """The rows of panels, without empty places."""
    return tuple(tuple(_panel(panel, lang) for panel in row if panel is not None) for row in figure.rows)


def _panel(panel: Panel, lang: Lang) -> DrawnPanel:
    return _heat_map(panel, lang) if isinstance(panel, HeatMap) else _line_plot(panel, lang)


def _svg(width: float, height: float, title: str, parts: Sequence[Markup]) -> Markup:
    size = Markup('width="{0}" height="{1}" viewBox="0 0 {0} {1}"').format(round(width), round(height))
    drawn = Markup("").join(parts)
    return Markup('<svg class="figure" {} role="img" aria-label="{}">{}</svg>').format(size, plain(title), drawn)


def _text(x: float, y: float, said: str, *, kind: str = "axis", more: str = "") -> Markup:
    place = Markup('<text class="{}" x="{:.1f}" y="{:.1f}"{}>').format(kind, x, y, Markup(more))
    return place + Markup("").join(starmap(_piece, pieces(said))) + Markup("</text>")


def _piece(kind: str | None, text: str) -> Markup:
    """A part of a label. The letters of a formula are italic, its indices lower, its exponents higher."""
    if kind is None or kind == "code":
        return escape(text)
    drawn, before = Markup(""), 0
    for said, height, style in (*_letters(layout(text)), ("\u200b", 0, "")):  # the last one ends an index
        more = Markup(' dy="{}"').format(4 * (before - height)) if height != before else Markup("")
        small = Markup(' font-size="75%"') if height else Markup("")
        drawn += Markup("<tspan{}{}{}>{}</tspan>").format(more, small, Markup(style), said)
        before = height
    return drawn


def _letters(tree: Tree, height: int = 0) -> Iterator[tuple[str, int, str]]:
    """The signs of a formula, each with how much higher it is, and its style."""
    match tree:
        case Row(parts):
            for part in parts:
                yield from _letters(part, height)
        case Scripts(base, below, above):
            yield from _letters(base, height)
            for script, by in ((below, -1), (above, 1)):
                if script is not None:
                    yield from _letters(script, height + by)
        case Fence(opening, of, closing):
            yield opening, height, ""
            yield from _letters(of, height)
            yield closing, height, ""
        case Root(of):
            yield "√", height, ""
            yield from _letters(of, height)
        case Atom(text, kind):
            spaced = f" {text} " if text in RELATIONS or text == "+" else text
            yield spaced, height, ' font-style="italic"' if kind == "name" else ""


def _labels(x: PlotAxis, y: PlotAxis, lang: Lang, middle: tuple[float, float], bottom: float) -> list[Markup]:
    across, down = middle
    down = max(down, _length(y.label.of(lang)) / 2)
    return [
        _text(across, bottom, x.label.of(lang)),
        _text(0, 0, y.label.of(lang), more=f' transform="translate(13 {down:.1f}) rotate(-90)"'),
    ]


def _length(said: str) -> float:
    """About how long a label is."""
    return _CELL * cells(plain(said)) + 8


# ----------------------------------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values of one axis as places between ``begin`` and ``end``."""

    low: float
    high: float
    log: bool
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        low, high = self._on(self.low), self._on(self.high)
        return self.begin + (self._on(value) - low) / (high - low or 1.0) * (self.end - self.begin)

    def shows(self, value: float) -> bool:
        """Whether a value has a place."""
        return math.isfinite(value) and (value > 0 or not self.log)

    def _on(self, value: float) -> float:
        return math.log10(value) if self.log else value

    @property
    def ticks(self) -> list[float]:
        """Round numbers on the axis."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            powers = [10.0**power for power in range(first, last + 1)]
            return powers[:: -(-len(powers) // _MOST_TICKS)] or [self.low, self.high]
        span = self.high - self.low
        step = 10.0 ** math.floor(math.log10(span / 4))
        step = next((step * factor for factor in (1, 2, 5) if span / (step * factor) <= 6), step * 10)
        return [k * step for k in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]


def _scale(values: Sequence[float], axis: PlotAxis, begin: float, end: float) -> _Scale:
    shown = [value for value in values if math.isfinite(value) and (value > 0 or not axis.log)] or [1.0]
    low, high = min(shown), max(shown)
    if not axis.log:
        margin = (high - low or 1.0) * 0.04
        low, high = low - margin, high + margin
    elif low == high:
        low, high = low / 2, high * 2
    return _Scale(low if axis.low is None else axis.low, high if axis.high is None else axis.high, axis.log, begin, end)


def _line_plot(panel: LinePlot, lang: Lang) -> DrawnPanel:
    across = _scale([x for line in panel.lines for x in line.x], panel.x, _LEFT, _WIDTH - _RIGHT)
    up = _scale([y for line in panel.lines for y in line.y], panel.y, _HEIGHT - _BOTTOM, _TOP)
    parts: list[Markup] = []
    for value in up.ticks:
        parts.append(Markup('<path class="grid" d="M{} {:.1f}H{}"/>').format(_LEFT, up(value), _WIDTH - _RIGHT))
        parts.append(_text(_LEFT - 6, up(value) + 4, _number(value), kind="axis end"))
    for value in _apart(points(panel) or across.ticks, across):
        parts.append(Markup('<path class="grid" d="M{:.1f} {}V{}"/>').format(across(value), _TOP, _HEIGHT - _BOTTOM))
        parts.append(_text(across(value), _HEIGHT - _BOTTOM + 16, _number(value)))
    theory = [line for line in panel.lines if line.who == "theory"]
    legend = []
    for line in panel.lines:
        dash = _DASHES[theory.index(line) % len(_DASHES)] if line.who == "theory" else ""
        parts += _drawn(line, across, up, dash)
        legend.append((_sample(line, dash), line.label.of(lang)))
    middle = ((_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2)
    parts += _labels(panel.x, panel.y, lang, middle, _HEIGHT - 8)
    title = panel.title.of(lang)
    name = title or f"{panel.y.label.of(lang)} / {panel.x.label.of(lang)}"
    return DrawnPanel(title, _svg(_WIDTH, _HEIGHT, name, parts), (_WIDTH, _HEIGHT), tuple(legend))


def _apart(values: Sequence[float], scale: _Scale) -> list[float]:
    """The values whose labels do not touch."""
    kept: list[float] = []
    for value in values:
        if scale.shows(value) and (not kept or scale(value) - scale(kept[-1]) >= 30):
            kept.append(value)
    return kept


def _drawn(line: Line, across: _Scale, up: _Scale, dash: str) -> Iterator[Markup]:
    """The parts of a line between values that are no numbers, and the marks on it."""
    places = [
        (across(x), min(max(up(y), _TOP), _HEIGHT - _BOTTOM)) if across.shows(x) and up.shows(y) else None
        for x, y in zip(line.x, line.y, strict=True)
    ]
    path, pen = "", "M"
    for place in places:
        path, pen = (path, "M") if place is None else (f"{path}{pen}{place[0]:.1f} {place[1]:.1f}", "L")
    kind = _kind(line)
    yield Markup('<path class="line-of {}" d="{}"{}/>').format(kind, path, _dashes(line, dash))
    if line.who != "theory":
        for index in marked(line):
            if (place := places[index]) is not None:
                yield _mark(kind, *place, learner=line.who == "learner")


def _kind(line: Line) -> str:
    return "theory" if line.who == "theory" else f"hue{line.hue % len(palette.HUES)}"


def _dashes(line: Line, dash: str) -> Markup:
    dash = "6 4" if line.who == "learner" else dash
    return Markup(' stroke-dasharray="{}"').format(dash) if dash else Markup("")


def _mark(kind: str, x: float, y: float, *, learner: bool) -> Markup:
    """A dot for the reference, a ring around it for the learner."""
    shape, radius = ("ring", 6) if learner else ("dot", 3)
    return Markup('<circle class="{} {}" cx="{:.1f}" cy="{:.1f}" r="{}"/>').format(shape, kind, x, y, radius)


def _sample(line: Line, dash: str) -> Markup:
    kind = _kind(line)
    mark = Markup("") if line.who == "theory" else _mark(kind, 17, 8, learner=line.who == "learner")
    path = Markup('<path class="line-of {}" d="M1 8H33"{}/>').format(kind, _dashes(line, dash))
    return Markup('<svg width="34" height="16" aria-hidden="true">{}{}</svg>').format(path, mark)


def _number(value: float) -> str:
    """A short label: 2, 0.05, 20k, 3M, 10⁻⁷."""
    if abs(value) >= 1e4 or 0 < abs(value) < 1e-3:
        for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if 1e4 <= abs(value) < 1e12 and abs(value) >= size:
                return f"{value / size:g}{unit}".replace("-", "−")
        power = math.floor(math.log10(abs(value)) + 1e-9)
        digits = str(power).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
        first = f"{value / 10.0**power:.3g}"
        return f"10{digits}" if first == "1" else f"{first}·10{digits}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


# ------------------------------------------------------------------------------------------- heat maps


def _heat_map(panel: HeatMap, lang: Lang) -> DrawnPanel:
    rows, columns = panel.values.shape
    few = max(rows, columns) <= _MOST_NAMES
    left = _LEFT if few else 34
    if few and panel.rows.names.of(lang):
        left = 30 + 8 * max(map(cells, panel.rows.called(rows, lang)))
    wide = max(2.0, min(34.0, (_WIDTH - left - 8) / columns))
    high = min(34.0, max(2.0, 300 / rows)) if not few else wide if wide > 20 else 24.0
    top = 6
    parts = list(_cells(panel, left, top, wide, high, few=few))
    below = top + rows * high
    for count, axis in ((rows, panel.rows), (columns, panel.columns)):
        across = axis is panel.columns
        names = axis.called(count, lang)
        step = 1 if few else -(-count // 6)
        for index in range(0, count, step):
            if across:
                parts.append(_text(left + (index + 0.5) * wide, below + 15, names[index]))
            else:
                parts.append(_text(left - 5, top + (index + 0.5) * high + 4, names[index], kind="axis end"))
    middle = (left + columns * wide / 2, top + rows * high / 2)
    parts += _labels(panel.columns, panel.rows, lang, middle, below + 33)
    width = max(left + columns * wide + 8, 200)
    title = panel.title.of(lang)
    name = title or f"{panel.rows.label.of(lang)} / {panel.columns.label.of(lang)}"
    height = max(below + 40, _length(panel.rows.label.of(lang)))
    return DrawnPanel(title, _svg(width, height, name, parts), (width, height), tuple(_key(panel, lang)))


def _cells(panel: HeatMap, left: float, top: float, wide: float, high: float, *, few: bool) -> Iterator[Markup]:
    """A path for each colour, and the values where there is room."""
    finite = np.isfinite(panel.values)
    shares = np.clip(np.where(finite, _shares(panel), 0.0), 0.0, 1.0)
    levels = np.where(finite, np.rint(shares * _LEVELS).astype(int), -1)
    gap = 1 if few else 0
    for level in np.unique(levels).tolist():
        fill = palette.MISSING if level < 0 else palette.colour(panel.scale, level / _LEVELS)
        path = "".join(
            f"M{left + column * wide:.1f} {top + row * high:.1f}h{wide - gap:.1f}v{high - gap:.1f}h{gap - wide:.1f}z"
            for row, column in np.argwhere(levels == level).tolist()
        )
        yield Markup('<path fill="{}" d="{}"/>').format(palette.hexadecimal(fill), path)
    if panel.percent and few:
        for (row, column), value in np.ndenumerate(panel.values):
            if np.isfinite(value):
                ink = palette.hexadecimal(palette.ink(palette.colour(panel.scale, int(levels[row, column]) / _LEVELS)))
                place = (left + (column + 0.5) * wide, top + (row + 0.5) * high + 4)
                yield _text(*place, f"{100 * value:.0f}", kind="cell", more=f' fill="{ink}"')


def _shares(panel: HeatMap) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    with np.errstate(invalid="ignore", over="ignore"):
        shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = (panel.values - panel.low) / (
            panel.high - panel.low or 1.0
        )
    return np.nan_to_num(shares, posinf=1.0, neginf=0.0)


def _key(panel: HeatMap, lang: Lang) -> Iterator[tuple[Markup, str]]:
    """What the colours mean."""
    if panel.scale == "boolean":
        for share, word in zip((0.0, 1.0), _ALLOWED, strict=True):
            yield _square(palette.colour(panel.scale, share)), word.of(lang)
    elif not panel.percent:
        for share in (0.0, 0.5, 1.0):
            yield _square(palette.colour(panel.scale, share)), _number(panel.low + share * (panel.high - panel.low))
    if not np.isfinite(panel.values).all():
        yield _square(palette.MISSING), Message("no number").of(lang)


def _square(colour: palette.Colour) -> Markup:
    svg = '<svg width="16" height="16" aria-hidden="true"><rect width="16" height="16" fill="{}"/></svg>'
    return Markup(svg).format(palette.hexadecimal(colour))
