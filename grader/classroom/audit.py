"""The audit log of a results folder, ``audit.jsonl``: one line for each action on the pages of a class.

It records who signed in or out, submitted, asked for regrading, or changed something by hand. Answers and code are not
in it; they are in each learner's own log and submissions. Entries are only ever appended.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.classroom import jsonl

FILE = "audit.jsonl"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action: ``who``, in which ``role``, ``did`` what. ``about`` has the details, such as learner and part."""

    at: datetime
    who: str
    role: str
    did: str
    about: tuple[tuple[str, str], ...] = ()


def note(folder: Path, entry: AuditEntry) -> None:
    """Append an entry. Raises UsageError if it cannot be written."""
    record = {"at": entry.at.astimezone(UTC).isoformat(), "who": entry.who, "role": entry.role, "did": entry.did}
    jsonl.add(folder / FILE, {**record, "about": dict(entry.about)})


def entries(folder: Path) -> tuple[AuditEntry, ...]:
    """All entries, oldest first. Lines in another format are skipped."""
    found = []
    for one in jsonl.read(folder / FILE):
        match one:
            case {"at": str(at), "who": str(who), "role": str(role), "did": str(did), "about": dict(about)}:
                facts = tuple((str(name), str(value)) for name, value in about.items())
                found.append(AuditEntry(datetime.fromisoformat(at), who, role, did, facts))
    return tuple(found)


def forget(folder: Path, learner: str) -> int:
    """Delete the entries by and about a learner. Returns their number."""

    def theirs(one: jsonl.Record) -> bool:
        about = one.get("about")
        by = one.get("who") == learner and one.get("role") == "learner"
        return by or (isinstance(about, dict) and about.get("learner") == learner)

    return jsonl.remove(folder / FILE, theirs)
