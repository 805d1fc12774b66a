"""The work of generating with and without a KV cache, per step and in total.

One head with $d = {d}$. Without a cache, each step projects all tokens again and compares every token with every
other (here by `self_attention`), only to use the last row. With a cache, it projects one token and compares one query
with the keys: the work is linear in the number of tokens so far instead of quadratic.
"""

from __future__ import annotations

import numpy as np

from grader.core.model import Apply, Call, Message, Own, Program, Ref, Value
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, LinePlot, PlotAxis, line
from grader.report.figures.kinds import SourceResults, label, normal, note

TITLE = Message("Generating with a KV cache and without")
ABOUT = Message("the work of each step of generation, with a KV cache and without one")
_CACHED, _ANEW = "decode_step", "self_attention"
NEEDS = (_CACHED, _ANEW)
SHOWN_WITH = ("decode_step",)

_STEPS = 48
_WIDTH = 32
_NOTE = note(__doc__, d=_WIDTH)
_OPERATIONS = Message("operations")
_NAMES = {_ANEW: Message("without a cache"), _CACHED: Message("with a cache")}


def calls(target: Target) -> tuple[Program, ...]:
    """A counted call for each token: with the cache of the previous calls, or on all tokens again."""
    writer = Writer.to(target)
    x = normal(_STEPS, _WIDTH, seed=11)
    weights = normal(3, _WIDTH, _WIDTH, seed=12) / np.float32(_WIDTH**0.5)
    w_q, w_k, w_v = (writer.add(Value(writer.cast(w))) for w in weights)
    sent: list[Ref] = []
    cached = target.exercise.name == _CACHED
    cache = writer.add(Apply("filled_cache", (writer.add(Own("KVCache", "kv_cache")),))) if cached else None
    for t in range(_STEPS):
        counter = writer.add(Apply("counter", (False,)))
        if cached:
            token = writer.add(Value(writer.cast(x[t : t + 1])))
            writer.add(Apply("watch", (counter,)))
            writer.add(Call(target.name, (token, cache, w_q, w_k, w_v)))
        else:
            tokens = writer.add(Value(writer.cast(x[: t + 1])))
            writer.add(Apply("watch", (counter,)))
            writer.add(Call(target.name, (tokens, w_q, w_k, w_v), (("causal", True),)))
        sent.append(writer.add(Apply("counted", (counter,))))
    return (writer.program(*sent),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """A panel for the work of each step and one for the total."""
    panels = []
    steps = range(1, _STEPS + 1)
    for title, total in ((Message("Work in one step"), False), (Message("Total work so far"), True)):
        lines = []
        for hue, (exercise, name) in enumerate(_NAMES.items()):
            for each in seen:
                if exercise in each.values:
                    work = np.array([counted["work"] for counted in each.values[exercise][0]], dtype=float)
                    shown = work.cumsum() if total else work
                    lines.append(line(label(name, each, seen), steps, shown, hue, each.who))
        panels.append(LinePlot(title, PlotAxis(Message("tokens so far")), PlotAxis(_OPERATIONS, low=0.0), tuple(lines)))
    return Figure(TITLE, _NOTE, (tuple(panels),))
