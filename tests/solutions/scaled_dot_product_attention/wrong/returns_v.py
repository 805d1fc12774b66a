"""The values come back as they are.

caught-by: values
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    return v
