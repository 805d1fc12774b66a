"""The reference's source, executed in place of one's own.

tries: open and exec by its absolute path
observe: raises
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    names = {}
    with open("@content@/reference/attention.py") as file:
        exec(file.read(), names)
    return names["scaled_dot_product_attention"](q, k, v, mask)
