"""Where submissions come from: one file for each way of collecting them, found by walking this folder.

A kind's module has

* ``layout(names, read)``: what a tree of files means, if it is of this kind; None if it is not. ``names`` are paths
  with forward slashes, ``read`` gives the content of one of them (metadata that lies beside the submissions).
* ``RANK``: kinds with lower numbers are asked first; the first that knows the tree takes it.

A tree is a folder or a zip; kinds cannot tell which. Everything here looks, and never reads what learners wrote.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType, ModuleType
from typing import TypeAlias

from grader.errors import UsageError
from grader.inbox import INCOMING

#: Content of a small file of the tree, by its name; raises Unreadable.
Read: TypeAlias = Callable[[str], bytes]
#: What can be graded has such a name; other files are never read.
SUFFIXES = (".py", ".ipynb", ".zip", ".yaml", ".yml")
#: The kind that takes any tree.
_PLAIN = "folders"

#: Put there by machines, wherever they stand in a path.
_IGNORED = frozenset({"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini"})


class Unreadable(UsageError):
    """A file of the tree that cannot be read."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as the source calls them. ``ids`` are its numbers and addresses: ``("canvas", "1234")``."""

    name: str
    ids: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """One submission in a tree: whose it is, and its files as (name in the tree, name in the submission).

    ``key`` tells it from all others of the tree, today and when the tree is collected again. ``at`` is when it was
    handed in (UTC), where the source says so; ``late`` is the source's own word. Of several by the same people the
    one with the highest ``attempt`` is the last. ``digests`` are (name in the tree, SHA-256) of all files as they were
    handed in, where a receipt says so.
    """

    key: str
    people: tuple[Person, ...]
    files: tuple[tuple[str, str], ...]
    at: datetime | None = None
    late: bool = False
    attempt: int = 1
    digests: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What a tree holds. ``leftovers`` are files that belong to nobody."""

    placed: tuple[Placed, ...]
    leftovers: tuple[str, ...] = ()


@functools.cache
def kinds() -> Mapping[str, ModuleType]:
    """The modules of this folder by name, in the order in which they are asked."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    found = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return MappingProxyType({name: found[name] for name in sorted(names, key=lambda name: (found[name].RANK, name))})


def counting(names: Sequence[str]) -> tuple[str, ...]:
    """The names that are not a machine's own, in order; what is on its way into an inbox is not there yet."""
    return tuple(
        sorted(name for name in names if not name.startswith(INCOMING) and not _IGNORED & set(name.split("/")))
    )


def look(names: Sequence[str], read: Read, kind: str | None = None) -> tuple[str, Layout] | None:
    """The kind that knows the tree with these files, and what it holds; only ``kind`` is asked where it is named.

    Where one folder is around everything and only its inside makes a class, it is the inside that is meant.
    """
    counted = counting(names)
    found = _known(counted, read, kind)
    tops = {name.partition("/")[0] + "/" for name in counted}
    if len(tops) != 1 or (found is not None and (kind is not None or found[0] != _PLAIN)):
        return found
    top = tops.pop()
    if top.rstrip("/") in counted:
        return found
    within = _known(tuple(name.removeprefix(top) for name in counted), lambda name: read(top + name), kind)
    if within is None or (within[0] == _PLAIN and not _is_class(within[1])):
        return found
    return within[0], _moved(within[1], top)


def _known(names: tuple[str, ...], read: Read, kind: str | None) -> tuple[str, Layout] | None:
    for name, module in kinds().items():
        if kind in (None, name):
            found: Layout | None = module.layout(names, read)
            if found is not None and found.placed:
                return name, found
    return None


def _is_class(layout: Layout) -> bool:
    """Whether plain folders are several learners': two hold work, and none of it lies outside of a folder or zip."""
    loose = any(inner == p.key and not inner.lower().endswith(".zip") for p in layout.placed for _, inner in p.files)
    working = [p for p in layout.placed if any(inner.lower().endswith(SUFFIXES) for _, inner in p.files)]
    return not loose and len(working) > 1


def _moved(layout: Layout, top: str) -> Layout:
    """The same, in the folder ``top``."""
    placed = (
        replace(
            one,
            files=tuple((top + name, inner) for name, inner in one.files),
            digests=None if one.digests is None else tuple((top + name, digest) for name, digest in one.digests),
        )
        for one in layout.placed
    )
    return Layout(tuple(placed), tuple(top + name for name in layout.leftovers))


def gathered(parts: Sequence[tuple[str, str, str]]) -> dict[str, tuple[tuple[str, str], ...]]:
    """(key, name in the tree, name in the submission) → for each key its files, in order; no name twice."""
    found: dict[str, dict[str, str]] = {}
    for key, name, inner in parts:
        files = found.setdefault(key, {})
        taken = {used.casefold() for used in files.values()}
        stem, dot, suffix = inner.rpartition(".")
        number = 1
        while inner.casefold() in taken:
            number += 1
            inner = f"{stem}-{number}{dot}{suffix}" if dot else f"{suffix}-{number}"
        files[name] = inner
    return {key: tuple(files.items()) for key, files in found.items()}
