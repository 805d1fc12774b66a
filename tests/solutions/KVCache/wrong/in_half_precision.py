"""Kept in half precision, to save memory.

caught-by: dtype
"""

import torch


class KVCache:
    def __init__(self):
        self.k = self.v = None

    def append(self, k, v):
        self.k = k.bfloat16() if self.k is None else torch.cat([self.k, k.bfloat16()], -2)
        self.v = v.bfloat16() if self.v is None else torch.cat([self.v, v.bfloat16()], -2)
        return self.k.to(k.dtype), self.v.to(v.dtype)

    def __len__(self):
        return 0 if self.k is None else self.k.shape[-2]
