"""An explainer: the condition under which code is wrong, if it is correct whenever the condition is false."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.core.model import Diagnosis, Exercise, Message, Text, Verdict
from grader.core.text import name_list
from grader.grading.checks import kinds
from grader.grading.checks.repeatable import DIFFERENT, STATE
from grader.grading.explaining.case_tags import Tag, phrases, tags
from grader.grading.explaining.evidence import Evidence, WrongExercise, own
from grader.grading.explaining.interventions import toggled
from grader.grading.inputs import Drawn

_SAYS = Message("Correct in every case where {right}; wrong in every case where {wrong}.")
_ONLY_WRONG = Message("Correct in {right} of {all} cases; wrong only in {names}.")
_ONLY_RIGHT = Message("Wrong in {wrong} of {all} cases; correct only in {names}.")
_NOT_REPEATABLE = Message(
    "The same call does not always give the same result: something in it is random, or it keeps something from an "
    "earlier call."
)
_ALONE = Message(
    "Each public case that fails is correct if it runs alone. Something is random, or is kept from an earlier call or "
    "instance, such as a list that is a default value (`def f(x, found=[])`), or an attribute of the class."
)
#: The maximum number of cases that are named.
_FEW = 4
#: With fewer cases, any split would have some tag by chance.
_FEWEST = 3


def unsteady(failure: WrongExercise) -> Iterator[Diagnosis]:
    """That repeated calls give different results, or that cases are wrong only after others, if values are wrong."""
    said_of_calls = [each.verdict.message for each in failure.evidence if each.counts]
    wrong = any(each.failed and each.seen.spec.kind == _main_check(failure.exercise) for each in failure.evidence)
    if wrong and (DIFFERENT in said_of_calls or STATE in said_of_calls):
        yield Diagnosis("condition", _NOT_REPEATABLE)
        return
    failed = [(each.seen.spec, each.seen.drawn) for each in failure.public_values()]
    if failed and all([*failure.rerun([each])] == [True] for each in failed):  # each in a process of its own
        yield Diagnosis("condition", _ALONE)


def condition(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The first tag that decides whether code is correct, in every case and if it alone is changed."""
    main = _main_check(failure.exercise)
    values = [each for each in failure.evidence if each.counts and each.seen.spec.kind == main]
    wrong = {each.seen.case.name for each in values if each.failed}
    if values and not wrong:
        alone = [_of_check(each) for each in failure.evidence if each.failed]
        yield from (Diagnosis("condition", said) for said in dict.fromkeys(alone) if said is not None)
        return
    cases = {each.seen.case.name: each.seen.case.title for each in values}
    if len(cases) < _FEWEST or not wrong < cases.keys():
        return
    failed = {each.seen.case.name for each in failure.evidence if each.failed}
    said = _deciding(failure, values) or _named(wrong, cases, failed)
    if said is not None:
        yield Diagnosis("condition", said)


def _of_check(evidence: Evidence) -> Text | None:
    """The explanation if only this check fails."""
    check = kinds()[evidence.seen.spec.kind]
    alone: Callable[[Verdict], Text | None] | None = getattr(check, "alone", None)
    return check.KIND.alone if alone is None else alone(evidence.verdict)


def _main_check(exercise: Exercise) -> str:
    """The check that compares results: ``values``, or the one with the largest weight where there is none."""
    if any(spec.kind == "values" for spec in exercise.checks):
        return "values"
    return max(exercise.checks, key=lambda spec: spec.weight).kind


def _named(wrong: set[str], cases: Mapping[str, Text], failed: set[str]) -> Text | None:
    """The names of the wrong cases or of the correct ones, whichever are fewer.

    A case that ``failed`` in another check is not called correct.
    """
    right = cases.keys() - wrong
    fewer, said = (wrong, _ONLY_WRONG) if len(wrong) <= len(right) else (right, _ONLY_RIGHT)
    if len(fewer) > _FEW or (said is _ONLY_RIGHT and right & failed):
        return None
    names = name_list(Text(f"“{cases[name].en}”", f"“{cases[name].zh}”") for name in sorted(fewer))
    return said.fill(right=len(right), wrong=len(wrong), all=len(cases), names=names)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """Other inputs for a case, in which a tag is changed: ``alone`` if no other tag that could be said is."""

    tag: Tag
    case: Evidence
    changed: Drawn
    alone: bool


def _deciding(failure: WrongExercise, values: Sequence[Evidence]) -> Text | None:
    """The first tag that separates wrong cases from correct ones, and turns each into the other."""
    found = dict(_splits(failure.exercise, values))
    asked = list(_attempts(found, [each for each in values if each.seen.case.public]))
    right = failure.rerun([(each.case.seen.spec, each.changed) for each in asked])
    outcomes = [(attempt, now) for attempt, now in zip(asked, right, strict=True) if now is not None]
    for tag, said in found.items():
        mine = [(attempt, now) for attempt, now in outcomes if attempt.tag == tag]
        both_ways = len({now for _, now in mine}) == 2
        flipped = all(now is attempt.case.failed for attempt, now in mine)
        if flipped and (both_ways or any(attempt.alone for attempt, _ in mine)):
            return said
    return None


def _attempts(found: Iterable[Tag], cases: Sequence[Evidence]) -> Iterator[_Attempt]:
    """Each of the ``found`` tags changed in each of the cases in which that is possible."""
    inputs = [each.seen.drawn for each in cases]
    for tag, each in itertools.product(found, cases):
        changed = toggled(tag, each.seen.drawn, inputs)
        if changed is not None:
            also = set(tags(changed)) ^ set(tags(each.seen.drawn))
            alone = not any(other in also and not _goes_with(tag, other) for other in found)
            yield _Attempt(tag, each, changed, alone)


def _goes_with(tag: Tag, other: Tag) -> bool:
    """Whether ``other`` is the same condition: of another argument, or said in more detail."""
    both = {tag[0], other[0]}
    return len(both) == 1 or both <= _AXES or (tag[1] == other[1] and (tag[0] == "given" or both <= _LENGTHS))


_AXES = {"several-samples", "no-samples", "one-axis", "three-axes", "many-axes"}
_LENGTHS = {"unequal-lengths", "first-longer", "first-shorter"}


def _splits(exercise: Exercise, values: Sequence[Evidence]) -> Iterator[tuple[Tag, Text]]:
    """The tags that all wrong cases have and no correct one has, or the reverse, each with what to say."""
    order = list(phrases())
    known = {each.seen.case.name: set(tags(own(exercise, each.seen.drawn))) for each in values}
    wrong = {each.seen.case.name for each in values if each.failed}
    for key in sorted(set().union(*known.values()), key=lambda key: (order.index(key[0]), key[1])):
        having = {case for case, found in known.items() if key in found}
        tag = phrases()[key[0]]
        sentences = {"having": tag.having.fill(name=key[1]), "lacking": tag.lacking.fill(name=key[1])}
        if having == wrong:
            yield key, _SAYS.fill(right=sentences["lacking"], wrong=sentences["having"])
        if having == known.keys() - wrong:
            yield key, _SAYS.fill(right=sentences["having"], wrong=sentences["lacking"])
