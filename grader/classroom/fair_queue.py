"""Decide which job runs next on the workers of a class server, so that heavy users do not delay others.

- One job per person runs at a time; people with the least recent use of the workers come first.
- There is a *spare* worker for people whose recent jobs took long. They get other workers only as long as one is left
  for each other person who was active in the last minute, and at least one.
- First checks of people without a history never occupy all workers, if there are two or more.
- Checks come before gradings, because someone is waiting for them, but every fourth job is a waiting grading.
- Of one person's gradings, the newest attempt comes first.

This module uses no processes, threads or clocks; the caller passes the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

#: The half-life, in seconds, of the recorded use of workers.
_HALF = 120.0
#: A person's jobs are heavy if they recently took this many seconds in total, and this many each.
_HEAVY, _LONG = 3.0, 1.0
#: Seconds for which a person counts as active after a job, unless their jobs are heavy.
_THERE = 60.0
#: One job in this many is a grading, if one is waiting.
_EVERY = 4


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job to run for a person. ``rank`` is the number of the attempt; ``key`` identifies the job."""

    person: str
    kind: Literal["check", "grading"]
    key: str
    rank: int = 0


@dataclass(slots=True)
class _Use:
    """A person's recent use of the workers, in seconds and in jobs, as of the time ``at``; it decays exponentially."""

    seconds: float = 0.0
    jobs: float = 0.0
    at: float = -math.inf

    def now(self, now: float) -> _Use:
        left = math.pow(0.5, (now - self.at) / _HALF)
        return _Use(self.seconds * left, self.jobs * left, self.at)

    @property
    def heavy(self) -> bool:
        return self.seconds > max(_HEAVY, self.jobs * _LONG)


@dataclass(slots=True)
class FairQueue:
    """Jobs that wait for one of ``workers``, or for the spare worker in addition to them."""

    workers: int
    waiting: list[QueuedJob] = field(default_factory=list)
    running: list[QueuedJob] = field(default_factory=list)
    _spare: QueuedJob | None = None
    _used: dict[str, _Use] = field(default_factory=dict)
    _taken: int = 0

    def put(self, job: QueuedJob) -> None:
        """Add a job, unless one with the same key is waiting or running."""
        if all(job.key != other.key for other in (*self.waiting, *self.running)):
            self.waiting.append(job)

    def take(self, now: float) -> QueuedJob | None:
        """Start the next job, and return it; None if none may run at ``now``."""
        running = [job for job in self.running if job is not self._spare]
        if len(running) >= self.workers:
            return None
        unknown = sum(self._unknown(job) for job in running)
        heavy = sum(self._heavy(job, now) for job in running)
        others = sum(now - use.at < _THERE and not use.now(now).heavy for use in self._used.values())
        room = self.workers - max(1, others) > heavy + unknown
        alone = self.workers > 1 and heavy + unknown >= self.workers - 1
        ready = (job for job in self.waiting if (room if self._heavy(job, now) else not (alone and self._unknown(job))))
        return self._first(ready, now)

    def take_heavy(self, now: float) -> QueuedJob | None:
        """Start the next job for the spare worker, and return it; None if none may run at ``now``."""
        if self._spare is not None:
            return None
        self._spare = self._first((job for job in self.waiting if self._heavy(job, now)), now)
        return self._spare

    def done(self, job: QueuedJob, seconds: float, now: float) -> None:
        """Record that a job has ended after ``seconds`` of work."""
        self.running.remove(job)
        if job is self._spare:
            self._spare = None
        before = self._used.get(job.person, _Use()).now(now)
        self._used[job.person] = _Use(before.seconds + seconds, before.jobs + 1, now)

    def used(self, person: str, now: float) -> float:
        """A person's recent use of the workers, in seconds."""
        return self._used.get(person, _Use()).now(now).seconds

    def _first(self, candidates: Iterable[QueuedJob], now: float) -> QueuedJob | None:
        """Start the job of the person who used the workers least, and return it; None if nobody has one."""
        busy = {job.person for job in self.running}
        ready = [job for job in candidates if job.person not in busy]
        wanted = "grading" if self._taken % _EVERY == _EVERY - 1 else "check"
        ready = [job for job in ready if job.kind == wanted] or ready
        if not ready:
            return None
        came: dict[str, int] = {}
        for index, job in enumerate(self.waiting):
            came.setdefault(job.person, index)
        chosen = min(ready, key=lambda job: (self.used(job.person, now), came[job.person], -job.rank))
        self.waiting.remove(chosen)
        self.running.append(chosen)
        self._taken += 1
        return chosen

    def _heavy(self, job: QueuedJob, now: float) -> bool:
        return self._used.get(job.person, _Use()).now(now).heavy

    def _unknown(self, job: QueuedJob) -> bool:
        return job.kind == "check" and job.person not in self._used
