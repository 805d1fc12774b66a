"""The reference's names in place of one's own.

tries: from reference.attention import *
observe: raises
"""

from reference.attention import *
from reference.attention import scaled_dot_product_attention as solution


def scaled_dot_product_attention(q, k, v, mask=None):
    return solution(q, k, v, mask)
