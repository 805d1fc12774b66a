"""An explainer: a small slip, confirmed by running the code without it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from grader.core.model import Diagnosis, Message, Span, Text
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.slips import Slip, slips

FIXES_ALL = Message(" With only that changed, every case is correct.")
_MORE = Message(" With only that changed, more cases are correct, and none becomes wrong.")
#: The maximum number of slips that are tried.
_MOST = 6
#: The number of wrong cases that are run first; if all stay wrong, no other one is.
_FIRST = 3
#: The number of cases that have to become correct, unless all do.
_ENOUGH = 2
#: The checks that show whether a slip matters.
_TELLING = ("values", "repeatable")


def slip(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The slip without which the most cases are correct, if there is one without which none becomes wrong."""
    cases = [each for each in failure.evidence if each.counts and each.seen.spec.kind in _TELLING]
    wrong = sorted((each for each in cases if each.failed), key=lambda each: not each.seen.case.public)
    first, rest = wrong[:_FIRST], [*wrong[_FIRST:], *(each for each in cases if not each.failed)]
    found: list[tuple[int, Slip]] = []
    for each in itertools.islice(
        slips(failure.exercise, failure.file, failure.submission.files), _MOST if wrong else 0
    ):
        if not any(seen := _run(failure, first, each)):
            continue
        seen = [*seen, *_run(failure, rest, each)]
        fixed, broken = sum(map(bool, seen[: len(wrong)])), False in seen[len(wrong) :]
        if not broken and fixed >= min(_ENOUGH, len(wrong)):
            found.append((fixed, each))
        if fixed == len(wrong):
            break
    if found:
        fixed, best = max(found, key=lambda pair: pair[0])
        more = FIXES_ALL if fixed == len(wrong) else _MORE
        text = Text(best.said.en + more.en, best.said.zh + more.zh)
        yield Diagnosis("place", text, span=Span(*best.where))


def _run(failure: WrongExercise, cases: Sequence[Evidence], slip: Slip) -> Sequence[bool | None]:
    """Whether the code without the slip is correct in these cases."""
    return failure.rerun([(case.seen.spec, case.seen.drawn) for case in cases], slip.files)
