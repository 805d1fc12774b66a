"""Things to put in order.

## What it asks

To write all ids in order.

## Keys

- `things`: 3 to 10 of `{id, text}` in a correct order. Ids are letters and digits, and *not* in that order, because
  learners see them.
- `either`: groups within which the order does not matter: `[[b, h]]`, `[[q, k, v], [v, s]]`.
- `wrong`: `{before: [x, y], misconception}`: x is before y; `{order: […], misconception}`: exactly this order.
  The first one that fits counts.

Two things that share no group of `either` have to be in the order of `things`. If a comes before b and b before c,
then a and c cannot be exchanged unless one of them can be exchanged with b; `bank check` says so.

## Example

```yaml
kind: order
things:
  - {id: c, text: {en: Multiply queries by keys, zh: 查询与键相乘}}
  - {id: a, text: {en: Divide by √d_k, zh: 除以 √d_k}}
  - {id: d, text: {en: Put −∞ where a key is blocked, zh: 在被屏蔽处填 −∞}}
  - {id: b, text: {en: Take the softmax, zh: 做 softmax}}
either: [[a, d]]
wrong:
  - {before: [b, d], misconception: mask-after-softmax}
```

## Answer

```text
[c, a, d, b]
c a d b
c > a > d > b
c→a→d→b
cadb
c d a b
```

## Points

The longest part of the answer that is in a correct order counts (its longest common subsequence with the nearest
correct order). As much of it as a random order has on average, rounded up, earns nothing; from there the points rise
evenly. Of 5 things in one order, 3 in order earn nothing and 4 earn half.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Status, Text
from grader.core.text import EMPTY, LINE_BREAK, join, name_list
from grader.course.items import Choice, Context, Judgment, Parts, Prompt, _options, drawn_first, shuffled, unreadable
from grader.course.items._options import Arrangeable, excerpt, normalize_id
from grader.course.problems import ValueProblem, unexpected

#: Pairs of ids: the first has to be before the second.
Before: TypeAlias = frozenset[tuple[str, str]]

#: Up to this many entries, chance is computed from all orders; beyond, from a sample of the same size.
_TRIED = 6

_HOW = Message("Answer with all of them in order, for example `{example}`.")
_ALL = Message("Write each of {ids} once, in order. Missing: {missing}.")
_MOVE = Message("Not in the right order yet: moving {moved} of the {all} is enough.")
_EITHER = Message("These may be in any order: {ids}.")


@dataclass(frozen=True, slots=True)
class WrongOrder:
    """A wrong order that reveals a misconception: a complete ``order``, or one entry ``before`` another."""

    misconception: MisconceptionId
    order: tuple[str, ...] = ()
    before: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """``things`` are in a right order. Those of a group of ``either`` may be in any order among themselves."""

    things: tuple[Arrangeable, ...]
    either: tuple[tuple[str, ...], ...] = ()
    wrong: tuple[WrongOrder, ...] = ()


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the order: it has to be unambiguous, hidden by the ids, and different from the wrong ones."""
    problems = [*_options.validate_things("things", spec.things, 3)]
    for index, group in enumerate(spec.either):
        for place, name in enumerate(group):
            problems += _options.unknown_id(("either", index, place), name, spec.things, "the id of a thing")
        if len(set(group)) < 2:
            problems.append(unexpected(("either", index), list(group), "two ids or more", "wrong-length"))
    yield from problems
    if not problems:
        yield from _order(spec)
        yield from itertools.chain.from_iterable(map(functools.partial(_wrong, spec), range(len(spec.wrong))))


def _order(spec: Spec) -> Iterator[ValueProblem]:
    ids, before = _options.names(spec.things), _before(spec)
    for first, middle, last in itertools.combinations(ids, 3):
        if (first, middle) in before and (middle, last) in before and (first, last) not in before:
            what = f"no group with both {first} and {last}: {middle} has to come between them"
            yield ValueProblem(("either",), f"expected {what}", "given-away")
    if not before:
        yield ValueProblem(("either",), "every order is right; expected some wrong ones", "given-away")
    elif _right(sorted(ids), before):
        text = f"expected ids whose own order is wrong, but {', '.join(sorted(ids))} would be right"
        yield ValueProblem(("things",), text, "given-away")


def _wrong(spec: Spec, index: int) -> Iterator[ValueProblem]:
    wrong, before, path = spec.wrong[index], _before(spec), ("wrong", index)
    named: tuple[tuple[str, Sequence[str]], ...] = (("order", wrong.order), ("before", wrong.before or ()))
    strange = [
        problem
        for key, ids in named
        for place, name in enumerate(ids)
        for problem in _options.unknown_id((*path, key, place), name, spec.things, "the id of a thing")
    ]
    yield from strange
    if bool(wrong.order) == (wrong.before is not None):
        yield ValueProblem(path, "expected either `order: […]`, all ids, or `before: [x, y]`", "wrong-form")
    elif wrong.before is not None and not strange:
        first, second = map(normalize_id, wrong.before)
        if (second, first) not in before:
            what = "the later thing first, then the earlier one"
            yield unexpected((*path, "before"), list(wrong.before), what, "wrong-is-right")
    elif not strange:
        order = [normalize_id(name) for name in wrong.order]
        if sorted(order) != sorted(_options.names(spec.things)):
            yield unexpected((*path, "order"), list(wrong.order), "every id once", "wrong-is-right")
        elif _right(order, before):
            yield unexpected((*path, "order"), list(wrong.order), "an order that is not right", "wrong-is-right")


