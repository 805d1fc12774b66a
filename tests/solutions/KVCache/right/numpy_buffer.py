"""A buffer that doubles when it is full; what is returned are views of it."""

import numpy as np


class KVCache:
    def __init__(self):
        self.n = 0
        self.k = self.v = None

    def _room(self, buffer, new):
        if buffer is None or self.n + new.shape[-2] > buffer.shape[-2]:
            room = np.zeros((*new.shape[:-2], 2 * (self.n + new.shape[-2]), new.shape[-1]), dtype=new.dtype)
            if buffer is not None:
                room[..., : self.n, :] = buffer[..., : self.n, :]
            buffer = room
        buffer[..., self.n : self.n + new.shape[-2], :] = new
        return buffer

    def append(self, k, v):
        self.k, self.v = self._room(self.k, k), self._room(self.v, v)
        self.n += k.shape[-2]
        return self.k[..., : self.n, :], self.v[..., : self.n, :]

    def __len__(self):
        return self.n
