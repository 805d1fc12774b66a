"""The course map: which items and exercises reveal each misconception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.core.model import Course, Message, Misconception, Question
from grader.course import misconceptions


@dataclass(frozen=True, slots=True)
class MisconceptionCoverage:
    """A misconception, the ids of the items about it (nearest first), and the names of the exercises that reveal it."""

    misconception: Misconception
    items: tuple[str, ...]
    exercises: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionCoverage:
    """The coverage of one question. ``exercises`` are names with the ids of the items about the same ideas."""

    question: Question
    beliefs: tuple[MisconceptionCoverage, ...]
    exercises: tuple[tuple[str, tuple[str, ...]], ...]


def coverage_of(course: Course, questions: Sequence[Question] | None = None) -> tuple[QuestionCoverage, ...]:
    """The coverage of ``questions`` (default: all) by the items and exercises of the whole course."""
    index = misconceptions.indexed(course)
    return tuple(_place(course, question, index) for question in questions or course.questions)


def _place(course: Course, question: Question, index: misconceptions.Index) -> QuestionCoverage:
    beliefs = tuple(_belief(course, question, misconception, index) for misconception in question.misconceptions)
    about = {belief.misconception.id: belief.items for belief in beliefs}
    exercises = []
    for exercise in question.exercises:
        shown = [mistake.misconception for mistake in exercise.mistakes]
        exercises.append((exercise.name, tuple(dict.fromkeys(item for name in shown for item in about.get(name, ())))))
    return QuestionCoverage(question, beliefs, tuple(exercises))


def _belief(
    course: Course, question: Question, misconception: Misconception, index: misconceptions.Index
) -> MisconceptionCoverage:
    items = misconceptions.items_about(course, misconception.id, question, index)
    exercises = [
        exercise.name
        for home in course.questions
        for exercise in home.exercises
        if home.misconception(misconception.id) is not None and misconceptions.detects(exercise, misconception.id)
    ]
    return MisconceptionCoverage(misconception, tuple(item.id for item in items), tuple(exercises))


_HEAD = Message(
    "# Map of the course\n\n{title}: {questions} questions, {items} items, {exercises} exercises, {beliefs} "
    "misconceptions.\nWritten by `attncheck questions --map --markdown`. A misconception is shown with the items that "
    "ask about it and the exercises in which\nit is recognised."
)


def markdown(course: Course, lang: str) -> str:
    """The whole map as a Markdown page."""
    zh = lang == "zh"
    covered = coverage_of(course)
    head = _HEAD.fill(
        title=course.title,
        questions=len(covered),
        items=sum(len(coverage.question.items) for coverage in covered),
        exercises=sum(len(coverage.exercises) for coverage in covered),
        beliefs=sum(len(coverage.beliefs) for coverage in covered),
    )
    lines = [head.zh if zh else head.en]
    for coverage in covered:
        title = coverage.question.title.zh if zh else coverage.question.title.en
        lines += ["", f"## {coverage.question.id} {title}", "", *_rows(coverage, zh)]
    return "\n".join(lines) + "\n"


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
