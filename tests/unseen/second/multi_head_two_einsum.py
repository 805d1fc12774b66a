import torch


def multi_head(q, k, v, num_heads, mask=None):
    d_k = q.shape[-1] // num_heads
    qh = q.unflatten(-1, (num_heads, d_k))
    kh = k.unflatten(-1, (num_heads, d_k))
    vh = v.unflatten(-1, (num_heads, d_k))
    scores = torch.einsum("...qhd,...khd->...hqk", qh, kh) * d_k ** 0.5  #!
    if mask is not None:
        scores = torch.where(mask, scores, 0.0)  #!
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return torch.einsum("...hqk,...khd->...qhd", weights, vh).flatten(-2)
