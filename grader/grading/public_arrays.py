"""The arrays that a submission returns for public cases, and the expected ones, for pictures.

They come from a separate run after grading, which cannot affect points. Hidden cases are not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from grader.core.errors import SandboxError
from grader.core.model import (
    Array,
    ArrayComparison,
    Case,
    Course,
    Exercise,
    ExerciseResult,
    Job,
    Limits,
    Observation,
    Observe,
    Program,
    Report,
    Returned,
    Status,
    Submission,
)
from grader.grading.compare import compare
from grader.grading.inputs import Drawn, Seed, draw
from grader.grading.plan import REFERENCE_LIMITS, reference_target, run_all
from grader.grading.programs import Target, apply_variant
from grader.grading.properties import is_mask, program

#: Pictures are small and optional, so the limits are low.
LIMITS = Limits(total_cpu=10.0, total_wall=30.0, result_bytes=1 << 20, total_bytes=16 << 20)

#: The argument that attention averages, by its names in the contract.
_VALUES = ("v", "value", "values")
_STOPPED = {Status.TIMED_OUT, Status.DIED}


@dataclass(frozen=True, slots=True)
class PublicCall:
    """One call of a graded exercise, to be drawn."""

    exercise: Exercise
    result: ExerciseResult
    case: Case
    what: Literal["result", "weights"]
    drawn: Drawn


def compare_public_cases(
    course: Course, submission: Submission, report: Report, observe: Observe, observe_reference: Observe
) -> tuple[ArrayComparison, ...]:
    """The arrays that the exercises of ``report`` return for public cases. ``observe_reference`` runs references.

    Pictures are optional: if the sandbox fails, there are none.
    """
    wanted = list(views(course, report))
    asked = [_of_learner(view, submission) for view in wanted]
    if not wanted:
        return ()
    try:
        right: list[Observation] = []
        for _, views_ in groupby(wanted, lambda view: view.exercise.name):
            programs = tuple(program(reference_target(view.exercise), view.drawn) for view in views_)
            right += observe_reference(Job(course.reference, programs), REFERENCE_LIMITS).observations
        mine = run_all(asked, lambda programs: observe(Job(submission.files, programs), LIMITS).observations)
    except SandboxError:
        return ()
    made = (_shown(view, expected, got) for view, expected, got in zip(wanted, right, mine, strict=True))
    return tuple(comparison for comparison in made if comparison is not None)


def views(course: Course, report: Report) -> Iterator[PublicCall]:
    """The calls to make: public cases of every exercise whose code was not stopped."""
    for result in (each for question in report.questions for each in question.exercises):
        found = course.exercise(result.name)
        if found is None or result.array_type is None or _STOPPED & {outcome.status for outcome in result.outcomes}:
            continue
        exercise = found[1]
        judged = {outcome.case for outcome in result.outcomes if outcome.check == "values"}
        for case in exercise.cases:
            if case.public and case.name in judged:
                drawn = draw(case, exercise.name, Seed.public())
                if (unit := with_unit_values(exercise, drawn)) is not None:
                    yield PublicCall(exercise, result, case, "weights", unit)
                yield PublicCall(exercise, result, case, "result", drawn)


def with_unit_values(exercise: Exercise, drawn: Drawn) -> Drawn | None:
    """The inputs with unit vectors as values, so that the result is the weights; None if it is not a weighted mean."""
    name = next((name for name, value in drawn.args if name in _VALUES and isinstance(value, np.ndarray)), None)
    if name is None or exercise.returns != "attention" or exercise.kind == "class":
        return None
    values = drawn.value(name)
    *batch, n, _ = values.shape
    return drawn.changed(**{name: np.broadcast_to(np.eye(n, dtype=values.dtype), (*batch, n, n)).copy()})


def prepare(course: Course, exercise: Exercise, observe_reference: Observe) -> None:
    """Runs the reference of ``exercise`` on everything that ``compare_public_cases`` may need."""
    drawn = [draw(case, exercise.name, Seed.public()) for case in exercise.cases if case.public and not case.raises]
    every = (made for inputs in drawn for made in (with_unit_values(exercise, inputs), inputs) if made is not None)
    programs = tuple(program(reference_target(exercise), made) for made in every)
    if programs:
        observe_reference(Job(course.reference, programs), REFERENCE_LIMITS)


def _of_learner(view: PublicCall, submission: Submission) -> tuple[Program, ...]:
    """The call in each form that the contract allows, with the array type that grading used."""
    module = next(file.module for file in submission.files if file.path == view.result.file)
    target = Target(view.exercise, module, view.result.array_type or "torch")
    return tuple(program(target, apply_variant(variant, view.drawn)) for variant in (None, *view.exercise.variants))


def _shown(view: PublicCall, right: Observation, mine: tuple[Observation, ...]) -> ArrayComparison | None:
    """The arrays to draw, from the first form of the call with a correct result, else the first that returned."""
    expected = _array(right)
    returned = [got for got in map(_array, mine) if got is not None]
    if expected is None or not returned:
        return None
    spec = next(spec for spec in view.exercise.checks if spec.kind == "values")
    tolerances = {name: value for name, value in spec.options if name in ("rtol", "atol")}
    compared = [(got, compare(expected, got, **tolerances)) for got in returned]
    got, mismatch = next((each for each in compared if each[1] is None), compared[0])
    return ArrayComparison(
        view.exercise.name,
        view.case.name,
        view.what,
        expected.values,
        got.values,
        mismatch.difference if mismatch else None,
        tuple((name, value) for name, value in view.drawn.args if is_mask(value)),
    )


def _array(seen: Observation) -> Array | None:
    """The returned array; None if it is a single number or anything else."""
    match seen:
        case Returned((Array() as array,)) if array.values.ndim and array.values.size > 1:
            return array
    return None
