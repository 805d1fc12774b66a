"""The keys are transposed for the product already.

caught-by: values
"""


def project_qkv(x, w_q, w_k, w_v):
    return x @ w_q, (x @ w_k).swapaxes(-1, -2), x @ w_v
