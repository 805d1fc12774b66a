"""Gradients over the depth of a network, with and without residual connections.

{depth} sublayers tanh(xW) in a row. Without residual connections, the gradient is multiplied by the Jacobian J of
every sublayer on its way back, and little of it is left. With them, the factor is I + J: the identity lets the
gradient pass, whatever the sublayer does.
"""

from __future__ import annotations

import math

import numpy as np

from grader.core.model import Apply, Call, Message, Program, Ref, Value
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Floats, LinePlot, PlotAxis, line
from grader.report.figures.kinds import NONE, SourceResults, generator, label, normal, note

TITLE = Message("Residual connections on and off")
ABOUT = Message("how much of the gradient reaches the first layers, with residual connections and without")
_CALLED = "residual"
NEEDS = SHOWN_WITH = (_CALLED,)

_DEPTH = 24
_WIDTH = 32
_GAIN = 0.5
_NOTE = note(__doc__, depth=_DEPTH)
_LAYER = Message("after this many sublayers")
_GRADIENT = Message("gradient norm, 1 at the output")
_ON = Message("$x + f(x)$")


def calls(target: Target) -> tuple[Program, ...]:
    """Gradients with respect to every intermediate result, with the connection and without it."""
    writer = Writer.to(target)
    random = generator(7)
    scale = _GAIN / math.sqrt(_WIDTH)
    weights = [(scale * random.standard_normal((_WIDTH, _WIDTH))).astype(np.float32) for _ in range(_DEPTH)]
    sublayers = [writer.add(Apply("sublayer", (writer.cast(w),))) for w in weights]
    sent: list[Ref] = []
    for connected in (True, False):
        x = writer.add(Value(writer.cast(normal(8, _WIDTH, seed=8), requires_grad=True)))
        stream = [x]
        for sublayer in sublayers:
            step = Call(target.name, (stream[-1], sublayer)) if connected else Call(sublayer, (stream[-1],))
            stream.append(writer.add(step))
        sent.append(writer.add(Apply("gradients", (stream[-1], list(stream)))))
    return (writer.program(*sent),)


def _norms(gradients: list[Floats]) -> Floats:
    norms = np.array([np.linalg.norm(gradient) for gradient in gradients])
    relative: Floats = norms / norms[-1]
    return relative


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """One panel: without connections for the reference, with connections for every source."""
    layers = range(_DEPTH + 1)
    lines = [line(Message("$f(x)$ alone"), layers, _norms(seen[0].values[_CALLED][0][1]), 1)]
    for each in seen:
        lines.append(line(label(_ON, each, seen), layers, _norms(each.values[_CALLED][0][0]), 0, each.who))
    return Figure(TITLE, _NOTE, ((LinePlot(NONE, PlotAxis(_LAYER), PlotAxis(_GRADIENT, log=True), tuple(lines)),),))
