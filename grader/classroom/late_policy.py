"""The rules for due dates, late work and attempts, as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.model import Message, Rules, Text
from grader.core.text import points, timestamp

_DUE = Message("Due {due} (plus a learner’s extra time).")
_PERCENT = Message("Each day late, or part of a day, costs {percent} %.")
_GRACE = Message("The first {hours} h are free.")
_CUT_OFF = Message("Work more than {days} days late does not count.")
_FREE = Message("There is no penalty for late work.")
_COUNTS = {
    "best": Message("The best attempt counts."),
    "last": Message("The last attempt counts."),
    "each": Message("Every attempt counts separately."),
}
_ATTEMPT = Message("Each further attempt costs {percent} %.")


def policy_sentences(rules: Rules) -> Iterator[Text]:
    """The due date, the cost of late work, and which attempt counts; nothing if there is no due date."""
    if rules.due is None:
        return
    yield _DUE.fill(due=timestamp(rules.due))
    if rules.late_percent:
        yield _PERCENT.fill(percent=points(rules.late_percent))
    if rules.grace_hours and rules.late_percent:
        yield _GRACE.fill(hours=points(rules.grace_hours))
    if rules.cut_off_days is not None:
        yield _CUT_OFF.fill(days=points(rules.cut_off_days))
    if not rules.late_percent and rules.cut_off_days is None:
        yield _FREE
    yield _COUNTS[rules.attempts]
    if rules.attempt_percent:
        yield _ATTEMPT.fill(percent=points(rules.attempt_percent))
