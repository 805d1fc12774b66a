"""One budget for all jobs of a submission: what one job uses is not available to the next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grader.core.model import ResourceUsage

if TYPE_CHECKING:
    from grader.core.model import Job, Limits, Observe, Observed


def with_shared_budget(observe: Observe) -> Observe:
    """``observe`` for all jobs of one submission: each job starts from the ``usage`` of those before it."""
    usage = ResourceUsage()

    def observed(job: Job, limits: Limits) -> Observed:
        nonlocal usage
        seen = observe(replace(job, usage=usage), limits)
        usage = seen.usage or usage
        return seen

    return observed
