"""The list that came in grows.

caught-by: values
"""

import torch.nn.functional as F


def linear_attention_step(state, q_t, k_t, v_t):
    state = [] if state is None else state
    state.append((F.elu(k_t) + 1, v_t))
    q = F.elu(q_t) + 1
    weights = [(q * k).sum(-1, keepdim=True) for k, _ in state]
    return sum(w * v for w, (_, v) in zip(weights, state)) / sum(weights), state
