"""Voice 3: what holds between the wrong results and the correct ones, or the results for other inputs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from grader.core.model import Diagnosis, Exercise, Observation, Returned, Text
from grader.grading import checks
from grader.grading.explaining import relations
from grader.grading.explaining.evidence import Failure, pairs
from grader.grading.explaining.relations import ENOUGH, Pair, leaves, near
from grader.grading.programs import Target

#: The most inputs that the reference is run on for one explanation.
_MOST_INPUTS = 240


def relation(failure: Failure) -> Iterator[Diagnosis]:
    """The relation of the lowest rank that holds in every public case that fails, if there is one."""
    found = pairs(failure)
    if not found:
        return
    ranked = sorted(relations.kinds().values(), key=lambda kind: kind.RANK)
    with np.errstate(all="ignore"):
        for kind in ranked:
            said = kind.relate(found) if hasattr(kind, "relate") else _elsewhere(kind, failure, found)
            if said is not None:
                yield Diagnosis("relation", said)
                return


def _elsewhere(kind: relations.Relation, failure: Failure, found: Sequence[Pair]) -> Text | None:
    """The sentence of the other inputs whose correct results are those of every case."""
    if failure.run is None or sum(pair.got.size for pair in found) < ENOUGH:
        return None
    asked = [list(kind.others(failure.exercise, pair.drawn)) for pair in found]
    sentences = [said for said, _ in asked[0] if all(said in [other for other, _ in each] for each in asked)]
    inputs = [(said, number) for said in sentences for number in range(len(found))][:_MOST_INPUTS]
    if not inputs:
        return None
    target = _reference(failure.exercise)
    spec = next(each.seen.spec for each in failure.public_values())
    jobs = [
        checks.kinds()[spec.kind].calls(target, dict(asked[number])[said], spec)[0] for said, number in inputs
    ]
    seen = failure.run(tuple(jobs))
    for said, of_one in itertools.groupby(zip(inputs, seen, strict=True), key=lambda each: each[0][0]):
        results = [(found[number], result) for (_, number), result in of_one]
        if len(results) == len(found) and all(_gives(result, pair) for pair, result in results):
            return said
    return None


def _gives(result: Observation, pair: Pair) -> bool:
    match result:
        case Returned((value,)):
            return any(near(pair.got, array) for _, array in leaves(value))
    return False


def _reference(exercise: Exercise) -> Target:
    module, _, name = exercise.reference.rpartition(".")
    return Target(exercise, f"reference.{module}", "torch", "float64", calls=name)
