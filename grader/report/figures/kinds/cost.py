"""Work and memory of full, tiled and linear attention as the text grows, counted rather than timed.

One head with $d = {d}$. Work is the arithmetic of matrix products plus the numbers written. Tiling ({block} keys at a
time) computes the same result as full attention with about the same work, but never creates the $n × n$ matrix.
Linear attention does not compare queries and keys one by one: its work grows like $n$, but it computes a different
function.
"""

from __future__ import annotations

from grader.core.model import Apply, Message, Program
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, label, normal, note

TITLE = Message("Full, tiled and linear attention: work and memory against $n$")
ABOUT = Message("work and memory of full, tiled and linear attention against the length of the text")
_FULL, _TILED, _LINEAR = "scaled_dot_product_attention", "online_softmax_attention", "linear_attention"
NEEDS = (_FULL, _TILED, _LINEAR)
SHOWN_WITH = ("attention_flops", "linear_attention")

_LENGTHS = (128, 256, 512, 1024, 2048)
_WIDTH = 32
_BLOCK = 64
_NOTE = note(__doc__, d=_WIDTH, block=_BLOCK)
_N = Message("$n$, tokens")
_MEMORY = Message("Memory: the largest array")
_ELEMENTS = Message("elements")
_NAMES = {_FULL: Message("full"), _TILED: Message("tiled"), _LINEAR: Message("linear")}


def calls(target: Target) -> tuple[Program, ...]:
    """One counted call for each length."""
    return tuple(_counted(target, n) for n in _LENGTHS)


def _counted(target: Target, n: int) -> Program:
    q, k, v = normal(3, n, _WIDTH, seed=n)
    args = (("q", q), ("k", k), ("v", v))
    drawn = Drawn((*args, ("block_size", _BLOCK)) if target.exercise.name == _TILED else args, (), ())
    writer = Writer.to(target)
    counter = writer.add(Apply("counter", (False,)))
    writer.call(drawn, before=Apply("watch", (counter,)))
    return writer.program(writer.add(Apply("counted", (counter,))))


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """A panel for the work and one for the largest array, each with the slopes of n and n²."""
    panels = []
    for title, unit, key in ((Message("Work"), Message("operations"), "work"), (_MEMORY, _ELEMENTS, "largest")):
        lines = []
        for hue, (exercise, name) in enumerate(_NAMES.items()):
            for each in seen:
                if exercise in each.values:
                    counts = [counted[key] for ((counted,),) in zip(each.values[exercise], strict=True)]
                    lines.append(line(label(name, each, seen), _LENGTHS, counts, hue, each.who))
        bottom = min(first.y[0] for first in lines)
        for text, power in ((Message("$∝ n^2$"), 2), (Message("$∝ n$"), 1)):
            slope = [bottom / 2 * (n / _LENGTHS[0]) ** power for n in _LENGTHS]
            lines.append(line(text, _LENGTHS, slope, who="theory"))
        panels.append(LinePlot(title, PlotAxis(_N, log=True), PlotAxis(unit, log=True), tuple(lines)))
    return Figure(TITLE, _NOTE, (tuple(panels),))
