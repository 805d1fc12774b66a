"""The tree of nbgrader: ``submitted/STUDENT/ASSIGNMENT/notebook.ipynb``, with ``timestamp.txt`` beside the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from grader.intake import Layout, Person, Placed, Read, gathered

RANK = 15

_STAMP = "timestamp.txt"


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
    wanted = {name: part for name, part in inside.items() if part[2] != _STAMP}
    files = gathered([(keys[name], name, part[2]) for name, part in wanted.items()])
    stamps = {keys[name]: _utc(read(name)) for name, part in inside.items() if part[2] == _STAMP}
    placed = [
        Placed(
            f"nbgrader-{key}",
            (Person(key.split("/")[0], (("learner", key.split("/")[0]),)),),
            files[key],
            stamps.get(key),
        )
        for key in files
    ]
    return Layout(tuple(placed), tuple(name for name in names if name not in inside))


def _utc(raw: bytes) -> datetime | None:
    """``2026-11-20 18:00:00.123456 UTC``; what is no time says nothing."""
    text = raw[:100].decode("utf-8", "replace").strip().removesuffix("UTC").strip()
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
