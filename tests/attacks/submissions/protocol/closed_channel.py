"""A process that lives on without a channel.

tries: close descriptor 3, then wait
observe: times-out
"""

import os
import time


def scaled_dot_product_attention(q, k, v, mask=None):
    os.close(3)
    time.sleep(60)
