"""Turns verdicts into points. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from grader.core.model import Case, CheckSpec, Message, Outcome, Rules, Status, Verdict

Judged = tuple[CheckSpec, Case, Verdict]


#: The share of the points that an exercise earns at most if its results are wrong for ordinary inputs.
MOST_IF_WRONG = 0.5
#: Remarked if that limit applies; hidden cases alone may be the reason.
AT_MOST_HALF = Message("some of the values themselves are wrong, so at most half of the points count")


def limited(found: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The outcomes with ``MOST_IF_WRONG`` of the points at most: what is earned is reduced in proportion."""
    most = MOST_IF_WRONG * sum(outcome.possible for outcome in found)
    earned = sum(outcome.earned for outcome in found)
    if earned <= most:
        return found
    return tuple(replace(outcome, earned=outcome.earned * most / earned) for outcome in found)


def outcomes(points: float, judged: Sequence[Judged]) -> tuple[Outcome, ...]:
    """Distributes the points of an exercise over its checks by weight, and those of a check evenly over its cases.

    The weight of checks that do not apply goes to the others. UNMARKED results (internal errors) count neither as
    earned nor as possible; apart from these, the possible points add up to ``points``.
    """
    keys = [repr((spec.kind, spec.on, spec.options)) for spec, _, _ in judged]
    cases_of: dict[str, int] = {}
    for key, (_, _, verdict) in zip(keys, judged, strict=True):
        cases_of[key] = cases_of.get(key, 0) + verdict.applies
    weights = {key: spec.weight for key, (spec, _, verdict) in zip(keys, judged, strict=True) if verdict.applies}
    total = sum(weights.values())
    result = []
    for key, (spec, case, verdict) in zip(keys, judged, strict=True):
        share = points * spec.weight / total / cases_of[key] if verdict.applies and total else 0.0
        possible = 0.0 if verdict.status is Status.UNMARKED else share
        earned = possible if verdict.status is Status.PASSED else 0.0
        result.append(Outcome(spec.kind, case.name, case.visibility, verdict, earned, possible))
    return tuple(result)


def overall(found: Sequence[Outcome]) -> Status:
    """The status of an exercise: PASSED if every outcome that applies passed, else that of the first failure.

    PENDING outcomes count only if there are no others.
    """
    applying = [o.status for o in found if o.verdict.applies]
    if not applying:
        return Status.SKIPPED
    counted = [status for status in applying if status is not Status.PENDING]
    if not counted:
        return Status.PENDING
    if Status.UNMARKED in counted and all(s in (Status.PASSED, Status.UNMARKED) for s in counted):
        return Status.UNMARKED
    return next((s for s in counted if s not in (Status.PASSED, Status.UNMARKED)), Status.PASSED)


#: Factors on the practice points for each further attempt and for each hint.
_NEXT_TRY, _HINT = 0.5, 0.8


def practice(fraction: float, *, attempt: int = 1, hints: int = 0) -> float:
    """The share of the practice points, from 0 to 1: halved for each further attempt, a fifth less for each hint.

    Graded points do not use this; they come from code and ``answers.yaml`` only.
    """
    return tidy(fraction * _NEXT_TRY ** (attempt - 1) * _HINT**hints)


_HOUR, _DAY = 3600.0, 86400.0


def seconds_that_count(rules: Rules) -> float:
    """How long after the due date a submission can still earn points; infinite if lateness never costs all of them."""
    cut_off = math.inf if rules.cut_off_days is None else rules.cut_off_days * _DAY
    if not rules.late_percent:
        return cut_off
    paid_days = math.ceil(100 / rules.late_percent) - 1  # one more day would cost everything
    return min(cut_off, max(rules.grace_hours * _HOUR, paid_days * _DAY))


def share_when_late(late_seconds: float, rules: Rules) -> float:
    """The share of the points, 0 to 1, that remains after deductions for lateness.

    Within the grace period, lateness costs nothing; after it, lateness is counted from the due date. The grace period
    does not extend the cut-off.
    """
    if late_seconds > seconds_that_count(rules):
        return 0.0
    if late_seconds <= rules.grace_hours * _HOUR:
        return 1.0
    return max(0.0, 1.0 - rules.late_percent / 100 * math.ceil(late_seconds / _DAY))


def tidy(value: float) -> float:
    """``value`` rounded to 6 decimals, to remove floating-point noise from sums of shares."""
    return round(value, 6)
