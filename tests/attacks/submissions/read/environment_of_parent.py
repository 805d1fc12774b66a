"""The environment of the grader, and of whoever started this process.

tries: /proc/PID/environ
observe: raises
plain: succeeds
"""

import os


def scaled_dot_product_attention(q, k, v, mask=None):
    errors = []
    for pid in ("@grader@", os.getppid(), "@zygote@", 1):
        try:
            with open(f"/proc/{pid}/environ") as file:
                raise RuntimeError("GOT " + file.read())
        except OSError as error:
            errors.append(error)
    raise errors[0]
