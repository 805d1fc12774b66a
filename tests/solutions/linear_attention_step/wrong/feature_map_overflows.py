"""Both branches of elu are computed, and inf times 0 is NaN.

caught-by: values
"""

import torch


def phi(x):
    return (x > 0) * (x + 1) + (x <= 0) * torch.exp(x)


def linear_attention_step(state, q_t, k_t, v_t):
    q, k = phi(q_t), phi(k_t)
    summary, total = k.unsqueeze(-1) * v_t.unsqueeze(-2), k
    if state is not None:
        summary, total = state[0] + summary, state[1] + total
    output = (q.unsqueeze(-2) @ summary).squeeze(-2) / (q * total).sum(-1, keepdim=True)
    return output, (summary, total)
