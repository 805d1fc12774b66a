"""Calls code that keeps state between calls: a growing cache, or a step that takes the previous step's state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .errors import InvalidResult


def attention_output(value: Any) -> Any:
    """The output from a result that is ``output`` or ``(output, weights)``."""
    return value[0] if isinstance(value, (tuple, list)) and len(value) >= 2 else value


class _Cache:
    """A simple cache of keys and values, for submissions without one of their own."""

    def __init__(self) -> None:
        self.k: Any = None
        self.v: Any = None

    def append(self, k: Any, v: Any) -> tuple[Any, Any]:
        """Appends rows; returns all keys and values so far."""
        self.k, self.v = _joined(self.k, k), _joined(self.v, v)
        return self.k, self.v

    def __len__(self) -> int:
        return 0 if self.k is None else int(self.k.shape[-2])


def _joined(before: Any, new: Any) -> Any:
    if before is None:
        return new
    return torch.cat((before, new), -2) if isinstance(new, torch.Tensor) else np.concatenate((before, new), -2)


def kv_cache() -> Any:
    """An empty cache."""
    return _Cache()


def filled_cache(own: Callable[[], Any], k: Any = None, v: Any = None) -> Any:
    """A new cache from ``own``, filled with k and v if given."""
    cache = own()
    if k is not None:
        cache.append(k, v)
    return cache


def appends(own: Callable[[], Any], k: Any, v: Any, sizes: list[int], beside: bool = False) -> list[Any]:
    """The results and lengths of a cache while rows of k and v are appended, ``sizes[i]`` rows in call i.

    ``beside``: a second cache is filled with other values at the same time.
    """
    cache, other = own(), own()
    seen: list[Any] = [len(cache)]
    at = 0
    for size in sizes:
        rows = slice(at, at + size)
        if beside:
            other.append(-k[..., rows, :], -v[..., rows, :])
        seen.append([cache.append(k[..., rows, :], v[..., rows, :]), len(cache)])
        at += size
    return seen


def token_by_token(own: Callable[..., Any], x_t: Any, cache: Any, w_q: Any, w_k: Any, w_v: Any) -> list[Any]:
    """The outputs for the rows of x_t (..., n, d), one step each, and the length of the cache after them."""
    tokens = [x_t[..., t : t + 1, :] for t in range(x_t.shape[-2])]
    return [[attention_output(own(token, cache, w_q, w_k, w_v)) for token in tokens], len(cache)]


def row_by_row(
    own: Callable[..., Any], q: Any, k: Any, v: Any, as_rows: bool = False, again: bool = False
) -> list[Any]:
    """The outputs of steps that pass on a state, one for each row of q, k and v.

    Rows have the shape (..., d), or with ``as_rows`` (..., 1, d). ``again``: each state is first used in another step
    with other values, whose result is discarded.
    """
    state, outputs = None, []
    for t in range(q.shape[-2]):
        parts = [x[..., t : t + 1, :] if as_rows else x[..., t, :] for x in (q, k, v)]
        if again:
            own(state, *[-part for part in parts])
        result = own(state, *parts)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise InvalidResult("state", type(result).__name__)
        output, state = result
        outputs.append(output[..., 0, :] if as_rows else output)
    return outputs
