"""Takes everything from the library, and names it through a helper."""

from torch.nn.functional import *

helper = scaled_dot_product_attention


def attention(q, k, v, mask):
    return helper(q, k, v, mask)


def scaled_dot_product_attention(q, k, v, mask=None):
    return attention(q, k, v, mask)
