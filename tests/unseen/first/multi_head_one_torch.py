import torch


def multi_head(q, k, v, num_heads, mask=None):
    def split(t):
        return t.unflatten(-1, (num_heads, -1)).transpose(-2, -3)

    qh, kh, vh = split(q), split(k), split(v)
    s = qh @ kh.transpose(-2, -1) / kh.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = torch.nan_to_num(torch.softmax(s, dim=-1))
    out = w @ vh.flip(-3)  #!
    return out.transpose(-2, -3).flatten(-2)
