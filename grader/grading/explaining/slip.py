"""An explainer: a small slip, confirmed by running the code without it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from grader.core.model import Diagnosis, Message, Span, Text
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.place_text import Repair
from grader.grading.explaining.slips import Slip, slips

#: What other checks find may stay.
_ALL = Message(" With only that changed, every wrong value becomes correct.")
_MORE = Message(" With only that changed, more values are correct, and none becomes wrong.")
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
    ordered = [*wrong, *(each for each in cases if not each.failed)]
    possible = slips(failure.exercise, failure.file, failure.submission.files)
    found: list[tuple[int, Slip]] = []
    for each in itertools.islice(possible, _MOST if wrong else 0):
        if not any(_run(failure, wrong[:_FIRST], each)):
            continue
        before, after = _run(failure, ordered, None), _run(failure, ordered, each)
        fixed = sum(was is False and now is True for was, now in zip(before, after, strict=True))
        whole = all(after[: len(wrong)])
        if False not in after[len(wrong) :] and fixed >= min(_ENOUGH, len(wrong)):
            found.append((len(cases) if whole else fixed, each))
        if whole:
            break
    if found:
        fixed, best = max(found, key=lambda pair: pair[0])
        kind, more = (Repair, _ALL) if fixed == len(cases) else (Diagnosis, _MORE)
        text = Text(best.said.en + more.en, best.said.zh + more.zh)
        yield kind("place", text, span=Span(*best.where))


def _run(failure: WrongExercise, cases: Sequence[Evidence], slip: Slip | None) -> Sequence[bool | None]:
    """Whether the code without the slip is correct in these cases, or the code as it is.

    That is run again, too: code that keeps something between calls may be correct in these cases alone.
    """
    return failure.rerun([(case.seen.spec, case.seen.drawn) for case in cases], slip.files if slip else None)