def _before(spec: Spec) -> Before:
    """The pairs whose order matters: that of the bank, except within groups of ``either``."""
    groups = [{normalize_id(name) for name in group} for group in spec.either]
    pairs = itertools.combinations(_options.names(spec.things), 2)
    return frozenset(pair for pair in pairs if not any(group >= set(pair) for group in groups))


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a list of ids or a text such as ``c a b``, ``c > a > b`` or ``cab``, each id once."""
    order = _read(spec, value)
    if isinstance(order, Text):
        return unreadable(order)
    ids, before = _options.names(spec.things), _before(spec)
    kept = _kept(order, before)
    if kept == len(ids):
        return Judgment(Status.PASSED, 1.0)
    chance = _by_chance(tuple(ids), before)
    fraction = max(0, kept - chance) / (len(ids) - chance)
    misread = next((wrong for wrong in spec.wrong if _is(wrong, order)), None)
    early = (
        normalize_id(misread.before[0]) if misread and misread.before else drawn_first(_early(order, before), context)
    )
    place = next(thing.id for thing in spec.things if normalize_id(thing.id) == early)
    message = None if misread else _MOVE.fill(moved=len(ids) - kept, all=len(ids))
    return Judgment(Status.FAILED, fraction, message, misread.misconception if misread else None, place=place)


def chosen(spec: Spec, value: object) -> Parts:
    """The entries in the order of the answer."""
    order = _read(spec, value)
    names = {normalize_id(thing.id): thing.id for thing in spec.things}
    return {} if isinstance(order, Text) else {names[name]: "" for name in order}


def right(spec: Spec) -> Parts:
    """The entries in a right order."""
    return {thing.id: "" for thing in spec.things}


def _read(spec: Spec, value: object) -> list[str] | Text:
    """The normalized ids of all entries in the order of ``value``, or why it cannot be read."""
    ids = _options.names(spec.things)
    words = _options.split_words(value)
    order = [part for word in words or () for part in _options.split_ids(word, ids)]
    if order[::2] == [str(place) for place in range(1, len(ids) + 1)] and not set(ids) & set(order[::2]):
        order = order[1::2]  # 1. c  2. a  3. b
    all_ids = name_list(thing.id for thing in _sorted(spec))
    for place, name in enumerate(order):
        if name not in ids:
            return _options.UNKNOWN_THING.fill(said=excerpt(name), ids=all_ids)
        if name in order[:place]:
            return Message("“{said}” occurs twice; write each of {ids} once.").fill(said=name, ids=all_ids)
    if len(order) < len(ids):
        missing = name_list([name for name in sorted(ids) if name not in order])
        return _ALL.fill(ids=all_ids, missing=missing)
    return order


def _early(order: Sequence[str], before: Before) -> list[str]:
    """The entries that stand before one that has to come first."""
    return [early for place, early in enumerate(order) if any((late, early) in before for late in order[place + 1 :])]


def prompt(spec: Spec, context: Context) -> Prompt:
    """The entries in this learner's order, which is never a right one."""
    choices = [Choice(thing.id, thing.text) for thing in _sorted(spec)]
    shown = shuffled(choices, context)
    if _right([normalize_id(choice.id) for choice in shown], _before(spec)):
        shown = shown[::-1]
    example = ", ".join(choice.id for choice in choices)
    return Prompt("order", _HOW.fill(example=f"[{example}]"), shown)


def key(spec: Spec, context: Context) -> Text:
    """The entries in a right order, and the groups within which the order does not matter."""
    return named_key(spec, {})


def named_key(spec: Spec, names: Mapping[str, str]) -> Text:
    """The entries in a right order, by ``names``."""
    things = [join([f"{names.get(thing.id, thing.id)}: ", thing.text], EMPTY) for thing in spec.things]
    either = [[names.get(name, name) for name in group] for group in spec.either]
    return join([*things, *(_EITHER.fill(ids=name_list(group)) for group in either)], LINE_BREAK)


def quiz_item(spec: Spec, context: Context) -> None:
    """Other systems have no such items."""
    return None


def without_key(spec: Spec) -> Spec:
    """The entries sorted by id."""
    return Spec(tuple(_sorted(spec)))


def _sorted(spec: Spec) -> list[Arrangeable]:
    """The entries by their ids, so that the order gives nothing away."""
    return sorted(spec.things, key=lambda thing: normalize_id(thing.id))


def _is(wrong: WrongOrder, order: Sequence[str]) -> bool:
    if wrong.before is None:
        return [normalize_id(name) for name in wrong.order] == order
    first, second = map(normalize_id, wrong.before)
    return order.index(first) < order.index(second)


def _right(order: Sequence[str], before: Before) -> bool:
    return not any((later, earlier) in before for earlier, later in itertools.combinations(order, 2))


def _kept(order: Sequence[str], before: Before) -> int:
    """The size of the largest set of entries that are in a right order relative to each other.

    With one right order, this is the longest common subsequence. Being in the wrong order is transitive, so by
    Dilworth's theorem the size is the smallest number of chains of such pairs that cover all entries: one less for
    every edge of a maximum matching.
    """
    wrong = {
        early: [late for late in order[place + 1 :] if (late, early) in before] for place, early in enumerate(order)
    }
    matched: dict[str, str] = {}

    def match(early: str, seen: set[str]) -> bool:
        for late in wrong[early]:
            if late not in seen:
                seen.add(late)
                if late not in matched or match(matched[late], seen):
                    matched[late] = early
                    return True
        return False

    return len(order) - sum(match(early, set()) for early in order)


@functools.cache
def _by_chance(ids: tuple[str, ...], before: Before) -> int:
    """The mean of ``_kept`` over random orders, rounded up."""
    orders: list[Sequence[str]] = list(itertools.permutations(ids[:_TRIED]))
    if len(ids) > _TRIED:
        dice = random.Random(1)
        orders = [dice.sample(ids, len(ids)) for _ in orders]
    return min(-(-sum(_kept(order, before) for order in orders) // len(orders)), len(ids) - 1)
