"""Quiz item kinds: one module each, found by walking this folder.

The module of a kind defines

* ``Spec``, a frozen dataclass: what the kind adds to an item in the bank. Its fields are the YAML keys, and their
  annotations decide which values are accepted; other keys are refused.
* ``validate(spec)``: yields the problems of a spec that types cannot express, with paths relative to the item.
* ``judge(spec, value, context)``: the judgment of an answer. ``value`` is plain data from ``answers.yaml``, or text as
  typed in the quiz. It can be anything, and never raises an exception. ``context`` says whose answer it is.
* ``prompt(spec, context)``: what a learner sees below the question, and how to write an answer.
* ``key(spec, context)``: a right answer in the usual notation, shown once the item is settled.
* ``named_key(spec, names)``, if it has options: the same, with ``names`` instead of their ids.
* ``counted(answer)``, if it has options: what statistics count in an answer, such as the options that it names.
* ``quiz_item(spec, context)``: the item as other systems can ask it, a ``QuizItem``; None if they cannot. Of a kind
  without this function, they ask for a text that a person marks.
* ``without_key(spec)``: the spec without its key, for a learners' edition: enough to ask the question and tell whether
  an answer can be read. It is built from fields listed one by one, so that a new field is left out by default.

Kinds that take formulas also define ``reading(spec, value)``, the formulas in an answer as (as written, as read), none
if it cannot be read; and ``read_lines(spec, text)``, which says of each line how it is read or why not.

``HEAVY = True`` marks a kind whose answers can take seconds to judge; submitted answers of such a kind are judged in a
process with limits. ``BY_HAND = True`` marks a kind whose answers a person judges. ``ANY_LENGTH = True``
marks a kind that accepts answers longer than ``MOST_CHARACTERS``.

A spec with a field ``options`` has options, as ``Option``, that an answer chooses from.
A spec with a field ``draw`` (name → choices) has numbers that differ between learners; the texts of the item refer to
them as ``{name}``.

Kinds with choices also define ``chosen(spec, value)``, the ids in an answer as ``Parts``, empty if it cannot be read,
and ``right(spec)``, a right answer in the same form.

``misconception`` keys are checked in the same way for every kind (see ``grader.course.validate``).
"""

from __future__ import annotations

import functools
import hmac
import importlib
import itertools
import pkgutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType, ModuleType
from typing import Any, Literal, TypeAlias, TypeVar

from grader.core.model import Item, Message, Status, Text
from grader.core.text import clean
from grader.formulas import scalars, tokens

T = TypeVar("T")

_KEPT = Message("Saved. It is graded after you submit.")
_MARKED_BY_HAND = Message("Saved. Your instructor will mark it.")

#: Longer answers are refused unread, as are answers with more parts.
MOST_CHARACTERS = 10_000
#: The most options of an item: each is chosen by one digit.
MOST_OPTIONS = 10
#: The id of a last choice that stands for none of the others.
NONE = "0"
#: A longer reading helps nobody, and reports would have to set it.
MOST_READING = 4_000
_TOO_LONG = Message("This answer is too long: the limit is {most} characters.")

#: The ids in an answer, in the order in which they were given, each with its partner (or an empty text).
Parts: TypeAlias = Mapping[str, str]

