"""A heat map of attention weights, with and without the division by √d_k.

Each row is a query and sums to 100 %. Random embeddings serve as both queries and keys; equal words have equal
embeddings, so the two “the” get equal weights. Without the division by $√d_k = 4$ the same scores are four times as
large, and almost all of the weight falls on one word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Program, Text
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.report.figures.figure import Figure, Panel
from grader.report.figures.kinds import SourceResults, beside, in_rows, normal, note, weights_map

TITLE = Message("A map of attention weights")
ABOUT = Message("who attends to whom in a sentence, and how sharp it gets without the division by $√d_k$")
_CALLED = "scaled_dot_product_attention"
NEEDS = SHOWN_WITH = (_CALLED,)

_SENTENCE = Message("the cat saw the dog and ran off")
_TOKENS = _SENTENCE.en.split()
_WIDTH = 16
_NOTE = note(__doc__)
_UNSCALED = Message("$softmax(Q K^T)$, %")


def _embedded() -> NDArray[np.float32]:
    """A random vector for each word, scaled down a little so that the weights are not all on the diagonal."""
    words = sorted(set(_TOKENS))
    return 0.8 * normal(len(words), _WIDTH, seed=2)[[words.index(token) for token in _TOKENS]]


def calls(target: Target) -> tuple[Program, ...]:
    """With the identity as values, the output is the weights. Scaling the queries by √d_k undoes the division."""
    x, values = _embedded(), np.eye(len(_TOKENS), dtype=np.float32)
    writer = Writer.to(target)
    outputs = [
        writer.call(Drawn((("q", x * factor), ("k", x), ("v", values)), (), ())).output
        for factor in (np.float32(1.0), np.float32(_WIDTH**0.5))
    ]
    return (writer.program(*outputs),)


def draw(seen: tuple[SourceResults, ...]) -> Figure:
    """For each source, a panel with the division and one without it."""

    def group(at: int, what: Text) -> tuple[Panel | None, ...]:
        return beside(
            seen, _CALLED, what, lambda title, each: weights_map(title, each.values[_CALLED][0][at], _SENTENCE)
        )

    return Figure(TITLE, _NOTE, in_rows([group(0, Message("$softmax(Q K^T/√d_k)$, %")), group(1, _UNSCALED)]))
