"""The results of the class.

tries: read the gradebook in the output folder
observe: raises
plain: succeeds
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    with open("@gradebook@", "rb") as file:
        raise RuntimeError(f"GOT {file.read()}")
