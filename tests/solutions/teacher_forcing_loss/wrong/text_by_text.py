"""One pass for each text.

caught-by: values
"""

import numpy as np


def teacher_forcing_loss(step, tokens, bos_id):
    losses = []
    for row in tokens:
        logits = step(np.array([[bos_id, *row[:-1]]]))[0]
        z = logits - logits.max(-1, keepdims=True)
        log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
        losses.append(-log_p[np.arange(len(row)), row].mean())
    return np.mean(losses)
