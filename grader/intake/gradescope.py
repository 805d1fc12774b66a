"""Gradescope's export of an assignment: ``submission_metadata.yml`` beside a folder for each submission.

The keys of the metadata are symbols of another language, ``:name``; plain ones are taken, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import yaml

from grader.errors import UsageError
from grader.intake import Layout, Person, Placed, Read, gathered

RANK = 10

_METADATA = "submission_metadata.yml"


def layout(names: Sequence[str], read: Read) -> Layout | None:
    """A tree with the metadata at its top, or one folder further down."""
    metadata = next((name for name in names if name.split("/")[-1] == _METADATA and name.count("/") <= 1), None)
    if metadata is None:
        return None
    top = metadata.removesuffix(_METADATA)
    known = _metadata(read(metadata), metadata)
    parts = [tuple(name.removeprefix(top).split("/", 1)) for name in names if name.startswith(top)]
    inside = [(part[0], f"{top}{part[0]}/{part[1]}", part[1]) for part in parts if len(part) == 2 and part[0] in known]
    files = gathered(inside)
    placed = [_placed(folder, known[folder], files[folder]) for folder in files]
    taken = {name for _, name, _ in inside} | {metadata}
    return Layout(tuple(placed), tuple(name for name in names if name not in taken))


def _metadata(raw: bytes, name: str) -> dict[str, dict[str, Any]]:
    try:
        found = yaml.load(raw, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise UsageError(f"{name} is not YAML ({error}); export the submissions again.") from error
    if not isinstance(found, dict):
        raise UsageError(f"{name} holds no submissions; expected a mapping of folders, as Gradescope exports it.")
    return {str(folder): _plain(facts) for folder, facts in found.items() if isinstance(facts, dict)}


def _plain(facts: dict[Any, Any]) -> dict[str, Any]:
    """Keys without the colon."""
    return {str(key).removeprefix(":"): value for key, value in facts.items()}


def _placed(folder: str, facts: dict[str, Any], files: tuple[tuple[str, str], ...]) -> Placed:
    submitters = [_plain(each) for each in facts.get("submitters") or [] if isinstance(each, dict)]
    people = [
        Person(
            str(each.get("name") or folder),
            tuple((key, str(each[key])) for key in ("sid", "email") if each.get(key)),
        )
        for each in submitters
    ]
    earlier = facts.get("history")
    attempt = 1 + (len(earlier) if isinstance(earlier, list) else 0)
    return Placed(
        f"gradescope-{folder}",
        tuple(people) or (Person(folder),),
        files,
        _utc(facts.get("created_at")),
        attempt=attempt,
    )


def _utc(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace(" Z", "+00:00").replace(" UTC", "+00:00"))
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
