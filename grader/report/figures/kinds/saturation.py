"""The largest weight and the gradient of a softmax as its scores grow.

Scores of 16 keys, by their standard deviation. Divided by $√d_k$, it is 1; without the division it is $√d_k$, for
example 8 for $d_k = 64$. There, most of the weight is on one key. The larger the scores, the less a change in them
changes the weights, and the smaller the gradient that reaches queries and keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Program
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Floats, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, label, normal, note

TITLE = Message("A softmax saturates as its scores grow")
ABOUT = Message("the largest weight and the gradient of a softmax, against the scale of its scores")
NEEDS = SHOWN_WITH = ("softmax",)

_KEYS = 16
_ROWS = 24
_SCALES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
#: Half of the step of a difference quotient. Scores are multiples of it, so that no step is rounded.
_STEP = 1 / 64
_NOTE = note(__doc__)
_LARGEST_TITLE = Message("The largest weight (mean)")
_GRADIENT_TITLE = Message("The gradient: norm of the Jacobian (mean)")
_SOFTMAX = Message("softmax")


def _scores() -> NDArray[np.float32]:
    """(scales, rows, 1 + 2·keys, keys): each row of scores, then with each entry one step up, and one step down."""
    rows = np.asarray(_SCALES)[:, None, None, None] * normal(_ROWS, 1, _KEYS, seed=3)
    steps = _STEP * np.concatenate((np.zeros((1, _KEYS)), np.eye(_KEYS), -np.eye(_KEYS)))
    return (np.round(rows / _STEP) * _STEP + steps).astype(np.float32)


def calls(target: Target) -> tuple[Program, ...]:
    """One call on all scores."""
    writer = Writer.to(target)
    return (writer.program(writer.call(Drawn((("x", _scores()),), (), ())).output),)


def _measured(weights: Any) -> tuple[Floats, Floats]:
    """For each scale, the largest weight and the norm of the Jacobian from difference quotients."""
    middle, up, down = weights[:, :, 0], weights[:, :, 1 : _KEYS + 1], weights[:, :, _KEYS + 1 :]
    jacobian = (up - down) / (2 * _STEP)
    return middle.max(axis=-1).mean(axis=1), np.sqrt(np.square(jacobian).sum(axis=(-2, -1))).mean(axis=1)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """Two panels with a line for each source."""
    largest = [line(Message("1/16: equal weights"), _SCALES, [1 / _KEYS] * len(_SCALES), who="theory")]
    gradients = []
    for each in seen:
        weight, gradient = _measured(each.one("softmax"))
        largest.append(line(label(_SOFTMAX, each, seen), _SCALES, weight, 0, each.who))
        gradients.append(line(label(_SOFTMAX, each, seen), _SCALES, gradient, 1, each.who))
    x = PlotAxis(Message("standard deviation of the scores"), log=True)
    panels = (
        LinePlot(_LARGEST_TITLE, x, PlotAxis(Message("largest weight"), low=0.0, high=1.02), tuple(largest)),
        LinePlot(_GRADIENT_TITLE, x, PlotAxis(Message("size of ∂weights/∂scores"), low=0.0), tuple(gradients)),
    )
    return Figure(TITLE, _NOTE, (panels,))
