"""Whether letters tell answers: what somebody earns who gives the same letters, pairs or order everywhere.

Letters are names: learners find them in files, and none of them may be right more often than chance. Over all items of
a kind, an answer that never looks at the item is judged as any other; the best one found may earn at most ``MARGIN``
above chance. Letters count by their place in the alphabet of an item, so that "the second" is one answer for all.

Chance is the mean share of the points that answers drawn at random earn:

* ``choice``: one option;
* ``multi``: as many options as are right, which is more than a set of any size earns;
* ``match``: a partner for each entry, drawn each for itself;
* ``order``: any order.

All choices are counted where there are at most ``_COUNTED`` of them, else as many are drawn with a fixed seed.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from grader.core.model import Course, Item
from grader.course import items
from grader.course.items._options import normalize_id
from grader.course.problems import Problem

#: A constant answer may earn so much more than chance, as a share of the points.
MARGIN = 0.1
#: In fewer items of a kind, letters fall unevenly without telling anything.
FEWEST = 10
#: How many random answers to an item are tried at most.
_COUNTED = 120
#: How many items a message names.
_NAMED = 4

#: Places in the alphabet of an item: of the options chosen, of the partner of each entry, or of the entries in order.
Places: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConstantAnswer:
    """The best constant answer to items of one kind: its ``places``, what it ``earns``, and ``chance`` (shares).

    ``items`` are those it does best, best first.
    """

    kind: str
    places: Places
    earns: float
    chance: float
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """An item with the ids of its options and partners in the order of the alphabet."""

    item: Item
    ids: tuple[str, ...]
    partners: tuple[str, ...]
    known: dict[Places, float]

    def share(self, places: Places) -> float:
        """The share of the points that the answer at ``places`` earns; places that the item lacks are left out."""
        count = len(self.ids)
        places = places[:count] if self.partners else tuple(place for place in places if place < count)
        if places not in self.known:
            judged = items.judge(self.item, self._written(places), items.Context("", "", self.item.id))
            self.known[places] = judged.fraction if judged.readable else 0.0
        return self.known[places]

    def _written(self, places: Places) -> object:
        if self.partners:
            return {
                name: self.partners[place]
                for name, place in zip(self.ids, places, strict=False)
                if place < len(self.partners)
            }
        chosen = [self.ids[place] for place in places]
        return chosen if self.item.kind != "choice" else next(iter(chosen), None)


def problems(course: Course) -> Iterator[Problem]:
    """The kinds of items whose letters tell answers: among the graded items, and among all of them."""
    every = [item for question in course.questions for item in question.items]
    graded = [item for item in every if item.use == "graded"]
    told: set[str] = set()  # of kinds whose graded items tell answers, no more is said
    for name, of in (("graded ", graded), ("", every)):
        for kind in KINDS:
            best = best_constant(kind, of)
            if best is not None and best.earns > best.chance + MARGIN and kind not in told:
                told.add(kind)
                yield Problem("given-away", "questions/", _said(best, name))


def _said(best: ConstantAnswer, name: str) -> str:
    named = ", ".join(item.id for item in best.items[:_NAMED])
    return (
        f"“{_as_text(best)}” as the answer to every {name}{best.kind} item earns {best.earns:.0%} of the points; "
        f"expected at most {best.chance + MARGIN:.0%} (chance is {best.chance:.0%}): exchange the ids of "
        f"{'partners' if best.kind == 'match' else 'options'} in some of them, such as {named}"
    )


def _as_text(best: ConstantAnswer) -> str:
    if best.kind == "match":
        return ", ".join(f"{_letter(index)}-{place + 1}" for index, place in enumerate(best.places))
    return " ".join(map(_letter, best.places))


def _letter(place: int) -> str:
    return chr(ord("a") + place)


def best_constant(kind: str, of: Sequence[Item]) -> ConstantAnswer | None:
    """The best constant answer found to those ``of`` the items that are of ``kind``; None if they are too few.

    Sealed items are left out: their edition has no key to compare with. For ``choice`` and ``multi`` all answers are
    tried; for ``match`` and ``order`` the best is approached step by step from several beginnings.
    """
    asked = [_asked(item) for item in of if item.kind == kind and not item.sealed and item.points > 0]
    if len(asked) < FEWEST:
        return None
    possible = sum(question.item.points for question in asked)

    def earns(places: Places) -> float:
        return sum(question.item.points * question.share(places) for question in asked) / possible

    places = _MOVES[kind](asked, earns)
    chance = sum(question.item.points * _chance(question) for question in asked) / possible
    ranked = sorted(asked, key=lambda question: question.share(places) * question.item.points, reverse=True)
    return ConstantAnswer(kind, places, earns(places), chance, tuple(question.item for question in ranked))


def _asked(item: Item) -> _Asked:
    prompt = items.ask(item, items.Context("", "", item.id))
    ids, partners = (
        tuple(sorted((choice.id for choice in group), key=normalize_id)) for group in (prompt.choices, prompt.partners)
    )
    return _Asked(item, ids, partners, {})


# --------------------------------------------------------------------------------------------------- chance


def _chance(asked: _Asked) -> float:
    """The mean share that random answers to one item earn."""
    answers = list(_random_answers(asked))
    return sum(map(asked.share, answers)) / len(answers)


def _random_answers(asked: _Asked) -> Iterator[Places]:
    count, partners = len(asked.ids), len(asked.partners)
    dice = random.Random(asked.item.id)
    match asked.item.kind:
        case "choice":
            yield from ((place,) for place in range(count))
        case "multi":
            spec: Any = asked.item.spec
            yield from itertools.combinations(range(count), sum(option.correct for option in spec.options))
        case "match":
            if partners**count <= _COUNTED:
                yield from itertools.product(range(partners), repeat=count)
            else:
                yield from (tuple(dice.choices(range(partners), k=count)) for _ in range(_COUNTED))
        case _:
            if math.factorial(count) <= _COUNTED:
                yield from itertools.permutations(range(count))
            else:
                yield from (tuple(dice.sample(range(count), count)) for _ in range(_COUNTED))


# ------------------------------------------------------------------------------------------- constant answers

_Earns: TypeAlias = Callable[[Places], float]


def _best_letter(asked: Sequence[_Asked], earns: _Earns) -> Places:
    return max(((place,) for place in range(_longest(asked))), key=earns)


def _best_set(asked: Sequence[_Asked], earns: _Earns) -> Places:
    places = range(_longest(asked))
    return max(itertools.chain.from_iterable(itertools.combinations(places, size + 1) for size in places), key=earns)


def _best_pairing(asked: Sequence[_Asked], earns: _Earns) -> Places:
    """The best pairing that one change of a partner, repeated, leads to."""
    partners = range(max(len(item.partners) for item in asked))
    count = _longest(asked)

    def near(places: Places) -> Iterator[Places]:
        for index in range(count):
            yield from ((*places[:index], partner, *places[index + 1 :]) for partner in partners)

    beginnings = [tuple((at + by) % len(partners) for at in range(count)) for by in (0, 1)]
    return max((_climb(begin, near, earns) for begin in beginnings), key=earns)


def _best_order(asked: Sequence[_Asked], earns: _Earns) -> Places:
    """The best order that moving one entry, repeated, leads to."""
    count = _longest(asked)

    def near(places: Places) -> Iterator[Places]:
        for index, to in itertools.permutations(range(count), 2):
            rest = [*places[:index], *places[index + 1 :]]
            yield (*rest[:to], places[index], *rest[to:])

    forward = tuple(range(count))
    dice = random.Random(1)
    beginnings = [forward, forward[::-1], *(tuple(dice.sample(forward, count)) for _ in range(4))]
    return max((_climb(begin, near, earns) for begin in beginnings), key=earns)


def _climb(places: Places, near: Callable[[Places], Iterator[Places]], earns: _Earns) -> Places:
    """The answer that the best of the answers ``near`` it, taken again and again, leads to."""
    while earns(better := max(near(places), key=earns)) > earns(places):
        places = better
    return places


def _longest(asked: Sequence[_Asked]) -> int:
    return max(len(item.ids) for item in asked)


_MOVES: dict[str, Callable[[Sequence[_Asked], _Earns], Places]] = {
    "choice": _best_letter,
    "multi": _best_set,
    "match": _best_pairing,
    "order": _best_order,
}
#: The kinds of items whose answers consist of ids.
KINDS = tuple(_MOVES)
