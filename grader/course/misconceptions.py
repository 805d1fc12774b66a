"""Finds quiz items about a mistake in code, and exercises about a wrong answer, by their misconception.

Questions may share the id of a misconception. It is then the same wrong belief, and the current question comes first.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Iterator, Mapping, Sequence

from grader.core.cache import cached_by_identity
from grader.core.constraints import MisconceptionId
from grader.core.marks import plain
from grader.core.model import Course, Exercise, Item, Lang, Message, Misconception, Question, deferred_spec
from grader.core.text import Path


def items_about(course: Course, misconception: str, question: Question) -> tuple[Item, ...]:
    """The items about a misconception of ``question``: its ``ask_next`` first, then those that can reveal it."""
    belief = question.misconception(misconception)
    asked = course.item(belief.ask_next) if belief is not None and belief.ask_next else None
    named_by = indexed(course).get(misconception, ())
    here, there = ([item for home, item in named_by if (home == question.id) is own] for own in (True, False))
    first = () if asked is None else (asked,)
    return (*first, *(item for item in (*here, *there) if item is not asked))


def follow_ups(course: Course, misconception: str, question: Question, missed: Item) -> tuple[Item, ...]:
    """The items that ask about a misconception of ``question`` again, after it showed in an answer to ``missed``."""
    return tuple(item for item in items_about(course, misconception, question) if item.id != missed.id)


def after_answer(belief: Misconception, item: str) -> Misconception:
    """``belief`` as it is explained after a wrong answer to ``item``: the question is not about code, and what is asked

    next is another item.
    """
    asked = belief.ask_next if belief.ask_next != item else None
    return dataclasses.replace(belief, ask=belief.ask_item or belief.ask, ask_next=asked)


def asks_itself(course: Course, misconception: str, question: Question) -> bool:
    """Whether ``ask_next`` leads nowhere: only an answer to that very item can show the misconception, and no code."""
    belief = question.misconception(misconception)
    if belief is None or belief.ask_next is None:
        return False
    named_by = indexed(course).get(misconception, ())
    shown = any(detects(exercise, misconception) for exercise in question.exercises)
    return bool(named_by) and not shown and all(item.id == belief.ask_next for _, item in named_by)


@cached_by_identity(4)
def indexed(course: Course) -> Mapping[str, Sequence[tuple[str, Item]]]:
    """For every misconception the items that name it, each with the id of its question."""
    named_by: dict[str, list[tuple[str, Item]]] = {}
    for question in course.questions:
        for item in question.items:
            for name in misconceptions_of(item):
                named_by.setdefault(name, []).append((question.id, item))
    return named_by


def exercises_about(course: Course, misconception: str, question: Question) -> tuple[Exercise, ...]:
    """The exercises with a mistake of that misconception, those of ``question`` first."""
    homes = (question, *(other for other in course.questions if other.id != question.id))
    exercises = [exercise for home in homes for exercise in home.exercises]
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


@dataclasses.dataclass(frozen=True, slots=True)
class MisconceptionCoverage:
    """A misconception, the ids of the items about it (nearest first), and the names of the exercises that reveal it."""

    misconception: Misconception
    items: tuple[str, ...]
    exercises: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class QuestionCoverage:
    """The coverage of one question. ``exercises`` are names with the ids of the items about the same ideas."""

    question: Question
    beliefs: tuple[MisconceptionCoverage, ...]
    exercises: tuple[tuple[str, tuple[str, ...]], ...]


def coverage_of(course: Course, questions: Sequence[Question] | None = None) -> tuple[QuestionCoverage, ...]:
    """The coverage of ``questions`` (default: all) by the items and exercises of the whole course."""
    return tuple(_place(course, question) for question in questions or course.questions)


def _place(course: Course, question: Question) -> QuestionCoverage:
    beliefs = tuple(_belief(course, question, misconception) for misconception in question.misconceptions)
    about = {belief.misconception.id: belief.items for belief in beliefs}
    exercises = []
    for exercise in question.exercises:
        shown = [mistake.misconception for mistake in exercise.mistakes]
        exercises.append((exercise.name, tuple(dict.fromkeys(item for name in shown for item in about.get(name, ())))))
    return QuestionCoverage(question, beliefs, tuple(exercises))


def _belief(course: Course, question: Question, misconception: Misconception) -> MisconceptionCoverage:
    items = items_about(course, misconception.id, question)
    homes = [home for home in course.questions if home.misconception(misconception.id) is not None]
    detecting = (e.name for home in homes for e in home.exercises if detects(e, misconception.id))
    return MisconceptionCoverage(misconception, tuple(item.id for item in items), tuple(detecting))


_HEAD = Message(
    "# Map of the course\n\n{title}: {questions} questions, {items} items, {exercises} exercises, {beliefs} "
    "misconceptions.\nWritten by `attncheck questions --map --markdown`. A misconception is shown with the items that "
    "ask about it and the exercises in which\nit is recognised."
)


def markdown(course: Course, lang: Lang) -> str:
    """The whole map as a Markdown page."""
    covered = coverage_of(course)
    head = _HEAD.fill(
        title=course.title,
        questions=len(covered),
        items=sum(len(coverage.question.items) for coverage in covered),
        exercises=sum(len(coverage.exercises) for coverage in covered),
        beliefs=sum(len(coverage.beliefs) for coverage in covered),
    )
    lines = [head.of(lang)]
    for coverage in covered:
        title = f"## {coverage.question.id} {coverage.question.title.of(lang)}"
        lines += ["", title, "", *_rows(coverage, lang == "zh")]
    return plain("\n".join(lines) + "\n")


def _rows(coverage: QuestionCoverage, zh: bool) -> Iterator[str]:
    yield f"| {'误解 | 小题 | 练习' if zh else 'misconception | items | exercises'} |"
    yield "|---|---|---|"
    for belief in coverage.beliefs:
        named = ", ".join(belief.items), ", ".join(f"`{name}`" for name in belief.exercises)
        yield f"| {belief.misconception.id} | {' | '.join(part or '–' for part in named)} |"
    if coverage.exercises:
        yield ""
        heading = "与练习同一想法的小题：" if zh else "Items about the ideas of its exercises:"
        parts = [f"`{name}` ({', '.join(items) or '–'})" for name, items in coverage.exercises]
        yield f"{heading} {'；'.join(parts) if zh else '; '.join(parts)}"
