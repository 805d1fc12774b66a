"""torch, plain."""

import torch


def project_qkv(x, w_q, w_k, w_v):
    return torch.matmul(x, w_q), torch.matmul(x, w_k), torch.matmul(x, w_v)
