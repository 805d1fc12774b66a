"""A failure of the grader's, so that points are not lost.

tries: FAILED and HELLO frames, an end in the middle of the conversation, a second JOB
observe: no-credit
"""

import os

from inside import frames


def scaled_dot_product_attention(q, k, v, mask=None):
    os.write(3, frames.frame(frames.FAILED, "OSError: the sandbox is broken"))
    os._exit(0)
