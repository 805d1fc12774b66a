"""Spelling suggestions: "Did you mean …?"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.core.model import Message, Text
from grader.core.text import name_list

#: Longer names are not compared, because comparing takes time proportional to the product of the lengths.
_LONGEST = 80


def close(name: str, possible: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """Up to ``most`` of the ``possible`` names that are similar to ``name``, most similar first; case is ignored.

    ``cutoff`` is the minimum similarity, from 0 to 1. Names longer than 80 characters are never similar.
    """
    if len(name) > _LONGEST:
        return ()
    folded: dict[str, str] = {}
    for each in possible:
        if len(each) <= _LONGEST and _of_similar_length(each.lower(), name.lower(), cutoff):
            folded.setdefault(each.lower(), each)
    if not folded:
        return ()
    import difflib  # slow to import, and only needed for misspelt names

    return tuple(folded[found] for found in difflib.get_close_matches(name.lower(), folded, most, cutoff))


def _of_similar_length(one: str, other: str, cutoff: float) -> bool:
    """Whether two names can be similar, judged by their lengths alone."""
    total = len(one) + len(other)
    return not total or 2.0 * min(len(one), len(other)) / total >= cutoff


def nearest(name: str, possible: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The one of the ``possible`` names that is most similar to ``name``, or None."""
    return next(iter(close(name, possible, most=1, cutoff=cutoff)), None)


def hint(name: str, possible: Iterable[str], listed: Sequence[str] | None = None, *, most: int | None = None) -> Text:
    """A sentence to end an error about the unknown ``name``: "Did you mean …?", or else "There are: …".

    ``possible`` are the names to compare with. The list has at most the first ``most`` of ``listed`` (by default of
    ``possible``).
    """
    names = list(possible)
    near = nearest(name, names)
    if near is not None:
        return Message("Did you mean {near}?").fill(near=near)
    shown = names if listed is None else list(listed)
    rest = ["…"] if most is not None and len(shown) > most else []
    return Message("There are: {names}.").fill(names=name_list([*shown[:most], *rest]))
