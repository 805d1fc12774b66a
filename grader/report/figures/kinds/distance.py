"""The similarity of two positions as a function of their distance, for each encoding.

Similarity is the dot product of two encodings divided by that at distance 0, averaged over all pairs of positions.
Sinusoidal encodings and RoPE rotate by the same angles, so their similarity falls in the same way: the angles agree
at first and then drift apart. Before training, a learned table contains no information about distance. ALiBi works on
the scores instead: it subtracts slope · distance from each.
"""

from __future__ import annotations

import numpy as np

from grader.core.model import Message, Program
from grader.grading.programs import Target
from grader.report.figures.figure import Figure, Floats, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, in_rows, label, note
from grader.report.figures.kinds.encodings import of_positions

TITLE = Message("Similarity of positions against their distance")
ABOUT = Message("how the similarity of two positions falls with their distance, for each of the encodings")
_SINES, _TABLE = "sinusoidal_encoding", "LearnedPositionalEncoding"
NEEDS = SHOWN_WITH = (_SINES, _TABLE, "apply_rope", "alibi_bias")

_N, _WIDTH = 96, 64
_DISTANCES = range(64)
_SHOWN = (1, 2, 4)
_NOTE = note(__doc__)
_DOTS = Message("Similarity relative to distance 0")
_BIASES = Message("ALiBi: added to each score")
_NAMES = {_SINES: Message("sinusoidal"), _TABLE: Message("learned, untrained"), "apply_rope": Message("RoPE, $q = k$")}


def calls(target: Target) -> tuple[Program, ...]:
    """The encodings of all positions; for RoPE, of the same vector at every position; for ALiBi, all biases."""
    return (of_positions(target, np.ones((_N, _WIDTH), dtype=np.float32), _N),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """Dot products on the left, biases on the right."""
    dots = [
        line(label(name, each, seen), _DISTANCES, _falling(each.one(exercise).reshape(_N, _WIDTH)), hue, each.who)
        for hue, (exercise, name) in enumerate(_NAMES.items())
        for each in seen
        if exercise in each.values
    ]
    biases = [
        line(label(Message("head {head}").fill(head=head), each, seen), _DISTANCES, _biases(each, head), hue, each.who)
        for hue, head in enumerate(_SHOWN)
        for each in seen
        if "alibi_bias" in each.values
    ]
    panels = [
        (LinePlot(title, PlotAxis(Message("distance")), PlotAxis(unit), tuple(lines)),)
        for title, unit, lines in ((_DOTS, Message("mean dot product"), dots), (_BIASES, Message("bias"), biases))
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
