"""A signal for every process of this user.

tries: kill(-1, 0)
observe: raises
plain: succeeds
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    os.kill(-1, 0)
    raise RuntimeError("GOT a signal to everyone")
