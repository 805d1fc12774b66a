"""The tree of nbgrader: `submitted/STUDENT/ASSIGNMENT/`, with `timestamp.txt` beside the notebook.

## What it reads

Notebooks and modules below `submitted/`, and when they were submitted. `feedback/`, beside `submitted/` or beside the
notebook, is nbgrader's own output and is ignored. A folder of students without `submitted/` is recognised by its
`timestamp.txt` files.

## Example

```text
submitted/ada/ps1/ps1.ipynb
submitted/ada/ps1/timestamp.txt
submitted/bo/ps1/ps1.ipynb
feedback/bo/ps1/ps1.html
```
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from grader.classroom.intake import (
    FoundSubmission,
    Layout,
    Tree,
    UnreadableFile,
    find_strays,
    group_files,
    named_person,
)
from grader.core.model import Message

RANK = 15

_STAMP = "timestamp.txt"
_TOP = "submitted/"
_FEEDBACK = "feedback/"
#: Entries of a course folder.
_COURSE = frozenset({"submitted", "source", "release", "autograded", "feedback", "solutions", "nbgrader_config.py"})


def explains(tree: Tree) -> frozenset[str]:
    """The folders of a course; without ``submitted``, students' folders with a timestamp two levels down."""
    if any(name.startswith(_TOP) for name in tree.names):
        return _COURSE & tree.tops().keys()
    parts = [name.split("/") for name in tree.names]
    loose = {part[0] for part in parts if len(part) == 2 and part[1]}
    return frozenset(part[0] for part in parts if len(part) == 3 and part[2] == _STAMP) - loose


def layout(tree: Tree) -> Layout:
    """See ``Layout``. The tree has a folder ``submitted``, or is the inside of one."""
    inside = _inside(tree)
    keys = _keys(inside)
    stamps = {keys[name]: _utc(name, tree) for name, (_, _, file) in inside.items() if file == _STAMP}
    ours = {name for name, (_, _, file) in inside.items() if file == _STAMP or file.startswith(_FEEDBACK)}
    working = {keys[name] for name in inside if name not in ours}
    # Without any work, what nbgrader wrote shows at least who is in the class.
    wanted = [name for name in inside if name not in ours or keys[name] not in working]
    files = group_files([(keys[name], name, inside[name][2]) for name in wanted])
    submissions = [
        FoundSubmission(f"nbgrader-{key}", (named_person(key.split("/")[0]),), files[key], stamps.get(key))
        for key in files
    ]
    left = tuple(name for name in tree.names if name not in inside and not name.startswith(_FEEDBACK))
    loose = (name for name in left if name.startswith(_TOP) or name.partition("/")[0] not in _COURSE)
    return Layout(tuple(submissions), left, find_strays(loose, Message("not in submitted/STUDENT/ASSIGNMENT/")))


def _inside(tree: Tree) -> dict[str, tuple[str, str, str]]:
    """The student, assignment and file of each name; the latter are empty for the empty folder of a student."""
    top = _TOP if any(name.startswith(_TOP) for name in tree.names) else ""
    files: dict[str, tuple[str, str, str]] = {}
    empty: dict[str, tuple[str, str, str]] = {}
    for name in tree.names:
        if not name.startswith(top) or name == top:
            continue
        match name.removeprefix(top).split("/", 2):
            case [student, assignment, file]:
                files[name] = student, assignment, file
            case [student, ""]:
                empty[name] = student, "", ""
    return files | empty


def _keys(inside: Mapping[str, tuple[str, str, str]]) -> dict[str, str]:
    """The submission that each name is in: its student, and the assignment if the student has several."""
    assignments: dict[str, set[str]] = {}
    for student, assignment, _ in inside.values():
        assignments.setdefault(student, set()).update(filter(None, [assignment]))
    return {
        name: f"{student}/{assignment}" if assignment and len(assignments[student]) > 1 else student
        for name, (student, assignment, _) in inside.items()
    }


def _utc(name: str, tree: Tree) -> datetime | None:
    """``2026-11-20 18:00:00.123456 UTC``; None if it is not a timestamp or cannot be read."""
    try:
        text = tree.read(name)[:100].decode("utf-8", "replace").strip().removesuffix("UTC").strip()
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (UnreadableFile, ValueError, OverflowError):
        return None
