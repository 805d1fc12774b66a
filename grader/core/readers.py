"""Reads what people send to a server, so that what one of them sends delays nobody else.

Each reading is a call on a helper process, pickled once. A call first gets a turn on a *quick* helper, for a quarter
of a second of CPU time. One that takes longer starts again on the *slow* helper, which has the lowest priority and
takes all calls of people who used much lately. On both, one call of a person runs at a time, and the person who has
used the least comes first, however much others have queued; the last free quick helper is kept for people who have
used little. A turn that is cut short costs the next person nothing, because helpers replace their processes by forks.
Each person has a budget of CPU time in an hour. Results that depend on the content alone are kept, so that the same
notebook is not parsed for every page.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any, TypeAlias

from grader.core.bounded import CALLER, Bounds, Call, Exceeded, Helper, make
from grader.core.cache import SizedCache
from grader.core.errors import SubmissionError, UsageError
from grader.core.model import Message
from grader.core.text import duration

#: Seconds of CPU time that a call gets on a quick helper.
QUICK = 0.25
#: Seconds of an hour, after which a person does not get the last free quick helper: a hundred notebooks.
_LITTLE = 1.0
#: Seconds of an hour, after which a person's files are read on the slow helper alone.
_MUCH = 2.0
_HOUR = 3600.0
#: Uses of one person within this many seconds are counted as one.
_TOGETHER = 60.0
#: The most bytes of all results that are kept, and of the calls that they are of.
_MOST_KEPT = 64 << 20

#: The result of a call, or why the function has none; and the bytes of the call and its reply.
_Outcome: TypeAlias = tuple[Any, SubmissionError | Exceeded | None, int]

_USED_UP = Message(
    "Reading your files has taken {most} seconds of computing time within an hour, which is the limit for one person. "
    "Notebooks, zips and large files can be read again in {time}. What you have submitted is not affected."
)


@dataclass(slots=True)
class Budget:
    """The CPU time of each person within the last hour: at most ``most`` seconds."""

    most: float
    _uses: dict[str, deque[tuple[float, float]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, person: str, seconds: float, now: float) -> None:
        """Record a use."""
        with self._lock:
            uses = self._uses.setdefault(person, deque())
            if uses and uses[-1][0] > now - _TOGETHER:
                since, before = uses.pop()
                uses.append((since, before + seconds))
            else:
                uses.append((now, seconds))

    def used(self, person: str, now: float) -> float:
        """What a person has used in the last hour."""
        with self._lock:
            return sum(seconds for _, seconds in self._recent(person, now))

    def wait(self, person: str, now: float) -> float:
        """Seconds until a person has less than ``most`` again; 0 if that is so now."""
        with self._lock:
            uses = self._recent(person, now)
            left = sum(seconds for _, seconds in uses)
            for time, seconds in uses:
                if left < self.most:
                    return 0.0
                left -= seconds
                if left < self.most:
                    return time + _HOUR - now
            return 0.0

    def _recent(self, person: str, now: float) -> deque[tuple[float, float]]:
        uses = self._uses.get(person, deque())
        while uses and uses[0][0] <= now - _HOUR:
            uses.popleft()
        return uses


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket:
    person: str


class Turns:
    """Turns on ``helpers``: one at a time for each person, and first for the person with the least ``used``.

    The last free one of several helpers is kept for people who have used at most ``little``.
    """

    def __init__(self, helpers: Sequence[Helper], used: Callable[[str], float], little: float = math.inf) -> None:
        self._free = [*helpers]
        self._used = used
        self._little = little if len(helpers) > 1 else math.inf
        self._waiting: list[_Ticket] = []
        self._busy: set[str] = set()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def turn(self, person: str) -> Iterator[Helper]:
        """Waits for a turn, and yields the helper."""
        ticket = _Ticket(person)
        with self._changed:
            self._waiting.append(ticket)
            self._changed.wait_for(lambda: self._next() is ticket)
            self._waiting.remove(ticket)
            self._busy.add(person)
            helper = self._free.pop()
            self._changed.notify_all()
        try:
            yield helper
        finally:
            with self._changed:
                self._free.append(helper)
                self._busy.remove(person)
                self._changed.notify_all()

    def waiting(self) -> tuple[str, ...]:
        """The people who wait, in the order in which they came."""
        with self._changed:
            return tuple(ticket.person for ticket in self._waiting)

    def _next(self) -> _Ticket | None:
        ready = (ticket for ticket in self._waiting if ticket.person not in self._busy)
        first = min(ready, key=lambda ticket: self._used(ticket.person), default=None)
        if first is None or not self._free:
            return None
        may_have_last = self._used(first.person) <= self._little
        return first if may_have_last or len(self._free) > 1 else None


@dataclass(frozen=True, slots=True)
class _Request:
    """A call for ``person``, pickled. ``key`` is the digest of a pure one, and empty for others."""

    person: str
    bounds: Bounds
    data: bytes
    key: bytes

    @classmethod
    def of(cls, person: str, call: Call) -> _Request:
        """The request of a call."""
        data = pickle.dumps((call.function, call.args, call.kwargs))
        decides = data if call.content is None else call.content
        about = f"{call.bounds} {call.function.__qualname__} "
        key = sha256(about.encode() + decides).digest() if call.pure else b""
        return cls(person, call.bounds, data, key)


class Readers:
    """The helper processes of a server: ``quick`` ones and a slow one. Each person has ``budget`` seconds in an hour.

    The processes import ``modules`` at once. ``close`` ends them.
    """

    def __init__(self, quick: int, budget: float, modules: Sequence[str] = ()) -> None:
        self._helpers = [Helper(modules=modules) for _ in range(quick)]
        self._slow_helper = Helper(modules=modules, yielding=True)
        self._budget = Budget(budget)
        self._quick = Turns(self._helpers, self._used, _LITTLE)
        self._slow = Turns([self._slow_helper], self._used)
        self._kept = SizedCache[bytes, _Outcome](_MOST_KEPT)
        self._pid = os.getpid()

    def start(self) -> None:
        """Starts the processes in advance."""
        for helper in (*self._helpers, self._slow_helper):
            helper.start()

    def close(self) -> None:
        """Ends the processes. A later call starts its own."""
        for helper in (*self._helpers, self._slow_helper):
            helper.close()

    @contextlib.contextmanager
    def reading_for(self, person: str) -> Iterator[None]:
        """Calls of ``bounded`` in this context are made here, for ``person``."""
        token = CALLER.set(partial(self.make, person))
        try:
            yield
        finally:
            CALLER.reset(token)

    def make(self, person: str, call: Call) -> Any:
        """The result of a call for ``person``.

        Raises UsageError if their budget is used up, and what ``bounded.call`` raises.
        """
        if os.getpid() != self._pid:  # a process forked from the server's; these helpers are not its own
            return make(call)
        request = _Request.of(person, call)
        outcome = self._kept.get(request.key)
        if outcome is None:
            outcome = self._outcome(request)
            if call.pure:
                self._kept.put(request.key, outcome, outcome[2])
        value, error, _ = outcome
        if error is not None:
            raise error.with_traceback(None)
        return value

    def _outcome(self, request: _Request) -> _Outcome:
        """The outcome of a call on a quick helper, or else with all its time on the slow one."""
        if self._used(request.person) > _MUCH:
            return self._on(self._slow, request, request.bounds)
        quick = replace(request.bounds, cpu=min(request.bounds.cpu, QUICK))
        outcome = self._on(self._quick, request, quick)
        error = outcome[1]
        if quick != request.bounds and isinstance(error, Exceeded) and error.limit == "cpu":
            return self._on(self._slow, request, request.bounds)
        return outcome

    def _on(self, turns: Turns, request: _Request, bounds: Bounds) -> _Outcome:
        with turns.turn(request.person) as helper:
            if (outcome := self._kept.get(request.key)) is not None:  # another request of this person was for the same
                return outcome
            self.refuse_above_budget(request.person)
            try:
                value = helper.send(bounds, request.data)
                return value, None, len(request.data) + helper.received
            except (SubmissionError, Exceeded) as error:
                return None, error, len(request.data)
            finally:
                self._budget.note(request.person, helper.spent, time.monotonic())

    def refuse_above_budget(self, person: str) -> None:
        """Raises UsageError if nothing can be read for ``person`` now."""
        left = self._budget.wait(person, time.monotonic())
        if left:
            raise UsageError(_USED_UP.fill(most=f"{self._budget.most:g}", time=duration(left)))

    def _used(self, person: str) -> float:
        return self._budget.used(person, time.monotonic())
