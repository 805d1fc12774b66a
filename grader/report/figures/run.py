"""Computes the values of a picture: those of the reference, and those of a learner's file beside them.

As in grading, learner code is run only by ``observe``. Values that cannot be shown correctly are left out, and a remark
says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.errors import CourseError, SubmissionError, UsageError
from grader.core.model import (
    Array,
    ArrayType,
    Course,
    Exercise,
    Job,
    Limits,
    Message,
    Observation,
    Observe,
    Program,
    Question,
    Returned,
    SourceFile,
    Submission,
    Text,
)
from grader.core.text import name_list
from grader.grading.compare import describe, scalar
from grader.grading.failures import verdict
from grader.grading.plan import REFERENCE_LIMITS, calling_forms, function_of, module_of
from grader.grading.programs import Target
from grader.grading.selection import source_of
from grader.report.figures import kinds
from grader.report.figures.kinds import Picture, SourceResults, Values

if TYPE_CHECKING:
    from grader.report.figures.figure import Figure

#: A picture computes more than a check, and somebody is waiting for it.
LIMITS = Limits(group_cpu=6.0, group_wall=15.0)

_SHAPE = Message("the result has shape {got}; expected {expected}")
_KIND = Message("the result is {got}; expected {expected}")
_BOOLEAN = Message("an array of booleans")
_NUMBERS = Message("an array of numbers")
_NO_GRADIENT = Message("no gradient flows back through the result: is all of it computed in torch?")
_NOT_FINITE = Message(
    "the result contains NaN or inf where the reference has numbers; these values are missing or grey"
)
#: For names that a picture could also show.
NOT_YOURS = Message("your file does not define {names}, so only the reference is drawn")


@dataclass(frozen=True, slots=True)
class ExerciseRemark:
    """A remark on one exercise in the learner's file. ``lost``: it is not in the picture."""

    name: str
    file: str
    text: Text
    lost: bool


@dataclass(frozen=True, slots=True)
class LearnerValues:
    """The values of a learner's file. ``seen`` is None if nothing can be shown; ``absent`` exercises are not in it."""

    seen: SourceResults | None
    remarks: tuple[ExerciseRemark, ...] = ()
    absent: tuple[str, ...] = ()
    unsafe: bool = False


_NOTHING = Message("{origin}: nothing to draw. This picture needs {names}; found: {found}.").with_advice(
    Message("`attncheck start {question}` creates a file to work in.")
)


def compute_picture(
    course: Course, picture: Picture, submission: Submission | None, observe: Observe, observe_reference: Observe
) -> tuple[Figure, LearnerValues | None]:
    """The picture of the reference and, with a ``submission``, of the learner's code beside it."""
    beside = reference(course, picture, observe_reference)
    mine = learner(course, picture, submission, observe, beside) if submission is not None else None
    return picture.draw((beside, mine.seen) if mine is not None and mine.seen else (beside,)), mine


def exercises(course: Course, picture: Picture) -> tuple[tuple[Question, Exercise], ...]:
    """The exercises of the course that the picture calls. Raises UsageError if it has none of them."""
    found = tuple(each for name in picture.NEEDS if (each := course.exercise(name)) is not None)
    if not found:
        names = Text(" or ".join(picture.NEEDS), " 或 ".join(picture.NEEDS))
        raise UsageError(Message("this course has no exercise for this picture; it draws {names}.").fill(names=names))
    return found


def questions(course: Course, picture: Picture) -> tuple[Question, ...]:
    """The questions of the course that the picture belongs to."""
    wanted = set(picture.SHOWN_WITH)
    return tuple(each for each in course.questions if wanted & {exercise.name for exercise in each.exercises})


