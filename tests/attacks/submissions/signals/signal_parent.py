"""A signal for the process that all submissions come from.

tries: kill(getppid()), kill of the zygote's number, of process 1 and 2
observe: raises
"""

import os
import signal


def scaled_dot_product_attention(q, k, v, mask=None):
    for pid in (os.getppid(), int("@zygote@"), 1, 2):
        for number in (0, signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(pid, number)
            except OSError as error:
                refused = error
            else:
                raise RuntimeError("GOT a signal through")
    raise refused
