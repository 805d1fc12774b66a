"""Explain the points of one item or check: replay it, and show inputs, expected and actual results, and provenance.

For instructors only: hidden inputs and expected values are shown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.classroom.gradebook import Gradebook, GradingRun, LearnerRow, Override, SubmissionRow, open_gradebook
from grader.classroom.marks import marks
from grader.classroom.recorder import question_version
from grader.classroom.results import Book, parts
from grader.core.errors import UsageError
from grader.core.model import (
    Array,
    Course,
    Diagnosis,
    Difference,
    Exercise,
    ExerciseResult,
    Item,
    ItemResult,
    Message,
    Misconception,
    Observation,
    Outcome,
    Own,
    Question,
    QuestionResult,
    Returned,
    Same,
    Status,
    Submission,
    Text,
)
from grader.core.text import name_list, same
from grader.course import answer_ids, items
from grader.course import loader as course
from grader.grading import courses
from grader.grading.answer_grading import judge_answer
from grader.grading.compare import compare
from grader.grading.context import GradingContext
from grader.grading.failures import verdict
from grader.grading.grade import Replay, replay
from grader.grading.inputs import Drawn, DrawnMade, Seed
from grader.grading.programs import apply_variant
from grader.grading.reference_results import reference_observer
from grader.instructor.overrides import find_learner
from grader.instructor.regrade import check_seed, course_of, is_as_graded, points_of
from grader.submission import read

if TYPE_CHECKING:
    from grader.core.model import Observe

#: Arrays with at most this many entries are shown in full; of larger ones, only the corners.
_IN_FULL = 64
_LINES = 24
_WIDTH = 72


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What to explain. ``check`` is an item id, ``exercise``, ``exercise/check`` or ``exercise/check/case``."""

    folder: Path
    learner: str
    check: str
    seed: Seed
    course_folder: Path | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value as shown to people: name, kind, and content, shortened if it is long."""

    name: Text
    kind: Text
    text: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explained item or check. ``agrees`` is false if the replay gave a different result from the grading.

    ``where`` is the item id or ``exercise/check/case``. ``status``, ``earned`` and ``message`` are as recorded,
    ``replayed`` is the status in the replay, and ``told`` is the message of the check with nothing hidden. ``changed``
    is true if the question has changed since it was graded.
    """

    learner: str
    submission: str
    where: str
    status: Status
    earned: float
    possible: float
    message: Text | None
    run: GradingRun
    version: str
    agrees: bool
    replayed: Status
    told: Text | None = None
    misconception: Misconception | None = None
    visibility: str = "public"
    ask: Text | None = None
    inputs: tuple[ShownValue, ...] = ()
    expected: tuple[ShownValue, ...] = ()
    actual: tuple[ShownValue, ...] = ()
    difference: Difference | None = None
    diagnosis: tuple[Diagnosis, ...] = ()
    file: str | None = None
    array_type: str | None = None
    variant: str | None = None
    changed: bool = False
    override: Override | None = None


@dataclass(frozen=True, slots=True)
class RecordedPart:
    """What the gradebook records about one item or exercise of a submission, and what a replay needs."""

    learner: LearnerRow
    row: SubmissionRow
    submission: Submission
    course: Course
    question: Question
    part: Item | Exercise
    rest: str
    result: ItemResult | ExerciseResult
    run: GradingRun
    version: str
    changed: bool
    override: Override | None


# ---------------------------------------------------------------------------------------------- finding


