"""torch, plain."""

import torch


def output_projection(heads, w_o):
    *batch, h, n, d_k = heads.shape
    return heads.transpose(-3, -2).reshape(*batch, n, h * d_k) @ w_o
