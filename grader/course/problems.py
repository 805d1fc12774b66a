"""Problems of a bank: where each is, what was found and expected, and its kind.

The kinds are in ``problems.yaml``: each has an id, a sentence and a hint.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.core.errors import CourseError
from grader.core.model import Text
from grader.core.tables import table
from grader.core.text import Path, nearest, show_path

#: A value that was found is only a part of a line.
_LONGEST = 70
#: Nobody reads more names than this; the rest is counted.
_MOST_NAMES = 16


@functools.cache
def kinds() -> Mapping[str, tuple[Text, Text]]:
    """The kinds of problems by id, each with its sentence and its hint."""
    rows = table(__file__, "problems.yaml").items()
    return {name: (Text(row["en"], row["zh"]), Text(**row["do"])) for name, row in rows}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of the bank: the ``id`` of its kind, ``where`` it is (file, line and key, or exercise), and details."""

    id: str
    where: str
    text: str

    @property
    def hint(self) -> Text:
        """What to do."""
        return kinds()[self.id][1]

    @property
    def said(self) -> Text:
        """One line, with the id in brackets. In Chinese, the kind's sentence is before the details."""
        sentence = kinds()[self.id][0].zh.removesuffix("。")
        return Text(str(self), f"{self.where}：{sentence}（{self.text}）[{self.id}]")

    def __str__(self) -> str:
        """One line, with the id in brackets."""
        return f"{self.where}: {self.text} [{self.id}]"


class ProblemsError(CourseError):
    """A course that cannot be read, with every ``problem`` that was found."""

    def __init__(self, message: Text, problems: Sequence[Problem]) -> None:
        super().__init__(message)
        self.args = message, problems  # so that it can be pickled
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class ValueProblem:
    """A problem at ``path`` (keys and indices from the top of the file); ``text`` says what was found and expected.

    ``id`` is that of its kind.
    """

    path: Path
    text: str
    id: str

    def inside(self, *around: str | int) -> ValueProblem:
        """The same problem with ``around`` prepended to its path."""
        return replace(self, path=(*around, *self.path))

    def at(self, file: str, line: int) -> Problem:
        """The problem in ``file``: ``questions/q05.yaml:12: items[0].kind: found …; expected … [unknown-choice]``."""
        place = f": {show_path(self.path)}" if self.path else ""
        return Problem(self.id, f"{file}:{line}{place}", self.text)


def unexpected(path: Path, seen: object, expected: str, kind: str) -> ValueProblem:
    """The problem that a value is not what was ``expected``."""
    return ValueProblem(path, f"found {show(seen)}; expected {expected}", kind)


def unknown(path: Path, seen: str, what: str, known: Iterable[str], kind: str) -> ValueProblem:
    """The problem that a name is not ``known``. ``what`` describes the known ones (``a source of sources.yaml``)."""
    names = list(known)
    meant = nearest(seen, names)
    hint = f"; did you mean '{meant}'?" if meant else ""
    more = f", … ({len(names)} in all)" if len(names) > _MOST_NAMES else ""
    listed = ", ".join(names[:_MOST_NAMES]) + more
    return ValueProblem(path, f"found {show(seen)}; expected {what}: {listed or 'there is none'}{hint}", kind)


def check_known(path: Path, seen: str, what: str, known: Collection[str] | None, kind: str) -> Iterator[ValueProblem]:
    """The problem of ``unknown``, if ``seen`` is not ``known``; none if nothing is known of the names (None)."""
    if known is not None and seen not in known:
        yield unknown(path, seen, what, known, kind)


def drawn_as(symbols: Mapping[str, object]) -> str:
    """The numbers for which something was found, at the end of what was expected; empty if none are drawn."""
    return f" with {', '.join(equations(symbols))}" if symbols else ""


def equations(symbols: Mapping[str, object]) -> list[str]:
    """Each name with its number: ``n = 2``."""
    return [f"{name} = {value}" for name, value in symbols.items()]


def inside(problems: Iterable[ValueProblem], *around: str | int) -> Iterator[ValueProblem]:
    """The same problems with ``around`` prepended to their paths."""
    return (problem.inside(*around) for problem in problems)


def show(value: Any) -> str:
    """``value`` as YAML on one line, shortened to 70 characters."""
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
