"""Runs a submission on inputs that no case has, to find out whether what is said of it holds there, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.core.model import CheckSpec, Job, Limits, Program, Returned, Status
from grader.grading import checks, verdicts
from grader.grading.checks import JudgeInput
from grader.grading.explaining.place import SearchBudget
from grader.grading.inputs import Drawn
from grader.grading.plan import CallingForm, Plan, function_of, module_of, regroup
from grader.grading.programs import Target

if TYPE_CHECKING:
    from grader.core.model import SourceFile
    from grader.grading.context import GradingContext

#: The maximum number of inputs that are tried.
MOST = 24
_LIMITS = Limits(group_cpu=0.5, group_wall=2.0, import_cpu=1.0, import_wall=2.0, fresh_children=8)


def verdicts_on(
    asked: Sequence[tuple[CheckSpec, Drawn]],
    plan: Plan,
    form: CallingForm,
    context: GradingContext,
    files: tuple[SourceFile, ...],
    child: SearchBudget,
) -> list[bool | None]:
    """Whether the code is correct for each of these inputs, which are in its form; None where that cannot be told."""
    unable = plan.file is None or context.course.edition is not None  # which has no references to run
    if unable or not asked or min(child.left, child.reruns - len(asked[:MOST])) < 0:
        return [None] * len(asked)
    assert plan.file is not None
    exercise = plan.exercise
    reference = Target(exercise, module_of(exercise), "torch", "float64", calls=function_of(exercise))
    mine = Target(exercise, plan.file.module, form.array_type, group="other inputs", calls=plan.calls)
    given = asked[:MOST]
    wanted = [_programs(reference, spec, drawn) for spec, drawn in given]
    expected = regroup(wanted, context.reference(tuple(program for each in wanted for program in each)))
    tried = [_programs(mine, spec, drawn) for spec, drawn in given]
    seen = child.observe(Job(files, tuple(program for each in tried for program in each)), _LIMITS)
    child.reruns -= len(given)
    found: list[bool | None] = []
    for (spec, drawn), right, got in zip(given, expected, regroup(tried, seen.observations), strict=True):
        case = replace(exercise.cases[0], public=True)
        known = all(isinstance(each, Returned) for each in right)
        judged = verdicts.judge(JudgeInput(exercise, case, spec, drawn, got, right, form.array_type)) if known else None
        found.append(_MEANING.get(judged.status) if judged else None)
    return found + [None] * (len(asked) - len(found))


_MEANING = {Status.PASSED: True, Status.FAILED: False, Status.RAISED: False}


def _programs(target: Target, spec: CheckSpec, drawn: Drawn) -> tuple[Program, ...]:
    return checks.kinds()[spec.kind].calls(target, drawn, spec)
