"""One right answer among several; wrong ones can name the misconception that leads to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.faults import Fault, unexpected
from grader.items import Judged
from grader.model import Status, Text

_UNKNOWN = Text(
    "There is no option “{said}” here; choose one of {ids}.", "这道题没有选项「{said}」，请从 {ids} 中选择。"
)
_OTHER = Text("Answer with the letter of one option: {ids}.", "请填写一个选项的编号：{ids}。")


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose. Its ``id`` stays the same however the options are shuffled when shown."""

    id: str
    text: Text
    correct: bool = False
    misconception: str | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """The options, in the order of the bank."""

    options: tuple[Option, ...]


def faults(spec: Spec) -> Iterator[Fault]:
    """At least two options with different ids, exactly one of them correct."""
    if len(spec.options) < 2:
        yield Fault(("options",), f"saw {len(spec.options)} of them; expected two or more")
    seen: set[str] = set()
    for index, option in enumerate(spec.options):
        path = ("options", index, "id")
        if _plain(option.id) in seen:
            yield unexpected(path, option.id, "an id that no other option of the item has (upper case is lower case)")
        elif not option.id or option.id != option.id.strip():
            yield unexpected(path, option.id, "an id without spaces around it")
        if option.correct and option.misconception:
            yield unexpected((*path[:2], "misconception"), option.misconception, "none for a correct option")
        seen.add(_plain(option.id))
    correct = [option.id for option in spec.options if option.correct]
    if len(correct) != 1:
        said = ", ".join(correct) or "none"
        yield Fault(("options",), f"saw {said} marked as correct; expected exactly one option with `correct: true`")


def judge(spec: Spec, value: object) -> Judged:
    """``value`` is the id of an option, in any case."""
    chosen = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    for option in spec.options:
        if chosen is not None and _plain(chosen) == _plain(option.id):
            if option.correct:
                return Judged(Status.PASSED, 1.0)
            return Judged(Status.FAILED, 0.0, misconception=option.misconception)
    ids = [option.id for option in spec.options]
    said = "" if chosen is None else _short(chosen)
    message = _OTHER if chosen is None else _UNKNOWN
    return Judged(Status.FAILED, 0.0, message.fill(said=said, ids=Text(", ".join(ids), "、".join(ids))))


def _plain(text: str) -> str:
    return text.strip().casefold()


def _short(text: str) -> str:
    """What the learner wrote, harmless on a terminal and not longer than a few words."""
    text = "".join(char if char.isprintable() else " " for char in text[:200]).strip()
    return text if len(text) <= 40 else f"{text[:39]}…"
