"""Limits on connections: how many there are, and how long a request may take to arrive.

uvicorn ends connections that idle after a response. It does not end those that never send a whole request, or that do
not read the response.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from grader.web.pace import peer

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
        of_one = sum(isinstance(each, LimitedProtocol) and each._peer == self._peer for each in self.connections)
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
