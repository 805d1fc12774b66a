"""A CSV file that somebody else made, edited in place: every byte that is not a changed cell stays as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.roster import separator
from grader.core.errors import UsageError
from grader.core.text import clean

_BOM = "\ufeff"
#: Headings that are named where none, or more than one, is meant.
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell says, and where it stands in the text of the file."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a file, its text, and what separates its cells."""

    path: Path
    text: str
    rows: tuple[tuple[Cell, ...], ...]
    separator: str

    def at(self, row: int, column: int | None) -> str:
        """What a cell says; nothing where there is none."""
        return self.rows[row][column].text if column is not None and column < len(self.rows[row]) else ""

    def edited(self, changes: Mapping[tuple[int, int], str]) -> bytes:
        """The file with other texts in some cells, each (row, column)."""
        parts, last = [], 0
        for row, column in sorted(changes):
            cell = self.rows[row][column]
            parts += [self.text[last : cell.start], self._written(changes[row, column])]
            last = cell.end
        return "".join([*parts, self.text[last:]]).encode()

    def _written(self, text: str) -> str:
        if not any(sign in text for sign in (self.separator, '"', "\r", "\n")):
            return text
        return '"' + text.replace('"', '""') + '"'


def read(path: Path) -> Sheet:
    """The CSV at ``path``: UTF-8 with or without a mark, separated by commas, semicolons or tabs."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise UsageError(f"the template {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the template {path} is not UTF-8 (byte {error.start}); give the file as it was downloaded."
        ) from error
    start = len(_BOM) if text.startswith(_BOM) else 0
    between = separator(text[start:])
    return Sheet(path, text, _rows(path, text, start, between), between)


def _rows(path: Path, text: str, start: int, separator: str) -> tuple[tuple[Cell, ...], ...]:
    pattern = re.compile(rf'("(?:[^"]|"")*+"(?=[{separator}\r\n]|\Z)|[^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)')
    rows: list[tuple[Cell, ...]] = []
    row: list[Cell] = []
    while start < len(text) or row:
        found = pattern.match(text, start)
        assert found is not None  # the second alternative matches anything, the empty text too
        written = found[1]
        if written.startswith('"') and (len(written) == 1 or not written.endswith('"')):
            raise UsageError(f"the template {path}:{len(rows) + 1}: a cell in quotes does not end; download it again.")
        quoted = written.startswith('"')
        row.append(Cell(written[1:-1].replace('""', '"') if quoted else written, start, found.end(1)))
        start = found.end()
        if found[2] != separator:
            rows.append(tuple(row))
            row = []
    return tuple(rows)


def listed(headings: Sequence[str]) -> str:
    """What the columns of a sheet are called, for somebody who has to name one of them."""
    names = "; ".join(clean(heading, 60) for heading in headings[:_MOST_NAMED]) or "none"
    more = len(headings) - _MOST_NAMED
    return f"{names}; and {more} more" if more > 0 else names
