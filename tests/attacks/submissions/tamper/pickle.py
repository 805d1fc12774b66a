"""An object that acts when it is unpickled.

tries: __reduce__ and __getstate__ that write a file
observe: no-credit
"""

import os


class Bomb:
    def __reduce__(self):
        return os.system, ("touch @folder@/unpickled-@mark@",)


def scaled_dot_product_attention(q, k, v, mask=None):
    return Bomb()
