"""A file, read while a class is made: in its body, by its metaclass, by a descriptor, by a decorator.

tries: __prepare__, __init_subclass__, __set_name__, the body of a class and a decorator that open a file
observe: no-credit
"""

import torch

errors, stolen = [], []


def steal(*_, **__):
    try:
        with open("@secret_file@") as file:
            stolen.append(file.read())
    except OSError as error:
        errors.append(error)
    return {}


class Meta(type(torch.nn.Module)):
    __prepare__ = classmethod(steal)


class Named:
    __set_name__ = steal


class Base(torch.nn.Module):
    def __init_subclass__(cls, **more):
        steal()
        super().__init_subclass__(**more)


def decorated(cls):
    steal()
    return cls


@decorated
class MultiHeadAttention(Base, metaclass=Meta):
    named = Named()
    steal()

    def __init__(self, d_model, num_heads):
        super().__init__()
        steal()
        if stolen:
            raise RuntimeError("GOT " + stolen[0])
        raise errors[-1]

    def forward(self, query, key, value, mask=None):
        return query
