import torch.nn as nn

from q05 import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        def split(x):
            return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

        out, _ = scaled_dot_product_attention(split(self.w_q(query)), split(self.w_k(key)), split(self.w_v(value)), mask)
        return self.w_o(out.transpose(-3, -2).flatten(-2))
