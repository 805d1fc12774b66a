"""Rules about handing in, as sentences."""

from __future__ import annotations

import pytest

from grader.classroom.words import policy_sentences
from grader.core.model import Rules

DUE = "2026-12-01T00:00:00+08:00"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (Rules(), ""),
        (Rules(late_percent=10, attempts="best"), ""),
        (
            Rules(due=DUE),
            "Due 2026-12-01 00:00+08:00 (plus a learner’s extra time). There is no penalty for late work. "
            "The last attempt counts.",
        ),
        (
            Rules(DUE, 12.5, 2, 5, "best", 20),
            "Due 2026-12-01 00:00+08:00 (plus a learner’s extra time). "
            "Each day late, or part of a day, costs 12.5 %. The first 2 h are free. "
            "Work more than 5 days late does not count. "
            "The best attempt counts. Each further attempt costs 20 %.",
        ),
        (
            Rules("2026-12-01T00:00:00+00:00", cut_off_days=0, attempts="each", grace_hours=3),
            "Due 2026-12-01 00:00 UTC (plus a learner’s extra time). Work more than 0 days late does not count. "
            "Every attempt counts separately.",
        ),
    ],
)
def test_sentences(rules: Rules, said: str) -> None:
    """Only what was decided, in both languages."""
    found = list(policy_sentences(rules))
    assert " ".join(each.en for each in found) == said
    assert all(any("\u4e00" <= char <= "\u9fff" for char in each.zh) for each in found)
