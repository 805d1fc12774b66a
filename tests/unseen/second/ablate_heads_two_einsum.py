import numpy as np


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    b, n, d = x.shape
    d_k = d // num_heads
    wq, wk, wv = (w.reshape(d, num_heads, d_k) for w in (w_q, w_k, w_v))
    q = np.einsum("bnd,dhk->bhnk", x, wq)
    k = np.einsum("bnd,dhk->bhnk", x, wk)
    v = np.einsum("bnd,dhk->bhnk", x, wv)
    s = np.einsum("bhik,bhjk->bhij", q, k) / np.sqrt(np.asarray(d, x.dtype))  #!
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    o = np.einsum("bhij,bhjk->bhik", p, v)
    o = o * (~np.asarray(keep)).astype(x.dtype)[:, None, None]  #!
    return np.einsum("bhik,hkd->bid", o, w_o.reshape(num_heads, d_k, d))
