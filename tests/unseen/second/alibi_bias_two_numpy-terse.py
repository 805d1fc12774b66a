import numpy as np

def _slopes(h):
    p = 2 ** int(np.floor(np.log2(h)))
    s = [2.0 ** (-8.0 * (i + 1) / p) for i in range(p)]
    return np.array(s + [2.0 ** (-4.0 * (2 * i + 1) / p) for i in range(h - p)])

def alibi_bias(num_heads, n_q, n_k):
    i = np.arange(n_q)[:, None]  #!
    j = np.arange(n_k)[None]
    b = _slopes(num_heads)[:, None, None] * (i - j)  #!
    return np.where(j > i, -np.inf, b)
