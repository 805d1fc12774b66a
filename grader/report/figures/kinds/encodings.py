"""Four encodings of position as heat maps.

Sinusoidal and learned encodings are added to the embeddings. In the sinusoidal encoding, each pair of neighbouring
columns rotates at the same rate, more slowly towards the right; a learned table starts as noise. RoPE rotates pairs
of components of queries and keys by the same angles (here the pair (1, 0)). ALiBi does not change the tokens; it
subtracts a term proportional to the distance from the scores (grey: −∞, masked).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Apply, Call, Message, Program, Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Floats, HeatMap, PlotAxis
from grader.report.figures.kinds import KEY, QUERY, SourceResults, beside, in_rows, note

TITLE = Message("Encodings of position")
ABOUT = Message("sinusoidal and learned encodings, rotary embeddings and ALiBi as heat maps")
_SINES, _TABLE = "sinusoidal_encoding", "LearnedPositionalEncoding"
NEEDS = SHOWN_WITH = (_SINES, _TABLE, "apply_rope", "alibi_bias")

_N, _WIDTH = 48, 32
_ALIBI, _HEADS, _HEAD = 32, 8, 2
_NOTE = note(__doc__)
_LEARNED = Message("learned, before training")
_ROPE = Message("RoPE of (1, 0, 1, 0, …)")
_BIAS = Message("ALiBi, head {head} of {heads}").fill(head=_HEAD, heads=_HEADS)
_FEATURE = Message("feature")


def calls(target: Target) -> tuple[Program, ...]:
    """One call each; RoPE gets pairs (1, 0)."""
    return (of_positions(target, np.tile(np.array([1.0, 0.0], dtype=np.float32), (_N, _WIDTH // 2)), _ALIBI),)


def of_positions(target: Target, x: NDArray[np.float32], biased: int) -> Program:
    """A program that returns encodings of the size of ``x`` (n, d), ``x`` rotated, or biases for ``biased`` tokens."""
    writer = Writer.to(target)
    match target.exercise.name:
        case "sinusoidal_encoding":
            drawn = Drawn((("n", x.shape[0]), ("d_model", x.shape[1])), (), ())
        case "LearnedPositionalEncoding":
            return _table(target, np.zeros((1, *x.shape), dtype=np.float32))
        case "apply_rope":
            drawn = Drawn((("x", x), ("positions", np.arange(len(x)))), (), ())
        case _:
            drawn = Drawn((("num_heads", _HEADS), ("n_q", biased), ("n_k", biased)), (), ())
    return writer.program(writer.call(drawn).output)


def _table(target: Target, zeros: NDArray[np.float32]) -> Program:
    """A program that returns what a newly constructed table of positions adds to ``zeros`` (1, n, d)."""
    writer = Writer.to(target)
    made = writer.add(Call(target.name, zeros.shape[1:]))
    ready = writer.add(Apply("ready", (made, target.precision)))
    return writer.program(writer.add(Apply("forward", (ready, writer.cast(zeros)))))


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """A heat map for each encoding that a source has."""
    tables = [each.one(_TABLE) for each in seen if _TABLE in each.values]
    noise = max((float(np.abs(values).max(initial=0.0, where=np.isfinite(values))) for values in tables), default=0.0)

    def features(values: Floats, title: Text, limit: float = 1.0) -> HeatMap:
        return HeatMap(title, PlotAxis(Message("position")), PlotAxis(_FEATURE), values, "diverging", -limit, limit)

    def bias(title: Text, each: SourceResults) -> HeatMap:
        values = each.one("alibi_bias")[_HEAD - 1]
        return HeatMap(title, PlotAxis(QUERY), PlotAxis(KEY), values, "sequential", -_ALIBI / 4, 0.0)

    groups = [
        beside(seen, _SINES, Message("sinusoidal"), lambda title, each: features(each.one(_SINES), title)),
        beside(seen, _TABLE, _LEARNED, lambda title, each: features(each.one(_TABLE)[0], title, noise or 1.0)),
        beside(seen, "apply_rope", _ROPE, lambda title, each: features(each.one("apply_rope"), title)),
        beside(seen, "alibi_bias", _BIAS, bias),
    ]
    return Figure(TITLE, _NOTE, in_rows(groups, 2 * len(seen)))