def pictures(course: Course, question: Question | None = None) -> list[tuple[str, Picture, tuple[Question, ...]]]:
    """The pictures that ``course`` can draw, of ``question`` or all, each with its name and its questions."""
    drawn = {name: kind for name, kind in kinds.kinds().items() if any(map(course.exercise, kind.NEEDS))}
    found = [(name, kind, questions(course, kind)) for name, kind in drawn.items()]
    return [each for each in found if question is None or question in each[2]]


def reference(course: Course, picture: Picture, observe_reference: Observe) -> SourceResults:
    """The values of the reference. Raises CourseError if it fails."""
    asked = []
    for _, exercise in exercises(course, picture):
        target = Target(exercise, module_of(exercise), "torch", "float64", calls=function_of(exercise))
        asked.append((exercise.name, picture.calls(target)))
    seen = observe_reference(
        Job(course.reference, tuple(p for _, programs in asked for p in programs)), REFERENCE_LIMITS
    )
    found = iter(seen.observations)
    values = {}
    for name, programs in asked:
        got = tuple(next(found) for _ in programs)
        values[name] = tuple(tuple(map(_to_numpy, each.values)) for each in got if isinstance(each, Returned))
        if bad := _trouble(got):
            raise CourseError(Message("the course's own {name} cannot be drawn: {why}").fill(name=name, why=bad))
    return SourceResults("reference", values)


def learner(
    course: Course, picture: Picture, submission: Submission, observe: Observe, beside: SourceResults
) -> LearnerValues:
    """The values of the learner's code for the same programs; ``beside`` are those of the reference.

    Raises SubmissionError if the submission defines none of the exercises that the picture calls.
    """
    wanted = exercises(course, picture)
    present = [(e, f) for q, e in wanted if (f := source_of(e.name, q, submission)) is not None]
    if not present:
        raise SubmissionError(_nothing(submission, wanted))
    absent = tuple(e.name for q, e in wanted if source_of(e.name, q, submission) is None)
    best: dict[str, Values] = {}
    remarks: dict[str, ExerciseRemark] = {}
    unsafe = False
    for number in range(2):  # with the array type that the file uses, then with the other
        asked = [
            (exercise, file, picture.calls(_target(exercise, file, types[number])))
            for exercise, file in present
            if exercise.name not in best and number < len(types := _types(exercise, file))
        ]
        if not asked:
            break
        observed = observe(Job(submission.files, tuple(p for *_, programs in asked for p in programs)), LIMITS)
        unsafe = observed.unsafe
        found = iter(observed.observations)
        for exercise, file, programs in asked:
            got = tuple(next(found) for _ in programs)
            remark = _judge(exercise.name, file, programs, got, beside.values[exercise.name])
            if remark is None or not remark.lost:
                best[exercise.name] = tuple(
                    tuple(map(_to_numpy, each.values)) for each in got if isinstance(each, Returned)
                )
                remarks.pop(exercise.name, None)
            if remark is not None:
                remarks.setdefault(exercise.name, remark)
    return LearnerValues(SourceResults("learner", best) if best else None, tuple(remarks.values()), absent, unsafe)


def _types(exercise: Exercise, file: SourceFile) -> tuple[ArrayType, ...]:
    return tuple(dict.fromkeys(way.array_type for way in calling_forms(exercise, file)))


def _target(exercise: Exercise, file: SourceFile, array_type: ArrayType) -> Target:
    return Target(exercise, file.module, array_type, group=f"{exercise.name} {array_type}")


def _nothing(submission: Submission, wanted: tuple[tuple[Question, Exercise], ...]) -> Text:
    needed = [exercise.name for _, exercise in wanted]
    names = Text(" or ".join(needed), " 或 ".join(needed))
    defined = [name for file in submission.files for name, _ in file.defines]
    found = name_list(defined[:8]) if defined else Message("no function and no class", "list")
    return _NOTHING.fill(origin=submission.origin, names=names, found=found, question=wanted[0][0].id)


# -------------------------------------------------------------------------------------------- judging


