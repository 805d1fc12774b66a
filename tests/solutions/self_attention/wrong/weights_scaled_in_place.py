"""The query matrix is scaled in place.

caught-by: unchanged_inputs
"""

import torch.nn.functional as F


def self_attention(x, w_q, w_k, w_v, causal=False):
    w_q /= w_q.shape[1] ** 0.5
    return F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, is_causal=causal, scale=1.0)
