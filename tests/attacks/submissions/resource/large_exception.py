"""An exception with a long text.

tries: sixteen megabytes of text, and as many characters in the name of the type
observe: raises
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    raise type("E" * (1 << 20), (Exception,), {})("x" * (1 << 24))
