"""Which job runs next on the workers of a class server: nobody waits because somebody else asked for much.

- One job of a person runs at a time, and those who used least of the workers lately come first.
- People whose jobs took long lately have a *spare* worker, which nobody else uses. They get others only as long as one
  is left for everybody else who was there in the last minute, and at least one.
- First checks of people of whom nothing is known yet never hold all workers, if there are two or more.
- Checks, for which somebody sits and waits, come before gradings; but every fourth job is a grading, if one waits.
- Of one person's gradings, the newest attempt comes first.

Knows nothing of processes and threads. The caller says what the time is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

#: Seconds after which half of what somebody used is forgotten.
_HALF = 120.0
#: Somebody's jobs are heavy if they took so many seconds lately, and so many each.
_HEAVY, _LONG = 3.0, 1.0
#: For how many seconds after a job a worker is kept for the person, unless their jobs are heavy.
_THERE = 60.0
#: One of this many jobs is a grading, if one waits.
_EVERY = 4


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """Something to run for a person. ``rank`` is the number of the attempt; the ``key`` is the job's own."""

    person: str
    kind: Literal["check", "grading"]
    key: str
    rank: int = 0


@dataclass(slots=True)
class _Use:
    """What somebody used of the workers, in seconds and in jobs, as of a time; half of it is soon forgotten."""

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
    """Jobs that wait for one of ``workers``, or for the spare one besides them."""

    workers: int
    waiting: list[QueuedJob] = field(default_factory=list)
    running: list[QueuedJob] = field(default_factory=list)
    _spare: QueuedJob | None = None
    _used: dict[str, _Use] = field(default_factory=dict)
    _taken: int = 0

    def put(self, job: QueuedJob) -> None:
        """Add a job. A key that waits or runs already is not added again."""
        if all(job.key != other.key for other in (*self.waiting, *self.running)):
            self.waiting.append(job)

    def take(self, now: float) -> QueuedJob | None:
        """The job to run now; None if there is no worker for any."""
        running = [job for job in self.running if job is not self._spare]
        if len(running) >= self.workers:
            return None
        unknown = sum(self._unknown(job) for job in running)
        heavy = sum(self._heavy(job, now) for job in running)
        others = sum(now - use.at < _THERE and not use.now(now).heavy for use in self._used.values())
        room = self.workers - max(1, others) > heavy + unknown
        alone = self.workers > 1 and heavy + unknown >= self.workers - 1
        return self._first(
            (job for job in self.waiting if (room if self._heavy(job, now) else not (alone and self._unknown(job)))),
            now,
        )

    def take_heavy(self, now: float) -> QueuedJob | None:
        """The job for the spare worker to run now; None if there is none."""
        if self._spare is not None:
            return None
        self._spare = self._first((job for job in self.waiting if self._heavy(job, now)), now)
        return self._spare

    def done(self, job: QueuedJob, seconds: float, now: float) -> None:
        """A job has ended, after ``seconds`` of work."""
        self.running.remove(job)
        if job is self._spare:
            self._spare = None
        before = self._used.get(job.person, _Use()).now(now)
        self._used[job.person] = _Use(before.seconds + seconds, before.jobs + 1, now)

    def used(self, person: str, now: float) -> float:
        """How much of the workers somebody used lately, in seconds."""
        return self._used.get(person, _Use()).now(now).seconds

    def _first(self, candidates: Iterable[QueuedJob], now: float) -> QueuedJob | None:
        """Takes the fairest of the candidates."""
        busy = {job.person for job in self.running}
        ready = [job for job in candidates if job.person not in busy]
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

    def _heavy(self, job: QueuedJob, now: float) -> bool:
        return self._used.get(job.person, _Use()).now(now).heavy

    def _unknown(self, job: QueuedJob) -> bool:
        return job.kind == "check" and job.person not in self._used