def _judge(
    name: str, file: SourceFile, programs: tuple[Program, ...], got: tuple[Observation, ...], expected: Values
) -> ExerciseRemark | None:
    """A remark on the values, if there is one; ``lost`` if they cannot be drawn."""
    if bad := _trouble(got):
        return ExerciseRemark(name, file.path, bad, lost=True)
    pairs = [
        pair
        for each, wanted in zip(got, expected, strict=True)
        if isinstance(each, Returned)
        for pair in zip(each.values, wanted, strict=True)
    ]
    for value, wanted in pairs:
        if bad := mismatch(wanted, value):
            return ExerciseRemark(name, file.path, bad, lost=True)
    if any(_strays(wanted, _to_numpy(value)) for value, wanted in pairs):
        return ExerciseRemark(name, file.path, _NOT_FINITE, lost=False)
    return None


def _trouble(got: tuple[Observation, ...]) -> Text | None:
    failed = next((each for each in got if not isinstance(each, Returned)), None)
    return None if failed is None else verdict(failed, public=True).message


def mismatch(wanted: Any, value: Any) -> Text | None:
    """Why ``value`` cannot be drawn in place of ``wanted``, the value of the reference; None if kind and shape fit."""
    match wanted:
        case np.ndarray():
            return _misfit_of_arrays(wanted, value)
        case list() | tuple():
            if value is None:
                return _NO_GRADIENT
            if not isinstance(value, (list, tuple)) or len(value) != len(wanted):
                return _KIND.fill(got=describe(value), expected=Text(f"{len(wanted)} values", f"{len(wanted)} 个值"))
            return next((bad for one, other in zip(wanted, value, strict=True) if (bad := mismatch(one, other))), None)
        case dict():
            if not isinstance(value, dict) or value.keys() != wanted.keys():
                return _KIND.fill(got=describe(value), expected=describe(wanted))
            if "work" in wanted and not (value["exits"] is False and type(value["work"]) is int and value["work"] > 0):
                return Message("operations are counted in torch only, and this code does not do all of them there")
            return next((bad for key in wanted if (bad := mismatch(wanted[key], value[key]))), None)
        case bool():
            return None if isinstance(value, bool) else _KIND.fill(got=describe(value), expected=describe(wanted))
        case int() | float():
            return _misfit_of_arrays(np.asarray(wanted), value)
    return None


def _misfit_of_arrays(wanted: Any, value: Any) -> Text | None:
    if value is None:
        return _NO_GRADIENT
    if wanted.ndim == 0 and isinstance(value, (int, float)) and not isinstance(value, bool):
        return None
    boolean = wanted.dtype.kind == "b"
    if not isinstance(value, Array) or (value.values.dtype.kind == "b") != boolean:
        return _KIND.fill(got=describe(value), expected=_BOOLEAN if boolean else _NUMBERS)
    if value.values.shape != wanted.shape:
        return _SHAPE.fill(got=value.values.shape, expected=wanted.shape)
    return None


def _strays(wanted: Any, value: Any) -> bool:
    """Whether ``value`` is not finite somewhere where ``wanted`` is."""
    match wanted:
        case np.ndarray() if wanted.dtype.kind == "f":
            return bool((np.isfinite(wanted) & ~np.isfinite(value)).any())
        case list() | tuple():
            return any(_strays(one, other) for one, other in zip(wanted, value, strict=True))
        case float():
            return bool(np.isfinite(wanted) and not np.isfinite(value))
    return False


def _to_numpy(value: Any) -> Any:
    """``value`` with NumPy arrays (floats as float64) and with integers that fit NumPy; the rest is unchanged."""
    match value:
        case int():
            return scalar(value).item()
        case Array(values=values):
            return values.astype(np.float64) if values.dtype.kind == "f" else values
        case list() | tuple():
            return [_to_numpy(entry) for entry in value]
        case dict():
            return {key: _to_numpy(entry) for key, entry in value.items()}
    return value
