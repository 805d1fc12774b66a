"""A plain class in NumPy with arrays and forward."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        rng = np.random.default_rng(0)
        self.w_q = rng.normal(size=(d_model, d_model)) / np.sqrt(d_model)
        self.w_k = rng.normal(size=(d_model, d_model)) / np.sqrt(d_model)
        self.w_v = rng.normal(size=(d_model, d_model)) / np.sqrt(d_model)
        self.w_o = rng.normal(size=(d_model, d_model)) / np.sqrt(d_model)

    def split(self, x):
        batch, n, _ = x.shape
        return x.reshape(batch, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(query @ self.w_q), self.split(key @ self.w_k), self.split(value @ self.w_v)
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(self.d_k)
        if mask is not None:
            scores = np.where(mask, scores, np.finfo(scores.dtype).min)
        weights = softmax(scores)
        if mask is not None:
            weights = weights * mask
        heads = weights @ v
        return heads.transpose(0, 2, 1, 3).reshape(query.shape) @ self.w_o
