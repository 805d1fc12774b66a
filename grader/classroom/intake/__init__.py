"""Intakes: one module for each kind of collection, found by listing this folder.

Each module has

* ``explains(tree)``: the top-level entries whose names fit this kind; none if its characteristic sign is missing.
* ``layout(tree)``: the content of the tree, if it is of this kind.
* ``RANK``: kinds with lower numbers come first in messages.

A tree is a folder or a zip; intakes cannot tell which. They use names and metadata, and never read learners' files.

**How the kind is detected.** The *entries* of a tree are its top-level names, without hidden and system files, README,
files that are never graded, and empty folders. A tree is of a certain kind if that kind alone explains all entries, and
plain folders if no kind explains more than half of them. In all other cases it is refused: the message names the
candidates and the entries that do not fit, and ``--intake`` decides. What is inside an entry belongs to a learner and
is ignored, except for the inbox (learners' folders are compared with their receipts) and for nbgrader without its
folder ``submitted``; there, too, a learner's folder is one entry.
"""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType, ModuleType

from grader.classroom.inbox import INCOMING
from grader.core.errors import UsageError
from grader.core.model import Message, Text
from grader.submission.files import kind_of
from grader.submission.messages import listing, printable

#: Suffixes of files that can be graded; other files are never read.
SUFFIXES = (".py", ".ipynb", ".zip", ".yaml", ".yml")
#: The kind that takes any tree.
PLAIN = "folders"

