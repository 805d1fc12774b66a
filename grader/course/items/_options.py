"""Shared by the kinds whose answers are ids: of options (``choice``, ``multi``), or of things to arrange."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Text
from grader.core.tables import patterns
from grader.core.text import Path, name_list
from grader.course.items import MOST_OPTIONS, Choice, Context, shuffled
from grader.course.problems import ValueProblem, unexpected

UNKNOWN = Message("This question has no option “{said}”; choose from {ids}.")


@dataclass(frozen=True, slots=True)
class Option:
    """An option. Its ``id`` does not change when options are shuffled."""

    id: str
    text: Text
    correct: bool = False
    misconception: MisconceptionId | None = None


def validate(options: Sequence[Option]) -> Iterator[ValueProblem]:
    """Problems with the options: 2 to 10, distinct ids, and misconceptions only for wrong ones."""
    if not 2 <= len(options) <= MOST_OPTIONS:
        count = f"found {len(options)} of them; expected 2 to {MOST_OPTIONS}"
        yield ValueProblem(("options",), count, "wrong-length")
    seen: set[str] = set()
    for index, option in enumerate(options):
        path = ("options", index, "id")
        if normalize_id(option.id) in seen:
            yield unexpected(path, option.id, "an id that no other option has (case does not matter)", "duplicate-name")
        elif not option.id or option.id != option.id.strip():
            yield unexpected(path, option.id, "an id without spaces around it", "wrong-form")
        if option.correct and option.misconception:
            what = "none for a correct option"
            yield unexpected(("options", index, "misconception"), option.misconception, what, "wrong-is-right")
        seen.add(normalize_id(option.id))


def join_ids(options: Sequence[Option]) -> Text:
    """The ids as a list for people."""
    return name_list(option.id for option in options)


def choices(options: Sequence[Option], context: Context) -> tuple[Choice, ...]:
    """The options in this learner's order."""
    return shuffled([Choice(option.id, option.text) for option in options], context)


def normalize_id(text: str) -> str:
    """An id in the form in which ids are compared: case, full width and surrounding spaces do not matter."""
    return unicodedata.normalize("NFKC", text).strip().casefold()


phrase = patterns(__file__, "options.yaml")
_SIGNS_AROUND = " \t\"'“”‘’`()[]{}（）【】.。!:："


def typed_id(text: str, options: Sequence[Option]) -> str:
    """The id that ``text`` names: c, (c), “c”, 选 c, the whole option, or both: c: the option. Else ``text``."""
    plain = normalize_id(text)
    found = phrase("before").match(plain)
    bare = phrase("after").sub("", plain.removeprefix(found[0] if found else "")).strip(_SIGNS_AROUND)
    ids = [normalize_id(option.id) for option in options]
    if plain in ids or bare in ids:
        return plain if plain in ids else bare
    said = phrase("between").sub("", plain)
    named = {name for option in options if said in _said(option) for name in [normalize_id(option.id)]}
    return named.pop() if len(named) == 1 else text.strip()


def _said(option: Option) -> set[str]:
    """The text of an option in both languages, with and without its id before it."""
    name = normalize_id(option.id)
    texts = {phrase("between").sub("", normalize_id(text)) for text in (option.text.en, option.text.zh)}
    return {lead + text for lead in ("", name) for text in texts}


def as_id_text(part: object) -> str | None:
    """``part`` as the text of an id: a text, or a number that YAML made of one; None for anything else."""
    if isinstance(part, int) and not isinstance(part, bool) and part.bit_length() < 100:
        return str(part)
    return part if isinstance(part, str) else None


def harmless(text: str) -> str:
    """The beginning of what a learner wrote, without characters that could affect a terminal."""
    return "".join(char if char.isprintable() else " " for char in text[:200]).strip()


def excerpt(text: str) -> str:
    """What the learner wrote, shortened and ``harmless``."""
    text = harmless(text)
    return text if len(text) <= 40 else f"{text[:39]}…"


def counted(answer: object) -> str:
    """An option in the form in which statistics count it, whether or not there is such an option."""
    return str(answer).strip().lower()[:20]


# ----------------------------------------------------------------------------------- things to arrange

UNKNOWN_THING = Message("“{said}” is not one of the choices here, which are {ids}.")

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


def validate_things(key: str, things: Sequence[Arrangeable], least: int) -> Iterator[ValueProblem]:
    """Problems with the number of entries or with their ids, which have to be distinct and free of separators."""
    if not least <= len(things) <= MOST_OPTIONS:
        text = f"found {len(things)} of them; expected {least} to {MOST_OPTIONS}"
        yield ValueProblem((key,), text, "wrong-length")
    seen: set[str] = set()
    for index, thing in enumerate(things):
        path = (key, index, "id")
        if normalize_id(thing.id) in seen:
            yield unexpected(path, thing.id, "an id that no other entry has (case does not matter)", "duplicate-name")
        elif not _WORD.fullmatch(thing.id):
            yield unexpected(path, thing.id, "an id of letters and digits, since answers consist of ids", "wrong-form")
        seen.add(normalize_id(thing.id))


def unknown_id(path: Path, name: str, things: Sequence[Arrangeable], what: str) -> Iterator[ValueProblem]:
    """A problem if ``name`` is not the id of one of ``things``, spelled exactly so."""
    known = [thing.id for thing in things]
    if name not in known:
        yield unexpected(path, name, f"{what}: {', '.join(known)}", "unknown-entry")


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
