"""The result of an exercise: from observations, or the same verdict for every check; and what its code printed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grader.core import score
from grader.core.model import Array, ArrayType, ExerciseResult, Message, Observation, Outcome, Returned, Status, Verdict
from grader.core.text import clean
from grader.course import conditions
from grader.grading import verdicts
from grader.grading.checks import JudgeInput
from grader.grading.compare import compare, scalar
from grader.grading.plan import CallingForm, Plan
from grader.grading.programs import apply_variant

_ELSEWHERE = Message("graded by your instructor with a hidden case")


def judge_inputs(
    plan: Plan,
    form: CallingForm,
    got: list[tuple[Observation, ...]],
    expected: list[tuple[Observation, ...]],
    saw_secrets: bool,
) -> list[JudgeInput]:
    """What is judged of each entry of ``plan``; if ``saw_secrets``, public cases are treated like hidden ones."""
    return [
        JudgeInput(
            plan.exercise,
            replace(entry.case, public=False) if saw_secrets else entry.case,
            entry.spec,
            entry.drawn if entry.case.sealed else apply_variant(form.variant, entry.drawn),
            mine,
            wanted,
            form.array_type,
        )
        for entry, mine, wanted in zip(plan.entries, got, expected, strict=True)
    ]


def judged_exercise(plan: Plan, inputs: list[JudgeInput], array_type: ArrayType) -> ExerciseResult:
    """The result for what was observed of each entry of ``plan``."""
    seen = [each for each in inputs if not each.case.sealed]
    found = verdicts.judge_exercise(seen)
    results, elsewhere = iter(found), Verdict(Status.PENDING, _ELSEWHERE)
    judged = [(entry.spec, entry.case, elsewhere if entry.case.sealed else next(results)) for entry in plan.entries]
    outcomes = score.outcomes(plan.exercise.points, _sealed_alike(judged))
    if not any(map(is_wrong, seen, found)):
        return _result(plan, outcomes, array_type)
    limited = score.limited(outcomes)
    result = _result(plan, limited, array_type)
    return result if limited == outcomes else replace(result, remarks=(score.AT_MOST_HALF, *result.remarks))


def _sealed_alike(judged: list[score.Judged]) -> list[score.Judged]:
    """For checks that apply to no public case, sealed cases get the same verdict, "does not apply"."""
    decided = [(spec, verdict) for spec, case, verdict in judged if not case.sealed]
    silent = [each for each in decided if not any(of is each[0] and verdict.applies for of, verdict in decided)]
    alike = {id(spec): verdict for spec, verdict in silent}
    return [(s, case, alike.get(id(s), verdict) if case.sealed else verdict) for s, case, verdict in judged]


def _result(plan: Plan, outcomes: tuple[Outcome, ...], array_type: ArrayType | None) -> ExerciseResult:
    status = score.overall(outcomes)
    settled = (Status.PASSED, Status.PENDING)
    lost = next((o for o in outcomes if o.verdict.applies and o.status not in settled), None)
    remarks = dict.fromkeys(o.verdict.remark for o in outcomes if o.verdict.remark is not None)
    return ExerciseResult(
        name=plan.exercise.name,
        status=status,
        earned=score.tidy(sum(o.earned for o in outcomes)),
        possible=score.tidy(sum(o.possible for o in outcomes)),
        outcomes=outcomes,
        message=lost.verdict.message if lost else None,
        misconception=lost.verdict.misconception if lost else None,
        file=plan.file.path if plan.file else None,
        array_type=array_type,
        remarks=tuple(remarks),
    )


def same_verdict(plan: Plan, verdict: Verdict) -> ExerciseResult:
    """The result if every check has the same verdict, because nothing was run."""
    judged = [(entry.spec, entry.case, verdict) for entry in plan.entries]
    return _result(plan, score.outcomes(plan.exercise.points, judged), None)


def unmarked(plan: Plan, why: str) -> ExerciseResult:
    """The result if the grader itself failed, for the reason ``why``."""
    text = Message("not graded, through no fault of yours: {why}").fill(why=why)
    return same_verdict(plan, Verdict(Status.UNMARKED, text))


#: How much of one case is shown: lines, and characters in a line.
MOST_LINES = 20
MOST_IN_A_LINE = 160


def with_printed(result: ExerciseResult, printed: list[str]) -> ExerciseResult:
    """The result with what was printed for each outcome, if that is public and failed: once for each case."""
    if not any(printed):
        return result
    outcomes: list[Outcome] = []
    shown: set[tuple[str, str]] = set()
    for outcome, raw in zip(result.outcomes, printed, strict=True):
        failed = outcome.visibility == "public" and outcome.status not in (Status.PASSED, Status.PENDING)
        text = printable_output(raw) if failed and outcome.verdict.applies else ""
        if text and (outcome.case, text) not in shown:
            shown.add((outcome.case, text))
            outcome = replace(outcome, verdict=replace(outcome.verdict, printed=text))
        outcomes.append(outcome)
    return replace(result, outcomes=tuple(outcomes))


def printable_output(raw: str) -> str:
    """Printed text, safe to show: without control characters, its first lines, each of limited length."""
    lines = [clean(line, MOST_IN_A_LINE, lines=True) for line in clean(raw, len(raw) + 1, lines=True).split("\n")]
    more = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *(["…"] if more > 0 else [])])


# --------------------------------------------------------------------------- wrong for ordinary inputs
# Whether code gives wrong results for ordinary inputs, which costs at least half of an exercise's points.
#
# Weights alone are too mild: one wrong case of many costs little, though nobody could use the function. Inputs are
# ordinary if none of the conditions in ``UNUSUAL`` is true of them. Results that are off by rounding, and numbers of
# another type (floats for ids), lose the points of their own cases only.


#: Conditions under which a wrong result says little about others, by their ids.
UNUSUAL = (
    *("one-position", "long", "large-numbers", "large-offset", "tiny-numbers"),
    *("eps.zero", "n_k.zero", "var_q.zero", "var_k.zero"),
)
#: Relative and absolute error up to which a result is off by rounding alone.
_ROUNDING = 1e-2


def is_wrong(seen: JudgeInput, verdict: Verdict) -> bool:
    """Whether the check ``values`` failed because of a wrong result for ordinary inputs."""
    if seen.spec.kind != "values" or verdict.status is not Status.FAILED:
        return False
    match seen.got, seen.expected:
        case (Returned((got,)),), (Returned((expected,)),):
            return _is_ordinary(seen) and _differs(expected, got)
    return False


def _differs(expected: Any, got: Any) -> bool:
    if isinstance(expected, Array) and isinstance(got, Array) and expected.values.shape != got.values.shape:
        return True  # without a copy as floats: a wrong result may be large
    return compare(_floats(expected), _floats(got), _ROUNDING, _ROUNDING) is not None


def _floats(value: Any) -> Any:
    """The value with every number as a float, so that only their sizes are compared."""
    match value:
        case Array():
            return replace(value, values=value.values.astype(np.float64, copy=False))
        case list() | tuple():
            return [_floats(each) for each in value]
        case bool() | int() | float():
            return _floats(Array(scalar(value), "scalar"))
    return value


def _is_ordinary(seen: JudgeInput) -> bool:
    inputs = conditions.inputs_of(seen.exercise, seen.case, seen.drawn)
    named = [key.rpartition(".") for key in UNUSUAL]
    return not any(conditions.has(conditions.CONDITIONS[of], name, inputs) for name, _, of in named)
