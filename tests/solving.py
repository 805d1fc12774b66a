"""Grading the sample solutions: shared by the tests of right and of wrong ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from grader.core.model import ArrayType, Course, ExerciseResult, Submission
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from tests.helpers import Observe
from tests.samples import Sample, samples

RIGHT = samples("right")
WRONG = samples("wrong")
SEEDS = {"public": Seed.public(), "1": Seed.number(1), "2": Seed.number(2)}


def name(sample: Sample) -> str:
    """How a solution is called in the output of pytest."""
    return f"{sample.exercise}/{sample.name}"


#: Of every third exercise so many right and so many wrong solutions are graded in every run; all by `make prove`.
_EVERY_RUN = 1


def some(solutions: Iterable[Sample]) -> list[Any]:
    """The solutions as parameters; all but a few are marked ``prove``."""
    parameters = []
    for number, (_, group) in enumerate(itertools.groupby(solutions, key=lambda sample: sample.exercise)):
        of_exercise = list(group)
        step = max(1, len(of_exercise) // _EVERY_RUN)
        for index, sample in enumerate(of_exercise):
            kept = number % 3 == 2 and index % step == 0 and index // step < _EVERY_RUN
            parameters.append(pytest.param(sample, id=name(sample), marks=() if kept else pytest.mark.prove))
    return parameters


OTHERS = [pytest.param(seed, marks=pytest.mark.prove) for seed in SEEDS if seed != "public"]


@dataclass(frozen=True, slots=True)
class Bench:
    """Grades solutions with one context for each seed and choice of array types: references run once."""

    course: Course
    observe: Observe
    expect: Observe
    memos: dict[tuple[str, ArrayType | None], GradingContext] = field(default_factory=dict)

    def grade(self, exercise: str, submission: Submission, seed: str, only: ArrayType | None = None) -> ExerciseResult:
        """One exercise of a submission; in one array type, or in those of the bank."""
        if (seed, only) not in self.memos:
            self.memos[seed, only] = GradingContext(self.speaking(only), SEEDS[seed], self.expect)
        context, selection = self.memos[seed, only], Selection(exercises=(exercise,))
        report = grade(context.course, submission, self.observe, selection=selection, context=context)
        ((found,),) = (question.exercises for question in report.questions)
        return found

    def speaking(self, only: ArrayType | None) -> Course:
        """The course, with exercises in one array type."""
        if only is None:
            return self.course
        questions = [
            replace(q, exercises=tuple(replace(e, array_types=(only,)) for e in q.exercises))
            for q in self.course.questions
        ]
        return replace(self.course, questions=tuple(questions))