#: Choose one, choose several, put all in order, match pairs; write one line, or several.
Form: TypeAlias = Literal["one", "many", "order", "pairs", "line", "lines"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice; answers refer to it by its ``id``."""

    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a learner sees below the question of an item.

    ``how`` says how to write an answer. ``choices``, and the ``partners`` they are matched with, are in this learner's
    order. ``facts`` are further lines: the unit, the meaning of symbols, what is given.
    """

    form: Form
    how: Text
    choices: tuple[Choice, ...] = ()
    partners: tuple[Choice, ...] = ()
    facts: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class QuizNumber:
    """A number, the absolute error that an answer may have, and the misconception that leads to it."""

    value: int | float
    margin: float
    misconception: str | None = None


@dataclass(frozen=True, slots=True)
class QuizItem:
    """An item in a form that other systems have; ``facts`` are paragraphs below the question.

    The forms one and many use ``options``. Number uses ``numbers``: the right one, then known wrong ones. Pairs uses
    ``pairs``, in which a distractor has no left side. Essay uses ``key``, a correct answer.
    """

    form: Literal["one", "many", "number", "pairs", "essay"]
    facts: tuple[Text, ...] = ()
    options: tuple[Any, ...] = ()
    numbers: tuple[QuizNumber, ...] = ()
    pairs: tuple[tuple[Text | None, Text], ...] = ()
    key: Text | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The learner (empty: none yet), and the ids of the item and of its course."""

    course_id: str
    learner: str
    item: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """The judgment of an answer, which earns ``fraction`` of the points.

    A wrong answer with a ``misconception`` needs no ``message``: the report explains the misconception.
    ``readable`` is false if the value is not an answer of this kind at all (an unknown letter, a line that cannot be
    parsed): it does not count as an attempt in the quiz, and earns nothing but what lines before an unread one show;
    ``message`` then says nothing about these lines. ``reading`` is how a formula was read, a line for each formula.
    ``place`` is the one part of a wrong answer that is marked while attempts are left: a number of a line, or the id
    of a choice. It must tell nothing about the other parts but what ``message`` says.
    """

    status: Status
    fraction: float
    message: Text | None = None
    misconception: str | None = None
    readable: bool = True
    reading: str | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True)
class LineRead:
    """A line of an answer while it is being written: how it was read, or what to change (``why``).

    Both are None for a line of words alone. Nothing here says whether the line is right.
    """

    number: int
    shown: str | None = None
    why: Text | None = None


def unreadable(message: Text) -> Judgment:
    """The judgment of an answer that cannot be read; ``message`` says why."""
    return Judgment(Status.FAILED, 0.0, message, readable=False)


@functools.cache
def kinds() -> Mapping[str, ModuleType]:
    """The modules of this folder by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return MappingProxyType({name: importlib.import_module(f"{__name__}.{name}") for name in names})


def kind(name: str) -> ModuleType:
    """The module of the kind ``name``; of the others, which may import a lot, none is imported."""
    return importlib.import_module(f"{__name__}.{name}")


def _asked(item: Item, function: str, otherwise: T, *given: object) -> T:
    """What a function of the item's kind returns; ``otherwise`` for kinds that need not have it."""
    found: Callable[..., T] = getattr(kind(item.kind), function, lambda *_: otherwise)
    return found(item.spec, *given)


def draw_choices(spec: Any) -> Mapping[str, tuple[int | float, ...]]:
    """The names of the numbers that differ between learners, with the choices for each."""
    choices: Mapping[str, tuple[int | float, ...]] = getattr(spec, "draw", {})
    return choices


def draws(choices: Mapping[str, Sequence[T]], most: int) -> Iterator[dict[str, T]]:
    """The numbers that learners can have; ``most`` of them if there are more."""
    for values in itertools.islice(itertools.product(*choices.values()), most):
        yield dict(zip(choices, values, strict=True))


def draw(spec: Any, context: Context) -> dict[str, int | float]:
    """This learner's numbers. They are not secret: they give each learner an example of their own."""
    return {name: choices[_number(context, name) % len(choices)] for name, choices in draw_choices(spec).items()}


def shuffled(things: Sequence[T], context: Context) -> tuple[T, ...]:
    """``things`` in this learner's order; unchanged if there is no learner."""
    if not context.learner:
        return tuple(things)
    order = sorted(range(len(things)), key=lambda index: _number(context, f"order {index}"))
    return tuple(things[index] for index in order)


def drawn_first(names: Iterable[str], context: Context) -> str | None:
    """The first of ``names`` in an order drawn for this learner, which tells nothing of the others; None if empty."""
    return min(names, key=lambda name: _number(context, f"first {name}"), default=None)


def _number(context: Context, what: str) -> int:
    """A number that depends only on the course, the learner, the item and its purpose, ``what``."""
    words = "\0".join((_folded(context.learner), context.item, what)).encode()
    return int.from_bytes(hmac.digest(context.course_id.encode(), words, "sha256")[:8], "big")


def same_numbers(first: str, second: str) -> bool:
    """Whether both names get the same numbers: they differ in nothing but case, width and spaces around them."""
    return _folded(first) == _folded(second)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def ask(item: Item, context: Context) -> Prompt:
    """The prompt of ``item`` for a learner."""
    prompt: Prompt = kind(item.kind).prompt(item.spec, context)
    return prompt


def ask_in_file(item: Item, context: Context) -> Prompt:
    """The prompt of ``item`` as files show it: with the options in the order of their ids, for all learners."""
    prompt = ask(item, context)
    choices, partners = (sorted(group, key=_alphabetically) for group in (prompt.choices, prompt.partners))
    return replace(prompt, choices=tuple(choices), partners=tuple(partners))


def _alphabetically(choice: Choice) -> tuple[int, str]:
    return len(choice.id), choice.id.casefold()


def key(item: Item, context: Context) -> Text:
    """A right answer to ``item``, which must not be sealed, in the usual notation; options by their ids."""
    text: Text = kind(item.kind).key(item.spec, context)
    return text


def options(item: Item) -> tuple[Any, ...]:
    """The options of ``item``, in the order of the bank; none for kinds without options."""
    found: tuple[Any, ...] = getattr(item.spec, "options", ())
    return found


def counted(name: str, answer: object) -> tuple[str, ...]:
    """What statistics count in an answer to an item of the kind ``name``, which another version may have recorded."""
    module = kinds().get(name)
    if module is None or "options" not in module.Spec.__dataclass_fields__:
        return ()
    found: tuple[str, ...] = module.counted(answer)
    return found


def quiz_item(item: Item, context: Context) -> QuizItem | None:
    """``item`` as other systems can ask it, with the numbers of ``context``; None if they cannot."""
    module = kind(item.kind)
    if not hasattr(module, "quiz_item"):
        prompt = ask(item, context)
        return QuizItem("essay", (*prompt.facts, prompt.how), key=key(item, context))
    found: QuizItem | None = module.quiz_item(item.spec, context)
    return found


def chosen(item: Item, value: object) -> Parts:
    """The ids that ``value`` names; empty if it cannot be read, and for kinds without choices."""
    return _asked(item, "chosen", {}, value) if _short(value) else {}


def right(item: Item) -> Parts:
    """A right answer to ``item``, which must not be sealed, by ids; empty for kinds without choices."""
    return _asked(item, "right", {})


def interchangeable(item: Item) -> tuple[tuple[str, ...], ...]:
    """The groups of ids that may be in any order among themselves; none for kinds without an order."""
    groups: tuple[tuple[str, ...], ...] = getattr(item.spec, "either", ())
    return groups


def key_by_number(item: Item, context: Context) -> Text:
    """``key`` for somebody who sees the options in their own order: with the numbers that the options have there."""
    prompt = ask(item, context)
    return _asked(item, "named_key", key(item, context), {**numbers(prompt.choices), **numbers(prompt.partners)})


def numbers(choices: Sequence[Choice]) -> dict[str, str]:
    """The digit by which each of ``choices`` is chosen on a screen, by id: 1 to 9, and 0 for the tenth.

    A last choice with the id 0, which stands for none of the others, is 0 as well.
    """
    digits = {choice.id: str((index + 1) % 10) for index, choice in enumerate(choices)}
    if choices and choices[-1].id == NONE:
        digits[NONE] = NONE
    return digits


def doubtful(item: Item, value: object) -> tuple[str, ...]:
    """The formulas in ``value`` that were read as something that looks different, as they were read.

    Empty if there are none, if ``value`` cannot be read, and for kinds that take no formulas.
    """
    read = _read(item, value) if _short(value) else ()
    return tuple(shown for written, shown in read if not tokens.looks_alike(written, shown))


def _read(item: Item, value: object) -> tuple[tuple[str, str], ...]:
    """The formulas in ``value`` as they were written and as they were read; none for kinds that take no formulas."""
    return _asked(item, "reading", (), value)


def read_lines(item: Item, text: str) -> tuple[LineRead, ...]:
    """How each line of ``text`` is read; empty for kinds that take no formulas, and for a text that is too long."""
    return _asked(item, "read_lines", (), text) if _short(text) else ()


def formulas(item: Item, shown: str) -> tuple[str, ...]:
    """The formulas of a ``reading`` of a judgment, one for each line; empty if ``item`` takes no formulas."""
    return tuple(clean(line, MOST_READING) for line in shown.split("\n")) if shown and takes_formulas(item) else ()


def takes_formulas(item: Item) -> bool:
    """Whether answers to ``item`` are formulas or numbers."""
    return hasattr(kind(item.kind), "reading")


def key_points(item: Item) -> tuple[Choice, ...]:
    """What a complete answer to ``item`` says, as points a, b, c …; empty for kinds that attncheck marks itself."""
    points: Sequence[Text] = getattr(item.spec, "key_points", ())
    return tuple(Choice(chr(ord("a") + index), text) for index, text in enumerate(points))


def judge(item: Item, value: object, context: Context) -> Judgment:
    """The judgment of ``value`` as an answer to ``item``; pending if the item is sealed and the answer can be read."""
    module = kind(item.kind)
    if not getattr(module, "ANY_LENGTH", False) and not _short(value):
        return unreadable(_TOO_LONG.fill(most=MOST_CHARACTERS))
    judged: Judgment = module.judge(item.spec, value, context)
    if judged.readable and judged.status is Status.FAILED and takes_formulas(item):
        shown = "\n".join(shown for _, shown in _read(item, value))
        judged = replace(judged, reading=shown if len(shown) <= MOST_READING else None)
    if not item.sealed:
        return judged
    return Judgment(Status.PENDING, 0.0, kept_without_key(item)) if judged.readable else replace(judged, fraction=0.0)


def kept_without_key(item: Item) -> Text:
    """What is said of an answer to a sealed item: that it is saved, and who judges it."""
    return _MARKED_BY_HAND if getattr(kind(item.kind), "BY_HAND", False) else _KEPT


def judge_within(steps: int, item: Item, value: object, context: Context) -> tuple[Judgment, int]:
    """``judge`` with a budget of ``steps`` of computation. Returns the judgment and the steps that are left."""
    with scalars.step_budget(steps) as budget:
        return judge(item, value, context), max(0, budget.left)


def is_heavy(item: Item) -> bool:
    """Whether an answer to ``item`` can take long to judge."""
    return getattr(kind(item.kind), "HEAVY", False)


def _short(value: object) -> bool:
    """Whether the texts in ``value`` have at most ``MOST_CHARACTERS`` in all; anything else counts as one."""
    left, todo = MOST_CHARACTERS, [value]
    while todo and left >= 0:
        part = todo.pop()
        left -= len(part) if isinstance(part, str) else 1
        if isinstance(part, Mapping):
            part = [*part.keys(), *part.values()]
        if isinstance(part, (list, tuple)):
            todo += part[: left + 1]  # more would exceed the limit anyway
    return left >= 0


def without_key(item: Item) -> Item:
    """``item`` for a learners' edition: the same prompt and the same numbers, but no key."""
    return replace(item, spec=kind(item.kind).without_key(item.spec), explain=None, sealed=True)


def fill(text: Text, symbols: Mapping[str, object]) -> Text:
    """``text`` with ``{name}`` replaced for each of ``symbols``; other braces are kept."""
    en, zh = text.en, text.zh
    for name, value in symbols.items():
        en, zh = en.replace(f"{{{name}}}", str(value)), zh.replace(f"{{{name}}}", str(value))
    return Text(en, zh)
