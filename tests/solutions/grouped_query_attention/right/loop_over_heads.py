"""Head by head."""

import torch


def grouped_query_attention(q, k, v, mask=None):
    h, h_kv = q.shape[-3], k.shape[-3]
    if h % h_kv:
        raise ValueError
    shape = (*q.shape[:-1], k.shape[-2])
    allowed = torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)
    heads = []
    for i in range(h):
        j = i // (h // h_kv)
        s = q[..., i, :, :] @ k[..., j, :, :].mT * q.shape[-1] ** -0.5
        a = s.masked_fill(~allowed[..., i, :, :], float("-inf")).softmax(-1).nan_to_num()
        heads.append(a @ v[..., j, :, :])
    return torch.stack(heads, -3)
