"""Finds quiz items about a mistake in code, and exercises about a wrong answer, by their misconception.

Questions may share the id of a misconception. It is then the same wrong belief, and the current question comes first.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from grader.core.constraints import MisconceptionId
from grader.core.identity_cache import cached_by_identity
from grader.core.model import Course, Exercise, Item, Misconception, Question, deferred_spec
from grader.core.yaml_positions import Path

#: Misconception → the items that name it, with the ids of their questions.
Index: TypeAlias = Mapping[str, Sequence[tuple[str, Item]]]


def items_about(course: Course, misconception: str, question: Question, index: Index | None = None) -> tuple[Item, ...]:
    """The items about a misconception of ``question``: its ``ask_next`` first, then those that can reveal it.

    Pass ``index`` (see ``indexed``) when asking about many misconceptions.
    """
    belief = question.misconception(misconception)
    asked = belief.ask_next if belief is not None else None
    named_by = (index or indexed(course)).get(misconception, ())
    here, there = ([item for home, item in named_by if (home == question.id) is own] for own in (True, False))
    every = [item for each in course.questions for item in each.items] if asked else []
    next_items = [item for item in every if item.id == asked]
    return (*next_items, *(item for item in (*here, *there) if item.id != asked))


def follow_ups(
    course: Course, misconception: str, question: Question, missed: Item, index: Index | None = None
) -> tuple[Item, ...]:
    """The items that ask about a misconception of ``question`` again, after it showed in an answer to ``missed``."""
    return tuple(item for item in items_about(course, misconception, question, index) if item.id != missed.id)


def after_answer(belief: Misconception, item: str) -> Misconception:
    """``belief`` as it is explained after a wrong answer to ``item``: the question is not about code, and what is asked

    next is another item.
    """
    asked = belief.ask_next if belief.ask_next != item else None
    return dataclasses.replace(belief, ask=belief.ask_item or belief.ask, ask_next=asked)


def asks_itself(course: Course, misconception: str, question: Question, index: Index | None = None) -> bool:
    """Whether ``ask_next`` leads nowhere: only an answer to that very item can show the misconception, and no code."""
    belief = question.misconception(misconception)
    if belief is None or belief.ask_next is None:
        return False
    named_by = (index or indexed(course)).get(misconception, ())
    shown = any(detects(exercise, misconception) for exercise in question.exercises)
    return bool(named_by) and not shown and all(item.id == belief.ask_next for _, item in named_by)


@cached_by_identity(4)
def indexed(course: Course) -> Index:
    """For every misconception the items that name it, each with the id of its question."""
    named_by: dict[str, list[tuple[str, Item]]] = {}
    for question in course.questions:
        for item in question.items:
            for name in misconceptions_of(item):
                named_by.setdefault(name, []).append((question.id, item))
    return named_by


def exercises_about(course: Course, misconception: str, question: Question) -> tuple[Exercise, ...]:
    """The exercises with a mistake of that misconception, those of ``question`` first."""
    exercises = [exercise for home in _nearest(course, question) for exercise in home.exercises]
    return tuple(exercise for exercise in exercises if detects(exercise, misconception))


def detects(exercise: Exercise, misconception: str) -> bool:
    """Whether grading ``exercise`` can name ``misconception``."""
    return any(mistake.misconception == misconception for mistake in exercise.mistakes)


def misconceptions_of(item: Item) -> frozenset[str]:
    """The misconceptions that wrong answers to ``item`` can show, whatever its kind."""
    deferred = deferred_spec(item)
    return deferred.misconceptions if deferred else frozenset(name for _, name in mentioned(item.spec))


def mentioned(part: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The misconceptions that ``part`` of a spec names, with their places: the fields that are ``MisconceptionId``."""
    if isinstance(part, (list, tuple)):
        for index, element in enumerate(part):
            yield from mentioned(element, (*path, index))
    elif isinstance(part, Mapping):
        for key, element in part.items():
            yield from mentioned(element, (*path, key))
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        revealed = _revealed(type(part))
        for field in dataclasses.fields(part):
            value, place = getattr(part, field.name), (*path, field.name.removesuffix("_"))
            if field.name in revealed and value is not None:
                yield place, value
            else:
                yield from mentioned(value, place)


@functools.cache
def _revealed(kind: type) -> frozenset[str]:
    """The fields of a dataclass that are ``MisconceptionId``, or may be."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return frozenset(name for name, hint in hints.items() if MisconceptionId in (hint, *typing.get_args(hint)))


def _nearest(course: Course, question: Question) -> tuple[Question, ...]:
    """``question`` first, then the others in their order."""
    return (question, *(other for other in course.questions if other.id != question.id))
