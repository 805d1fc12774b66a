"""Finds conditions of ``grader.course.conditions`` that apply to an exercise but that no case covers."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.model import Course, Exercise
from grader.course import conditions, edits
from grader.course.conditions import Condition, Inputs
from grader.grading import checks
from grader.grading.inputs import Seed, draw
from grader.grading.plan import function_of, module_of

#: A condition must hold with each of these seeds, because what a case draws may hide it.
_SEEDS = (Seed.public(), *map(Seed.number, range(4)))
#: The checks that compare numbers on all their cases. A condition that names none must be in a case of one of these.
_COMPARING = ("values", "shifts")


def untested_conditions(course: Course, exercise: Exercise) -> Iterator[tuple[Condition, str]]:
    """The conditions that apply, are in no case, and are not declared not applicable; each with its argument."""
    declared = dict(exercise.not_applicable)
    drawn = [_drawn(exercise, seed) for seed in _SEEDS]
    for condition, name in _applicable(course, exercise):
        if condition.id in declared or conditions.key(condition, name) in declared:
            continue
        cases = _used_by(exercise, condition.checks or _COMPARING)
        if not all(any(case in cases and conditions.has(condition, name, one[case]) for case in one) for one in drawn):
            yield condition, name


def needless_reasons(course: Course, exercise: Exercise) -> Iterator[str]:
    """The keys of ``not_applicable`` that are not needed, because the condition does not apply anyway."""
    found = {key for condition, name in _applicable(course, exercise) for key in _keys(condition, name)}
    yield from (key for key, _ in exercise.not_applicable if key not in found)


def _applicable(course: Course, exercise: Exercise) -> tuple[tuple[Condition, str], ...]:
    """The conditions that apply to an exercise of ``course``, each with its argument."""
    used = edits.names_used(course.reference, module_of(exercise), function_of(exercise))
    return tuple(conditions.applicable(exercise, used))


def _keys(condition: Condition, name: str) -> tuple[str, str]:
    return condition.id, conditions.key(condition, name)


def _used_by(exercise: Exercise, kinds: tuple[str, ...]) -> frozenset[str]:
    """The names of the cases on which one of these checks is judged."""
    found = (case for check in exercise.checks if check.kind in kinds for case in checks.cases_for(check, exercise))
    return frozenset(case.name for case in found)


def _drawn(exercise: Exercise, seed: Seed) -> dict[str, Inputs]:
    """The inputs of every case."""
    return {case.name: conditions.inputs_of(exercise, case, draw(case, exercise.name, seed)) for case in exercise.cases}
