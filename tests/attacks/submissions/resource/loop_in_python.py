"""A loop that does not end.

tries: while True in the call
observe: times-out
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    while True:
        pass
