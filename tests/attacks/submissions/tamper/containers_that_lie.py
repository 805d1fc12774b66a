"""Containers that change while they are packed.

tries: subclasses of list, dict, str, int and float with methods that lie, and a list that contains itself
observe: no-credit
limits: short
"""


class List(list):
    def __len__(self):
        return 0

    def __iter__(self):
        while True:
            yield self


class Dict(dict):
    def items(self):
        return [("a", self)]


class Int(int):
    def __abs__(self):
        return 0


calls = []


def scaled_dot_product_attention(q, k, v, mask=None):
    calls.append(1)
    own = []
    own.append(own)
    return [List([1]), Dict(a=1), Int(10**400), own, type("Str", (str,), {"encode": lambda *a: 7})("x")][len(calls) % 5]
