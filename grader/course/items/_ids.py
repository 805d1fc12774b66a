"""Shared by the kinds whose answers consist of ids (``order``, ``match``)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.core.model import Message, Text
from grader.core.text import Path
from grader.course.items import Choice
from grader.course.items._options import as_id_text, normalize_id
from grader.course.problems import ValueProblem, unexpected

UNKNOWN = Message("“{said}” is not one of the choices here, which are {ids}.")

_ID = re.compile(r"\w+")
_WORD = re.compile(r"\w+")
#: Words that only say that an order follows; ids are shorter, or stand between them.
AROUND = re.compile(
    r"\b(?:first|then|next|after that|finally|lastly|last|and|order|the|is|answer)\b"
    r"|(?:正确)?(?:顺序|次序|答案|排列)(?:应该|应当|应)?[是为]?|首先|然后|接着|最后|再|先"
)
#: In characters; longer texts are refused.
_MAX_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Arrangeable:
    """Something to arrange. Learners see its ``id`` and answer with it."""

    id: str
    text: Text


def validate(key: str, things: Sequence[Arrangeable], least: int, most: int) -> Iterator[ValueProblem]:
    """Problems with the number of entries or with their ids, which have to be distinct and free of separators."""
    if not least <= len(things) <= most:
        yield ValueProblem((key,), f"found {len(things)} of them; expected {least} to {most}", "wrong-length")
    seen: set[str] = set()
    for index, thing in enumerate(things):
        path = (key, index, "id")
        if normalize_id(thing.id) in seen:
            yield unexpected(path, thing.id, "an id that no other entry has (case does not matter)", "duplicate-name")
        elif not _ID.fullmatch(thing.id):
            yield unexpected(path, thing.id, "an id of letters and digits, since answers consist of ids", "wrong-form")
        seen.add(normalize_id(thing.id))


def unknown_id(path: Path, name: str, things: Sequence[Arrangeable], what: str) -> Iterator[ValueProblem]:
    """A problem if ``name`` is not the id of one of ``things``, spelled exactly so."""
    known = [thing.id for thing in things]
    if name not in known:
        yield unexpected(path, name, f"{what}: {', '.join(known)}", "unknown-entry")


def choices(things: Sequence[Arrangeable]) -> list[Choice]:
    """The entries as choices, sorted by id so that the order gives nothing away."""
    return sorted((Choice(thing.id, thing.text) for thing in things), key=lambda choice: normalize_id(choice.id))


def names(things: Sequence[Arrangeable]) -> list[str]:
    """The ids in the form in which they are compared."""
    return [normalize_id(thing.id) for thing in things]


def split_words(value: object) -> list[str] | None:
    """The words of a text, or of a list of texts and numbers; None for other values and for long ones."""
    parts = [as_id_text(part) for part in (value if isinstance(value, (list, tuple)) else [value])]
    text = " ".join(part for part in parts if part is not None)
    if None in parts or len(text) > _MAX_LENGTH:
        return None
    return _WORD.findall(AROUND.sub(" ", normalize_id(text)))


def split_ids(word: str, ids: Collection[str]) -> list[str]:
    """The ids in ``word``: ``cab`` is c, a, b if all ids are single letters, else one id."""
    together = word not in ids and all(len(name) == 1 for name in ids) and set(word) <= set(ids)
    return list(word) if together else [word]
