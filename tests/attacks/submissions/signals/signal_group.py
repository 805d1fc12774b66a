"""A signal for the process group, and a way into another one.

tries: killpg, kill(0), setpgid, setsid
observe: raises
plain: succeeds
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    for act in (
        lambda: os.killpg(os.getpgrp(), 0),
        lambda: os.kill(0, 0),
        lambda: os.setpgid(0, int("@zygote@")),
        lambda: os.setsid(),
    ):
        try:
            act()
        except OSError as error:
            refused = error
        else:
            raise RuntimeError("GOT a group")
    raise refused
