"""Asks every voice about a wrong exercise, the most telling one first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from grader.core.model import Diagnosis
from grader.grading.explaining import pairs
from grader.grading.explaining.condition import condition
from grader.grading.explaining.evidence import Failure
from grader.grading.explaining.mistakes import Evidence, diagnose
from grader.grading.explaining.relation import relation

#: The most that is said about one exercise.
MOST = 3


def explain(failure: Failure) -> tuple[Diagnosis, ...]:
    """What can be said, best first."""
    said = itertools.chain.from_iterable(voice(failure) for voice in VOICES)
    return tuple(itertools.islice(said, MOST))


def mistake(failure: Failure) -> Iterator[Diagnosis]:
    """Voice 1: the typical mistake that explains everything; else two at once, or each in cases of its own."""
    seen = [Evidence(each.seen.spec.kind, each.identifies, each.verdict) for each in failure.evidence]
    single = diagnose(seen, failure.known, failure.array_type)
    names = (single.misconception,) if single else pairs.both(failure) or pairs.by_case(failure)
    for believed in map(failure.question.misconception, names):
        if believed is not None:
            yield Diagnosis("mistake", believed.truth, believed.id)


VOICES: tuple[Callable[[Failure], Iterator[Diagnosis]], ...] = (mistake, relation, condition)
