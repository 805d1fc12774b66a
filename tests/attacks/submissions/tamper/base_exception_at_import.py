"""An exception of one's own that is no Exception.

tries: a subclass of BaseException, raised at import, which claims to be caught by everything
observe: raises
"""


class Passed(BaseException):
    """Everything passed."""

    exit_code = 0


def scaled_dot_product_attention(q, k, v, mask=None):
    return v


raise Passed("7 of 7 points")
