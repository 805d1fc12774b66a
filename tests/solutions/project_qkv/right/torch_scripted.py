"""Torch, compiled to TorchScript."""

import torch
from torch import Tensor


@torch.jit.script
def project_qkv(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor):
    return x @ w_q, x @ w_k, x @ w_v
