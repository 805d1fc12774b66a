"""Modules that are said to be absent, in words of our own, in lines that say something else.

tries: entries with markup, invisible characters, endless names and lines that there are not
observe: harmless
"""

import sys

import torch.nn.functional as F
from inside import loading

for library in sys.meta_path:
    if isinstance(library, loading.SourceFinder):
        for at in range(60):
            library.absent[f"GOT{at}"] = ("attack.py", at)
        library.absent["<script>"] = ("attack.py", 8)
        library.absent["sys.\u202egnp"] = ("attack.py", 7)
        library.absent["sys" + ".GOT" * 60] = ("attack.py", 10**30)


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
