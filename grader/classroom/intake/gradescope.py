"""Gradescope's export of an assignment: `submission_metadata.yml` beside a folder for each submission.

## What it reads

The metadata has the owners of each folder (several people for a group), the submission time, and the number of
attempts. Keys may be Ruby symbols (`:name`) or plain.

## Example

```text
submission_metadata.yml
submission_1/q05.py
submission_2/q05.py
```

with this metadata:

```yaml
submission_1:
  :submitters:
  - :name: Ada Invented
    :sid: "100"
    :email: ada@example.org
  - :name: Bo Invented
  :created_at: 2026-11-06 07:13:47 Z
submission_2:
  :submitters:
  - :name: Cy Invented
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import yaml

from grader.classroom.intake import FoundSubmission, Layout, Person, Tree, find_strays, group_files
from grader.core.errors import UsageError
from grader.core.model import Message

RANK = 10

_METADATA = "submission_metadata.yml"
_UNKNOWN = Message("{name} does not name its owner")
_FOLDER = re.compile(r"submission_\d+")
_DEEPEST = 40
_LONGEST_NUMBER = 200


def explains(tree: Tree) -> frozenset[str]:
    """The metadata, the folders that it lists, and folders with such names. Metadata must be at the top."""
    if _METADATA not in tree.names:
        return frozenset()
    try:
        metadata = _metadata(tree)
    except UsageError:  # reported by ``layout``
        metadata = {}
    return frozenset(top for top in tree.tops() if top == _METADATA or top in metadata or _FOLDER.fullmatch(top))


def layout(tree: Tree) -> Layout:
    """See ``Layout``. People in the metadata have a submission even without files; other folders belong to nobody."""
    metadata = _metadata(tree) if _METADATA in tree.names else {}
    parts = [(folder, name, inner) for name in tree.names for folder, slash, inner in [name.partition("/")] if slash]
    files = group_files([part for part in parts if part[0] in metadata])
    there = [folder for folder, facts in metadata.items() if folder in files or _submitters(facts)]
    submissions = [_placed(folder, metadata[folder], files.get(folder, ())) for folder in there]
    left = tuple(name for name in tree.names if name.partition("/")[0] not in files and name != _METADATA)
    return Layout(tuple(submissions), left, find_strays(left, _UNKNOWN.fill(name=_METADATA)))


_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SAFE):  # type: ignore[misc]
    """Loads plain values, without merge keys, which can grow without limit."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Do not merge: a key ``<<`` has no meaning here."""

    def construct_untagged(self, node: yaml.Node) -> Iterator[Any]:
        """Load tagged values (such as objects of Ruby) as plain mappings, lists or text."""
        if isinstance(node, yaml.MappingNode):
            yield from self.construct_yaml_map(node)
        elif isinstance(node, yaml.SequenceNode):
            yield from self.construct_yaml_seq(node)
        else:
            yield self.construct_scalar(node)


_Loader.add_constructor(None, _Loader.construct_untagged)


def _check_depth(raw: bytes) -> None:
    """Raise ValueError for deep nesting, at which the recursive loader in C would crash the process."""
    depth = 0
    for event in yaml.parse(raw, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise ValueError(f"nested more than {_DEEPEST} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _metadata(tree: Tree) -> dict[str, dict[str, Any]]:
    raw, name = tree.read(_METADATA), _METADATA
    try:
        _check_depth(raw)
        data = yaml.load(raw, _Loader)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        said = Message("{name} is not YAML ({said}); export the submissions again.")
        raise UsageError(said.fill(name=name, said=reason)) from error
    if not isinstance(data, dict):
        said = Message("{name} has no submissions; expected a mapping of folders, as Gradescope exports it.")
        raise UsageError(said.fill(name=name))
    return {_word(folder): _plain(facts) for folder, facts in data.items() if isinstance(facts, dict)}


def _plain(facts: dict[Any, Any]) -> dict[str, Any]:
    """Keys without the colon."""
    return {_word(key).removeprefix(":"): value for key, value in facts.items()}


def _word(value: object) -> str:
    """A scalar as text; empty for lists and mappings, which aliases can make arbitrarily large."""
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
        return ""
    return str(value) if isinstance(value, str | int | float | date) else ""


def _submitters(facts: dict[str, Any]) -> list[dict[str, Any]]:
    listed = facts.get("submitters")
    return [_plain(person) for person in listed if isinstance(person, dict)] if isinstance(listed, list) else []


def _placed(folder: str, facts: dict[str, Any], files: tuple[tuple[str, str], ...]) -> FoundSubmission:
    earlier = facts.get("history")
    people = [
        Person(
            _word(person.get("name")) or folder,
            tuple((key, _word(person[key])) for key in ("sid", "email") if _word(person.get(key))),
        )
        for person in _submitters(facts)
    ]
    attempt = 1 + (len(earlier) if isinstance(earlier, list) else 0)
    return FoundSubmission(
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
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:  # before the first year, or after the last
        return None
