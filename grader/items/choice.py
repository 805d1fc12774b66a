"""One right answer among several; wrong ones can name the misconception that leads to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.faults import Fault, unexpected
from grader.items import Judged
from grader.model import Status, Text


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
        yield unexpected(("options",), f"{len(spec.options)} options", "at least two")
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
        yield unexpected(("options",), ", ".join(correct) or "none", "exactly one option with `correct: true`")


def judge(spec: Spec, value: object) -> Judged:
    """``value`` is the id of an option, in any case."""
    chosen = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    for option in spec.options:
        if chosen is not None and _plain(chosen) == _plain(option.id):
            if option.correct:
                return Judged(Status.PASSED, 1.0)
            return Judged(Status.FAILED, 0.0, misconception=option.misconception)
    ids = [option.id for option in spec.options]
    if chosen is None:
        return Judged(
            Status.FAILED,
            0.0,
            Text(
                f"Expected the letter of one option: {', '.join(ids)}.",
                f"答案应是一个选项的编号：{'、'.join(ids)}。",
            ),
        )
    said = _short(chosen)
    return Judged(
        Status.FAILED,
        0.0,
        Text(
            f"There is no option “{said}” here; choose one of {', '.join(ids)}.",
            f"这道题没有选项「{said}」，请从 {'、'.join(ids)} 中选择。",
        ),
    )


def _plain(text: str) -> str:
    return text.strip().casefold()


def _short(text: str) -> str:
    """What the learner wrote, harmless on a terminal and not longer than a few words."""
    text = "".join(char if char.isprintable() else " " for char in text[:200]).strip()
    return text if len(text) <= 40 else f"{text[:39]}…"
