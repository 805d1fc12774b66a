"""Which job runs next on the workers of a class server: nobody waits because somebody else asked for much.

- One job of a person runs at a time, and those who used least of the workers lately come first.
- People whose jobs took long lately never hold all workers, if there are two or more; nor do first checks of people of
  whom nothing is known yet.
- Checks, for which somebody sits and waits, come before gradings; but every fourth job is a grading, if one waits.
- Of one person's gradings, the newest attempt comes first.

Knows nothing of processes and threads. The caller says what the time is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

#: Seconds after which half of what somebody used is forgotten.
_HALF = 120.0
#: Seconds of work lately that make somebody's jobs heavy.
_HEAVY = 3.0
#: One of this many jobs is a grading, if one waits.
_EVERY = 4


@dataclass(frozen=True, slots=True)
class Job:
    """Something to run for a person. ``rank`` is the number of the attempt; the ``key`` is the job's own."""

    person: str
    kind: Literal["check", "grading"]
    key: str
    rank: int = 0


@dataclass(slots=True)
class _Use:
    """What somebody used of the workers, in seconds, as of a time."""

    seconds: float = 0.0
    at: float = 0.0

    def now(self, now: float) -> float:
        return self.seconds * math.pow(0.5, (now - self.at) / _HALF)


@dataclass(slots=True)
class FairQueue:
    """Jobs that wait for one of ``workers``."""

    workers: int
    waiting: list[Job] = field(default_factory=list)
    running: list[Job] = field(default_factory=list)
    _used: dict[str, _Use] = field(default_factory=dict)
    _taken: int = 0

    def put(self, job: Job) -> None:
        """Add a job. A key that waits or runs already is not added again."""
        if all(job.key != other.key for other in (*self.waiting, *self.running)):
            self.waiting.append(job)

    def take(self, now: float) -> Job | None:
        """The job to run now; None if there is no worker for any."""
        if len(self.running) >= self.workers:
            return None
        busy = {job.person for job in self.running}
        risky = sum(self._may_be_long(job, now) for job in self.running)
        full = self.workers > 1 and risky >= self.workers - 1
        ready = [job for job in self.waiting if job.person not in busy and not (full and self._may_be_long(job, now))]
        wanted = "grading" if self._taken % _EVERY == _EVERY - 1 else "check"
        ready = [job for job in ready if job.kind == wanted] or ready
        if not ready:
            return None
        came: dict[str, int] = {}
        for at, job in enumerate(self.waiting):
            came.setdefault(job.person, at)
        chosen = min(ready, key=lambda job: (self.used(job.person, now), came[job.person], -job.rank))
        self.waiting.remove(chosen)
        self.running.append(chosen)
        self._taken += 1
        return chosen

    def done(self, job: Job, seconds: float, now: float) -> None:
        """A job has ended, after ``seconds`` of work."""
        self.running.remove(job)
        self._used[job.person] = _Use(self.used(job.person, now) + seconds, now)

    def used(self, person: str, now: float) -> float:
        """How much of the workers somebody used lately, in seconds."""
        return self._used.get(person, _Use()).now(now)

    def _may_be_long(self, job: Job, now: float) -> bool:
        unknown = job.kind == "check" and job.person not in self._used
        return unknown or self.used(job.person, now) > _HEAVY
