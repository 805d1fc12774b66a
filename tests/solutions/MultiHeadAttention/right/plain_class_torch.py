"""A plain class, no nn.Module, with torch tensors and __call__ only."""

import torch


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.w_q = torch.randn(d_model, d_model, requires_grad=True)
        self.w_k = torch.randn(d_model, d_model, requires_grad=True)
        self.w_v = torch.randn(d_model, d_model, requires_grad=True)
        self.w_o = torch.randn(d_model, d_model, requires_grad=True)

    def __call__(self, query, key, value, mask=None):
        heads = []
        width = self.w_q.shape[1] // self.num_heads
        q, k, v = query @ self.w_q, key @ self.w_k, value @ self.w_v
        for i in range(self.num_heads):
            part = slice(i * width, (i + 1) * width)
            scores = q[..., part] @ k[..., part].transpose(-2, -1) / width**0.5
            if mask is None:
                weights = scores.softmax(-1)
            else:
                allowed = mask
                if mask.dim() == 4:
                    allowed = mask.expand(-1, self.num_heads, -1, -1)[:, i]
                weights = scores.masked_fill(~allowed, float("-inf")).softmax(-1).masked_fill(~allowed, 0.0)
            heads.append(weights @ v[..., part])
        return torch.cat(heads, dim=-1) @ self.w_o
