"""Compares itself with the library when it is run by hand, as one should."""

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return torch.softmax(scores, -1) @ v
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1)
    return weights.nan_to_num(0.0) @ v


def compare():
    q = torch.randn(2, 5, 4)
    assert torch.allclose(scaled_dot_product_attention(q, q, q), F.scaled_dot_product_attention(q, q, q), atol=1e-5)


if __name__ == "__main__":
    compare()
    print(F.scaled_dot_product_attention(*torch.randn(3, 2, 5, 4)))
