"""What the kinds have in common whose answers are written in the ids of things."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.core.faults import Fault, Path, unexpected
from grader.core.model import Text
from grader.course.items import Choice
from grader.course.items._options import as_id_text, normalize_id

UNKNOWN = Text("“{said}” is not one of the choices here, which are {ids}.", "这道题里没有“{said}”，只有 {ids}。")

_ID = re.compile(r"\w+")
_WORD = re.compile(r"\w+")
#: More than this is no answer to anything.
_MAX_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to put in its place. Learners see and write its ``id``."""

    id: str
    text: Text


def validate(key: str, things: Sequence[Entry], least: int, most: int) -> Iterator[Fault]:
    """Neither too few nor too many, with different ids in which no sign could be taken for a separator."""
    if not least <= len(things) <= most:
        yield Fault((key,), f"saw {len(things)} of them; expected {least} to {most}")
    seen: set[str] = set()
    for index, thing in enumerate(things):
        path = (key, index, "id")
        if normalize_id(thing.id) in seen:
            yield unexpected(path, thing.id, "an id that no other has (upper case is lower case)")
        elif not _ID.fullmatch(thing.id):
            yield unexpected(path, thing.id, "an id of letters and digits, which is what answers are written in")
        seen.add(normalize_id(thing.id))


def unknown_id(path: Path, name: str, things: Sequence[Entry], what: str) -> Iterator[Fault]:
    """``name`` is the id of one of ``things``, spelt as it is there."""
    known = [thing.id for thing in things]
    if name not in known:
        yield unexpected(path, name, f"{what}: {', '.join(known)}")


def choices(things: Sequence[Entry]) -> list[Choice]:
    """The things by their ids, which says nothing about where they belong."""
    return sorted((Choice(thing.id, thing.text) for thing in things), key=lambda choice: normalize_id(choice.id))


def join_ids(ids: Collection[str]) -> Text:
    """Ids, for people."""
    return Text(", ".join(ids), "、".join(ids))


def split_words(value: object) -> list[str] | None:
    """The words of a text, or of a list of texts and numbers; whatever stands between them only separates."""
    parts = [as_id_text(part) for part in (value if isinstance(value, (list, tuple)) else [value])]
    text = " ".join(part for part in parts if part is not None)
    if None in parts or len(text) > _MAX_LENGTH:
        return None
    return _WORD.findall(normalize_id(text))


def split_ids(word: str, ids: Collection[str]) -> list[str]:
    """``cab`` is c, a and b where all ids are single letters; else a word is a word."""
    together = word not in ids and all(len(name) == 1 for name in ids) and set(word) <= set(ids)
    return list(word) if together else [word]
