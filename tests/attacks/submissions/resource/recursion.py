"""A function that calls itself for ever.

tries: unbounded recursion in Python
observe: raises
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    return scaled_dot_product_attention(q, k, v, mask)
