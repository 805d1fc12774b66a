"""Room for four tokens; the oldest are overwritten without a word.

caught-by: values
"""

import torch


class KVCache:
    def __init__(self):
        self.k = self.v = None

    def append(self, k, v):
        self.k = k if self.k is None else torch.cat([self.k, k], -2)[..., -4:, :]
        self.v = v if self.v is None else torch.cat([self.v, v], -2)[..., -4:, :]
        return self.k, self.v

    def __len__(self):
        return 0 if self.k is None else self.k.shape[-2]
