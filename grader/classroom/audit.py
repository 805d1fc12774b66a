"""Who did what in a results folder: a line in ``audit.jsonl`` for each act, only ever appended to.

On the pages of a class: who signed in and out, submitted, asked for regrading, or changed something by hand. What
somebody answered and wrote is in their own log and submissions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.classroom import jsonl

FILE = "audit.jsonl"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An act: ``who``, in which ``role``, ``did`` what; ``about`` are the facts, such as learner and part."""

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
    """All entries in their order; what has another form is skipped."""
    found = []
    for one in jsonl.read(folder / FILE):
        match one:
            case {"at": str(at), "who": str(who), "role": str(role), "did": str(did), "about": dict(about)}:
                facts = tuple((str(name), str(value)) for name, value in about.items())
                found.append(AuditEntry(datetime.fromisoformat(at), who, role, did, facts))
    return tuple(found)


def forget(folder: Path, learner: str) -> int:
    """Delete the entries about and by a learner. Returns how many there were."""

    def theirs(one: jsonl.Record) -> bool:
        about = one.get("about")
        by = one.get("who") == learner and one.get("role") == "learner"
        return by or (isinstance(about, dict) and about.get("learner") == learner)

    return jsonl.remove(folder / FILE, theirs)
