"""A loop that does not end, before anything is defined.

tries: while True at import
observe: times-out
"""

while True:
    pass


def scaled_dot_product_attention(q, k, v, mask=None):
    return v
