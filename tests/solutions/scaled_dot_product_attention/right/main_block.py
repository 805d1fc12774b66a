"""Right, with the learner's own test below that fails when the file is run as a script."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / (q.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v


if __name__ == "__main__":
    x = torch.ones(2, 3)
    assert torch.equal(scaled_dot_product_attention(x, x, x), torch.zeros(2, 3)), "not yet"
