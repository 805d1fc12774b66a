"""Text for people that all rooms share: names of statuses, fragments, and functions that make text safe to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeAlias

from grader.core.marks import MARKS, formula, plain
from grader.core.model import Message, Status, Text

#: The keys and indices that lead from the top of a YAML document to a value.
Path: TypeAlias = tuple[str | int, ...]

#: Terminal escape sequences: control strings (titles, hyperlinks), CSI (colours, cursor), and short ones.
_SEQUENCE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_BREAK = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n{3,}")

_BETWEEN_NAMES = Text(", ", "、")
#: No text at all, in both languages.
EMPTY = Text("", "")
LINE_BREAK = Text("\n", "\n")

#: The maximum length of a learner's name or id. A longer one is cut when it is read, never when it is shown.
LONGEST_NAME = 200


def clean(text: str, limit: int = 400, *, lines: bool = False) -> str:
    """Text from a learner, made safe to show: at most ``limit`` printable characters.

    Terminal sequences, control characters, bidirectional overrides and invisible characters are removed; any other
    white space becomes a space. Line breaks stay only if ``lines`` is true. Marks (see ``grader.core.marks``) become
    characters.
    """
    return clean_marked(plain(text), limit, lines=lines)


def clean_marked(text: str, limit: int = 400, *, lines: bool = False) -> str:
    """A text of the program or the course that may quote learners, as ``clean`` has it, but with its marks."""
    if text.isprintable():  # most texts are, and a page has hundreds of them
        rows = [text.rstrip()]
    else:
        rows = [_printable(row) for row in _BREAK.sub("\n", _SEQUENCE.sub("", text)).split("\n")]
    kept = _BLANK_LINES.sub("\n\n", "\n".join(rows)).strip("\n") if lines else " ".join(rows).strip()
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"


def cleaned(text: Text, limit: int = 400, *, lines: bool = False) -> Text:
    """A text that quotes a learner, made safe to show in both languages; see ``clean_marked``."""
    return Text(clean_marked(text.en, limit, lines=lines), clean_marked(text.zh, limit, lines=lines))


def _printable(row: str) -> str:
    kept = (char for char in row if char.isprintable() or char.isspace() or char in MARKS)
    return "".join(" " if char.isspace() else char for char in kept).rstrip()


def clean_name(name: str | None) -> str:
    """A learner's name or id in the form that is compared, shown, and used to draw numbers; empty for None.

    The result is one line of at most ``LONGEST_NAME`` printable characters in NFC.
    """
    shown = "".join(char if char.isprintable() else " " for char in unicodedata.normalize("NFC", name or ""))
    return " ".join(shown.split())[:LONGEST_NAME].rstrip()


def points(value: float) -> str:
    """Points for people: at most two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def same(text: str) -> Text:
    """``text`` in both languages, for versions, system messages and the like."""
    return Text(text, text)


def join(parts: Iterable[str | Text], separator: Text) -> Text:
    """The parts with the separator of each language between them."""
    texts = [same(part) if isinstance(part, str) else part for part in parts]
    return Text(separator.en.join(text.en for text in texts), separator.zh.join(text.zh for text in texts))


def name_list(names: Iterable[str | Text]) -> Text:
    """Names with what stands between names in each language."""
    return join(names, _BETWEEN_NAMES)


def formula_list(formulas: Iterable[str]) -> Text:
    """Formulas, marked, with what stands between names in each language."""
    return name_list(map(formula, formulas))


def duration(seconds: float) -> Text:
    """A duration in days, hours and minutes; at least one minute."""
    minutes = max(1, round(seconds / 60))
    days, rest = divmod(minutes, 24 * 60)
    units = (days, "d", "天"), (rest // 60, "h", "小时"), (rest % 60, "min", "分钟")
    return join([Text(f"{value} {en}", f"{value} {zh}") for value, en, zh in units if value], same(" "))


def timestamp(iso: str) -> str:
    """An ISO 8601 timestamp for people: to the minute, with its time zone."""
    return datetime.fromisoformat(iso).isoformat(" ", "minutes").replace("+00:00", " UTC")


STATUS = {
    Status.PASSED: Message("passed"),
    Status.FAILED: Message("not correct yet"),
    Status.RAISED: Message("raised an exception"),
    Status.TIMED_OUT: Message("took too long"),
    Status.DIED: Message("crashed"),
    Status.MISSING: Message("not found"),
    Status.SKIPPED: Message("not run"),
    Status.PENDING: Message("needs manual grading"),
    Status.UNMARKED: Message("could not be graded (internal error, no points lost)"),
}
OF_POINTS = Message("{earned} of {possible} points")
LABELED = Message("{who}: {said}")
PARENTHESIZED = Message("{what} ({more})")
COMMA = Message(", ")
#: The points and the difficulty of an item.
LEVEL = Message("{points}, level {level} of 3")
SEMICOLON = Message("; ")
RESULT = Message("Result: {result}")


def show_path(path: Path) -> str:
    """``path`` in the usual notation, such as ``items[0].ask.en``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


# -------------------------------------------------------------------------------- spelling suggestions

#: Longer names are not compared, because comparing takes time proportional to the product of the lengths.
_LONGEST_COMPARED = 80


def close_names(name: str, possible: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """Up to ``most`` of the ``possible`` names that are similar to ``name``, most similar first; case is ignored.

    ``cutoff`` is the minimum similarity, from 0 to 1. Names longer than 80 characters are never similar.
    """
    if len(name) > _LONGEST_COMPARED:
        return ()
    folded: dict[str, str] = {}
    for each in possible:
        if len(each) <= _LONGEST_COMPARED and _of_similar_length(each.lower(), name.lower(), cutoff):
            folded.setdefault(each.lower(), each)
    if not folded:
        return ()
    import difflib  # slow to import, and only needed for misspelt names

    return tuple(folded[found] for found in difflib.get_close_matches(name.lower(), folded, most, cutoff))


def _of_similar_length(one: str, other: str, cutoff: float) -> bool:
    """Whether two names can be similar, judged by their lengths alone."""
    total = len(one) + len(other)
    return not total or 2.0 * min(len(one), len(other)) / total >= cutoff


def nearest(name: str, possible: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The one of the ``possible`` names that is most similar to ``name``, or None."""
    return next(iter(close_names(name, possible, most=1, cutoff=cutoff)), None)


def suggestion(
    name: str, possible: Iterable[str], listed: Sequence[str] | None = None, *, most: int | None = None
) -> Text:
    """A sentence to end an error about the unknown ``name``: "Did you mean …?", or else "There are: …".

    ``possible`` are the names to compare with. The list has at most the first ``most`` of ``listed`` (by default of
    ``possible``).
    """
    names = list(possible)
    near = nearest(name, names)
    if near is not None:
        return Message("Did you mean {near}?").fill(near=near)
    shown = names if listed is None else list(listed)
    rest = ["…"] if most is not None and len(shown) > most else []
    return Message("There are: {names}.").fill(names=name_list([*shown[:most], *rest]))
