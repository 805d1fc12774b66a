"""First all maxima and sums, then the mixture: scores are computed twice, and never all at once."""

import torch


def online_softmax_attention(q, k, v, block_size):
    blocks = [slice(i, i + block_size) for i in range(0, k.shape[-2], block_size)]
    q = q / q.shape[-1] ** 0.5
    lse = torch.cat([(q @ k[..., b, :].mT).logsumexp(-1, keepdim=True) for b in blocks], -1).logsumexp(-1, keepdim=True)
    return sum(torch.exp(q @ k[..., b, :].mT - lse) @ v[..., b, :] for b in blocks)
