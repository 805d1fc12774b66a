"""An explainer: a small slip, confirmed by running the code without it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from grader.core.model import Diagnosis, Message, Span, Status, Text
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.slips import Slip, slips
from grader.grading.explaining.unsuitable import text_of

#: What other checks find may stay.
_ALL = Message(" With only that changed, every wrong value becomes correct.")
_MORE = Message(" With only that changed, more values are correct, and none becomes wrong.")
_BUT = Message(" With only that changed, more values are correct, and none becomes wrong; the case above stays wrong.")
#: The maximum numbers of slips that are tried.
_MOST = 6
_MOST_SMALL = 10
#: The number of wrong cases that are run first; if all stay wrong, no other one is.
_FIRST = 3
#: The number of cases that have to become correct, unless all do.
_ENOUGH = 2
#: The checks that show whether a slip matters.
_TELLING = ("values", "repeatable")


def slip(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The slip without which the most cases are correct, if there is one without which none becomes wrong."""
    cases, wrong = _cases(failure)
    possible = slips(failure.exercise, failure.file, failure.submission.files)
    found: list[tuple[int, Diagnosis]] = []
    for each in itertools.islice(possible, _MOST if wrong else 0):
        if not any(_run(failure, wrong[:_FIRST], each)):
            continue
        before, after = _run(failure, cases, None), _run(failure, cases, each)
        fixed = sum(was is False and now is True for was, now in zip(before, after, strict=True))
        whole = all(after[: len(wrong)])
        if False not in after[len(wrong) :] and fixed >= min(_ENOUGH, len(wrong)):
            found.append((len(cases) if whole else fixed, _said(each, _ALL if whole else _MORE if after[0] else _BUT)))
        if whole:
            break
    if found:
        yield max(found, key=lambda pair: pair[0])[1]


def small_slip(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The operator or number without which every case is correct, and fresh inputs are, too.

    It is in no line that the reference has, too: that one is right.
    """
    right = "\n".join(part.text for file in failure.course.reference for part in file.parts)
    cases, wrong = _cases(failure)
    possible = slips(failure.exercise, failure.file, failure.submission.files, small=True)
    computed = any(each.verdict.status is Status.FAILED for each in wrong)  # not: it raised each time
    for each in itertools.islice(possible, _MOST_SMALL if computed else 0):
        label, line, *_ = each.where
        if f"    {text_of(failure.submission.files, label).splitlines()[line - 1].strip()}\n" in right:
            continue
        first = _run(failure, wrong[:_FIRST], each)
        if None in first:
            return  # it did not end, and the others may not either
        if all(first) and all(_run(failure, cases, each)) and all(failure.rerun(failure.fresh(), each.files)):
            yield _said(each, _ALL)
            return


def _cases(failure: WrongExercise) -> tuple[list[Evidence], list[Evidence]]:
    """The evidence that shows whether a slip matters, the wrong first, and the wrong alone, with public cases first."""
    cases = [each for each in failure.evidence if each.counts and each.seen.spec.kind in _TELLING]
    wrong = sorted((each for each in cases if each.failed), key=lambda each: not each.seen.case.public)
    return [*wrong, *(each for each in cases if not each.failed)], wrong


def _said(slip: Slip, more: Text) -> Diagnosis:
    said = Text(slip.said.en + more.en, slip.said.zh + more.zh)
    return Diagnosis("place", said, span=Span(*slip.where), repairs=more is _ALL)


def _run(failure: WrongExercise, cases: Sequence[Evidence], slip: Slip | None) -> Sequence[bool | None]:
    """Whether the code without the slip is correct in these cases, or the code as it is.

    That is run again, too: code that keeps something between calls may be correct in these cases alone.
    """
    return failure.rerun([(case.seen.spec, case.seen.drawn) for case in cases], slip.files if slip else None)
