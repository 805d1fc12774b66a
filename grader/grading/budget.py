"""One budget for all jobs of a submission: time and memory that one job uses are not available to the next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grader.core.model import Past

if TYPE_CHECKING:
    from grader.core.model import Job, Limits, Observe, Observed


def with_shared_budget(observe: Observe) -> Observe:
    """``observe`` for all jobs of one submission: each job starts with the ``past`` of those before it."""
    past = Past()

    def observed(job: Job, limits: Limits) -> Observed:
        nonlocal past
        seen = observe(replace(job, past=past), limits)
        past = seen.past or past
        return seen

    return observed
