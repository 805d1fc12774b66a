"""Counted on matrices that hold no numbers."""

import torch


def lora_parameters(d_in, d_out, r):
    a, b = torch.empty(d_in, r, device="meta"), torch.empty(r, d_out, device="meta")
    return a.numel() + b.numel()
