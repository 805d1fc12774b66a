"""Where other processes are, and what they have open.

tries: readlink of /proc/PID/cwd, exe, root and fd/*
observe: harmless
plain: succeeds
"""

import os

import torch.nn.functional as F

found = []
for pid in ("@grader@", "@zygote@", str(os.getppid()), "1"):
    for name in ("cwd", "exe", "root", *(f"fd/{fd}" for fd in range(12))):
        try:
            found.append(os.readlink(f"/proc/{pid}/{name}"))
        except OSError:
            pass
if found:
    raise RuntimeError(f"GOT {found}")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
