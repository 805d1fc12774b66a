"""Has a module-like object of its own with functions of those names."""

import torch


class functional:
    @staticmethod
    def scaled_dot_product_attention(q, k, v, mask):
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is None:
            return torch.softmax(scores, -1) @ v
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), -1).nan_to_num(0.0) @ v


def scaled_dot_product_attention(q, k, v, mask=None):
    torch_nn = functional
    return torch_nn.scaled_dot_product_attention(q, k, v, mask)
