"""Draws a figure as PNG or SVG with matplotlib, which is optional and imported only when something is drawn."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from grader.core.errors import UsageError
from grader.core.layout import wrap
from grader.core.model import Lang, Text
from grader.report.figures import palette
from grader.report.figures.figure import Figure, HeatMap, Line, LinePlot, marked, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Format = Literal["png", "svg"]

MISSING = Text(
    "--to needs matplotlib, which is not installed: pip install 'attncheck[plot]' (or: pip install matplotlib).",
    "--to 需要 matplotlib，而它没有安装：pip install 'attncheck[plot]'（或 pip install matplotlib）。",
)
NO_FONT = Text(
    "no font with Chinese characters was found, so the labels are in English. To get them in Chinese, install one, "
    "such as Noto Sans CJK (on Debian and Ubuntu: apt install fonts-noto-cjk).",
    "没有找到含汉字的字体，所以图中文字用英文。要显示中文，请安装一种，如 Noto Sans CJK"
    "（Debian 和 Ubuntu：apt install fonts-noto-cjk）。",
)

#: Fonts with Chinese characters, best first.
_CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Microsoft YaHei",
    "Hiragino Sans GB",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Noto Sans CJK JP",
    "SimHei",
    "Heiti SC",
    "Heiti TC",
    "STHeiti",
    "Droid Sans Fallback",
    "Arial Unicode MS",
    "SimSun",
    "AR PL UMing CN",
    "Noto Serif CJK SC",
    "Noto Serif CJK JP",
)
_LATIN = "DejaVu Sans"  # comes with matplotlib

_LINE = {"reference": "-", "learner": "--"}
_MARKS = "os^Dv*"
#: Formulas of one panel differ by their dashes, since all of them are grey.
_DASHES: tuple[Any, ...] = (":", "--", "-.", (0, (8, 2)))
#: What the title, the labels and the key of a heat map take of its height and width, in inches.
_MARGIN_HEIGHT, _MARGIN_WIDTH = 0.9, 1.3
#: The width of the title above a heat map, in cells.
_TITLE = 30
_CELLS_PER_INCH = 14.0
#: Heat maps with at most this many rows and columns have square cells with lines between them.
_SMALL = 16
#: From this value on, axis labels use units such as k and M.
_MANY = 10_000
_ALLOWED = (Text("False", "False"), Text("True", "True"))


def available() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def chinese_font() -> str | None:
    """The name of an installed font with Chinese characters."""
    from matplotlib import font_manager

    manager = font_manager.fontManager
    found = _first({font.name for font in manager.ttflist})
    if found is None:  # installed after matplotlib cached its list
        listed = {font.fname for font in manager.ttflist}
        for path in font_manager.findSystemFonts():
            if path not in listed:
                try:
                    manager.addfont(path)
                except Exception:  # a broken font file may raise anything; try the others
                    continue
        found = _first({font.name for font in manager.ttflist})
    return found


def _first(names: set[str]) -> str | None:
    return next((name for name in _CHINESE if name in names), None)


def draw(figure: Figure, lang: Lang, form: Format, font: str | None = None) -> bytes:
    """The picture as the bytes of a file. ``font`` is for Chinese; letters that it lacks come from a Latin font.

    Raises UsageError if matplotlib is not installed.
    """
    if not available():
        raise UsageError(MISSING)
    import matplotlib
    from matplotlib.figure import Figure as Paper

    settings: Any = {
        "font.family": [font, _LATIN] if font else [_LATIN],
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.unicode_minus": False,
        "svg.hashsalt": "attncheck",
    }
    with matplotlib.rc_context(settings):
        columns = max(map(len, figure.rows))
        width, heights = _sizes(figure, columns)
        note = wrap(figure.note.of(lang), int(width * _CELLS_PER_INCH))
        paper = Paper(figsize=(width, sum(heights) + 0.6 + 0.17 * len(note)), layout="constrained", facecolor="white")
        paper.get_layout_engine().set(w_pad=0.12, h_pad=0.12)  # type: ignore[union-attr, call-arg]
        paper.suptitle(figure.title.of(lang), x=0.02, ha="left", fontsize=14, fontweight=_weight(font))
        paper.supxlabel("\n".join(note), x=0.02, ha="left", fontsize=9, color="#404040")
        grid = paper.add_gridspec(len(figure.rows), columns, height_ratios=heights)
        for row, panels in enumerate(figure.rows):
            for column, panel in enumerate(panels):
                if isinstance(panel, HeatMap):
                    _heat_map(paper.add_subplot(grid[row, column]), panel, lang)
                elif panel is not None:
                    _lines(paper.add_subplot(grid[row, column]), panel, lang)
        file = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        paper.savefig(file, format=form, dpi=150, metadata=metadata)
    return file.getvalue()


def _weight(font: str | None) -> str:
    """Bold, unless ``font`` has no bold letters; matplotlib would print a warning for each title."""
    from matplotlib.font_manager import fontManager

    bold = ("bold", "heavy", "black", 700, 800, 900)
    has = font is None or any(each.name == font and each.weight in bold for each in fontManager.ttflist)
    return "bold" if has else "normal"


def _sizes(figure: Figure, columns: int) -> tuple[float, list[float]]:
    """The total width and the height of each row, in inches."""
    heat = any(isinstance(panel, HeatMap) for row in figure.rows for panel in row)
    width = (3.9 if columns > 2 else 4.4) if heat else (7.5 if columns == 1 else 5.4)
    heights = []
    for row in figure.rows:
        shares = [
            (0.62 if columns == 1 else 0.78)
            if isinstance(panel, LinePlot)
            else min(max(panel.values.shape[0] / panel.values.shape[1], 0.3), 1.0)
            for panel in row
            if panel is not None
        ]
        lines = any(isinstance(panel, LinePlot) for panel in row)
        heights.append(0.5 + width * max(shares) if lines else _MARGIN_HEIGHT + (width - _MARGIN_WIDTH) * max(shares))
    return max(columns * width, 7.0), heights


# ------------------------------------------------------------------------------------------- heat maps


def _heat_map(axes: Axes, panel: HeatMap, lang: Lang) -> None:
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap

    colours = [palette.hexadecimal(stop) for stop in palette.stops(panel.scale)]
    if panel.scale == "boolean":
        shades: Any = ListedColormap(colours)
    else:
        shades = LinearSegmentedColormap.from_list(panel.scale, colours)
    shades = shades.with_extremes(bad=palette.hexadecimal(palette.MISSING))
    values = np.ma.masked_invalid(panel.values)
    small = max(panel.values.shape) <= _SMALL
    aspect: Literal["equal", "auto"] = "equal" if small else "auto"
    image = axes.imshow(values, cmap=shades, vmin=panel.low, vmax=panel.high, aspect=aspect, interpolation="nearest")
    axes.set_anchor("NW")
    axes.set_title("\n".join(wrap(panel.title.of(lang), _TITLE)), loc="left")
    axes.set_ylabel(panel.rows.label.of(lang))
    axes.set_xlabel(panel.columns.label.of(lang))
    for axis, side, count in zip(
        (axes.yaxis, axes.xaxis), (panel.rows, panel.columns), panel.values.shape, strict=True
    ):
        if side.names:
            axis.set_ticks(range(count), side.names)
        elif small:
            axis.set_ticks(range(count))
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if panel.percent:
        _write_percent(axes, panel)
    figure = axes.get_figure()
    assert figure is not None
    if panel.scale == "boolean":
        _boolean_key(axes, colours, lang)
    elif not panel.percent:
        figure.colorbar(image, ax=axes, shrink=0.85)
    if small:
        _grid(axes, *panel.values.shape)


def _write_percent(axes: Axes, panel: HeatMap) -> None:
    for (row, column), value in np.ndenumerate(panel.values):
        if np.isfinite(value):
            share = (value - panel.low) / (panel.high - panel.low)
            ink = palette.hexadecimal(palette.ink(palette.colour(panel.scale, share)))
            axes.text(column, row, f"{100 * value:.0f}", ha="center", va="center", fontsize=8, color=ink)


def _boolean_key(axes: Axes, colours: Sequence[str], lang: Lang) -> None:
    from matplotlib.patches import Patch

    patches = [Patch(color=c, label=word.of(lang)) for c, word in zip(colours, _ALLOWED, strict=True)]
    axes.legend(handles=patches[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.03), frameon=False, fontsize=8)


def _grid(axes: Axes, rows: int, columns: int) -> None:
    """White lines between the cells."""
    axes.set_xticks(np.arange(-0.5, columns), minor=True)
    axes.set_yticks(np.arange(-0.5, rows), minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="minor", length=0)


# ----------------------------------------------------------------------------------------------- lines


def _lines(axes: Axes, panel: LinePlot, lang: Lang) -> None:
    from matplotlib.ticker import EngFormatter

    axes.set_title(panel.title.of(lang), loc="left")
    axes.set_xlabel(panel.x.label.of(lang))
    axes.set_ylabel(panel.y.label.of(lang))
    if panel.x.log:
        axes.set_xscale("log", base=2)
    if named := points(panel):
        axes.set_xticks(named, [f"{value:g}" for value in named])
        axes.minorticks_off()
    if panel.y.log:
        axes.set_yscale("log")
    elif max((abs(value) for each in panel.lines for value in each.y), default=0) >= _MANY:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    theory = [each for each in panel.lines if each.who == "theory"]
    for each in panel.lines:
        dashes = _DASHES[theory.index(each) % len(_DASHES)] if each.who == "theory" else None
        axes.plot(each.x, each.y, **_style(each, dashes), label=each.label.of(lang))
    axes.set_ylim(panel.y.low, panel.y.high)
    axes.set_xlim(panel.x.low, panel.x.high)
    axes.legend(frameon=False, fontsize=9)


def _style(line: Line, dashes: Any = None) -> dict[str, Any]:
    if line.who == "theory":
        return {"color": palette.hexadecimal(palette.THEORY), "linestyle": dashes, "linewidth": 1.4, "zorder": 1}
    colour = palette.hexadecimal(palette.HUES[line.hue % len(palette.HUES)])
    style: dict[str, Any] = {
        "color": colour,
        "linestyle": _LINE[line.who],
        "linewidth": 1.6,
        "marker": _MARKS[line.hue % len(_MARKS)],
        "markevery": list(marked(line)),
        "markersize": 5,
    }
    if line.who == "learner":  # a ring around the mark of the reference where both agree
        style |= {"markerfacecolor": "none", "markersize": 10, "markeredgewidth": 1.4, "linewidth": 1.2}
    return style