def find_recorded_part(request: ExplainRequest) -> RecordedPart:
    """Look up what to explain. Raises UsageError if nothing is recorded or the files have changed since grading."""
    with contextlib.closing(open_gradebook(request.folder)) as book:
        loaded = course.full_course(courses.load(course_of(book, request.course_folder)))
        question, part, rest = _part(request.check, loaded, tuple(points_of(book)))
        if isinstance(part, Exercise):  # nothing about an answer depends on the seed
            check_seed(book, request.seed)
        learner = find_learner(book, request.learner)
        row = _submission(book, loaded, learner, request.attempt)
        if row.error is not None:
            raise UsageError(
                Message("The submission {key} of {learner} could not be graded: {why}").fill(
                    key=row.key, learner=learner.id, why=row.error
                )
            )
        known = Book.of(book, loaded).versions.get(question.id, "")
        found = book.units(row, {question.id: known})
        result = _result(found[0][0].result, part) if found else None
        if result is None:
            raise UsageError(
                Message(
                    "{question} of {learner} is not graded in this version; run 'attncheck batch' or 'regrade'."
                ).fill(question=question.id, learner=learner.id)
            )
        place = book.place(row)
        if not is_as_graded(row, place):
            raise UsageError(
                Message(
                    "{place} is missing or has changed since it was graded; restore it, or grade the collection again."
                ).fill(place=place)
            )
        names = (result.id if isinstance(result, ItemResult) else result.name, learner.id)
        return RecordedPart(
            learner,
            row,
            read(place, row.seed_name),
            loaded,
            question,
            part,
            rest,
            result,
            found[0][1],
            known,
            question_version(question, loaded, str(book.recall("seed"))) != known,
            next((change for change in book.overrides() if (change.part, change.learner) == names), None),
        )


def _part(check: str, loaded: Course, counting: Sequence[str]) -> tuple[Question, Item | Exercise, str]:
    """The question, the item or exercise that ``check`` starts with, and the rest of ``check``."""
    name, _, rest = check.partition("/")
    known: dict[str, tuple[Question, Item | Exercise]] = {}
    for question in (each for each in loaded.questions if each.id in counting):
        known |= {exercise.name.casefold(): (question, exercise) for exercise in question.exercises}
        known |= {item.id.casefold(): (question, item) for item in question.items if item.use == "graded"}
    if name.casefold() not in known:
        there = name_list(part.id if isinstance(part, Item) else part.name for _, part in known.values())
        raise UsageError(
            Message(
                "There is no exercise or graded item “{name}”; expected a name, or EXERCISE/CHECK/CASE, of one of: "
                "{there}"
            ).fill(name=name, there=there)
        )
    question, part = known[name.casefold()]
    if rest and isinstance(part, Item):
        raise UsageError(
            Message("{part} is an item, which has no checks: leave out “/{rest}”.").fill(part=part.id, rest=rest)
        )
    return question, part, rest


def _submission(book: Gradebook, loaded: Course, learner: LearnerRow, attempt: int | None) -> SubmissionRow:
    """The submission with this attempt number; without one, the submission that counts."""
    theirs = [row for row in book.submissions() if learner.id in (row.learners or (row.key,))]
    if not theirs:
        raise UsageError(Message("{learner} has no submission.").fill(learner=learner.id))
    if attempt is not None:
        found = next((row for row in theirs if row.attempt == attempt), None)
        if found is None:
            there = ", ".join(str(number) for number in sorted({row.attempt for row in theirs}))
            raise UsageError(
                Message("{learner} has no attempt {attempt}; available: {there}.").fill(
                    learner=learner.id, attempt=attempt, there=there
                )
            )
        return found
    known = Book.of(book, loaded)
    works = [known.work(row) for row in theirs]
    found_marks = marks(learner, works, known.points, book.overrides(), loaded.rules, parts(loaded))
    return [mark.work.row for mark in found_marks if mark.counts and mark.work is not None][-1]


def _result(result: QuestionResult, part: Item | Exercise) -> ItemResult | ExerciseResult | None:
    if isinstance(part, Item):
        return next((each for each in result.items if each.id == part.id), None)
    return next((each for each in result.exercises if each.name == part.name), None)


# ---------------------------------------------------------------------------------------------- replaying


