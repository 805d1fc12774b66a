"""The denominator as one more value, which is 1 everywhere; causal in chunks."""

import torch


def linear_attention(q, k, v, causal=False):
    q, k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
    v = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)
    if not causal:
        out = q @ (k.transpose(-2, -1) @ v)
    else:
        state, parts = 0.0, []
        for qc, kc, vc in zip(q.split(8, -2), k.split(8, -2), v.split(8, -2)):
            parts.append(qc @ state + (qc @ kc.mT).tril() @ vc if parts else (qc @ kc.mT).tril() @ vc)
            state = state + kc.mT @ vc
        out = torch.cat(parts, dim=-2)
    return out[..., :-1] / out[..., -1:]
