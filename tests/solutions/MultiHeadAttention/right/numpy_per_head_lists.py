"""NumPy, one matrix per head in Python lists w_q, w_k and w_v."""

import numpy as np


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        d_k = d_model // num_heads
        self.w_q = [np.random.randn(d_model, d_k) for _ in range(num_heads)]
        self.w_k = [np.random.randn(d_model, d_k) for _ in range(num_heads)]
        self.w_v = [np.random.randn(d_model, d_k) for _ in range(num_heads)]
        self.w_o = np.random.randn(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = np.broadcast_to(mask, (query.shape[0], len(self.w_q), query.shape[1], key.shape[1]))
        heads = []
        for i, (w_q, w_k, w_v) in enumerate(zip(self.w_q, self.w_k, self.w_v)):
            q, k, v = query @ w_q, key @ w_k, value @ w_v
            scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
            allowed = np.ones(scores.shape, bool) if mask is None else mask[:, i]
            # The maximum of the keys that are allowed alone: a blocked score may be far larger.
            top = np.where(allowed, scores, -1e30).max(axis=-1, keepdims=True)
            e = np.where(allowed, np.exp(np.minimum(scores - top, 0)), 0)
            total = e.sum(axis=-1, keepdims=True)
            heads.append(e / np.where(total == 0, 1, total) @ v)
        return np.concatenate(heads, axis=-1) @ self.w_o
