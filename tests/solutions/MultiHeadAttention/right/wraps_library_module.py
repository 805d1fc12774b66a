"""Wraps nn.MultiheadAttention, whose masks mean the opposite and have no head axis of their own."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.attention = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)

    def forward(self, query, key, value, mask=None):
        batch, n_q, _ = query.shape
        n_k = key.shape[1]
        blocked = empty = None
        if mask is not None:
            mask = mask.expand(batch, self.num_heads, n_q, n_k)
            empty = ~mask.any(dim=-1)[:, 0, :, None]
            blocked = (~mask).reshape(batch * self.num_heads, n_q, n_k)
        output, _ = self.attention(query, key, value, attn_mask=blocked, need_weights=False)
        return output if empty is None else output.masked_fill(empty, 0.0)
