"""Calling what keeps something between calls: a cache that grows, a step that takes the state of the step before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .refusals import Unfit


def attention_output(value: Any) -> Any:
    """``output`` of a result that is ``output`` or ``(output, weights)``."""
    return value[0] if isinstance(value, (tuple, list)) and len(value) >= 2 else value


class _Cache:
    """A plain cache of keys and values, for submissions that have none of their own."""

    def __init__(self) -> None:
        self.k: Any = None
        self.v: Any = None

    def append(self, k: Any, v: Any) -> tuple[Any, Any]:
        """All keys and values so far."""
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
    """A cache of the kind ``own`` that has been given k and v already."""
    cache = own()
    if k is not None:
        cache.append(k, v)
    return cache


def appends(own: Callable[[], Any], k: Any, v: Any, sizes: list[int], beside: bool = False) -> list[Any]:
    """What a cache returns and how long it says that it is, while it gets so and so many rows of k and v at a time.

    ``beside``: a second cache is filled at the same time, with something else.
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
    """The outputs for the rows of x_t, one step each; and how long the cache is after them."""
    tokens = [x_t[..., t : t + 1, :] for t in range(x_t.shape[-2])]
    return [[attention_output(own(token, cache, w_q, w_k, w_v)) for token in tokens], len(cache)]


def row_by_row(
    own: Callable[..., Any], q: Any, k: Any, v: Any, as_rows: bool = False, again: bool = False
) -> list[Any]:
    """The outputs of steps that hand on a state, for the rows of q, k and v: (..., d), ``as_rows`` (..., 1, d).

    ``again``: each state is first given to a step with something else, whose result is thrown away.
    """
    state, outputs = None, []
    for t in range(q.shape[-2]):
        parts = [x[..., t : t + 1, :] if as_rows else x[..., t, :] for x in (q, k, v)]
        if again:
            own(state, *[-part for part in parts])
        result = own(state, *parts)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise Unfit("state", type(result).__name__)
        output, state = result
        outputs.append(output[..., 0, :] if as_rows else output)
    return outputs
