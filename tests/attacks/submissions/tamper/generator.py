"""Something that is made while it is looked at.

tries: return (row for row in v)
observe: no-credit
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    return (row for row in v)
