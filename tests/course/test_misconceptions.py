"""A mistake in code and the quiz item about it."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

import pytest

from grader.core.constraints import MisconceptionId
from grader.core.model import Edit, Item, Misconception, Mistake, Question
from grader.course import items, misconceptions
from grader.course.items._values import KnownWrongAnswer
from grader.course.items.choice import Option, Spec
from grader.course.items.number import Spec as Number
from tests.helpers import WORDS, course, exercise, question

CHOICE = Spec((Option("a", WORDS, correct=True), Option("b", WORDS, misconception="halves")))
NUMBER = Number(answer=4, wrong=(KnownWrongAnswer(2, "halves"), KnownWrongAnswer(8, "doubles")))


def item(name: str, spec: object, kind: str = "choice") -> Item:
    """An item with this spec."""
    return Item(name, kind, WORDS, 1, "graded", spec)


def mistaken(name: str, belief: str) -> object:
    """An exercise with one mistake."""
    return exercise(f"{name}(x)", mistakes=(Mistake(belief, (Edit(name, "x", "y"),), ()),))


HALF = mistaken("half", "halves")
TWICE = mistaken("twice", "doubles")
PLAIN = exercise("plain(x)")
Q1 = question(
    "Q1",
    HALF,
    PLAIN,
    items=[item("Q1.plain", CHOICE), item("Q1.next", Spec((Option("a", WORDS),)))],
    misconceptions=[Misconception("halves", WORDS, ask_next="Q1.next"), Misconception("lonely", WORDS)],
)
Q2 = question(
    "Q2",
    TWICE,
    items=[item("Q2.number", NUMBER, "number")],
    misconceptions=[Misconception("halves", WORDS), Misconception("doubles", WORDS, ask_next="Q1.next")],
)
COURSE = course(Q1, Q2)


@pytest.mark.parametrize(
    ("belief", "home", "expected"),
    [
        ("halves", Q1, ["Q1.next", "Q1.plain", "Q2.number"]),
        ("halves", Q2, ["Q2.number", "Q1.plain"]),
        ("doubles", Q2, ["Q1.next", "Q2.number"]),
        ("lonely", Q1, []),
        ("unheard-of", Q1, []),
    ],
)
def test_items_about(belief: str, home: object, expected: list[str]) -> None:
    """What the author says to ask next comes first, then what can show it, the question at hand before others."""
    assert [found.id for found in misconceptions.items_about(COURSE, belief, home)] == expected


def test_follow_ups() -> None:
    """Never the item that was just missed; an ask_next that only its own item could lead to is circular."""
    plain, asked = Q1.items
    assert [each.id for each in misconceptions.follow_ups(COURSE, "halves", Q1, plain)] == ["Q1.next", "Q2.number"]
    assert [each.id for each in misconceptions.follow_ups(COURSE, "halves", Q1, asked)] == ["Q1.plain", "Q2.number"]

    def circles(home: Question, belief: str) -> bool:
        return misconceptions.asks_itself(course(home), belief, home)

    itself = question("Q1", PLAIN, items=[plain], misconceptions=[Misconception("halves", WORDS, ask_next="Q1.plain")])
    assert circles(itself, "halves")
    assert not circles(dataclasses.replace(itself, exercises=(HALF,)), "halves")  # code shows it, too
    assert not circles(dataclasses.replace(itself, items=(plain, item("Q1.other", CHOICE))), "halves")
    assert not circles(Q1, "halves") and not circles(Q1, "lonely") and not circles(Q1, "unheard-of")


@pytest.mark.parametrize(
    ("belief", "home", "expected"),
    [("halves", Q1, ["half"]), ("halves", Q2, ["half"]), ("doubles", Q1, ["twice"]), ("lonely", Q1, [])],
)
def test_exercises_about(belief: str, home: object, expected: list[str]) -> None:
    """Exercises that know the mistake, wherever they are; others say nothing about it."""
    assert [found.name for found in misconceptions.exercises_about(COURSE, belief, home)] == expected


def test_named_reads_any_spec() -> None:
    """Misconceptions are found in options, in wrong answers, in mappings, and nowhere else."""
    assert misconceptions.misconceptions_of(item("Q1.a", CHOICE)) == {"halves"}
    assert misconceptions.misconceptions_of(item("Q1.a", NUMBER)) == {"halves", "doubles"}
    assert misconceptions.misconceptions_of(
        item("Q1.a", {"wrong": [KnownWrongAnswer(1, "deep")], "misconception": "no"})
    ) == {"deep"}
    assert misconceptions.misconceptions_of(item("Q1.a", None)) == frozenset()


def nested(kind: Any, above: frozenset[type] = frozenset()) -> set[type]:
    """The dataclasses that a type is made of; one may be a part of itself."""
    if kind in above:
        return set()
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind).values()
        return {kind}.union(*(nested(hint, above | {kind}) for hint in hints))
    return set().union(*(nested(part, above) for part in typing.get_args(kind)))


@pytest.mark.parametrize("kind", items.kinds())
def test_every_misconception_of_a_kind_is_declared(kind: str) -> None:
    """A field that names a misconception has the type that says so: otherwise its name would never be checked."""
    for part in nested(items.kinds()[kind].Spec):
        hints = typing.get_type_hints(part, include_extras=True)
        for name in hints:
            if "misconception" in name:
                assert MisconceptionId in (hints[name], *typing.get_args(hints[name])), (part, name)
