"""How alike two positions look to attention, against the distance between them."""

from __future__ import annotations

import numpy as np

from grader.core.model import Program, Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Axis, Figure, Floats, Lines, line
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
    "Left: dot products divided by that at distance 0; means over all pairs of positions. Sinusoidal and RoPE turn "
    "by the same angles, and fall alike: what agrees at first drifts apart. A learned table knows nothing of "
    "distance before training. Right: ALiBi takes slope · distance off each score.",
    "左：点积除以距离为 0 时的点积，对所有位置对取平均。正弦编码和 RoPE 旋转的角度相同，"
    "下降的方式也一样：起初一致的角度逐渐错开。可学习的表在训练前对距离一无所知。"
    "右：ALiBi 从每个分数里减去「斜率 × 距离」。",
)
_DISTANCE = Text("distance", "距离")
_SIMILARITY = Text("similarity", "相似度")
_DOTS = Text("Similarity, 1 at distance 0", "相似度（距离为 0 时是 1）")
_BIASES = Text("ALiBi: what is added to a score", "ALiBi：加到分数上的量")
_BIAS = Text("bias", "偏置")
_NAMES = {
    _SINES: Text("sinusoidal", "正弦编码"),
    _TABLE: Text("learned, untrained", "可学习（未训练）"),
    "apply_rope": Text("RoPE, q = k", "RoPE，q = k"),
}
_HEAD = Text("head {head}", "第 {head} 个头")


def calls(target: Target) -> tuple[Program, ...]:
    """The encodings themselves; RoPE of the same vector everywhere; a bias for every pair."""
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
        (Lines(title, Axis(_DISTANCE), Axis(unit), tuple(lines)),)
        for title, unit, lines in ((_DOTS, _SIMILARITY, dots), (_BIASES, _BIAS, biases))
        if lines
    ]
    return Figure(TITLE, _NOTE, in_rows(panels))


def _biases(each: SourceResults, head: int) -> Floats:
    """What the last query's scores get, from the nearest key to the farthest."""
    found: Floats = each.one("alibi_bias")[head - 1, -1, ::-1][: len(_DISTANCES)]
    return found


def _falling(encoding: Floats) -> Floats:
    """The mean dot product of rows at each distance, relative to that at distance 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        products = encoding @ encoding.T
        means = np.array([np.diagonal(products, distance).mean() for distance in _DISTANCES])
        relative: Floats = means / means[0]
    return relative
