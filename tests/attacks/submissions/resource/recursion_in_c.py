"""The stack of C, overrun.

tries: a recursion limit of a thousand million, a list nested a million deep and its repr
observe: dies or times-out or raises
"""

import sys


def scaled_dot_product_attention(q, k, v, mask=None):
    sys.setrecursionlimit(10**9)

    class Deep:
        def __repr__(self):
            return repr([self])

    return repr(Deep())
