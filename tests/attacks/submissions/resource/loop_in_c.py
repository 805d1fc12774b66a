"""A loop that does not end and never comes back to Python.

tries: sum over an endless iterator, a power of a power, a hopeless regular expression
observe: times-out
"""

import itertools
import re


def scaled_dot_product_attention(q, k, v, mask=None):
    re.match(r"(a+)+$", "a" * 60 + "b")
    sum(itertools.repeat(0))
    return 10 ** (10**9)
