"""torch; the state is a tuple."""

import torch
import torch.nn.functional as F


def linear_attention_step(state, q_t, k_t, v_t):
    q, k = F.elu(q_t) + 1, F.elu(k_t) + 1
    s, z = state if state is not None else (0.0, 0.0)
    s = s + torch.einsum("...d,...e->...de", k, v_t)
    z = z + k
    return torch.einsum("...d,...de->...e", q, s) / torch.sum(q * z, -1, keepdim=True), (s, z)
