"""NumPy, query by query, with the whole Jacobian of each softmax."""

import numpy as np


def attention_backward(q, k, v, grad):
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    root = q.shape[-1] ** 0.5
    for b in np.ndindex(q.shape[:-2]):
        for i in range(q.shape[-2]):
            s = k[b] @ q[b][i] / root
            p = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
            ds = (np.diag(p) - np.outer(p, p)) @ (v[b] @ grad[b][i]) / root
            dq[b][i] = ds @ k[b]
            dk[b] += np.outer(ds, q[b][i])
            dv[b] += np.outer(p, grad[b][i])
    return dq, dk, dv