#: Files and folders that systems create, anywhere in a path.
_IGNORED = frozenset({"__MACOSX", "__pycache__", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini"})
#: Top-level names that belong to nobody.
_NOBODY = re.compile(r"^(\.|__|readme(\.[^.]*)?$)", re.IGNORECASE)
#: The most entries that a message names.
_MOST_NAMED = 8


class UnreadableFile(UsageError):
    """A file of the tree cannot be read."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder or zip as intakes see it. ``names`` are paths with forward slashes; empty folders end with a slash.

    ``read`` returns the content of a metadata file, or raises UnreadableFile. ``facts`` returns the status of a file or
    folder ("" is the tree itself); None if it is unknown.
    """

    names: tuple[str, ...]
    read: Callable[[str], bytes]
    facts: Callable[[str], os.stat_result | None]

    def tops(self) -> Mapping[str, bool]:
        """The top-level names except those that belong to nobody; the value is True for folders."""
        split = (name.partition("/") for name in self.names)
        return {top: bool(slash) for top, slash, _ in split if not _NOBODY.match(top)}

    def inside(self, top: str) -> Tree:
        """The tree inside the folder ``top`` (with its slash)."""
        names = tuple(name.removeprefix(top) for name in self.names if name.startswith(top) and name != top)
        return Tree(names, lambda name: self.read(top + name), lambda name: self.facts((top + name).rstrip("/")))


@dataclass(frozen=True, slots=True)
class Person:
    """A person as named by the collection. ``ids`` are (kind, id or address), such as ``("canvas", "1234")``."""

    name: str
    ids: tuple[tuple[str, str], ...] = ()


def named_person(name: str) -> Person:
    """A person of whom only the name is known, which may be an id."""
    return Person(name, (("learner", name),))


@dataclass(frozen=True, slots=True)
class FoundSubmission:
    """One submission in a tree: its people, and its files as (name in the tree, name in the submission).

    ``key`` is unique in the tree and stays the same when the tree is collected again. ``at`` is the submission time
    (UTC) and ``late`` the flag, if the source has them. Of several submissions by the same people, the one with the
    highest ``attempt`` is the last. An empty folder is in ``files`` with its slash. ``digests`` are (name in the tree,
    SHA-256) of the files as they were submitted, if there is a receipt.
    """

    key: str
    people: tuple[Person, ...]
    files: tuple[tuple[str, str], ...]
    at: datetime | None = None
    late: bool = False
    attempt: int = 1
    digests: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class Stray:
    """Gradable files that belong to nobody. ``why`` is what is wrong with the ``entry`` that they are in."""

    entry: str
    why: Text
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The content of a tree. ``leftovers`` are files that belong to nobody; ``strays`` has the gradable ones."""

    submissions: tuple[FoundSubmission, ...]
    leftovers: tuple[str, ...] = ()
    strays: tuple[Stray, ...] = ()


@functools.cache
def kinds() -> Mapping[str, ModuleType]:
    """The modules of this folder by name, ordered by ``RANK``."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    names.sort(key=lambda name: (modules[name].RANK, name))
    return MappingProxyType({name: modules[name] for name in names})


def without_system_files(names: Sequence[str]) -> tuple[str, ...]:
    """The sorted names, without system files and incomplete submissions of an inbox."""
    complete = (name for name in names if not name.startswith(INCOMING))
    return tuple(sorted(name for name in complete if not _IGNORED & set(name.split("/"))))


def detect_layout(
    tree: Tree, kind: str | None = None, known: Callable[[str], bool] | None = None
) -> tuple[str, Layout] | None:
    """Detect the kind of the tree. Returns its name and the layout; None if there is no submission.

    With ``kind``, only that kind is tried. If a single folder contains everything and its content looks like a class,
    that content is used, unless the folder has the name of a ``known`` learner. Raises UsageError if the kind is
    ambiguous.
    """
    tree = replace(tree, names=without_system_files(tree.names))
    whole = _known(tree, kind)
    tops = {name.partition("/")[0] for name in tree.names}
    if len(tops) != 1 or (whole is not None and (kind is not None or whole[0] != PLAIN)):
        return whole
    top = tops.pop()
    if top in tree.names or (known is not None and known(top)):
        return whole
    within = _known(tree.inside(top + "/"), kind)
    if within is None or (within[0] == PLAIN and not _is_class(within[1])):
        return whole
    return within[0], _moved(within[1], top + "/")


def _known(tree: Tree, kind: str | None) -> tuple[str, Layout] | None:
    name = kind or _told(tree)
    layout: Layout = kinds()[name].layout(tree)
    return (name, layout) if layout.submissions or (kind is None and layout.strays) else None


def _told(tree: Tree) -> str:
    """The kind of a tree, by the rule in the module docstring."""
    empty = {name.rstrip("/") for name in tree.names if name.endswith("/")}
    tops = tree.tops()
    entries = {top for top, folder in tops.items() if (folder and top not in empty) or gradable(top)}
    entries = entries or set(tops)
    explained = {name: frozenset(module.explains(tree)) & entries for name, module in kinds().items() if name != PLAIN}
    whole = [name for name, names in explained.items() if names and names == entries]
    if len(whole) == 1:
        return whole[0]
    most = whole or [name for name, names in explained.items() if 2 * len(names) > len(entries)]
    if not most:
        return PLAIN
    odd = sorted(entries.difference(*(explained[name] for name in most)))
    named = listing([printable(name, 80) for name in odd], _MOST_NAMED)
    unlike = Message("; these top-level entries do not fit: {names}").fill(names=named) if odd else ""
    candidates = most if whole else [*most, PLAIN]
    said = Message(
        "the kind of this collection is ambiguous: it may be {candidates}{unlike}. Move away what does not "
        "belong to the class, or choose a kind with --intake ({candidates})."
    )
    raise UsageError(said.fill(candidates=Text(" or ".join(candidates), " 或 ".join(candidates)), unlike=unlike))


def gradable(name: str) -> bool:
    """Whether a file with this name can be graded; other files are listed in reports, but never read."""
    return name.lower().endswith(SUFFIXES) or kind_of(name.rpartition("/")[2]) == "answers"


def find_strays(names: Iterable[str], why: Text) -> tuple[Stray, ...]:
    """The gradable files among ``names``, grouped by top-level entry."""
    by_top: dict[str, list[str]] = {}
    for name in names:
        top = name.partition("/")[0]
        if gradable(name) and not _NOBODY.match(top):
            by_top.setdefault(top, []).append(name)
    return tuple(Stray(top, why, tuple(files)) for top, files in by_top.items())


def _is_class(layout: Layout) -> bool:
    """Whether plain folders look like a class: at least two have gradable files, all of them inside folders or zips."""
    work = [(p, [inner for _, inner in p.files if gradable(inner)]) for p in layout.submissions]
    loose = any(inner == p.key and not inner.lower().endswith(".zip") for p, inners in work for inner in inners)
    return not loose and sum(bool(inners) for _, inners in work) > 1


def _moved(layout: Layout, top: str) -> Layout:
    """The same layout, inside the folder ``top``."""
    submissions = (
        replace(
            part,
            files=tuple((top + name, inner) for name, inner in part.files),
            digests=None if part.digests is None else tuple((top + name, digest) for name, digest in part.digests),
        )
        for part in layout.submissions
    )
    left = (replace(part, files=tuple(top + name for name in part.files)) for part in layout.strays)
    return Layout(tuple(submissions), tuple(top + name for name in layout.leftovers), tuple(left))


def group_files(parts: Sequence[tuple[str, str, str]]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Group files by key. ``parts`` are (key, name in the tree, name in the submission).

    Returns (name in the tree, name in the submission) for each key, in order. Equal names in a submission get numbers.
    """
    groups: dict[str, dict[str, str]] = {}
    taken: dict[str, dict[str, int]] = {}
    for key, name, inner in parts:
        theirs = taken.setdefault(key, {})
        stem, dot, suffix = inner.rpartition(".")
        first = inner.casefold()
        number = theirs.get(first, 0)
        # Continue after the last number of this name, so that many equal names take linear time.
        while inner.casefold() in theirs:
            number = max(number, 1) + 1
            inner = f"{stem}-{number}{dot}{suffix}" if dot else f"{suffix}-{number}"
        theirs[first] = number
        theirs.setdefault(inner.casefold(), 0)
        groups.setdefault(key, {})[name] = inner
    return {key: tuple(files.items()) for key, files in groups.items()}
