"""What can be wrong at one place of the bank, and how it is said: seen, expected, nearest spelling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from grader.core.problems import Kind, Problem
from grader.core.suggest import nearest

#: Keys and indices that lead from the top of a document to a value in it.
Path: TypeAlias = tuple[str | int, ...]

_LONGEST = 70
_MOST = 16


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem at ``path`` (keys and indices from the top of the file); ``text`` says what was seen and expected.

    What the kind of an item finds in its own keys is of the kind ITEM.
    """

    path: Path
    text: str
    kind: Kind = Kind.ITEM

    def inside(self, *around: str | int) -> Fault:
        """The same fault, seen from further out."""
        return replace(self, path=(*around, *self.path))

    def at(self, file: str, line: int) -> Problem:
        """The problem in ``file``: ``questions/q05.yaml:12: items[0].kind: saw …; expected … [unknown-choice]``."""
        place = f": {show_path(self.path)}" if self.path else ""
        return Problem(self.kind, f"{file}:{line}{place}", self.text)


def unexpected(path: Path, seen: object, expected: str, kind: Kind = Kind.ITEM) -> Fault:
    """A value that should be another one."""
    return Fault(path, f"saw {show(seen)}; expected {expected}", kind)


def unknown(path: Path, seen: str, what: str, known: Iterable[str], kind: Kind = Kind.ITEM) -> Fault:
    """A name that is not among the ``known`` ones. ``what`` says what they are (``a source of sources.yaml``)."""
    names = list(known)
    meant = nearest(seen, names)
    hint = f"; did you mean '{meant}'?" if meant else ""
    listed = ", ".join(names[:_MOST]) + (f", … ({len(names)} in all)" if len(names) > _MOST else "")
    return Fault(path, f"saw {show(seen)}; expected {what}: {listed or 'there is none'}{hint}", kind)


def show_path(path: Path) -> str:
    """A path as people write it: ``items[0].ask.en``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def show(value: Any) -> str:
    """A value as YAML writes it on one line, cut where it gets long."""
    # Not needed where nothing is wrong.
    import json

    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
