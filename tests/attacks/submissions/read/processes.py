"""What else runs here, and with which arguments.

tries: a walk through /proc; sys.argv, sys.orig_argv
observe: harmless
plain: succeeds
"""

import os
import sys

import torch.nn.functional as F

found = [argument for argument in (*sys.argv, *sys.orig_argv) if "leaked-" in argument or "questions" in argument]
for pid in range(1, 400):
    for name in ("cmdline", "status", "comm", "stat"):
        try:
            with open(f"/proc/{pid}/{name}") as file:
                found.append(file.read())
        except OSError:
            pass
try:
    found += os.listdir("/proc")
except OSError:
    pass
if found:
    raise RuntimeError(f"GOT {found}")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
