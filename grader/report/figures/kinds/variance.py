"""The variance of scores as a function of d_k, before and after the division by √d_k.

The components of $q$ and $k$ are independent, with mean 0 and variance 1. A score $q·k$ is a sum of $d_k$ products of
variance 1 each: its variance is $d_k$. Dividing by $√d_k$ divides the variance by $d_k$.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Program
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, LinePlot, PlotAxis, line
from grader.report.figures.kinds import NONE, SourceResults, label, normal, note

TITLE = Message("Variance of the scores against $d_k$")
ABOUT = Message("how the variance of $q·k$ grows with $d_k$, and stays at 1 after the division by $√d_k$")
NEEDS = SHOWN_WITH = ("scaled_scores",)

_WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
_PAIRS = 64  # queries, and as many keys: 4096 scores for each width
_NOTE = note(__doc__)
_SCALED = Message("scaled_scores")


def _pair(d_k: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    q, k = normal(2, _PAIRS, d_k, seed=d_k)
    return q, k


def calls(target: Target) -> tuple[Program, ...]:
    """The scores at every width."""
    writer = Writer.to(target)
    scores = [writer.call(Drawn((("q", q), ("k", k)), (), ())).output for q, k in map(_pair, _WIDTHS)]
    return (writer.program(*scores),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """The two formulas, the unscaled products, and the scaled scores of each source."""
    x = [float(d_k) for d_k in _WIDTHS]
    plain = [float(np.var(q.astype(float) @ k.T.astype(float))) for q, k in map(_pair, _WIDTHS)]
    lines = [
        line(Message("$y = d_k$"), x, x, who="theory"),
        line(Message("$y = 1$"), x, [1.0] * len(x), who="theory"),
        line(Message("$q·k$, as sampled"), x, plain, hue=0),
    ]
    for each in seen:
        (scores,) = each.values["scaled_scores"]
        lines.append(
            line(label(_SCALED, each, seen), x, [float(np.var(values)) for values in scores], hue=1, who=each.who)
        )
    panel = LinePlot(NONE, PlotAxis(Message("$d_k$"), log=True), PlotAxis(Message("variance"), log=True), tuple(lines))
    return Figure(TITLE, _NOTE, ((panel,),))
