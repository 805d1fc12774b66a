"""Problems found when a bank is validated: the place, the value found, what was expected, and a suggestion."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from grader.core.problems import Kind, Problem
from grader.core.suggest import nearest

#: The keys and indices that lead from the top of a document to a value.
Path: TypeAlias = tuple[str | int, ...]

_LONGEST = 70
_MOST = 16


@dataclass(frozen=True, slots=True)
class ValueProblem:
    """A problem at ``path`` (keys and indices from the top of the file); ``text`` says what was found and expected."""

    path: Path
    text: str
    kind: Kind

    def inside(self, *around: str | int) -> ValueProblem:
        """The same problem with ``around`` prepended to its path."""
        return replace(self, path=(*around, *self.path))

    def at(self, file: str, line: int) -> Problem:
        """The problem in ``file``: ``questions/q05.yaml:12: items[0].kind: found …; expected … [unknown-choice]``."""
        place = f": {show_path(self.path)}" if self.path else ""
        return Problem(self.kind, f"{file}:{line}{place}", self.text)


def unexpected(path: Path, seen: object, expected: str, kind: Kind) -> ValueProblem:
    """The problem that a value is not what was ``expected``."""
    return ValueProblem(path, f"found {show(seen)}; expected {expected}", kind)


def unknown(path: Path, seen: str, what: str, known: Iterable[str], kind: Kind) -> ValueProblem:
    """The problem that a name is not ``known``. ``what`` describes the known ones (``a source of sources.yaml``)."""
    names = list(known)
    meant = nearest(seen, names)
    hint = f"; did you mean '{meant}'?" if meant else ""
    listed = ", ".join(names[:_MOST]) + (f", … ({len(names)} in all)" if len(names) > _MOST else "")
    return ValueProblem(path, f"found {show(seen)}; expected {what}: {listed or 'there is none'}{hint}", kind)


def show_path(path: Path) -> str:
    """``path`` in the usual notation, such as ``items[0].ask.en``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def show(value: Any) -> str:
    """``value`` as YAML on one line, shortened to 70 characters."""
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
