"""Rules about handing in, as sentences."""

from __future__ import annotations

import pytest

from grader.classroom.late_policy import sentences
from grader.core.model import Rules

DUE = "2026-12-01T00:00:00+08:00"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (Rules(), ""),
        (Rules(late_percent=10, attempts="best"), ""),
        (
            Rules(due=DUE),
            "Due 2026-12-01 00:00+08:00 (extra time of a learner comes on top). Late work loses nothing. "
            "Of several attempts the last counts.",
        ),
        (
            Rules(DUE, 12.5, 2, 5, "best", 20),
            "Due 2026-12-01 00:00+08:00 (extra time of a learner comes on top). "
            "Each day late, begun or whole, takes 12.5 % off. The first 2 h cost nothing. After 5 days nothing counts. "
            "Of several attempts the best counts. Each further attempt takes 20 % off.",
        ),
        (
            Rules("2026-12-01T00:00:00+00:00", cut_off_days=0, attempts="each", grace_hours=3),
            "Due 2026-12-01 00:00 UTC (extra time of a learner comes on top). After 0 days nothing counts. "
            "Each attempt counts for itself.",
        ),
    ],
)
def test_sentences(rules: Rules, said: str) -> None:
    """Only what was decided, in both languages."""
    found = list(sentences(rules))
    assert " ".join(each.en for each in found) == said
    assert all(any("\u4e00" <= char <= "\u9fff" for char in each.zh) for each in found)
