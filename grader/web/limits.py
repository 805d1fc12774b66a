"""Limits: how fast requests come, how many connections there are, and how long a request may take to arrive.

uvicorn ends connections that idle after a response. It does not end those that never send a whole request, or that do
not read the response.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


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
        self._last = {busy: turn for busy, turn in self._last.items() if turn > now - self.burst * self.gap}
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


#: The most connections, if the limit on open files allows it, and the part of them that one address may have. A reverse
#: proxy is one address.
_MOST, _SHARE = 2000, 0.75


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Seconds in which headers, bodies and reads of responses must be done, and the most connections.

    ``most_of_one`` is the limit for one address. What is left is room for others.
    """

    headers: float = 15.0
    body: float = 60.0
    reading: float = 60.0
    most: int = _MOST
    most_of_one: int = int(_MOST * _SHARE)

    @classmethod
    def of_process(cls) -> ConnectionLimits:
        """The limits for a process with half of its open files left for other things."""
        try:
            import resource  # not on Windows
        except ModuleNotFoundError:
            return cls()
        most = min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        return cls(most=most, most_of_one=int(most * _SHARE))


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits. uvicorn makes one for each connection."""

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()
    #: What the other end has to do next ("headers", "body", "reading" or nothing), and the timer for it.
    _awaited = ""
    _peer = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and close it if there are too many."""
        super().connection_made(transport)
        self._peer = peer(self.client)
        limited = (connection for connection in self.connections if isinstance(connection, LimitedProtocol))
        of_one = sum(connection._peer == self._peer for connection in limited)
        if len(self.connections) > self.limits.most or of_one > self.limits.most_of_one:
            transport.abort()
            return
        self._await("headers")

    def data_received(self, data: bytes) -> None:
        """Handle data, and note what is missing."""
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Note what is missing: perhaps the rest of a body that nobody reads."""
        super().on_response_complete()
        self._note(idle=not self.conn.trailing_data[0])

    def pause_writing(self) -> None:
        """Limit how long the other end may leave the response unread."""
        super().pause_writing()
        self._note()

    def resume_writing(self) -> None:
        """The other end reads again."""
        super().resume_writing()
        self._note(idle=not self.conn.trailing_data[0])

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._await("")
        super().connection_lost(exc)

    def _note(self, *, idle: bool = False) -> None:
        """Await what is missing. An ``idle`` connection, after a response, has uvicorn's own timer."""
        if self.flow.write_paused:
            self._await("reading")
        elif self.conn.their_state is h11.SEND_BODY:
            self._await("body")
        else:
            self._await("headers" if self.conn.their_state is h11.IDLE and not idle else "")

    def _await(self, what: str) -> None:
        """Start the time for ``what``, unless it is running."""
        if what == self._awaited:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._awaited, self._timer = what, None
        if what and not self.transport.is_closing():
            self._timer = self.loop.call_later(getattr(self.limits, what), self._time_is_up)

    def _time_is_up(self) -> None:
        what, self._awaited, self._timer = self._awaited, "", None
        if what == "body" and (self.flow.read_paused or self.conn.they_are_waiting_for_100_continue):
            self._await("body")  # it is the server that does not read yet
        else:
            self.transport.abort()


def limited_protocol() -> type[LimitedProtocol]:
    """The protocol with the limits of this process."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": ConnectionLimits.of_process()})
