"""Remembers what a function returns for the very same object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def cached_by_identity(most: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """A decorator: the function is called once for each object, as long as no more than ``most`` are remembered.

    For immutable objects that occur again and again, and whose hash is as expensive as the function itself.
    """

    def decorate(function: Callable[[K], V]) -> Callable[[K], V]:
        known: dict[int, tuple[K, V]] = {}  # holds the object, so that no other one can get its id

        @wraps(function)
        def remembered(value: K) -> V:
            found = known.get(id(value))
            if found is None:
                if len(known) >= most:
                    known.clear()
                found = known[id(value)] = value, function(value)
            return found[1]

        return remembered

    return decorate
