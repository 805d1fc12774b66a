"""A process that outlives its parents.

tries: the double fork with setsid, through os and through libc
observe: raises
plain: succeeds
"""

import os
import time


def scaled_dot_product_attention(q, k, v, mask=None):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.3)
        os._exit(0)
    os.waitpid(pid, 0)
    raise RuntimeError("GOT a daemon")
