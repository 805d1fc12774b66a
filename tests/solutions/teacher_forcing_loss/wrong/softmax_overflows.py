"""exp without taking off the maximum overflows for large logits.

caught-by: values
"""

import numpy as np


def teacher_forcing_loss(step, tokens, bos_id):
    inputs = np.concatenate((np.full_like(tokens[:, :1], bos_id), tokens[:, :-1]), axis=1)
    logits = np.asarray(step(inputs))
    with np.errstate(all="ignore"):
        p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        return -np.log(np.take_along_axis(p, tokens[..., None], axis=-1)).mean()
