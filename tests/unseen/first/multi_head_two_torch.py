import torch


def multi_head(q, k, v, num_heads, mask=None):
    d_k = q.shape[-1] // num_heads
    parts = []
    for i in range(num_heads):
        a = slice(i * d_k, (i + 1) * d_k)
        s = q[..., a] @ k[..., a].transpose(-2, -1) / q.shape[-1]  #!
        if mask is not None:
            m = (
                mask[..., i, :, :]
                if mask.dim() > 3 and mask.shape[-3] > 1
                else mask.squeeze(-3)
                if mask.dim() > 3
                else mask
            )
            s = s.masked_fill(~m, float("-inf"))
        parts.append(torch.nan_to_num(torch.softmax(s, -1)) @ v[..., a])
    parts.reverse()  #!
    return torch.cat(parts, dim=-1)
