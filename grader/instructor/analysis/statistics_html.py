"""Class statistics: a self-contained HTML page in both languages, with pictures and without scripts.

Learners appear as numbered rows, sorted by points, unless their ids are requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

import numpy as np
from markupsafe import Markup

from grader.core.model import Course, Lang, Message, Text
from grader.instructor.analysis import statistics_view as view
from grader.instructor.analysis.statistics import FEW, PartStatistics, Spread, Statistics
from grader.report.array_svg import LEVELS, Scale
from grader.report.html import brief, self_contained, sheet

_TEMPLATES = Path(__file__).parent / "templates"

TITLE = Message("Class statistics")
#: With more learners, each row of the heat map is the mean of several.
_ROWS = 200
_CELL = 24
#: Pixels per unit of the heat map, if there is room.
_ENLARGED = 1.4
_FRAME = (620, 340)
_MOST_LABELS = 12

_LEARNER = Message("One row per learner, the best first; one column per question; the last row is the class mean.")
_SEVERAL = Message(
    "Each row is the mean of {each} learners, the best first; one column per question; the last row is the class mean."
)


def render(statistics: Statistics, course: Course, lang: Lang, *, names: bool = False) -> str:
    """The page, in ``lang`` until its reader chooses the other language."""
    parts = groupby(view.begun(statistics), key=lambda part: part.question)
    each = _each(len(statistics.grid))
    return self_contained(
        "statistics.html",
        sheet(_TEMPLATES / "statistics.css"),
        _TEMPLATES,
        view=view,
        found=statistics,
        spread=statistics.spread,
        course=course,
        title=TITLE,
        FEW=FEW,
        OF_CLASS=Message("{times} of {learners} learners"),
        MORE=Message("{count} more", "chart"),
        findings=view.findings(statistics, course, names=names),
        parts=[(question, list(inside)) for question, inside in parts],
        tenths=histogram(statistics.spread),
        bar=_SCALE.bar(),
        map_said=_LEARNER if each == 1 else _SEVERAL.fill(each=each),
        map=heat_map(statistics, names=names) if statistics.questions else None,
        scatter=scatter(statistics) if any(p.discrimination is not None for p in statistics.parts) else None,
        lang=lang,
    )


# ------------------------------------------------------------------------------------------- pictures

_SCALE = Scale("rising", 0.0, 1.0)


def _text(x: float, y: float, said: object, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(str(said))}</text>'


def histogram(spread: Spread) -> Markup:
    """A histogram of points in ten bins, with marks at the quartiles, as SVG."""
    wide, high, floor = 620, 190, 150
    tenths = spread.tenths
    most = max(tenths) or 1
    step = wide / 10
    parts = []
    for at, count in enumerate(tenths):
        tall = count / most * (floor - 24)
        parts.append(
            f'<path class="column" d="M{at * step + 3:g} {floor}v{-tall:.1f}h{step - 6:g}v{tall:.1f}z"/>'
            + (_text(at * step + step / 2, floor - tall - 6, count, "tick") if count else "")
        )
    for at in range(0, 11, 2):
        place = {0: "tick start", 10: "tick end"}.get(at, "tick")
        parts.append(_text(at * step, floor + 18, f"{at * 10}%", place))
    parts.append(f'<path class="axis" d="M0 {floor}h{wide}"/>')
    for value in spread.quartiles:
        parts.append(f'<path class="quartile" d="M{value * wide:.1f} {floor - 6}v12"/>')
    size = f'viewBox="0 0 {wide} {high - 16}"'
    return Markup(f'<svg class="tenths" {size} role="img" aria-labelledby="tenths">{"".join(parts)}</svg>')


def _each(learners: int) -> int:
    """How many learners one row of the heat map represents."""
    return -(-learners // _ROWS) or 1


def heat_map(statistics: Statistics, *, names: bool) -> Markup:
    """A heat map with a cell for each learner and question, coloured by share of points, as SVG."""
    order = view.by_points(statistics)
    each = _each(len(order))
    grid = np.array([statistics.grid[at] for at in order])
    firsts = range(0, len(order), each)
    rows = [grid[at : at + each].mean(axis=0) for at in firsts]
    if each > 1:
        labels = [f"{at + 1}–{min(at + each, len(order))}" for at in firsts]
    elif names:
        labels = [brief(statistics.learners[order[at]], 18) for at in firsts]
    else:
        labels = [str(at + 1) for at in firsts]
    tall = 14 if len(rows) <= 60 else 9
    left = 12 + max(map(len, labels)) * 7 if tall == 14 or names or each > 1 else 40
    top, count = 22, len(statistics.questions)
    middles = [left + at * _CELL + _CELL / 2 for at in range(count)]
    named = zip(middles, statistics.questions, strict=True)
    parts = [_text(x, 14, name.removeprefix("Q"), "tick") for x, name in named]
    for at, name in enumerate(labels):
        if tall == 14 or at % 5 == 0 or names:
            parts.append(_text(left - 6, top + at * tall + tall - 3, name, "tick end"))
    parts.append(_cells(rows, left, top, tall))
    below = top + len(rows) * tall + 8
    means = grid.mean(axis=0)
    parts.append(_cells([means], left, below, 20))
    for x, value, level in zip(middles, means, _SCALE.levels(means), strict=False):
        parts.append(_text(x, below + 14, f"{100 * value:.0f}", f"mean on-s{int(level)}"))
    parts.append(_text(left - 6, below + 14, "%", "tick end"))
    wide, high = left + count * _CELL + 2, below + 22
    size = f'width="{_ENLARGED * wide:.0f}" viewBox="0 0 {wide} {high}"'
    return Markup(f'<svg class="map" {size} role="img" aria-labelledby="map">{"".join(parts)}</svg>')


def _cells(rows: Sequence[np.ndarray], left: float, top: float, tall: float) -> str:
    """One SVG path for each colour, which keeps a page with a thousand learners small."""
    paths: dict[int, list[str]] = {}
    for at, row in enumerate(rows):
        for column, level in enumerate(_SCALE.levels(row)):
            x, y = left + column * _CELL + 0.5, top + at * tall + 0.5
            paths.setdefault(int(level), []).append(f"M{x:g} {y:g}h{_CELL - 1}v{tall - 1:g}h{1 - _CELL}z")
    return "".join(
        f'<path class="s{level}" d="{"".join(paths[level])}"/>' for level in range(LEVELS + 1) if level in paths
    )


def scatter(statistics: Statistics) -> Markup:
    """A scatter plot of share of points (x) and discrimination (y); suspicious parts are labelled. SVG."""
    wide, high = _FRAME
    left, top, right, bottom = 44, 12, 12, 42
    across, down = wide - left - right, high - top - bottom
    known = [part for part in view.ordered(statistics) if part.discrimination is not None]
    low = min([-0.2, *(part.discrimination or 0.0 for part in known)])

    def place(part: PartStatistics) -> tuple[float, float]:
        return left + (part.difficulty or 0.0) * across, top + (1 - (part.discrimination or 0.0)) / (1 - low) * down

    zero = top + down / (1 - low)
    shapes = [
        f'<path class="suspicious" d="M{left} {zero:.1f}h{across}V{top + down}H{left}z"/>',
        f'<path class="axis" d="M{left} {top}V{top + down}H{left + across}"/>',
        f'<path class="zero" d="M{left} {zero:.1f}h{across}"/>',
        *(
            _text(left + tick / 4 * across, top + down + 18, f"{25 * tick}%", "tick end" if tick == 4 else "tick")
            for tick in range(5)
        ),
        *(
            _text(left - 6, top + (1 - tick) / (1 - low) * down + 4, f"{tick:g}".replace("-", "−"), "tick end")
            for tick in (0, 0.5, 1)
        ),
    ]
    shapes += [_both(left + across / 2, high - 6, view.COLUMNS[1]), _both(left + 6, top + 8, view.COLUMNS[2], "start")]
    for part in known:
        x, y = place(part)
        odd = " odd-one" if part.name in statistics.negative else ""
        numbers = f"{view.share(part.difficulty)}, {view.signed(part.discrimination)}"
        told = f"<title>{escape(view.label(part))}: {numbers}</title>"
        if part.kind == "item":
            shapes.append(f'<circle class="item{odd}" cx="{x:.1f}" cy="{y:.1f}" r="5">{told}</circle>')
        else:
            shapes.append(f'<path class="code{odd}" d="M{x - 4.5:.1f} {y - 4.5:.1f}h9v9h-9z">{told}</path>')
    for part in [part for part in known if part.name in statistics.negative][:_MOST_LABELS]:
        x, y = place(part)
        side, style = (9, "named start") if x < left + across * 0.7 else (-9, "named end")
        shapes.append(_text(x + side, y + 4, brief(view.label(part), 30), style))
    size = f'viewBox="0 0 {wide} {high}"'
    return Markup(f'<svg class="scatter" {size} role="img" aria-labelledby="scatter">{"".join(shapes)}</svg>')


def _both(x: float, y: float, title: Text, side: str = "") -> str:
    """The title of an axis, in the language that the reader has chosen."""
    return "".join(
        f'<text x="{x:g}" y="{y:g}" class="title {side} {lang}" lang="{tag}">{escape(text)}</text>'
        for lang, tag, text in (("en", "en", title.en), ("zh", "zh-Hans", title.zh))
    )
