"""Grading the sample solutions: shared by the tests of right and of wrong ones."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from grader.core.model import ArrayType, Course, ExerciseResult
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.submission import read
from tests.helpers import Observe

FOLDER = Path(__file__).parent / "solutions"
RIGHT = sorted(FOLDER.glob("*/right/*.py"))
WRONG = sorted(FOLDER.glob("*/wrong/*.py"))
SEEDS = {"public": Seed.public(), "1": Seed.number(1), "2": Seed.number(2)}


def name(path: Path) -> str:
    """How a solution is called in the output of pytest."""
    return f"{path.parts[-3]}/{path.stem}"


#: Of every third exercise so many right and so many wrong solutions are graded in every run; all by `make prove`.
_EVERY_RUN = 1


def some(paths: list[Path]) -> list[Any]:
    """The solutions as parameters; all but a few are marked ``prove``."""
    found = []
    for number, (_, group) in enumerate(itertools.groupby(paths, key=lambda path: path.parts[-3])):
        of_one = list(group)
        step = max(1, len(of_one) // _EVERY_RUN)
        for at, path in enumerate(of_one):
            kept = number % 3 == 0 and at % step == 0 and at // step < _EVERY_RUN
            found.append(pytest.param(path, id=name(path), marks=() if kept else pytest.mark.prove))
    return found


OTHERS = [pytest.param(seed, marks=pytest.mark.prove) for seed in SEEDS if seed != "public"]


@dataclass(frozen=True, slots=True)
class Bench:
    """Grades solutions with one context for each seed and choice of array types: references run once."""

    course: Course
    observe: Observe
    expect: Observe
    memos: dict[tuple[str, ArrayType | None], GradingContext] = field(default_factory=dict)

    def grade(self, path: Path, seed: str, only: ArrayType | None = None) -> ExerciseResult:
        """The exercise that the solution's folder is named after; in one array type, or in those of the bank."""
        if (seed, only) not in self.memos:
            self.memos[seed, only] = GradingContext(self.speaking(only), SEEDS[seed], self.expect)
        context, selection = self.memos[seed, only], Selection(exercises=(path.parts[-3],))
        report = grade(context.course, read(path), self.observe, selection=selection, context=context)
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


def caught_by(path: Path) -> set[str]:
    """The checks that a wrong solution says it fails."""
    said = re.search(r"^caught-by: *(.+)$", path.read_text("utf-8"), re.MULTILINE)
    assert said, f"{path} has no line 'caught-by: CHECK, …'"
    return set(re.split(r",\s*", said[1].strip()))
