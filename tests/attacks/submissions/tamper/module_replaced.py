"""Another object in the place of the submission's module.

tries: sys.modules of this very module replaced; a namespace that finds every name, with functions that agree
observe: no-credit
"""

import sys

import torch


class Names(dict):
    def __missing__(self, name):
        return lambda *args, **kwargs: True

    def __contains__(self, name):
        return True


class Module:
    @property
    def __dict__(self):
        return Names()

    def __getattr__(self, name):
        return lambda *args, **kwargs: True


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(v.shape)


sys.modules[__name__] = Module()
