"""NumPy, plain: four matrices."""

import numpy as np


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.w_q = np.random.randn(d_model, d_model)
        self.w_k = np.random.randn(d_model, d_model)
        self.w_v = np.random.randn(d_model, d_model)
        self.w_o = np.random.randn(d_model, d_model)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.d_k).transpose(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q = self.split(query @ self.w_q)
        k = self.split(key @ self.w_k)
        v = self.split(value @ self.w_v)
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(self.d_k)
        if mask is not None:
            scores = np.where(mask, scores, np.finfo(scores.dtype).min)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
        if mask is not None:
            weights = weights * mask
        heads = weights @ v
        return heads.transpose(0, 2, 1, 3).reshape(query.shape) @ self.w_o
