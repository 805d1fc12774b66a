"""Torch is imported inside the function, nowhere else."""


def scaled_dot_product_attention(q, k, v, mask=None):
    import torch

    scores = torch.matmul(q, torch.transpose(k, -2, -1)) / (q.size(-1) ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
        return torch.matmul(torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0), v)
    return torch.matmul(torch.softmax(scores, dim=-1), v)
