"""A cache of function results by the identity of the argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def cached_by_identity(limit: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """A decorator that calls the function once for each object; the cache is cleared when it holds ``limit`` objects.

    For immutable objects that occur often, and whose hash costs as much as the function itself.
    """

    def decorate(function: Callable[[K], V]) -> Callable[[K], V]:
        known: dict[int, tuple[K, V]] = {}  # keeps the object alive, so that no other one can get its id

        @wraps(function)
        def cached(value: K) -> V:
            found = known.get(id(value))
            if found is None:
                if len(known) >= limit:
                    known.clear()
                found = known[id(value)] = value, function(value)
            return found[1]

        return cached

    return decorate
