"""Added to the arrays of the state that came in.

caught-by: values
"""

import numpy as np


def linear_attention_step(state, q_t, k_t, v_t):
    q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q_t, k_t))
    if state is None:
        state = (np.zeros((*k.shape, v_t.shape[-1]), k.dtype), np.zeros_like(k))
    s, z = state
    s += k[..., None] * v_t[..., None, :]
    z += k
    return (q[..., None, :] @ s)[..., 0, :] / (q * z).sum(-1, keepdims=True), (s, z)
