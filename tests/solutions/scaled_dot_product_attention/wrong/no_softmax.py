"""There is no softmax: the scores themselves are the weights.

caught-by: values
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores * mask
    return scores @ v
