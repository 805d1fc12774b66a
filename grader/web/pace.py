"""How often somebody may do something, and how soon. The caller says what the time is."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class RateLimit:
    """At most ``most`` times in any ``seconds``, counted for each key on its own."""

    most: int
    seconds: float
    _times: dict[str, deque[float]] = field(default_factory=dict)

    def wait(self, key: str, now: float) -> float:
        """Seconds until it is possible again; 0 if it is possible now."""
        times = self._times.get(key)
        if times is None:
            return 0.0
        while times and times[0] <= now - self.seconds:
            times.popleft()
        return times[0] + self.seconds - now if len(times) >= self.most else 0.0

    def note(self, key: str, now: float) -> None:
        """It was done."""
        self._times.setdefault(key, deque()).append(now)


@dataclass(slots=True)
class RequestQueue:
    """``burst`` times at once, then every ``gap`` seconds, for each key on its own. Up to ``line`` wait in line."""

    burst: int
    gap: float
    line: int
    _last: dict[str, float] = field(default_factory=dict)

    def take(self, key: str, now: float) -> float | None:
        """Seconds until the turn that is taken with this; None, and nothing is taken, if too many are waiting."""
        turn = max(self._last.get(key, -math.inf), now - self.burst * self.gap) + self.gap
        if turn - now > self.line * self.gap:
            return None
        self._last[key] = turn
        return max(0.0, turn - now)
