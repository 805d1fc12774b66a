"""All the memory there is.

tries: lists of bytearrays, touched
observe: raises or times-out
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    kept = []
    while True:
        kept.append(bytearray(1 << 26))
