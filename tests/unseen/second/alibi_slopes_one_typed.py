from __future__ import annotations

import math

import numpy as np


def _power_of_two(n: int) -> list[float]:
    start: float = 2.0 ** (-8.0 / n)
    return [start ** (i + 1) for i in range(n)]


def alibi_slopes(num_heads: int) -> np.ndarray:
    closest: int = 2 ** math.floor(math.log2(num_heads))
    slopes: list[float] = _power_of_two(closest)
    extra: list[float] = _power_of_two(2 * closest)  #!
    return np.array(slopes + extra[: num_heads - closest])
