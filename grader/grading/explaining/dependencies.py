"""An explainer: an exercise that fails uses another exercise of the same submission, which is not correct either.

The other one must be fixed first. It is found in the syntax trees, or in what the cases are called with. Only a
definition that was graded counts, not a helper of the same name in another file. The dependent exercise is not run
again with a correct dependency; docs/security.md explains why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.core import bounded
from grader.core.model import Diagnosis, Exercise, ExerciseResult, Made, Message, Own, SourceFile, Status
from grader.grading.failures import is_not_written
from grader.grading.outline import definitions
from grader.grading.plan import Plan

_NOT_CORRECT = Message("{name} uses your {used} ({file}), which is not correct yet. Fix that first.")
_NOT_WRITTEN = Message("{name} uses your {used} ({file}), which is not written yet: write that first.")
_WRONG = (Status.FAILED, Status.RAISED, Status.TIMED_OUT, Status.DIED)
_Place = tuple[str, str]


def with_dependencies(
    plans: Sequence[Plan], results: Mapping[str, ExerciseResult], files: tuple[SourceFile, ...]
) -> dict[str, ExerciseResult]:
    """The results; for exercises that use a wrong one, the first diagnosis says so."""
    wrong = {plan.exercise.name: plan for plan in plans if plan.file and _is_wrong(results[plan.exercise.name])}
    if len(wrong) < 2:
        return dict(results)
    places = {(plan.file.module, name): name for name, plan in wrong.items() if plan.file}
    asked = tuple((name, plan.file) for name, plan in wrong.items() if plan.file)
    uses = {name: {places[each] for each in found if each in places} for name, found in _used(asked, files).items()}
    for name, plan in wrong.items():
        given = {each for each in _called_with(plan.exercise) if each in wrong and each != name}
        uses[name] = uses.get(name, set()) | given
    explained = dict(results)
    for name, used in uses.items():
        # The first one that itself uses no other wrong one.
        first = next((each for each in sorted(used) if not uses.get(each)), None)
        # A mistake that has a name explains the results with a correct dependency; so does a complete repair.
        has_own = any(each.voice == "mistake" or each.repairs for each in results[name].diagnosis)
        if first is not None and results[name].status in _WRONG and not has_own:
            said = (_said(name, results[first]), *results[name].diagnosis)
            explained[name] = replace(results[name], diagnosis=said)
    return explained


def _called_with(exercise: Exercise) -> Iterator[str]:
    """The learner's own definitions that the cases of an exercise are called with, such as a cache."""
    for _, recipe in (pair for case in exercise.cases for pair in case.args):
        parts = (recipe, *(part for _, part in recipe.parts)) if isinstance(recipe, Made) else (recipe,)
        yield from (part.name for part in parts if isinstance(part, Own))


def _is_wrong(result: ExerciseResult) -> bool:
    return result.status in _WRONG or is_not_written(result.message)


def _used(asked: tuple[tuple[str, SourceFile], ...], files: tuple[SourceFile, ...]) -> dict[str, list[_Place]]:
    """The definitions that each exercise leads to. Large files are searched in a process with limits."""
    if sum(len(part.text) for file in files for part in file.parts) <= bounded.SMALL:
        return _search(asked, files)
    try:
        return bounded.call(bounded.READING, _search, asked, files)
    except bounded.Exceeded:
        return {}


def _search(asked: tuple[tuple[str, SourceFile], ...], files: tuple[SourceFile, ...]) -> dict[str, list[_Place]]:
    return {name: sorted(definitions(name, file, files)) for name, file in asked}


def _said(name: str, used: ExerciseResult) -> Diagnosis:
    text = _NOT_WRITTEN if is_not_written(used.message) else _NOT_CORRECT
    return Diagnosis("dependency", text.fill(name=name, used=used.name, file=used.file))
