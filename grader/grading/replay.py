"""Grades one exercise again and keeps what was observed, for the instructor's explanations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.core.model import Exercise, ExerciseResult, Limits, Observation, Question, Submission, Verdict
from grader.grading import verdicts
from grader.grading.budget import with_shared_budget
from grader.grading.checks import JudgeInput
from grader.grading.code_grading import CodeGrading
from grader.grading.context import GradingContext
from grader.grading.plan import CallingForm, Plan, PlannedCheck
from grader.grading.programs import apply_variant
from grader.grading.selection import source_of
from grader.grading.shadowing import without_shadows

if TYPE_CHECKING:
    from grader.core.model import Observe


@dataclass(frozen=True, slots=True)
class Replay:
    """An exercise graded again, with inputs and observations for each entry. ``form`` is None if nothing ran."""

    result: ExerciseResult
    entries: tuple[PlannedCheck, ...]
    form: CallingForm | None = None
    got: tuple[tuple[Observation, ...], ...] = ()
    expected: tuple[tuple[Observation, ...], ...] = ()

    def unredacted(self, exercise: Exercise, at: int) -> Verdict:
        """What the check of entry ``at`` says if nothing has to be hidden. Not for learners."""
        entry = self.entries[at]
        if self.form is None:
            return self.result.outcomes[at].verdict
        case = replace(entry.case, public=True)
        drawn = apply_variant(self.form.variant, entry.drawn)
        seen = JudgeInput(exercise, case, entry.spec, drawn, self.got[at], self.expected[at], self.form.array_type)
        return verdicts.judge(seen)


def replay(
    context: GradingContext, question: Question, exercise: Exercise, submission: Submission, observe: Observe
) -> Replay:
    """Grades one exercise of ``submission`` as ``grade`` does, and keeps what was observed. Not for learners."""
    submission = without_shadows(submission, context.course)
    code = CodeGrading(submission, with_shared_budget(observe), context, Limits())
    plan = Plan(question, exercise, source_of(exercise.name, question, submission), context.entries(exercise))
    tried = code.best([plan])[exercise.name]
    result = code.diagnosed(plan, tried)
    if tried.form is None:
        return Replay(result, plan.entries)
    return Replay(result, plan.entries, tried.form, tuple(tried.observations), tuple(context.expected(exercise)))
