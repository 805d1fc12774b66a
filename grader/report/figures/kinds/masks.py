"""Causal and padding masks, and attention weights under both.

A causal mask hides the keys after the query; if there are fewer queries than keys, the last query corresponds to the
last key. A padding mask hides the positions that only fill up a short sample (·). The softmax then distributes 100 %
among the remaining keys.
"""

from __future__ import annotations

import numpy as np

from grader.core.model import Message, Program, Text
from grader.core.text import same
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Floats, HeatMap, PlotAxis
from grader.report.figures.kinds import KEY, QUERY, SourceResults, beside, in_rows, normal, note, weights_map

TITLE = Message("Causal and padding masks")
ABOUT = Message("which keys each query may attend to, and the weights under both masks together")
NEEDS = SHOWN_WITH = ("causal_mask", "padding_mask", "causal_attention")

_N = 8
_LATE = 3  # queries for the last tokens only, as in decoding
_LENGTHS = (8, 5, 2)
_SENTENCE = Message("the cat saw you run · · ·")
_WIDTH = 4
_NOTE = note(__doc__)
_CAUSAL = Message("`causal_mask({n})`").fill(n=_N)
_FEWER = Message("`causal_mask({q}, {n})`").fill(q=_LATE, n=_N)
_PADDING = Message("`padding_mask`: 8, 5, 2 tokens")


def calls(target: Target) -> tuple[Program, ...]:
    """The masks; for the weights, attention with the identity as values."""
    writer = Writer.to(target)
    match target.exercise.name:
        case "causal_mask":
            inputs = [Drawn((("n_q", _N),), (), ()), Drawn((("n_q", _LATE), ("n_k", _N)), (), ())]
        case "padding_mask":
            inputs = [Drawn((("lengths", np.array(_LENGTHS)), ("max_len", _N)), (), ())]
        case _:
            q, k = normal(2, 1, _N, _WIDTH, seed=5)
            real = np.array([[token != "·" for token in _SENTENCE.en.split()]])
            values = np.eye(_N, dtype=np.float32)[None]
            inputs = [Drawn((("q", q), ("k", k), ("v", values), ("key_padding", real)), (), ())]
    return (writer.program(*[writer.call(drawn).output for drawn in inputs]),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """Three masks and the weights, for every source that has them; panels of the same height share a row."""
    late = PlotAxis(QUERY, names=same(" ".join(map(str, range(_N - _LATE, _N)))))
    lengths = PlotAxis(Message("sample length"), names=same(" ".join(map(str, _LENGTHS))))
    groups = [
        beside(seen, "causal_mask", _CAUSAL, lambda title, each: _mask(title, _causal(each, 0), PlotAxis(QUERY))),
        beside(
            seen,
            "causal_attention",
            Message("weights of 5 tokens, causal, %"),
            lambda title, each: weights_map(title, each.one("causal_attention")[0], _SENTENCE),
        ),
        beside(seen, "causal_mask", _FEWER, lambda title, each: _mask(title, _causal(each, 1), late)),
        beside(
            seen, "padding_mask", _PADDING, lambda title, each: _mask(title, each.one("padding_mask")[:, 0, 0], lengths)
        ),
    ]
    return Figure(TITLE, _NOTE, in_rows(groups, 2 * len(seen)))


def _causal(each: SourceResults, at: int) -> Floats:
    values: Floats = each.values["causal_mask"][0][at]
    return values


def _mask(title: Text, values: Floats, rows: PlotAxis) -> HeatMap:
    return HeatMap(title, rows, PlotAxis(KEY), values.astype(float), "boolean")
