"""Written for rows (..., 1, d), which the contract accepts; one array for both sums."""

import torch


def linear_attention_step(state, q_t, k_t, v_t):
    q, k = torch.nn.functional.elu(q_t) + 1, torch.nn.functional.elu(k_t) + 1
    if k.shape[-2] != 1:
        raise ValueError("expected one row")
    v = torch.cat([v_t, torch.ones_like(v_t[..., :1])], dim=-1)
    new = k.transpose(-2, -1) @ v
    state = new if state is None else state + new
    out = q @ state
    return out[..., :-1] / out[..., -1:], state
