"""A file that any process of this machine may read.

tries: open by its absolute path
observe: raises
plain: succeeds
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    with open("@secret_file@") as file:
        raise RuntimeError("GOT " + file.read())
