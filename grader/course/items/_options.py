"""Shared by the kinds with options (``choice``, ``multi``)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Text
from grader.core.tables import patterns
from grader.core.text import name_list
from grader.course.items import MOST_OPTIONS, Choice, Context, Parts, shuffled
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
            yield unexpected(
                (*path[:2], "misconception"), option.misconception, "none for a correct option", "wrong-is-right"
            )
        seen.add(normalize_id(option.id))


def join_ids(options: Sequence[Option]) -> Text:
    """The ids as a list for people."""
    return name_list(option.id for option in options)


def choices(options: Sequence[Option], context: Context) -> tuple[Choice, ...]:
    """The options in this learner's order."""
    return shuffled([Choice(option.id, option.text) for option in options], context)


def without_key(options: Sequence[Option]) -> tuple[Option, ...]:
    """The options, without saying which are correct."""
    return tuple(Option(option.id, option.text) for option in options)


def key(options: Sequence[Option], names: Mapping[str, str]) -> Text:
    """The correct options, one per line, with their ``names`` (by id; without one, the id itself)."""
    rows = sorted((names.get(option.id, option.id), option.text) for option in options if option.correct)
    return Text(*("\n".join(f"{name}: {text.of(lang)}" for name, text in rows) for lang in ("en", "zh")))


def right(options: Sequence[Option]) -> Parts:
    """The correct options."""
    return {option.id: "" for option in options if option.correct}


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


def excerpt(text: str) -> str:
    """What the learner wrote, shortened, without characters that could affect a terminal."""
    text = "".join(char if char.isprintable() else " " for char in text[:200]).strip()
    return text if len(text) <= 40 else f"{text[:39]}…"


def counted(answer: object) -> str:
    """An option in the form in which statistics count it, whether or not there is such an option."""
    return str(answer).strip().lower()[:20]
