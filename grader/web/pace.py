"""Rate limits. The caller passes the time, in seconds."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network


@dataclass(slots=True)
class RateLimit:
    """At most ``most`` events in any interval of ``seconds``, for each key separately."""

    most: int
    seconds: float
    _times: dict[str, deque[float]] = field(default_factory=dict)

    def wait(self, key: str, now: float) -> float:
        """Seconds until the next event is allowed; 0 if it is allowed now."""
        times = self._times.get(key)
        if times is None:
            return 0.0
        while times and times[0] <= now - self.seconds:
            times.popleft()
        return times[0] + self.seconds - now if len(times) >= self.most else 0.0

    def note(self, key: str, now: float) -> None:
        """Record an event."""
        self._times.setdefault(key, deque()).append(now)


@dataclass(slots=True)
class RequestQueue:
    """Up to ``burst`` requests at once, then one every ``gap`` seconds, for each key separately; ``line`` may wait.

    If more than ``most`` keys are busy, the others share one queue, so that memory is bounded.
    """

    burst: int
    gap: float
    line: int
    most: int = 5000
    _last: dict[str, float] = field(default_factory=dict)

    def take(self, key: str, now: float) -> float | None:
        """Add a request to the queue. Returns the seconds until it may proceed; None if the queue is full."""
        if key not in self._last and len(self._last) >= self.most:
            key = self._make_room(key, now)
        turn = max(self._last.get(key, -math.inf), now - self.burst * self.gap) + self.gap
        if turn - now > self.line * self.gap:
            return None
        self._last[key] = turn
        return max(0.0, turn - now)

    def _make_room(self, key: str, now: float) -> str:
        """Forget the keys that may send a whole burst again. Returns the key to use."""
        self._last = {each: turn for each, turn in self._last.items() if turn > now - self.burst * self.gap}
        return key if len(self._last) < self.most else ""


def peer(client: tuple[str, int] | None) -> str:
    """A key for the other end of a connection: its address, or the network that one IPv6 customer usually has."""
    if client is None:
        return ""
    try:
        address = ip_address(client[0])
    except ValueError:
        return client[0]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network((address, 64), strict=False))
    return str(address)
