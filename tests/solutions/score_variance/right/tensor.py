"""A tensor without dimensions."""

import torch


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return torch.full((d_k,), var_q, dtype=torch.float64) @ torch.full((d_k,), var_k, dtype=torch.float64)
