"""A wait that costs no computing time.

tries: time.sleep in the call
observe: times-out
"""

import time


def scaled_dot_product_attention(q, k, v, mask=None):
    time.sleep(600)
