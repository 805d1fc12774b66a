"""The right sample solutions get all points, whatever the seed."""

from __future__ import annotations

import pytest

from grader.core.model import Status
from tests.samples import Sample
from tests.solving import OTHERS, RIGHT, WRONG, Bench, some


def test_every_exercise_has_solutions(bench: Bench) -> None:
    """Several right and wrong ones each, and none for an exercise that does not exist."""
    exercises = {exercise.name for question in bench.course.questions for exercise in question.exercises}
    for solutions in (RIGHT, WRONG):
        assert {sample.exercise for sample in solutions} == exercises


@pytest.mark.parametrize("seed", ["public", *OTHERS])
@pytest.mark.parametrize("sample", some(RIGHT))
def test_right_solutions_get_all_points(sample: Sample, seed: str, bench: Bench) -> None:
    """In every style, for every input."""
    found = bench.grade(sample.exercise, sample.submission, seed)
    lost = [(o.check, o.case, o.verdict.message) for o in found.outcomes if o.verdict.applies and o.earned < o.possible]
    assert not lost
    assert found.status is Status.PASSED
    (_, exercise) = bench.course.exercise(found.name) or (None, None)
    assert exercise is not None
    assert found.earned == found.possible == exercise.points
