"""Waits that are each shorter than any limit, in as many calls and ways of calling as there are.

tries: 0.4 s of sleep in every call, a wrong result, so that all array types and forms are tried
observe: no-credit
"""

import time


def scaled_dot_product_attention(q, k, v, mask=None):
    time.sleep(0.4)
    return q[..., :1] * 0
