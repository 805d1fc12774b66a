"""The answers that a class gave to an item, and answers that fit another learner's numbers. Pure functions.

If every learner gets different numbers, an answer that is wrong for the learner's own numbers but correct for those of
others may have been copied from one of them. It is a reason to ask, never proof: there are few sets of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.classroom.marks import Mark
from grader.core.model import Course, Item, ItemResult, Status
from grader.core.text import clean
from grader.course import items

#: A mark that counts, and the answers of its submission by item.
MarkAndAnswers: TypeAlias = tuple[Mark, Mapping[str, object]]
#: Somebody's numbers for an item, by name.
_Draw: TypeAlias = tuple[tuple[str, int | float], ...]
#: The most characters of an answer that are shown.
_LONGEST = 300
#: The limit on computation steps when one answer is judged for one set of numbers.
_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as shown to people, its status, and who gave it. ``ids`` are the options of a choice that it names."""

    text: str
    status: Status
    misconception: str | None
    learners: tuple[str, ...]
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BorrowedAnswer:
    """A wrong answer of ``learner`` that is correct for the numbers of ``sources``, other learners of the class.

    ``own`` and ``theirs`` are (name, value). If the answer is correct for several sets of numbers, ``theirs`` has the
    values that these share. ``signed`` is the name in answers.yaml if it is not the learner's id in the roster, and the
    answer is correct for its numbers: the learner may have answered under that name.
    """

    learner: str
    item: str
    answer: str
    own: tuple[tuple[str, int | float], ...]
    theirs: tuple[tuple[str, int | float], ...]
    sources: tuple[str, ...]
    signed: str = ""


def answer_text(answer: object) -> str:
    """An answer in the form in which a learner would type it."""
    match answer:
        case None:
            return ""
        case str():
            return clean(answer, _LONGEST, lines=True).strip()
        case Mapping():
            return ", ".join(f"{clean(str(key), 40)}-{clean(str(value), 40)}" for key, value in answer.items())
        case list() | tuple():
            whole = "\n" if any(isinstance(part, str) and len(part) > 3 for part in answer) else ", "
            return clean(whole.join(str(part) for part in answer), _LONGEST, lines=True)
    return clean(str(answer), _LONGEST)


def given_answers(item: Item, answered: Iterable[MarkAndAnswers]) -> tuple[GivenAnswer, ...]:
    """The distinct answers to ``item``, the most frequent first. Case and spaces are ignored."""
    found: dict[tuple[str, Status, str | None], list[tuple[str, str, tuple[str, ...]]]] = {}
    for mark, answers in answered:
        result = item_result(mark, item.id)
        if result is None or result.status is Status.MISSING or item.id not in answers:
            continue
        text, ids = answer_text(answers[item.id]), _options(item, answers[item.id])
        same = ", ".join(ids) if ids else "".join(text.casefold().split())
        key = same, result.status, result.misconception
        found.setdefault(key, []).append((mark.learner.id, text, ids))
    made = (
        GivenAnswer(every[0][1], status, belief, tuple(dict.fromkeys(name for name, _, _ in every)), every[0][2])
        for (_, status, belief), every in found.items()
    )
    return tuple(sorted(made, key=lambda each: (-len(each.learners), each.text)))


def _options(item: Item, answer: object) -> tuple[str, ...]:
    """The ids of the options that an answer names, in the order of the item; empty if the item has no options."""
    known = {option.id.lower(): option.id for option in items.options(item)}
    parts = answer if isinstance(answer, (list, tuple)) else [answer]
    chosen = {str(part).strip().lower() for part in parts}
    return tuple(name for key, name in known.items() if key in chosen) if chosen and chosen <= known.keys() else ()


def item_result(mark: Mark, name: str, question: str | None = None) -> ItemResult | None:
    """The result of the item ``name`` in the submission of a mark; None if there is none. Faster with ``question``."""
    results = mark.work.results if mark.work is not None else ()
    mine = (result for result, _ in results if question in (None, result.id))
    return next((item for result in mine for item in result.items if item.id == name), None)


