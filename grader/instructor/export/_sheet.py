"""Edit cells of a CSV file that another program wrote, without changing any other byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.roster import csv_separator
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import clean

_BOM = "\ufeff"
#: The most headings that a message lists.
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of a cell, and its position in the text of the file, including quotes."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A CSV file: its text, its rows, and the separator of its cells."""

    path: Path
    text: str
    rows: tuple[tuple[Cell, ...], ...]
    separator: str

    def at(self, row: int, column: int | None) -> str:
        """The value of a cell; "" if it does not exist."""
        return self.rows[row][column].text if column is not None and column < len(self.rows[row]) else ""

    def edited(self, changes: Mapping[tuple[int, int], str]) -> bytes:
        """The bytes of the file with ``changes``, a map from (row, column) to the new value."""
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


def read_sheet(path: Path) -> Sheet:
    """Read a CSV file in UTF-8, with commas, semicolons or tabs as separators. Raises UsageError."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise UsageError(
            Message("The template {path} cannot be read: {reason}.").fill(path=path, reason=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            Message("The template {path} is not UTF-8 (byte {start}); use the file as downloaded.").fill(
                path=path, start=error.start
            )
        ) from error
    start = len(_BOM) if text.startswith(_BOM) else 0
    between = csv_separator(text[start:])
    return Sheet(path, text, _rows(path, text, start, between), between)


def _rows(path: Path, text: str, start: int, separator: str) -> tuple[tuple[Cell, ...], ...]:
    pattern = re.compile(rf'("(?:[^"]|"")*+"(?=[{separator}\r\n]|\Z)|[^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)')
    rows: list[tuple[Cell, ...]] = []
    row: list[Cell] = []
    while start < len(text) or row:
        found = pattern.match(text, start)
        assert found is not None  # the second alternative matches anything, even ""
        written = found[1]
        if written.startswith('"') and (len(written) == 1 or not written.endswith('"')):
            raise UsageError(
                Message("The template {path}:{line} has a quoted cell that is not closed; download it again.").fill(
                    path=path, line=len(rows) + 1
                )
            )
        quoted = written.startswith('"')
        row.append(Cell(written[1:-1].replace('""', '"') if quoted else written, start, found.end(1)))
        start = found.end()
        if found[2] != separator:
            rows.append(tuple(row))
            row = []
    return tuple(rows)


def headings_text(headings: Sequence[str]) -> str:
    """The headings of a sheet, for a message that asks for one of them."""
    names = "; ".join(clean(heading, 60) for heading in headings[:_MOST_NAMED]) or "none"
    more = len(headings) - _MOST_NAMED
    return f"{names}; and {more} more" if more > 0 else names
