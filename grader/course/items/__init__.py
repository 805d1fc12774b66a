"""Quiz item kinds: one file each, found by walking this folder.

A kind's module has

* ``Spec``, a frozen dataclass: what the kind adds to an item in the bank. Its fields are the YAML keys;
  keys it does not have are refused, and its annotations decide what values are accepted.
* ``faults(spec)``: what is wrong with a spec beyond its types, as ``Fault``s with paths below the item.
* ``judge(spec, value, context)``: what an answer is worth. ``value`` is plain data from ``answers.yaml``
  or one text as it was typed in the quiz. It may be anything, so nothing it holds is an exception.
  ``context`` says whose it is.
* ``asked(spec, context)``: what a learner sees below the question, and how an answer is written.
* ``key(spec, context)``: a right answer as people write it, for when the item is settled.
* ``unkeyed(spec)``: the spec with nothing that says what is right, for a learners' edition: enough to ask, and to see
  whether an answer can be read. It is made of what is named there, so that what a kind adds later stays out.

A kind with ``HEAVY = True`` may take seconds to judge what is made for it: answers that were handed in are judged in a
process with limits. One with ``ANY_LENGTH = True`` sees answers of more than ``MOST_CHARACTERS``, too.

A spec with a field ``draw`` (name → choices) has numbers that differ from learner to learner; texts of the
item say ``{name}`` for them.

``misconception`` keys are checked for every kind alike (see ``grader.course.validate``).
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import importlib
import pkgutil
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType, ModuleType
from typing import Any, Literal, TypeAlias, TypeVar

from grader.core.model import Item, Status, Text
from grader.course.formulas import scalars

T = TypeVar("T")

_KEPT = Text(
    "Saved. Your instructor will mark it: the learners' edition of the course does not contain the answer.",
    "已保存。学习者版课程里没有这道题的答案，由教师评分。",
)

#: Longer answers are not looked at, nor those with more parts.
MOST_CHARACTERS = 10_000
_TOO_LONG = Text("This answer is too long: the limit is {most} characters.", "这个答案太长：最多 {most} 个字符。")

#: One choice, several, all in an order, each with a partner; a line of writing, or several.
Form: TypeAlias = Literal["one", "many", "order", "pairs", "line", "lines"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose, by its ``id``."""

    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a learner sees below the question of an item. ``how`` says how an answer is written.

    ``choices`` (and ``partners``, which they are matched with) stand in this learner's order. ``facts`` are
    lines to know besides: a unit, what symbols stand for, what is given.
    """

    form: Form
    how: Text
    choices: tuple[Choice, ...] = ()
    partners: tuple[Choice, ...] = ()
    facts: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Whose answer it is (an empty name: nobody's yet), to which item of which course."""

    course_id: str
    learner: str
    item: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of an answer. ``fraction`` of the points is earned.

    A wrong answer with a ``misconception`` needs no ``message``: the report says what is true instead.
    ``readable`` is false for what is no answer of the kind at all (an unknown letter, a line that cannot be
    parsed): it earns nothing, and in the quiz it costs no try.
    """

    status: Status
    fraction: float
    message: Text | None = None
    misconception: str | None = None
    readable: bool = True


def unreadable(message: Text) -> Judged:
    """The judgment of an answer that cannot be read; ``message`` says why."""
    return Judged(Status.FAILED, 0.0, message, readable=False)


@functools.cache
def kinds() -> Mapping[str, ModuleType]:
    """The modules of this folder by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return MappingProxyType({name: importlib.import_module(f"{__name__}.{name}") for name in names})


def drawn(spec: Any) -> Mapping[str, tuple[int | float, ...]]:
    """The numbers of an item that differ from learner to learner, with the choices for each."""
    choices: Mapping[str, tuple[int | float, ...]] = getattr(spec, "draw", {})
    return choices


def draw(spec: Any, context: Context) -> dict[str, int | float]:
    """This learner's numbers. Nothing about them is secret: they are for talking about one's own example."""
    return {name: choices[_number(context, name) % len(choices)] for name, choices in drawn(spec).items()}


def shuffled(things: Sequence[T], context: Context) -> tuple[T, ...]:
    """``things`` in this learner's order; as they are while there is no learner."""
    if not context.learner:
        return tuple(things)
    return tuple(things[at] for at in sorted(range(len(things)), key=lambda at: _number(context, f"order {at}")))


def _number(context: Context, what: str) -> int:
    """A number that depends on nothing but the learner, the item and ``what`` it is for."""
    learner = unicodedata.normalize("NFKC", context.learner).strip().casefold()
    words = "\0".join((learner, context.item, what)).encode()
    return int.from_bytes(hmac.new(context.course_id.encode(), words, hashlib.sha256).digest()[:8], "big")


def ask(item: Item, context: Context) -> Prompt:
    """What a learner sees below the question of ``item``."""
    prompt: Prompt = kinds()[item.kind].prompt(item.spec, context)
    return prompt


def key(item: Item, context: Context) -> Text:
    """A right answer to ``item``, which is not sealed, as people write it."""
    found: Text = kinds()[item.kind].key(item.spec, context)
    return found


def judge(item: Item, value: object, context: Context) -> Judged:
    """What ``value`` is worth as an answer to ``item``."""
    kind = kinds()[item.kind]
    if not getattr(kind, "ANY_LENGTH", False) and not _short(value):
        return unreadable(_TOO_LONG.fill(most=MOST_CHARACTERS))
    judged: Judged = kind.judge(item.spec, value, context)
    return Judged(Status.PENDING, 0.0, _KEPT) if item.sealed and judged.readable else judged


def judge_within(steps: int, item: Item, value: object, context: Context) -> tuple[Judged, int]:
    """The same with ``steps`` of computing, and how many of them are left."""
    with scalars.step_budget(steps) as budget:
        return judge(item, value, context), max(0, budget.left)


def is_heavy(item: Item) -> bool:
    """Whether an answer can be made that takes long to judge."""
    return getattr(kinds()[item.kind], "HEAVY", False)


def _short(value: object) -> bool:
    """Whether all texts in ``value`` together have at most ``MOST_CHARACTERS``, a part counting as one."""
    left, todo = MOST_CHARACTERS, [value]
    while todo and left >= 0:
        part = todo.pop()
        left -= len(part) if isinstance(part, str) else 1
        if isinstance(part, Mapping):
            part = [*part.keys(), *part.values()]
        if isinstance(part, (list, tuple)):
            todo += part[: left + 1]  # if there are more, these are too many already
    return left >= 0


def unkeyed(item: Item) -> Item:
    """``item`` as a learners' edition has it: asked and drawn as ever, without anything that says what is right."""
    return replace(item, spec=kinds()[item.kind].unkeyed(item.spec), explain=None, sealed=True)


def fill(text: Text, symbols: Mapping[str, object]) -> Text:
    """``text`` with ``{name}`` replaced for each of ``symbols``; other braces stay."""
    en, zh = text.en, text.zh
    for name, value in symbols.items():
        en, zh = en.replace(f"{{{name}}}", str(value)), zh.replace(f"{{{name}}}", str(value))
    return Text(en, zh)
