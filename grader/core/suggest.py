"""Did you mean …? The names that a misspelt one is close to."""

from __future__ import annotations

from collections.abc import Iterable

#: Longer names are not compared: that takes time in proportion to the product of both lengths.
_LONGEST = 80


def close(name: str, possible: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """Up to ``most`` of the ``possible`` names that ``name`` is like, the nearest first; case does not count.

    ``cutoff`` is how alike they must be, from 0 to 1. A name that is very long is like none.
    """
    if len(name) > _LONGEST:
        return ()
    # Not needed where nothing is wrong.
    import difflib

    folded: dict[str, str] = {}
    for each in possible:
        if len(each) <= _LONGEST:
            folded.setdefault(each.lower(), each)
    return tuple(folded[found] for found in difflib.get_close_matches(name.lower(), folded, most, cutoff))


def nearest(name: str, possible: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The one of the ``possible`` names that ``name`` is most like, if any."""
    return next(iter(close(name, possible, most=1, cutoff=cutoff)), None)
