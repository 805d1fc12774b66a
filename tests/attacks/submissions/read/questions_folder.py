"""Cases and keys of the course.

tries: the questions folder by its absolute path: list it, open what is in it
observe: raises
plain: succeeds
"""

import os


def attempt():
    try:
        return str(os.listdir("@content@/questions"))
    except OSError:
        with open("@content@/questions/q05_attention_output.yaml") as file:
            return file.read()


def scaled_dot_product_attention(q, k, v, mask=None):
    raise RuntimeError("GOT " + attempt())
