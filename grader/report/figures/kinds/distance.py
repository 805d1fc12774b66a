"""The similarity of two positions as a function of their distance, for each encoding."""

from __future__ import annotations

import numpy as np

from grader.core.model import Program, Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Floats, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, in_rows, label
from grader.report.figures.kinds.encodings import table

TITLE = Text("Similarity of positions against their distance", "位置之间的相似度随距离的变化")
ABOUT = Text(
    "how the similarity of two positions falls with their distance, for each of the encodings",
    "在各种位置编码下，两个位置的相似度如何随距离下降",
)
_SINES, _TABLE = "sinusoidal_encoding", "LearnedPositionalEncoding"
NEEDS = (_SINES, _TABLE, "apply_rope", "alibi_bias")

_N, _WIDTH = 96, 64
_DISTANCES = range(64)
_HEADS, _SHOWN = 8, (1, 2, 4)
_NOTE = Text(
    "Similarity is the dot product of two encodings divided by that at distance 0, averaged over all pairs of "
    "positions. Sinusoidal encodings and RoPE rotate by the same angles, so their similarity falls in the same way: "
    "the angles agree at first and then drift apart. Before training, a learned table contains no information about "
    "distance. ALiBi works on the scores instead: it subtracts slope · distance from each.",
    "相似度是两个编码的点积除以距离为 0 时的点积，对所有位置对取平均。正弦编码和 RoPE 旋转的角度相同，"
    "下降的方式也一样：起初一致的角度逐渐错开。可学习的表在训练前不含任何距离信息。"
    "ALiBi 则直接作用于分数：从每个分数里减去“斜率 × 距离”。",
)
_DISTANCE = Text("distance", "距离")
_SIMILARITY = Text("mean dot product", "平均点积")
_DOTS = Text("Similarity relative to distance 0", "相对于距离 0 的相似度")
_BIASES = Text("ALiBi: added to each score", "ALiBi：加到每个分数上的量")
_BIAS = Text("bias", "偏置")
_NAMES = {
    _SINES: Text("sinusoidal", "正弦编码"),
    _TABLE: Text("learned, untrained", "可学习（未训练）"),
    "apply_rope": Text("RoPE, q = k", "RoPE，q = k"),
}
_HEAD = Text("head {head}", "第 {head} 个头")


def calls(target: Target) -> tuple[Program, ...]:
    """The encodings of all positions; for RoPE, of the same vector at every position; for ALiBi, all biases."""
    writer = Writer.to(target)
    match target.exercise.name:
        case "sinusoidal_encoding":
            drawn = Drawn((("n", _N), ("d_model", _WIDTH)), (), ())
        case "LearnedPositionalEncoding":
            return (table(target, np.zeros((1, _N, _WIDTH), dtype=np.float32)),)
        case "apply_rope":
            drawn = Drawn((("x", np.ones((_N, _WIDTH), dtype=np.float32)), ("positions", np.arange(_N))), (), ())
        case _:
            drawn = Drawn((("num_heads", _HEADS), ("n_q", _N), ("n_k", _N)), (), ())
    return (writer.program(writer.call(drawn).output),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """Dot products on the left, biases on the right."""
    dots = [
        line(label(name, each, seen), _DISTANCES, _falling(each.one(exercise).reshape(_N, _WIDTH)), hue, each.who)
        for hue, (exercise, name) in enumerate(_NAMES.items())
        for each in seen
        if exercise in each.values
    ]
    biases = [
        line(label(_HEAD.fill(head=head), each, seen), _DISTANCES, _biases(each, head), hue, each.who)
        for hue, head in enumerate(_SHOWN)
        for each in seen
        if "alibi_bias" in each.values
    ]
    panels = [
        (LinePlot(title, PlotAxis(_DISTANCE), PlotAxis(unit), tuple(lines)),)
        for title, unit, lines in ((_DOTS, _SIMILARITY, dots), (_BIASES, _BIAS, biases))
        if lines
    ]
    return Figure(TITLE, _NOTE, in_rows(panels))


def _biases(each: SourceResults, head: int) -> Floats:
    """The biases of the last query, from the nearest key to the farthest."""
    found: Floats = each.one("alibi_bias")[head - 1, -1, ::-1][: len(_DISTANCES)]
    return found


def _falling(encoding: Floats) -> Floats:
    """The mean dot product of rows at each distance, relative to that at distance 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        products = encoding @ encoding.T
        means = np.array([np.diagonal(products, distance).mean() for distance in _DISTANCES])
        relative: Floats = means / means[0]
    return relative
