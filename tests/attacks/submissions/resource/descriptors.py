"""Every descriptor there is.

tries: pipes and duplicates until there are no more
observe: raises
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    kept = []
    while True:
        kept += os.pipe()
        kept.append(os.dup(0))
