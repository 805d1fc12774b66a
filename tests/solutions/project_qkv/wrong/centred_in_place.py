"""The tokens are centred first, in place.

caught-by: values, unchanged_inputs
"""


def project_qkv(x, w_q, w_k, w_v):
    x -= x.mean()
    return x @ w_q, x @ w_k, x @ w_v
