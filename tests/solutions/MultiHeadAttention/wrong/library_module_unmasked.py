"""nn.MultiheadAttention is wrapped, but its masks mean the opposite.

caught-by: values
"""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.attention = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
            mask = mask.expand(shape).flatten(0, 1)
        return self.attention(query, key, value, attn_mask=mask, need_weights=False)[0]
