"""An end that looks like success, in a test.

tries: os._exit(0) in the call
observe: dies
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os._exit(0)