def explain_item(found: RecordedPart, item: Item, result: ItemResult) -> Explanation:
    """Explain an answer: judge it again, and show it with a correct answer."""
    context = items.Context(found.course.public_id, found.submission.learner, item.id)
    submission = answer_ids.matched(found.course, found.submission)
    answer = next((each for each in submission.answers or () if each.item == item.id), None)
    value = None if answer is None else answer.value
    judged = Status.MISSING
    if answer is not None and value is not None:
        judged = Status.FAILED if answer.problem is not None else judge_answer(item, value, context).status
    numbers = items.draw(item.spec, context)
    asked = items.ask(item, context)
    inputs = [ShownValue(same(name), same(str(number))) for name, number in numbers.items()]
    inputs += [ShownValue(same(choice.id), choice.text) for choice in (*asked.choices, *asked.partners)]
    return Explanation(
        learner=found.learner.id,
        submission=found.row.key,
        where=item.id,
        status=result.status,
        earned=result.earned,
        possible=result.possible,
        message=result.message,
        run=found.run,
        version=found.version,
        agrees=judged is result.status,
        replayed=judged,
        misconception=found.question.misconception(result.misconception),
        ask=items.fill(item.ask, numbers),
        inputs=tuple(inputs),
        expected=(ShownValue(_ANSWER, items.key(item, context)),),
        actual=() if value is None else (ShownValue(_ANSWER, same(_short(value))),),
        changed=found.changed,
        override=found.override,
    )


def explain_code(
    found: RecordedPart, exercise: Exercise, result: ExerciseResult, seed: Seed, observe: Observe
) -> Explanation:
    """Explain a check on one case: run it again, with the reference."""
    outcome = _chosen(result, found.rest)
    recorded = result.outcomes[outcome]
    where = f"{exercise.name}/{recorded.check}/{recorded.case}"
    context = GradingContext(found.course, seed, reference_observer(observe, seed))
    again = replay(context, found.question, exercise, found.submission, observe)
    at = _same_entry(again, result, outcome)
    if at is None:
        raise UsageError(
            Message("{where} is no longer in the course; run 'attncheck regrade' to grade by the current course.").fill(
                where=where
            )
        )
    fresh = again.result.outcomes[at]
    told = again.unredacted(exercise, at)
    entry = again.entries[at]
    drawn = entry.drawn if again.form is None else apply_variant(again.form.variant, entry.drawn)
    expected = again.expected[at] if again.form else ()
    got = again.got[at] if again.form else ()
    failed = fresh.status is not Status.PASSED
    return Explanation(
        learner=found.learner.id,
        submission=found.row.key,
        where=where,
        status=recorded.status,
        earned=recorded.earned,
        possible=recorded.possible,
        message=recorded.verdict.message,
        run=found.run,
        version=found.version,
        agrees=_agree(fresh, recorded),
        replayed=fresh.status,
        told=told.message,
        misconception=found.question.misconception(recorded.verdict.misconception or result.misconception),
        visibility=recorded.visibility,
        inputs=tuple(_inputs(drawn)),
        expected=tuple(_things(expected)),
        actual=tuple(_things(got)),
        difference=(told.difference or _difference(expected, got)) if failed else None,
        diagnosis=again.result.diagnosis if failed else (),
        file=again.result.file,
        array_type=again.form.array_type if again.form else None,
        variant=again.form.variant.name if again.form and again.form.variant else None,
        changed=found.changed,
        override=found.override,
    )


def _agree(fresh: Outcome, recorded: Outcome) -> bool:
    """Whether two outcomes agree. Messages of time-outs may differ: which of two clocks is first depends on load."""
    same = fresh.verdict.message == recorded.verdict.message or fresh.status is Status.TIMED_OUT
    return fresh.status is recorded.status and same