# ------------------------------------------------------------------------------- somebody else's numbers


def borrowed_answers(course: Course, answered: Sequence[MarkAndAnswers]) -> tuple[BorrowedAnswer, ...]:
    """All answers that fit another learner's numbers, ordered by item as in the course, then by learner."""
    personal = {
        item.id: (question.id, item)
        for question in course.questions
        for item in question.items
        if items.draw_choices(item.spec) and not items.is_heavy(item) and not item.sealed
    }
    drawing = [(mark, answers) for mark, answers in answered if mark.work is not None and mark.work.row.seed_name]
    wrong: dict[str, list[tuple[Mark, object]]] = {}
    for mark, answers in drawing:
        for name in answers.keys() & personal.keys():
            result = item_result(mark, name, personal[name][0])
            if result is not None and result.status is Status.FAILED and result.readable:
                wrong.setdefault(name, []).append((mark, answers[name]))
    return tuple(
        found
        for name, (question, item) in personal.items()
        if name in wrong  # drawing numbers for a whole class takes long
        for found in _borrowed(course, question, item, [mark for mark, _ in drawing], wrong[name])
    )


def _borrowed(
    course: Course, question: str, item: Item, marks: Sequence[Mark], failed: Sequence[tuple[Mark, object]]
) -> Iterator[BorrowedAnswer]:
    having: dict[_Draw, dict[str, None]] = {}  # the learners, in order
    draws: dict[_Draw, items.Context] = {}
    drawn: dict[str, _Draw] = {}  # by seed name
    for mark in marks:
        if mark.work is None or item_result(mark, item.id, question) is None:
            continue
        seed_name = mark.work.row.seed_name
        if seed_name not in drawn:
            context = items.Context(course.public_id, seed_name, item.id)
            drawn[seed_name] = tuple(items.draw(item.spec, context).items())
            draws.setdefault(drawn[seed_name], context)
        having.setdefault(drawn[seed_name], {})[mark.learner.id] = None
    known: dict[tuple[str, _Draw], bool] = {}
    for mark, value in failed:
        assert mark.work is not None
        learner, own, signed = mark.learner.id, drawn[mark.work.row.seed_name], mark.work.row.signed
        fitting = []
        for theirs, context in draws.items():
            asked = repr(value), theirs
            if asked not in known:
                known[asked] = _is_correct(item, value, context)
            if theirs != own and known[asked]:
                fitting.append(theirs)
        sources = tuple(sorted({name for theirs in fitting for name in having[theirs] if name != learner}))
        if sources:
            same = tuple(each for each in fitting[0] if all(each in theirs for theirs in fitting))
            if signed and not _is_correct(item, value, items.Context(course.public_id, signed, item.id)):
                signed = None
            yield BorrowedAnswer(learner, item.id, answer_text(value), own, same or fitting[0], sources, signed or "")


def _is_correct(item: Item, value: object, context: items.Context) -> bool:
    return items.judge_within(_STEPS, item, value, context)[0].status is Status.PASSED


@dataclass(frozen=True, slots=True)
class BorrowedByLearner:
    """A learner with all their borrowed answers; ``sources`` are the learners whose numbers fit every one of them."""

    learner: str
    answers: tuple[BorrowedAnswer, ...]
    sources: tuple[str, ...]


def borrowed_by_learner(found: Iterable[BorrowedAnswer]) -> tuple[BorrowedByLearner, ...]:
    """The answers grouped by learner: the most answers first, then the fewest possible sources."""
    mine: dict[str, list[BorrowedAnswer]] = {}
    for one in found:
        mine.setdefault(one.learner, []).append(one)
    made = [
        BorrowedByLearner(
            name, tuple(every), tuple(n for n in every[0].sources if all(n in each.sources for each in every))
        )
        for name, every in mine.items()
    ]
    return tuple(sorted(made, key=lambda one: (-len(one.answers), len(one.sources) or len(mine) + 1, one.learner)))
