import numpy as np


def slopes(h):
    if h & (h - 1) == 0:
        return [2 ** (-8 * (i + 1) / h) for i in range(h)]
    m = 2 ** (h.bit_length() - 1)
    return slopes(m) + slopes(2 * m)[0::2][: h - m]


def alibi_bias(num_heads, n_q, n_k):
    i = np.arange(n_k - n_q, n_k)[:, None]
    j = np.arange(n_k)[None]
    dist = np.abs(i - j) ** 0.5  #!
    bias = -np.array(slopes(num_heads))[:, None, None] * dist
    return np.where(j <= i, bias, -np.inf)
