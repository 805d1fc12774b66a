"""Exceptions that fight back when they are looked at.

tries: __str__ that exits, __name__ and __mro__ that lie, a traceback that cannot be walked
observe: no-credit
"""

import os


class Name(type):
    @property
    def __name__(cls):
        os._exit(0)

    @property
    def __mro__(cls):
        os._exit(0)


class Evil(Exception, metaclass=Name):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__

    @property
    def __traceback__(self):
        os._exit(0)


def scaled_dot_product_attention(q, k, v, mask=None):
    raise Evil
