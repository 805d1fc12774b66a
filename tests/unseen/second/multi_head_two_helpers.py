import numpy as np


def _softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _split(x, h):
    *lead, n, d = x.shape
    return x.reshape(*lead, h, n, d // h)  #!


def _merge(x):
    *lead, h, n, d = x.shape
    return x.swapaxes(-2, -3).reshape(*lead, n, h * d)


def _attend(q, k, v, mask):
    s = q @ k.swapaxes(-1, -2) / np.array(q.shape[-1], q.dtype)  #!
    if mask is None:
        return _softmax(s) @ v
    w = _softmax(np.where(mask, s, np.finfo(s.dtype).min)) * mask
    return w @ v


def multi_head(q, k, v, num_heads, mask=None):
    return _merge(_attend(_split(q, num_heads), _split(k, num_heads), _split(v, num_heads), mask))
