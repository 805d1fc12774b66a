"""What a learner knows: a fold over the events of ``grader.learning.log``, in the order of the course.

Also the events that grading, and ``attncheck watch``, add to the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from grader.core import score
from grader.core.model import Course, Exercise, Item, Message, Misconception, Question, Report, Status, Text, WatchState
from grader.course import misconceptions
from grader.learning.log import Answered, Coded, Event, Explained, Hinted, Named

#: Of an item: not answered, between two attempts, not graded automatically, settled as incorrect or correct.
#: Of an exercise: "new" (not graded), "wrong" (not passed) or "right" (passed). The last event counts.
Standing: TypeAlias = Literal["new", "begun", "waiting", "wrong", "right"]


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """One item. ``tries`` counts the attempts since it was last started afresh; ``at`` is the time of the last one.

    ``made``: so many key points the last answer makes, in the learner's own judgement, of so many.
    """

    item: Item
    standing: Standing = "new"
    tries: int = 0
    at: datetime | None = None
    made: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ExerciseProgress:
    """One exercise. ``hints`` is the highest hint shown; ``status`` and ``at`` are those of the last result."""

    exercise: Exercise
    standing: Standing = "new"
    hints: int = 0
    status: Status | None = None
    at: datetime | None = None

    @property
    def practice(self) -> float:
        """The practice points, which hints reduce; the grade does not depend on hints."""
        return score.tidy(self.exercise.points * score.practice(float(self.standing == "right"), hints=self.hints))


@dataclass(frozen=True, slots=True)
class MisconceptionProgress:
    """A misconception seen ``times`` times. ``open``: nothing about it was correct since it was last seen (``at``).

    ``where`` names the item or exercise that showed it last. If it is not ``told``, an item that showed it has attempts
    left, to which its name and its truth would be answers.
    """

    question: Question
    belief: Misconception
    times: int
    open: bool
    at: datetime
    where: str = ""
    told: bool = True

    @property
    def title(self) -> Text:
        """The question that it is about."""
        return Message("{id}, “{title}”").fill(id=self.question.id, title=self.question.title)

    @property
    def ask(self) -> Text | None:
        """The question to think about, if there is one."""
        return self.belief.ask_item or self.belief.ask


@dataclass(frozen=True, slots=True)
class QuestionProgress:
    """One question with its items and exercises, in the order of the bank."""

    question: Question
    items: tuple[ItemProgress, ...]
    exercises: tuple[ExerciseProgress, ...]
    beliefs: tuple[MisconceptionProgress, ...]

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The standings of its items, then of its exercises."""
        return (*(item.standing for item in self.items), *(exercise.standing for exercise in self.exercises))

    @property
    def right(self) -> int:
        """The number of items and exercises that are correct."""
        return self.standings.count("right")

    @property
    def begun(self) -> bool:
        """Whether anything was answered, graded or hinted at."""
        return any(standing != "new" for standing in self.standings) or any(each.hints for each in self.exercises)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of one learner in one course."""

    learner: str | None
    questions: tuple[QuestionProgress, ...]

    @property
    def begun(self) -> bool:
        """Whether any question was begun."""
        return any(question.begun for question in self.questions)

    @property
    def items(self) -> tuple[ItemProgress, ...]:
        """The items of all questions."""
        return tuple(item for question in self.questions for item in question.items)

    @property
    def beliefs(self) -> tuple[MisconceptionProgress, ...]:
        """The misconceptions seen, the latest first."""
        beliefs = [belief for question in self.questions for belief in question.beliefs]
        return tuple(sorted(beliefs, key=lambda belief: belief.at, reverse=True))

    def question(self, name: str) -> QuestionProgress:
        """The progress in the question ``name``."""
        return next(question for question in self.questions if question.question.id == name)


@dataclass(frozen=True, slots=True)
class _Log:
    """The events by item or exercise. ``met`` and ``passed`` hold positions in the log."""

    answered: dict[str, Answered]
    explained: dict[str, Explained]
    coded: dict[str, Coded]
    hints: dict[str, int]
    met: dict[str, dict[str, list[int]]]
    passed: dict[str, int]
    learner: str | None


def progress_of(course: Course, events: Sequence[Event], about: About | None = None) -> Progress:
    """Folds ``events`` into the progress; events about things that the course no longer has are ignored.

    ``about`` is ``parts_by_misconception(course)``, if known already: it takes longer than everything else.
    """
    log = _log(events)
    if about is None:
        about = parts_by_misconception(course) if log.met else {}
    return Progress(
        log.learner,
        tuple(
            QuestionProgress(
                question,
                tuple(_item(item, log) for item in question.items),
                tuple(_exercise(each, log) for each in question.exercises),
                tuple(_beliefs(question, events, log, about)),
            )
            for question in course.questions
        ),
    )


def hints_taken(events: Sequence[Event], exercise: str) -> int:
    """The highest hint (from 1) shown for ``exercise``; 0 if none was."""
    return max(hints_shown(events, exercise), default=0)


def hints_shown(events: Sequence[Event], exercise: str) -> frozenset[int]:
    """The hints (from 1) that were shown for ``exercise``."""
    return frozenset(e.rung for e in events if isinstance(e, Hinted) and e.exercise == exercise)


def last_misconception(events: Sequence[Event], exercise: str) -> str | None:
    """The misconception that the last result of ``exercise`` showed."""
    shown = [e.misconception for e in events if isinstance(e, Coded) and e.exercise == exercise]
    return shown[-1] if shown else None


def _log(events: Sequence[Event]) -> _Log:
    log = _Log({}, {}, {}, {}, {}, {}, None)
    for number, event in enumerate(events):
        match event:
            case Answered(item=name):
                log.answered[name] = event
                log.explained.pop(name, None)
            case Explained(item=name):
                log.explained[name] = event
                continue
            case Coded(exercise=name):
                log.coded[name] = event
            case Hinted(exercise=name, rung=rung):
                log.hints[name] = max(rung, log.hints.get(name, 0))
                continue
            case Named(learner=learner):
                log = replace(log, learner=learner)
                continue
            case _:
                continue
        if event.status is Status.PASSED:
            log.passed[name] = number
        elif event.misconception is not None:
            log.met.setdefault(name, {}).setdefault(event.misconception, []).append(number)
    return log


def _item(item: Item, log: _Log) -> ItemProgress:
    last = log.answered.get(item.id)
    if last is None:
        return ItemProgress(item)
    standing = _SETTLED_BY.get(last.status, "wrong") if last.settled else "begun"
    ticked = log.explained.get(item.id)
    made = None if ticked is None else (len(ticked.said), ticked.points)
    return ItemProgress(item, standing, last.attempt, last.at, made)


_SETTLED_BY: dict[Status, Standing] = {Status.PASSED: "right", Status.PENDING: "waiting"}


def _exercise(exercise: Exercise, log: _Log) -> ExerciseProgress:
    hints = min(log.hints.get(exercise.name, 0), len(exercise.hints))
    last = log.coded.get(exercise.name)
    if last is None:
        return ExerciseProgress(exercise, hints=hints)
    return ExerciseProgress(exercise, "right" if last.status is Status.PASSED else "wrong", hints, last.status, last.at)


def _beliefs(question: Question, events: Sequence[Event], log: _Log, about: About) -> Iterator[MisconceptionProgress]:
    own = [*(item.id for item in question.items), *(exercise.name for exercise in question.exercises)]
    met = {name: log.met[name] for name in own if name in log.met}
    for belief in question.misconceptions if met else ():
        showed = {name: numbers[belief.id] for name, numbers in met.items() if belief.id in numbers}
        if not showed:
            continue
        last, where = max((numbers[-1], name) for name, numbers in showed.items())
        places = {*showed, *about.get(belief.id, ()), belief.ask_next}
        still = all(log.passed.get(place, -1) < last for place in places if place is not None)
        times = sum(map(len, showed.values()))
        told = all(log.answered[name].settled for name in showed if name in log.answered)
        yield MisconceptionProgress(question, belief, times, still, events[last].at, where, told)


#: For each misconception, the items and exercises that can only be correct without it.
About: TypeAlias = dict[str, set[str]]


def parts_by_misconception(course: Course) -> About:
    """For each misconception of ``course``, the items and exercises that can only be correct without it."""
    parts = {name: {item.id for _, item in named} for name, named in misconceptions.indexed(course).items()}
    for exercise in (exercise for question in course.questions for exercise in question.exercises):
        for mistake in exercise.mistakes:
            parts.setdefault(mistake.misconception, set()).add(exercise.name)
    return parts


# --------------------------------------------------------------------- what grading adds to the log

#: Statuses that say nothing about the code.
NOT_GRADED = (Status.MISSING, Status.SKIPPED, Status.UNMARKED)


def code_events(course: Course, report: Report, at: datetime) -> tuple[Coded, ...]:
    """An event for every exercise of ``report`` that was attempted."""
    return tuple(
        Coded(at, course.public_id, result.name, result.status, result.misconception)
        for question in report.questions
        for result in question.exercises
        if result.status not in NOT_GRADED
    )


def new_events(events: Sequence[Coded], log: Sequence[Event]) -> tuple[Coded, ...]:
    """Those of ``events`` that differ from the last event of ``log`` about the same exercise."""
    last = {event.exercise: (event.status, event.misconception) for event in log if isinstance(event, Coded)}
    return tuple(event for event in events if last.get(event.exercise) != (event.status, event.misconception))


def watch_events(page: WatchState, course: Course, log: Sequence[Event], at: datetime) -> tuple[Event, ...]:
    """What a page of ``attncheck watch`` adds to ``log``: changed results, and hints not shown before."""
    events: list[Event] = [] if page.report is None else [*new_events(code_events(course, page.report, at), log)]
    if page.current is not None:
        shown = hints_shown(log, page.current.name)
        new = [number for number in page.hints if number not in shown]
        events += [Hinted(at, course.public_id, page.current.name, number) for number in new]
    return tuple(events)
