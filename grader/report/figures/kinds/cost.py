"""Work and memory of full, tiled and linear attention as the text grows, counted rather than timed."""

from __future__ import annotations

from grader.core.model import Apply, Program, Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, label, normal

TITLE = Text(
    "Full, tiled and linear attention: work and memory against n", "完整、分块与线性注意力：计算量和内存随 n 的变化"
)
ABOUT = Text(
    "work and memory of full, tiled and linear attention against the length of the text",
    "完整注意力、分块注意力和线性注意力的计算量与内存随文本长度的变化",
)
_FULL, _TILED, _LINEAR = "scaled_dot_product_attention", "online_softmax_attention", "linear_attention"
NEEDS = (_FULL, _TILED, _LINEAR)

_LENGTHS = (128, 256, 512, 1024, 2048)
_WIDTH = 32
_BLOCK = 64
_NOTE = Text(
    "One head with d = {d}. Work is the arithmetic of matrix products plus the numbers written. Tiling ({block} keys "
    "at a time) computes the same result as full attention with about the same work, but never creates the n × n "
    "matrix. Linear attention does not compare queries and keys one by one: its work grows like n, but it computes a "
    "different function.",
    "一个头，d = {d}。计算量：矩阵乘法的运算次数加上写出的数的个数。分块（每次 {block} 个键）的结果与完整注意力相同，"
    "计算量也相当，但始终不产生 n × n 的矩阵。线性注意力不逐一比较查询和键，计算量与 n 成正比，但它算的是另一个函数。",
).fill(d=_WIDTH, block=_BLOCK)
_N = Text("n, tokens", "n（词元数）")
_WORK = Text("Work", "计算量")
_OPERATIONS = Text("operations", "运算次数")
_MEMORY = Text("Memory: the largest array", "内存：最大的数组")
_ELEMENTS = Text("elements", "元素个数")
_NAMES = {_FULL: Text("full", "完整"), _TILED: Text("tiled", "分块"), _LINEAR: Text("linear", "线性")}
_SQUARE = Text("∝ n²", "∝ n²")
_STRAIGHT = Text("∝ n", "∝ n")


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
    for title, unit, key in ((_WORK, _OPERATIONS, "work"), (_MEMORY, _ELEMENTS, "largest")):
        lines = []
        for hue, (exercise, name) in enumerate(_NAMES.items()):
            for each in seen:
                if exercise in each.values:
                    counts = [counted[key] for ((counted,),) in zip(each.values[exercise], strict=True)]
                    lines.append(line(label(name, each, seen), _LENGTHS, counts, hue, each.who))
        bottom = min(first.y[0] for first in lines)
        for text, power in ((_SQUARE, 2), (_STRAIGHT, 1)):
            slope = [bottom / 2 * (n / _LENGTHS[0]) ** power for n in _LENGTHS]
            lines.append(line(text, _LENGTHS, slope, who="theory"))
        panels.append(LinePlot(title, PlotAxis(_N, log=True), PlotAxis(unit, log=True), tuple(lines)))
    return Figure(TITLE, _NOTE, (tuple(panels),))
