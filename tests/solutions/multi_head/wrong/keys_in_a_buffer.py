"""Copies keys and values into a buffer with room for 128.

caught-by: values
"""

import numpy as np


def multi_head(q, k, v, num_heads, mask=None):
    d_k = q.shape[-1] // num_heads
    room_k, room_v = (np.zeros((*x.shape[:-2], min(x.shape[-2], 128), x.shape[-1]), x.dtype) for x in (k, v))
    room_k[...], room_v[...] = k[..., :128, :], v[..., :128, :]
    outputs = []
    for head in range(num_heads):
        part = slice(head * d_k, (head + 1) * d_k)
        scores = q[..., part] @ np.swapaxes(room_k[..., part], -1, -2) / d_k**0.5
        allowed = True
        if mask is not None:
            allowed = mask if mask.ndim < 3 else mask[..., 0, :, :] if mask.shape[-3] == 1 else mask[..., head, :, :]
            scores = np.where(allowed, scores, -1e30)
        weights = np.exp(scores - scores.max(-1, keepdims=True)) * allowed
        total = weights.sum(-1, keepdims=True)
        outputs.append(weights / np.where(total == 0, 1, total) @ room_v[..., part])
    return np.concatenate(outputs, axis=-1)
