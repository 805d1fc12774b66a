"""What somebody else handed in.

tries: list the folder of submissions, open a neighbour's file
observe: raises
plain: succeeds
"""

import os


def attempt():
    for path in ("@submissions@", "@submissions@/bo"):
        try:
            return str(os.listdir(path))
        except PermissionError:
            pass
    with open("@submissions@/bo/q05.py") as file:
        return file.read()


def scaled_dot_product_attention(q, k, v, mask=None):
    raise RuntimeError("GOT " + attempt())
