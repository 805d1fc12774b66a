"""How often somebody may do something. The caller says what the time is."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Pace:
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
