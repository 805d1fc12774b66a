"""The tree of nbgrader: ``submitted/STUDENT/ASSIGNMENT/notebook.ipynb``, with ``timestamp.txt`` beside the notebook.

``feedback/``, beside ``submitted/`` or the notebook, is what nbgrader has to say, and nobody's work.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from grader.intake import Layout, Person, Placed, Read, Unreadable, gathered

RANK = 15

_STAMP = "timestamp.txt"
_FEEDBACK = "feedback/"


def layout(names: Sequence[str], read: Read) -> Layout | None:
    """A tree with a folder ``submitted``, or the inside of one where time stamps lie two folders down."""
    top = "submitted/" if any(name.startswith("submitted/") for name in names) else ""
    parts = {name: name.removeprefix(top).split("/", 2) for name in names if name.startswith(top)}
    inside = {name: part for name, part in parts.items() if len(part) == 3}
    if not top and not any(part[2] == _STAMP for part in inside.values()):
        return None
    students = [part[0] for part in inside.values()]
    several = len(set(students)) < len({(part[0], part[1]) for part in inside.values()})
    keys = {name: f"{part[0]}/{part[1]}" if several else part[0] for name, part in inside.items()}
    wanted = {name: part for name, part in inside.items() if part[2] != _STAMP and not part[2].startswith(_FEEDBACK)}
    files = gathered([(keys[name], name, part[2]) for name, part in wanted.items()])
    stamps = {keys[name]: _utc(name, read) for name, part in inside.items() if part[2] == _STAMP}
    placed = [
        Placed(
            f"nbgrader-{key}",
            (Person(key.split("/")[0], (("learner", key.split("/")[0]),)),),
            files[key],
            stamps.get(key),
        )
        for key in files
    ]
    left = (name for name in names if name not in inside and not name.startswith(_FEEDBACK))
    return Layout(tuple(placed), tuple(left))


def _utc(name: str, read: Read) -> datetime | None:
    """``2026-11-20 18:00:00.123456 UTC``; what is no time, or cannot be read, says nothing."""
    try:
        text = read(name)[:100].decode("utf-8", "replace").strip().removesuffix("UTC").strip()
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (Unreadable, ValueError, OverflowError):
        return None
