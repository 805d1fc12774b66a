"""A class that is whatever is asked of it.

tries: a metaclass with __call__, __instancecheck__, __getattr__; __class__, parameters and __call__ that lie
observe: no-credit
"""

import torch


class Meta(type):
    def __call__(cls, *args, **kwargs):
        return super().__call__()

    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True


class MultiHeadAttention(metaclass=Meta):
    __class__ = torch.nn.Module

    def __getattr__(self, name):
        return self

    def __getitem__(self, at):
        return self

    def __iter__(self):
        return iter(())

    def __setattr__(self, name, value):
        pass

    def __eq__(self, other):
        return True

    __hash__ = object.__hash__

    def parameters(self, recurse=True):
        return iter([torch.nn.Parameter(torch.zeros(1))])

    def __call__(self, query, key=None, value=None, mask=None):
        return torch.zeros(query.shape) if isinstance(query, torch.Tensor) else self
