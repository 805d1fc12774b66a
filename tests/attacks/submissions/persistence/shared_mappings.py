"""Memory of the zygote that its children share.

tries: write to every descriptor and flag that children inherit together: O_NONBLOCK, locks, offsets
observe: harmless
"""

import fcntl
import os

import torch.nn.functional as F

for fd in range(3):
    for act in (
        lambda fd=fd: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda fd=fd: fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda fd=fd: fcntl.fcntl(fd, fcntl.F_SETOWN, int("@grader@")),
        lambda fd=fd: fcntl.fcntl(fd, 1031, 4096),
    ):
        try:
            act()
        except OSError:
            continue
        raise RuntimeError(f"GOT a mark on descriptor {fd}")
    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
