"""append returns nothing.

caught-by: values
"""

import numpy as np


class KVCache:
    def __init__(self):
        self.k, self.v = None, None

    def append(self, k, v):
        self.k = k if self.k is None else np.concatenate([self.k, k], -2)
        self.v = v if self.v is None else np.concatenate([self.v, v], -2)

    def __len__(self):
        return 0 if self.k is None else self.k.shape[-2]
