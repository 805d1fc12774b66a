"""torch, over blocks of keys; finite maximum at the start."""

import torch


def online_softmax_attention(q, k, v, block_size):
    scale = q.size(-1) ** -0.5
    m = torch.full_like(q[..., :1], float("-inf"))
    acc = norm = 0.0
    for k_b, v_b in zip(k.split(block_size, -2), v.split(block_size, -2)):
        s = (q @ k_b.mT) * scale
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p, alpha = (s - m_new).exp(), (m - m_new).exp()
        norm = norm * alpha + p.sum(-1, keepdim=True)
        acc = acc * alpha + p @ v_b
        m = m_new
    return acc / norm
