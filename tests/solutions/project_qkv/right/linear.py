"""torch, F.linear, which wants the transpose."""

import torch.nn.functional as F


def project_qkv(x, w_q, w_k, w_v):
    return tuple(F.linear(x, w.T) for w in (w_q, w_k, w_v))
