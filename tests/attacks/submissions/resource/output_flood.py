"""Output without end.

tries: megabytes to standard output and standard error at import
observe: harmless
"""

import os
import sys

import torch.nn.functional as F

for _ in range(200):
    print("x" * 100_000)
    print("x" * 100_000, file=sys.stderr)
    os.write(1, b"x" * 100_000)


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
