"""NumPy, a loop over samples and heads, in float64, with __call__."""

import numpy as np


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if num_heads <= 0 or d_model % num_heads:
            raise ValueError(f"bad number of heads: {num_heads}")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (np.random.randn(d_model, d_model) * 0.02 for _ in range(4))

    def head(self, q, k, v, allowed):
        out = np.zeros((len(q), v.shape[1]))
        for i, query in enumerate(q):
            keys = np.flatnonzero(allowed[i])
            if keys.size:
                scores = k[keys] @ query / self.d_k**0.5
                weights = np.exp(scores - scores.max())
                out[i] = (weights / weights.sum()) @ v[keys]
        return out

    def __call__(self, query, key, value, mask=None):
        query, key, value = (np.asarray(x, dtype=np.float64) for x in (query, key, value))
        shape = (len(query), self.h, query.shape[1], key.shape[1])
        allowed = np.broadcast_to(True if mask is None else mask, shape)
        samples = []
        for b in range(len(query)):
            q, k, v = query[b] @ self.Wq, key[b] @ self.Wk, value[b] @ self.Wv
            heads = []
            for i in range(self.h):
                columns = slice(i * self.d_k, (i + 1) * self.d_k)
                heads.append(self.head(q[:, columns], k[:, columns], v[:, columns], allowed[b, i]))
            samples.append(np.concatenate(heads, axis=1) @ self.Wo)
        return np.stack(samples)
