"""Tensors that are not what they seem.

tries: sparse, meta, quantised, nested and expanded tensors in turn
observe: no-credit
"""

import torch

calls = []


def scaled_dot_product_attention(q, k, v, mask=None):
    shape = tuple(q.shape[:-1]) + tuple(v.shape[-1:])
    calls.append(1)
    kind = len(calls) % 5
    if kind == 0:
        return torch.zeros(shape).to_sparse()
    if kind == 1:
        return torch.zeros(shape, device="meta")
    if kind == 2:
        return torch.quantize_per_tensor(torch.zeros(shape), 0.1, 0, torch.quint8)
    if kind == 3:
        return torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])
    return torch.zeros(()).expand(shape)
