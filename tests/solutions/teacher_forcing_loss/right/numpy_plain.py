"""NumPy, with functions of its own."""

import numpy as np


def teacher_forcing_loss(step, tokens, bos_id):
    logits = step(np.pad(tokens, ((0, 0), (1, 0)), constant_values=bos_id)[:, :-1])
    largest = logits.max(-1, keepdims=True)
    norm = largest[..., 0] + np.log(np.exp(logits - largest).sum(-1))
    return (norm - np.take_along_axis(logits, tokens[..., None], -1)[..., 0]).mean()
