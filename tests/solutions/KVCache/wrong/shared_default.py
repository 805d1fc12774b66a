"""One list for all caches: a default argument is made once.

caught-by: values, repeatable
"""

import numpy as np


class KVCache:
    def __init__(self, store=[]):
        self.store = store

    def append(self, k, v):
        if self.store:
            k = np.concatenate([self.store[-1][0], k], axis=-2)
            v = np.concatenate([self.store[-1][1], v], axis=-2)
        self.store.append((k, v))
        return k, v

    def __len__(self):
        return self.store[-1][0].shape[-2] if self.store else 0