def _chosen(result: ExerciseResult, rest: str) -> int:
    """The index of the first failed outcome, else the first one, that ``rest`` (``check/case`` or less) selects."""
    check, _, case = rest.partition("/")
    wanted = [
        at
        for at, outcome in enumerate(result.outcomes)
        if (not check or outcome.check == check) and (not case or outcome.case == case)
    ]
    if not wanted:
        there = dict.fromkeys(f"{result.name}/{outcome.check}/{outcome.case}" for outcome in result.outcomes)
        raise UsageError(
            Message("{result} has no check “{rest}”; available: {there}.").fill(
                result=result.name, rest=rest, there=name_list(there)
            )
        )
    lost = [at for at in wanted if result.outcomes[at].verdict.applies and result.outcomes[at].status != Status.PASSED]
    return (lost or wanted)[0]


def _same_entry(again: Replay, result: ExerciseResult, at: int) -> int | None:
    """The index of outcome ``at`` in the replay: the same, unless the question has changed; None if it is gone."""
    names = [(outcome.check, outcome.case) for outcome in again.result.outcomes]
    name = (result.outcomes[at].check, result.outcomes[at].case)
    if at < len(names) and names[at] == name:
        return at
    return names.index(name) if name in names else None


def _difference(expected: tuple[Observation, ...], got: tuple[Observation, ...]) -> Difference | None:
    """The first difference between what the submission and the reference returned."""
    for right, mine in zip(expected, got, strict=False):
        if isinstance(right, Returned) and isinstance(mine, Returned):
            for one, other in zip(right.values, mine.values, strict=False):
                found = compare(one, other)
                if found is not None:
                    return found.difference
    return None


# ---------------------------------------------------------------------------------------------- showing

_ANSWER = Message("answer")
_SAME_ARRAY = Message("the same as {name}")
_MADE = Message("made by {helper}")
_OWN = Message("the submission's own {name}")
_RESULT = Message("result")
_RUN = Message("run {number}")
_NAME = Message("{name}")
_LARGER = Message("{name}, larger")


def _inputs(drawn: Drawn, called: Text = _NAME) -> Iterator[ShownValue]:
    for name, value in (*drawn.construct, *drawn.parameters, *drawn.args):
        yield _thing(called.fill(name=name), value)
    for larger in drawn.larger:
        yield from _inputs(larger, _LARGER)


def _things(seen: tuple[Observation, ...]) -> Iterator[ShownValue]:
    """The results of each program."""
    for number, observation in enumerate(seen, 1):
        run = _RUN.fill(number=number) if len(seen) > 1 else _RESULT
        if isinstance(observation, Returned):
            for value in observation.values:
                yield _thing(run, value)
        else:
            yield ShownValue(run, verdict(observation, public=True).message or same(""))


def _thing(name: Text, value: Any) -> ShownValue:
    match value:
        case Array(values=values):
            return _thing(name, values)
        case np.ndarray():
            return ShownValue(name, same(f"{value.dtype} {value.shape}"), format_array(value))
        case Same(name=other):
            return ShownValue(name, _SAME_ARRAY.fill(name=other))
        case DrawnMade(helper=helper):
            return ShownValue(name, _MADE.fill(helper=helper), _short(dict(value.parts)) if value.parts else "")
        case Own(name=other):
            return ShownValue(name, _OWN.fill(name=other))
        case tuple() | list() if any(isinstance(part, (Array, np.ndarray)) for part in value):
            inner = [_thing(name, part) for part in value]
            kinds = ", ".join(part.kind.en for part in inner)
            return ShownValue(name, same(f"({kinds})"), "\n".join(part.text for part in inner))
    return ShownValue(name, same(_short(value)))


def format_array(values: np.ndarray[Any, Any]) -> str:
    """An array as text of limited length: in full if it is small, else its corners."""
    if values.size > _IN_FULL and values.ndim > 3:
        values = values.reshape(-1, *values.shape[-2:])
    text = np.array2string(values, max_line_width=_WIDTH, precision=6, threshold=_IN_FULL, edgeitems=2)
    lines = text.splitlines()
    return "\n".join(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"])


def _short(value: Any) -> str:
    said = value if isinstance(value, str) else repr(value)
    return said if len(said) <= 600 else said[:599] + "…"
