"""Attention maps of four heads on the same tokens.

Here the projections $W_Q$ and $W_K$ are designed by hand, so that each head looks for something different; in
practice they are learned. A single head would have to mix these four maps into one. Weights are in percent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Program, Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Panel
from grader.report.figures.kinds import SourceResults, beside, in_rows, note, weights_map

TITLE = Message("Four heads, four views of one sentence")
ABOUT = Message("one attention map per head: heads attend to different places at the same time")
_CALLED = "MultiHeadAttention"
NEEDS = (_CALLED,)
SHOWN_WITH = ("multi_head", "ablate_heads", *NEEDS)

_SENTENCE = Message("the cat saw the dog and the owl")
_TOKENS = _SENTENCE.en.split()
_HEADS = (
    Message("head 1: the word before"),
    Message("head 2: the same word"),
    Message("head 3: the first word"),
    Message("head 4: all words equally"),
)
_N = len(_TOKENS)
_WIDTH = _N  # of a head: a value for each token
_SHARPNESS = 3.5
_NOTE = note(__doc__)


def _tokens() -> NDArray[np.float32]:
    """(n, d_model): position and word as one-hot vectors, then a constant 1."""
    words = sorted(set(_TOKENS))
    x = np.zeros((_N, len(_HEADS) * _WIDTH), dtype=np.float32)
    for at, token in enumerate(_TOKENS):
        x[at, at] = x[at, _N + words.index(token)] = x[at, 2 * _N] = 1.0
    return x


def _projections() -> dict[str, NDArray[np.float32]]:
    """Projections of queries and keys designed by hand; the identity for values and outputs."""
    d_model = len(_HEADS) * _WIDTH
    w_q, w_k = np.zeros((2, d_model, d_model), dtype=np.float32)
    places, words, one = slice(0, _N), slice(_N, 2 * _N), 2 * _N
    heads = [slice(head * _WIDTH, (head + 1) * _WIDTH) for head in range(len(_HEADS))]
    before = np.eye(_N, k=-1, dtype=np.float32)
    before[0, 0] = 1.0  # the first word has no predecessor
    w_q[places, heads[0]], w_k[places, heads[0]] = before, np.eye(_N)
    w_q[words, heads[1]], w_k[words, heads[1]] = np.eye(_N), np.eye(_N)
    w_q[one, heads[2].start], w_k[0, heads[2].start] = 1.0, 1.0
    through = np.eye(d_model, dtype=np.float32)
    return {"w_q": _SHARPNESS * w_q, "w_k": _SHARPNESS * w_k, "w_v": through, "w_o": through}


def calls(target: Target) -> tuple[Program, ...]:
    """Each head gets the identity as values, so its part of the output is its weights."""
    x, values = _tokens()[None], np.tile(np.eye(_N, dtype=np.float32), len(_HEADS))[None]
    drawn = Drawn(
        (("query", x), ("key", x), ("value", values)),
        (("d_model", x.shape[-1]), ("num_heads", len(_HEADS))),
        tuple(_projections().items()),
    )
    writer = Writer.to(target)
    return (writer.program(writer.call(drawn).output),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """A panel for each head and source."""

    def group(head: int, what: Text) -> tuple[Panel | None, ...]:
        columns = slice(head * _WIDTH, (head + 1) * _WIDTH)
        return beside(
            seen, _CALLED, what, lambda title, each: weights_map(title, each.one(_CALLED)[0, :, columns], _SENTENCE)
        )

    return Figure(TITLE, _NOTE, in_rows([group(at, what) for at, what in enumerate(_HEADS)], 2 * len(seen)))
