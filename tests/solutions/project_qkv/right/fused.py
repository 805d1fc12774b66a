"""torch, one product with the three matrices side by side, then cut."""

import torch


def project_qkv(x, w_q, w_k, w_v):
    widths = [w.shape[1] for w in (w_q, w_k, w_v)]
    return (x @ torch.cat([w_q, w_k, w_v], dim=1)).split(widths, dim=-1)
