"""The audit log of a results folder: one line for each action on the pages of a class.

It records who signed in or out, submitted, asked for regrading, read a learner's results, or changed something by hand.
Answers and code are not in it; they are in each learner's own log and submissions. Entries are only ever appended.

There are three logs, so that nobody has to read many entries of one kind to find those of another: what staff did
(``audit.jsonl``), what staff read (``audit-reading.jsonl``), and what learners did (``audit-learners.jsonl``). All are
rotated (see ``jsonl``), and earlier files are kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from grader.core import jsonl
from grader.core.jsonl import Place

FILE = "audit.jsonl"
#: The files of the logs.
LOGS: Mapping[str, str] = MappingProxyType(
    {"changes": FILE, "reading": "audit-reading.jsonl", "learners": "audit-learners.jsonl"}
)
#: The role of learners, and how actions begin that only read.
_LEARNER, _READ = "learner", "read "
#: A file of this many bytes is rotated.
_FULL = 4_000_000
#: The most bytes that are read for a page.
PAGE_BYTES = 32_000


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action: ``who``, in which ``role``, ``did`` what. ``about`` has the details, such as learner and part."""

    at: datetime
    who: str
    role: str
    did: str
    about: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries, the latest first, and the place before them; None if there are no earlier ones."""

    entries: tuple[AuditEntry, ...]
    earlier: Place | None


def note(folder: Path, entry: AuditEntry, full: int = _FULL) -> None:
    """Append an entry; a file of ``full`` bytes is rotated. Raises UsageError if it cannot be written."""
    record = {"at": entry.at.astimezone(UTC).isoformat(), "who": entry.who, "role": entry.role, "did": entry.did}
    log = "learners" if entry.role == _LEARNER else "reading" if entry.did.startswith(_READ) else "changes"
    jsonl.add(folder / LOGS[log], {**record, "about": dict(entry.about)}, full=full)


def read_page(folder: Path, log: str = "changes", before: Place | None = None) -> AuditPage:
    """The entries of a log before a place in it (None: its last ones). At most ``PAGE_BYTES`` are read.

    A page may be empty although there are earlier entries, because earlier versions of attncheck kept entries of
    learners in the log of changes, where they are not shown.
    """
    records, earlier = jsonl.read_back(folder / LOGS[log], before, PAGE_BYTES)
    shown = [entry for entry in _entries(records) if (entry.role == _LEARNER) == (log == "learners")]
    return AuditPage(tuple(reversed(shown)), earlier)


def entries(folder: Path) -> tuple[AuditEntry, ...]:
    """All entries of everybody, oldest first. Lines in another format are skipped."""
    files = (file for name in LOGS.values() for file in jsonl.segments(folder / name))
    return tuple(sorted((entry for file in files for entry in _entries(jsonl.read(file))), key=lambda entry: entry.at))


def _entries(records: Iterable[jsonl.Record]) -> Iterator[AuditEntry]:
    for record in records:
        match record:
            case {"at": str(at), "who": str(who), "role": str(role), "did": str(did), "about": dict(about)}:
                facts = tuple((str(name), str(value)) for name, value in about.items())
                with contextlib.suppress(ValueError):  # a time that was edited by hand
                    yield AuditEntry(datetime.fromisoformat(at), who, role, did, facts)


def is_log(path: Path) -> bool:
    """Whether this file is a part of the log of its folder."""
    return any(path in jsonl.segments(path.parent / name) for name in LOGS.values())


def forget(folder: Path, learner: str) -> int:
    """Delete the entries by and about a learner. Returns their number."""

    def theirs(record: jsonl.Record) -> bool:
        about = record.get("about")
        by = record.get("who") == learner and record.get("role") == _LEARNER
        if by or not isinstance(about, dict):
            return by
        return about.get("learner") == learner or learner in str(about.get("learners", "")).split(", ")

    return sum(jsonl.remove(folder / name, theirs) for name in LOGS.values())
