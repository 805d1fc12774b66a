import torch


def grouped_query_attention(q, k, v, mask=None):
    h, hkv = q.shape[-3], k.shape[-3]
    if h % hkv != 0:
        raise ValueError("number of heads is not a multiple")
    qg = q.unflatten(-3, (h // hkv, hkv))  #!
    s = torch.einsum("...rgid,...gjd->...rgij", qg, k).flatten(-4, -3) / q.shape[-1] ** 0.5  #!
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    p = s.softmax(-1).nan_to_num(0.0)
    pg = p.unflatten(-3, (h // hkv, hkv))  #!
    return torch.einsum("...rgij,...gje->...rgie", pg, v).flatten(-4, -3)  #!
