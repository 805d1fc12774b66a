"""Gradients in a stack of encoder layers, with the norm before or after each sublayer.

The gradient with respect to $W_2$ of the feed-forward network at the start of training, averaged over {stacks} random
stacks. With pre-LN the residual stream grows from layer to layer, so each later layer changes it less and gets a
smaller gradient. With post-LN the gradient of the last layer does not depend on the depth, which is why such models
are trained with a learning rate warm-up (Xiong et al. 2020).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Apply, Message, Program, Ref, Value
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Floats, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, generator, label, normal, note

TITLE = Message("Pre-LN and post-LN: gradients over depth")
ABOUT = Message("how large the gradients of each layer are in a deep stack, with the norm before or after the sublayer")
_CALLED = "EncoderLayer"
NEEDS = SHOWN_WITH = (_CALLED,)

_D_MODEL, _D_FF, _HEADS = 32, 256, 4
_DEPTHS = (1, 2, 4, 8, 12)
_STACKS = 4  # of random weights each; their mean is shown
_VARIANTS = ((False, Message("post-LN"), 1), (True, Message("pre-LN"), 0))
_NOTE = note(__doc__, stacks=_STACKS)
_GRADIENT = Message("gradient norm")
_BY_LAYER = Message("{depth} layers").fill(depth=_DEPTHS[-1])
_LAYER = Message("layer (1 is next to the input)")
_LAST = Message("The last layer of a stack")


def _weights(stack: int, layer: int) -> dict[str, NDArray[np.float32]]:
    """Random weights with Glorot's scale; norms with gain 1 and bias 0."""
    random = generator(1000 * stack + layer)
    shapes = {name: (_D_MODEL, _D_MODEL) for name in ("w_q", "w_k", "w_v", "w_o")}
    shapes |= {"w_1": (_D_MODEL, _D_FF), "w_2": (_D_FF, _D_MODEL)}
    weights = {
        name: (random.standard_normal(shape) * math.sqrt(2 / sum(shape))).astype(np.float32)
        for name, shape in shapes.items()
    }
    for number, width in (("1", _D_FF), ("2", _D_MODEL)):
        weights[f"b_{number}"] = np.zeros(width, dtype=np.float32)
        weights[f"gamma_{number}"] = np.ones(_D_MODEL, dtype=np.float32)
        weights[f"beta_{number}"] = np.zeros(_D_MODEL, dtype=np.float32)
    return weights


def calls(target: Target) -> tuple[Program, ...]:
    """A program for each variant and stack; both variants use the same weights."""
    return tuple(_stack(target, norm_first, stack) for norm_first, _, _ in _VARIANTS for stack in range(_STACKS))


def _stack(target: Target, norm_first: bool, stack: int) -> Program:
    writer = Writer.to(target)
    construct = (("d_model", _D_MODEL), ("num_heads", _HEADS), ("d_ff", _D_FF), ("norm_first", norm_first))
    made = [
        writer.instance(Drawn((), construct, tuple(_weights(stack, layer).items()))) for layer in range(_DEPTHS[-1])
    ]
    x = writer.add(Value(writer.cast(normal(12, 4, _D_MODEL, seed=stack))))
    sent: list[Ref] = []
    for depth in _DEPTHS:
        y = x
        for instance, _ in made[:depth]:
            y = writer.add(Apply("forward", (instance, y)))
        sent.append(writer.add(Apply("gradient_norms", (y, [filled for _, filled in made[:depth]], "w_2"))))
    return writer.program(*sent)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """The gradient in each layer of the deepest stack, and in the last layer of stacks of every depth."""
    layers, last = [], []
    for at, (_, name, hue) in enumerate(_VARIANTS):
        for each in seen:
            whose = label(name, each, seen)
            deepest = np.mean([np.asarray(stack[-1]) for stack in _stacks(each, at)], axis=0)
            layers.append(line(whose, range(1, _DEPTHS[-1] + 1), deepest, hue, each.who))
            last.append(line(whose, _DEPTHS, _last(each, at), hue, each.who))
    panels = (
        LinePlot(_BY_LAYER, PlotAxis(_LAYER), PlotAxis(_GRADIENT, low=0.0), tuple(layers)),
        LinePlot(_LAST, PlotAxis(Message("number of layers"), log=True), PlotAxis(_GRADIENT, low=0.0), tuple(last)),
    )
    return Figure(TITLE, _NOTE, (panels,))


def _stacks(each: SourceResults, variant: int) -> tuple[tuple[list[float], ...], ...]:
    return each.values[_CALLED][variant * _STACKS : (variant + 1) * _STACKS]


def _last(each: SourceResults, variant: int) -> Floats:
    """The gradient in the last layer for every depth."""
    means: Floats = np.mean([[norms[-1] for norms in stack] for stack in _stacks(each, variant)], axis=0)
    return means
