import torch


def grouped_query_attention(q, k, v, mask=None):
    h, g = q.shape[-3], k.shape[-3]
    if h % g:
        raise ValueError("heads")
    k = torch.cat([k] * (h // g), dim=-3)  #!
    v = torch.repeat_interleave(v, h // g, dim=-3)
    s = q @ k.transpose(-2, -1) / (g * q.shape[-1]) ** 0.5  #!
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(s, -1)) @ v
