from __future__ import annotations

import numpy as np


class KVCache:
    """All keys and values so far."""

    def __init__(self) -> None:
        self._k: np.ndarray | None = None
        self._v: np.ndarray | None = None

    def append(self, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self._k = k if self._k is None else np.concatenate([k, self._k], axis=-2)  #!
        self._v = v if self._v is None else np.concatenate([v, self._v], axis=-2)  #!
        return self._k, self._v

    def __len__(self) -> int:
        return 0 if self._k is None else self._k.shape[0]  #!
