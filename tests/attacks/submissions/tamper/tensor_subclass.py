"""A tensor whose comparisons always say yes.

tries: __torch_function__ and operators of a subclass of torch.Tensor
observe: no-credit
"""

import torch


class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("allclose", "eq", "equal", "isclose", "all", "__eq__"):
            return torch.tensor(True)
        return super().__torch_function__(function, types, args, kwargs or {})

    def __eq__(self, other):
        return torch.tensor(True)

    __hash__ = torch.Tensor.__hash__


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(q.shape[:-1] + v.shape[-1:]).as_subclass(Agreeable)
