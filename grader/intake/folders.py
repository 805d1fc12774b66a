"""Plain folders: one folder, file, notebook or zip for each learner, named after whose it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.intake import SUFFIXES, Layout, Person, Placed, Read, gathered

RANK = 99

_NOBODY = re.compile(r"^(\.|__|readme)", re.IGNORECASE)


def layout(names: Sequence[str], read: Read) -> Layout | None:
    """Any tree: what stands at its top is somebody's."""
    mine = [name for name in names if not _NOBODY.match(name) and ("/" in name or name.lower().endswith(SUFFIXES))]
    files = gathered([(top, name, inner or top) for name in mine for top, _, inner in [name.partition("/")]])
    placed = [Placed(key, (_person(key, files[key]),), files[key]) for key in files]
    return Layout(tuple(placed), tuple(name for name in names if name not in mine and not _NOBODY.match(name)))


def _person(key: str, files: Sequence[tuple[str, str]]) -> Person:
    """A folder is called after its learner, and so is a file, without its suffix; equal names may be two people."""
    alone = len(files) == 1 and files[0][0] == key
    name = key.rpartition(".")[0] if alone else key
    return Person(name, (("learner", name), ("entry", key)))
