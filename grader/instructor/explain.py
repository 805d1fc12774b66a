"""Explain the points of one item or check: replay it, and show inputs, expected and actual results, and provenance.

For instructors only: hidden inputs and expected values are shown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from grader.classroom.gradebook import Gradebook, GradingRun, LearnerRow, SubmissionRow, open_gradebook
from grader.classroom.marks import marks
from grader.classroom.recorder import question_version
from grader.classroom.results import Book
from grader.classroom.text_view import text_lines
from grader.core.errors import UsageError
from grader.core.model import (
    Array,
    ArrayType,
    Course,
    Diagnosis,
    Difference,
    Exercise,
    ExerciseResult,
    Item,
    ItemResult,
    Lang,
    Message,
    Misconception,
    Observation,
    Observe,
    Outcome,
    Own,
    Question,
    Returned,
    Same,
    Status,
    Submission,
    Text,
    Visibility,
)
from grader.core.serialize import Shown, ShownText, Written
from grader.core.text import clean, cleaned, name_list, same, timestamp
from grader.course import answer_ids, items
from grader.grading.answer_grading import judge_answer
from grader.grading.compare import compare
from grader.grading.context import GradingContext
from grader.grading.failures import verdict
from grader.grading.grade import Replay, replay
from grader.grading.inputs import Drawn, DrawnMade, Seed
from grader.grading.programs import apply_variant
from grader.grading.reference_results import reference_observer
from grader.instructor.overrides import find_learner
from grader.instructor.regrade import check_seed, graded_course, is_as_graded, points_of
from grader.report import explained, words
from grader.report.json import diagnosis
from grader.submission import read

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
    """A value as shown to people.

    - `name`: of an input; of a result, which run returned it
    - `kind`: the type and shape of an array; any other value in full
    - `text`: the entries of an array; of a large one, only the corners
    """

    name: Annotated[Text, Written(cleaned)]
    kind: Annotated[Text, Written(partial(cleaned, limit=600))]
    text: Annotated[str, Written(partial(clean, limit=4000, lines=True))] = ""


@dataclass(frozen=True, slots=True)
class Confinement:
    """How code was confined.

    - `layers`: what confined it
    - `unsafe`: whether it ran unconfined
    """

    layers: tuple[str, ...]
    unsafe: bool


@dataclass(frozen=True, slots=True)
class Provenance:
    """What graded a part.

    - `at`: when
    - `seconds`: how long it took
    - `seed`: the label of the seed of the hidden cases
    - `course`: the digest of the course
    - `question`: the digest of the question
    - `versions`: of attncheck and of what it uses
    - `sandbox`: how the code was confined
    """

    at: datetime
    seconds: float
    seed: str
    course: str
    question: str
    versions: Mapping[str, str]
    sandbox: Confinement


@dataclass(frozen=True, slots=True)
class PointsByHand:
    """Points given by hand.

    - `points`: the points
    - `author`: who gave them
    - `reason`: why
    """

    points: float
    author: Shown
    reason: Annotated[str, Written(partial(clean, limit=2000))]


def _shown_difference(difference: Difference) -> Difference:
    return replace(difference, expected=clean(difference.expected), actual=clean(difference.actual))


def _misconception_id(misconception: Misconception) -> str:
    return misconception.id


def _english(text: Text) -> str:
    return text.en


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """An explained item or check, for instructors: hidden inputs and expected values are shown.

    - `format`: 1
    - `learner`: the id of the learner
    - `submission`: its key in the gradebook
    - `check`: the id of the item, or `exercise/check/case`
    - `visibility`: `public` or `hidden`
    - `status`: as recorded
    - `earned`: points, as recorded
    - `possible`: the points of the item or check
    - `message`: what the learner sees
    - `told`: the message of the check with nothing hidden
    - `misconception`: the id of the misconception that explains the mistake
    - `diagnosis`: why it is wrong, as in a report
    - `ask`: what the item asks
    - `inputs`: of the check; of an item, the learner's numbers and the choices
    - `expected`: what the reference returned; of an item, a correct answer
    - `actual`: what the submission returned; of an item, the answer
    - `difference`: the first difference between the two
    - `file`: where the exercise was found
    - `array_type`: `torch` or `numpy`
    - `variant`: the form in which the exercise was called, if it has several
    - `graded`: when and how it was graded
    - `override`: points given by hand, which count instead
    - `changed`: whether the question has changed since then
    - `replayed`: the status in the replay
    - `agrees`: whether the replay gave the same result
    """

    format: int = 1
    learner: Shown
    submission: Shown
    check: Annotated[Text, Written(_english)]
    visibility: Visibility = "public"
    status: Status
    earned: float
    possible: float
    message: ShownText | None
    told: ShownText | None = None
    misconception: Annotated[Misconception, Written(_misconception_id)] | None = None
    diagnosis: tuple[Annotated[Diagnosis, Written(diagnosis)], ...] = ()
    ask: ShownText | None = None
    inputs: tuple[ShownValue, ...] = ()
    expected: tuple[ShownValue, ...] = ()
    actual: tuple[ShownValue, ...] = ()
    difference: Annotated[Difference, Written(_shown_difference)] | None = None
    file: Shown | None = None
    array_type: ArrayType | None = None
    variant: str | None = None
    graded: Provenance
    override: PointsByHand | None = None
    changed: bool = False
    replayed: Status
    agrees: bool


@dataclass(frozen=True, slots=True)
class RecordedPart:
    """What the gradebook records about one item or exercise of a submission, and what a replay needs.

    ``rest`` is what the request says after the name of the part; ``key`` names the submission in the gradebook.
    """

    learner: LearnerRow
    key: str
    submission: Submission
    course: Course
    question: Question
    part: Item | Exercise
    rest: str
    result: ItemResult | ExerciseResult
    graded: Provenance
    changed: bool
    override: PointsByHand | None


# ---------------------------------------------------------------------------------------------- finding


def find_recorded_part(request: ExplainRequest) -> RecordedPart:
    """Look up what to explain. Raises UsageError if nothing is recorded or the files have changed since grading."""
    with contextlib.closing(open_gradebook(request.folder)) as gradebook:
        course = graded_course(gradebook, request.course_folder)
        question, part, rest = _part(request.check, course, tuple(points_of(gradebook)))
        if isinstance(part, Exercise):  # nothing about an answer depends on the seed
            check_seed(gradebook, request.seed)
        learner = find_learner(gradebook, request.learner)
        book = Book.of(gradebook, course)
        row = _submission(book, learner, request.attempt)
        version = book.versions.get(question.id, "")
        units = gradebook.units(row, {question.id: version})
        results = units[0][0].parts if units else ()
        result = next((each for each in results if each.name == _name(part)), None)
        if result is None:
            said = Message("{question} of {learner} is not graded in this version; run `attncheck batch` or `regrade`.")
            raise UsageError(said.fill(question=question.id, learner=learner.id))
        return RecordedPart(
            learner=learner,
            key=row.key,
            submission=_unchanged(gradebook, row),
            course=course,
            question=question,
            part=part,
            rest=rest,
            result=result,
            graded=_provenance(units[0][1], version),
            changed=question_version(question, course, str(gradebook.recall("seed"))) != version,
            override=_override(gradebook, learner, part),
        )


def _unchanged(gradebook: Gradebook, row: SubmissionRow) -> Submission:
    """The files that were graded."""
    place = gradebook.place(row)
    if not is_as_graded(row, place):
        said = Message(
            "{place} is missing or has changed since it was graded; restore it, or grade the collection again."
        )
        raise UsageError(said.fill(place=place))
    return read(place, row.seed_name)


def _provenance(run: GradingRun, version: str) -> Provenance:
    sandbox = Confinement(run.layers, run.unsafe)
    return Provenance(run.at, run.seconds, run.seed, run.course, version, dict(run.versions), sandbox)


def _override(gradebook: Gradebook, learner: LearnerRow, part: Item | Exercise) -> PointsByHand | None:
    for override in gradebook.overrides():
        if (override.part, override.learner) == (_name(part), learner.id):
            return PointsByHand(override.points, override.author, override.reason)
    return None


def _name(part: Item | Exercise) -> str:
    return part.id if isinstance(part, Item) else part.name


def _part(check: str, course: Course, counting: Sequence[str]) -> tuple[Question, Item | Exercise, str]:
    """The question, the item or exercise that ``check`` starts with, and the rest of ``check``."""
    name, _, rest = check.partition("/")
    parts: dict[str, tuple[Question, Item | Exercise]] = {}
    for question in course.questions:
        if question.id in counting:
            parts |= {exercise.name.casefold(): (question, exercise) for exercise in question.exercises}
            parts |= {item.id.casefold(): (question, item) for item in question.items if item.use == "graded"}
    if name.casefold() not in parts:
        there = name_list(_name(part) for _, part in parts.values())
        said = Message(
            "There is no exercise or graded item “{name}”; expected a name, or EXERCISE/CHECK/CASE, of one of: {there}"
        )
        raise UsageError(said.fill(name=name, there=there))
    question, part = parts[name.casefold()]
    if rest and isinstance(part, Item):
        said = Message("{part} is an item, which has no checks: leave out “/{rest}”.")
        raise UsageError(said.fill(part=part.id, rest=rest))
    return question, part, rest


def _submission(book: Book, learner: LearnerRow, attempt: int | None) -> SubmissionRow:
    """The submission with this attempt number; without one, the submission that counts."""
    rows = [row for row in book.gradebook.submissions() if learner.id in (row.learners or (row.key,))]
    if not rows:
        raise UsageError(Message("{learner} has no submission.").fill(learner=learner.id))
    row = _counting(book, learner, rows) if attempt is None else _attempt(learner, rows, attempt)
    if row.error is not None:
        said = Message("The submission {key} of {learner} could not be graded: {why}")
        raise UsageError(said.fill(key=row.key, learner=learner.id, why=row.error))
    return row


def _attempt(learner: LearnerRow, rows: Sequence[SubmissionRow], attempt: int) -> SubmissionRow:
    by_number = {row.attempt: row for row in reversed(rows)}
    if attempt in by_number:
        return by_number[attempt]
    there = ", ".join(map(str, sorted(by_number)))
    said = Message("{learner} has no attempt {attempt}; available: {there}.")
    raise UsageError(said.fill(learner=learner.id, attempt=attempt, there=there))


def _counting(book: Book, learner: LearnerRow, rows: Sequence[SubmissionRow]) -> SubmissionRow:
    works = [book.work(row) for row in rows]
    learners_marks = marks(learner, works, book.marking(), book.gradebook.overrides())
    return [mark.work.row for mark in learners_marks if mark.counts and mark.work is not None][-1]


# ---------------------------------------------------------------------------------------------- replaying


def explain_item(recorded: RecordedPart, item: Item, result: ItemResult) -> Explanation:
    """Explain an answer: judge it again, and show it with a correct answer."""
    context = items.Context(recorded.course.public_id, recorded.submission.learner, item.id)
    submission = answer_ids.matched(recorded.course, recorded.submission)
    answer = next((answer for answer in submission.answers or () if answer.item == item.id), None)
    value = None if answer is None else answer.value
    replayed = Status.MISSING
    if answer is not None and value is not None:
        replayed = Status.FAILED if answer.problem is not None else judge_answer(item, value, context).status
    numbers = items.draw(item.spec, context)
    asked = items.ask(item, context)
    inputs = [ShownValue(same(name), same(str(number))) for name, number in numbers.items()]
    inputs += [ShownValue(same(choice.id), choice.text) for choice in (*asked.choices, *asked.partners)]
    return Explanation(
        learner=recorded.learner.id,
        submission=recorded.key,
        check=same(item.id),
        status=result.status,
        earned=result.earned,
        possible=result.possible,
        message=result.message,
        misconception=recorded.question.misconception(result.misconception),
        ask=items.fill(item.ask, numbers),
        inputs=tuple(inputs),
        expected=(ShownValue(_ANSWER, items.key(item, context)),),
        actual=() if value is None else (ShownValue(_ANSWER, same(_short(value))),),
        graded=recorded.graded,
        override=recorded.override,
        changed=recorded.changed,
        replayed=replayed,
        agrees=replayed is result.status,
    )


def explain_code(
    recorded: RecordedPart, exercise: Exercise, result: ExerciseResult, seed: Seed, observe: Observe
) -> Explanation:
    """Explain a check on one case: run it again, with the reference."""
    chosen = _chosen(result, recorded.rest, recorded.course)
    outcome = result.outcomes[chosen]
    check = _where(result, outcome, recorded.course)
    context = GradingContext(recorded.course, seed, reference_observer(observe, seed))
    again = replay(context, recorded.question, exercise, recorded.submission, observe)
    index = _same_entry(again, result, chosen)
    if index is None:
        said = Message("{where} is no longer in the course; run `attncheck regrade` to grade by the current course.")
        raise UsageError(said.fill(where=check))
    fresh = again.result.outcomes[index]
    told = again.unredacted(exercise, index)
    form, drawn = again.form, again.entries[index].drawn
    expected = again.expected[index] if form else ()
    actual = again.got[index] if form else ()
    failed = fresh.status is not Status.PASSED
    return Explanation(
        learner=recorded.learner.id,
        submission=recorded.key,
        check=check,
        visibility=outcome.visibility,
        status=outcome.status,
        earned=outcome.earned,
        possible=outcome.possible,
        message=outcome.verdict.message,
        told=told.message,
        misconception=recorded.question.misconception(outcome.verdict.misconception or result.misconception),
        diagnosis=again.result.diagnosis if failed else (),
        inputs=tuple(_inputs(apply_variant(form.variant, drawn) if form else drawn)),
        expected=tuple(_things(expected)),
        actual=tuple(_things(actual)),
        difference=(told.difference or _difference(expected, actual)) if failed else None,
        file=again.result.file,
        array_type=form.array_type if form else None,
        variant=form.variant.name if form and form.variant else None,
        graded=recorded.graded,
        override=recorded.override,
        changed=recorded.changed,
        replayed=fresh.status,
        agrees=_agree(fresh, outcome),
    )


def _agree(fresh: Outcome, recorded: Outcome) -> bool:
    """Whether two outcomes agree. Messages of time-outs may differ: which of two clocks is first depends on load."""
    same_message = fresh.verdict.message == recorded.verdict.message or fresh.status is Status.TIMED_OUT
    return fresh.status is recorded.status and same_message


def _where(result: ExerciseResult, outcome: Outcome, course: Course) -> Text:
    """``exercise/check/case``, with the name of the case for people."""
    title = course.case_title(result.name, outcome.case)
    return Text(*(f"{result.name}/{outcome.check}/{name}" for name in (title.en, title.zh)))


def _chosen(result: ExerciseResult, rest: str, course: Course) -> int:
    """The index of the first failed outcome, else the first one, that ``rest`` (``check/case`` or less) selects."""
    check, _, case = rest.partition("/")
    wanted = [
        index
        for index, outcome in enumerate(result.outcomes)
        if check in ("", outcome.check) and case in ("", outcome.case, course.case_title(result.name, outcome.case).zh)
    ]
    if not wanted:
        there = dict.fromkeys(_where(result, outcome, course) for outcome in result.outcomes)
        said = Message("{result} has no check “{rest}”; available: {there}.")
        raise UsageError(said.fill(result=result.name, rest=rest, there=name_list(there)))
    for index in wanted:
        if result.outcomes[index].verdict.applies and result.outcomes[index].status != Status.PASSED:
            return index
    return wanted[0]


def _same_entry(again: Replay, result: ExerciseResult, index: int) -> int | None:
    """The index of an outcome in the replay: the same, unless the question has changed; None if it is gone."""
    names = [(outcome.check, outcome.case) for outcome in again.result.outcomes]
    name = (result.outcomes[index].check, result.outcomes[index].case)
    if index < len(names) and names[index] == name:
        return index
    return names.index(name) if name in names else None


def _difference(expected: tuple[Observation, ...], actual: tuple[Observation, ...]) -> Difference | None:
    """The first difference between what the submission and the reference returned."""
    for right, mine in zip(expected, actual, strict=False):
        if isinstance(right, Returned) and isinstance(mine, Returned):
            for wanted, returned in zip(right.values, mine.values, strict=False):
                comparison = compare(wanted, returned)
                if comparison is not None:
                    return comparison.difference
    return None


# ---------------------------------------------------------------------------------------------- showing

_ANSWER = Message("answer")
_MADE = Message("made by {helper}")
_NAME = Message("{name}")


def _inputs(drawn: Drawn, called: Text = _NAME) -> Iterator[ShownValue]:
    for name, value in (*drawn.construct, *drawn.parameters, *drawn.args):
        yield _thing(called.fill(name=name), value)
    for larger in drawn.larger:
        yield from _inputs(larger, Message("{name}, larger"))


def _things(seen: tuple[Observation, ...]) -> Iterator[ShownValue]:
    """The results of each program."""
    for number, observation in enumerate(seen, 1):
        run = Message("run {number}").fill(number=number) if len(seen) > 1 else Message("result")
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
            return ShownValue(name, Message("the same as {name}").fill(name=other))
        case DrawnMade(helper=helper):
            return ShownValue(name, _MADE.fill(helper=helper), _short(dict(value.parts)) if value.parts else "")
        case Own(name=other):
            return ShownValue(name, Message("the submission's own {name}").fill(name=other))
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
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 600 else text[:599] + "…"


# ------------------------------------------------------------------------------------------ for people


def lines(found: Explanation, lang: Lang) -> Sequence[str]:
    """The explanation as lines: inputs, expected and actual results, and provenance."""
    given = {"words": words, "explained": explained, "timestamp": timestamp}
    return text_lines(__file__, "explanation.txt", lang, found=found, **given)
