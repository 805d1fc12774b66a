"""Connections that send nothing, or half a request, or read nothing: they end, and leave room for others."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from grader.web.limits import ConnectionLimits, LimitedProtocol
from grader.web.security import Receive, Scope, Send, refused_body

#: Longer than any test takes, and short enough to wait for.
NEVER, SOON = 600.0, 1.0
LIMITS = ConnectionLimits(NEVER, NEVER, NEVER, 100, 80)
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half of the headers": b"GET / HTTP/1.1\r\nHost: x\r\nCookie: ",
    "half a second request": b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT",
}
BODIES = {
    "no body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
    "half a body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nfour",
    "half a chunk": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfour",
    "a body that nobody reads": b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nfour",
}


async def page(request: Request) -> PlainTextResponse:
    """Says what it was sent."""
    return PlainTextResponse(f"{request.method} {len(await request.body())}")


async def unread(_: Request) -> PlainTextResponse:
    """Reads no body."""
    return PlainTextResponse("enough")


async def large(_: Request) -> PlainTextResponse:
    """More than sockets hold."""
    return PlainTextResponse("x" * 50_000_000)


async def slow(_: Request) -> PlainTextResponse:
    """Takes longer than any limit."""
    await asyncio.sleep(1)
    return PlainTextResponse("at last")


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """The pages, behind the check of lengths."""
    request = Request(scope)
    routes = {"/unread": unread, "/large": large, "/slow": slow}
    answer = refused_body(request.headers, 100) or Route(
        "/{x:path}", routes.get(scope["path"], page), methods=["GET", "POST"]
    )
    await answer(scope, receive, send)


@contextlib.contextmanager
def started(limits: ConnectionLimits) -> Iterator[tuple[int, uvicorn.Server]]:
    """A server with these limits; yields its port as well."""
    protocol = type("Quick", (LimitedProtocol,), {"limits": limits})
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    config = uvicorn.Config(
        app, http=protocol, ws="none", lifespan="off", log_level="critical", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listening.getsockname()[1], server
    server.should_exit = True
    thread.join()
    listening.close()


@contextlib.contextmanager
def serving(limits: ConnectionLimits) -> Iterator[int]:
    """A server with these limits; yields its port."""
    with started(limits) as (port, _):
        yield port


def connect(port: int, sent: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    """A connection that has sent something."""
    made = socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))
    made.sendall(sent)
    return made


def closed(one: socket.socket) -> bool:
    """Reads until the server closes the connection, which it must within a minute."""
    with contextlib.suppress(ConnectionError):
        while one.recv(1 << 16):
            pass
    one.close()
    return True


def answered(port: int, source: str = "127.0.0.1") -> bool:
    """Whether an honest request is answered."""
    with contextlib.suppress(ConnectionError), connect(port, WHOLE, source) as one:
        return one.recv(1 << 16).startswith(b"HTTP/1.1 200")
    return False


def read_until(one: socket.socket, text: bytes, times: int = 1) -> None:
    """Read until something has come so many times."""
    found = b""
    while found.count(text) < times:
        data = one.recv(1 << 16)
        assert data, found
        found += data


def still_open(one: socket.socket) -> bool:
    """Whether the server has not closed the connection."""
    return not select.select([one], [], [], 0)[0]


@pytest.mark.parametrize("sent", HALF.values(), ids=HALF)
def test_half_a_request_is_not_waited_for(sent: bytes) -> None:
    """Fifty connections with half a request end by themselves; meanwhile others are answered."""
    with serving(replace(LIMITS, headers=SOON)) as port:
        half = [connect(port, sent) for _ in range(50)]
        assert answered(port)
        assert all(map(closed, half))


@pytest.mark.parametrize("sent", BODIES.values(), ids=BODIES)
def test_half_a_body_is_not_waited_for(sent: bytes) -> None:
    """The same with a body, whether or not somebody reads it."""
    with serving(replace(LIMITS, body=SOON)) as port:
        half = [connect(port, sent) for _ in range(50)]
        assert answered(port)
        assert all(map(closed, half))


def test_drop_by_drop() -> None:
    """A byte now and then does not start the time again."""
    with serving(replace(LIMITS, headers=SOON, body=SOON)) as port:
        for head in (b"GET / HTTP/1.1\r\nX: ", BODIES["no body"].replace(b"9", b"99")):
            one, began = connect(port, head), time.monotonic()
            with pytest.raises(ConnectionError):
                while time.monotonic() - began < 60:
                    one.sendall(b"x")
                    time.sleep(0.05)
            one.close()


def test_a_response_that_nobody_reads() -> None:
    """It is not kept for ever, while others are answered."""
    with started(replace(LIMITS, reading=SOON)) as (port, server):
        lazy = [connect(port, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(3)]
        assert answered(port)
        while server.server_state.connections:
            time.sleep(0.05)
        for one in lazy:
            one.close()


def test_who_is_quick_enough_is_not_closed() -> None:
    """A request in pieces is answered; so is the next one on the same connection, and requests sent together."""
    with serving(LIMITS) as port, connect(port, HALF["half of the headers"]) as one:
        time.sleep(0.05)
        one.sendall(b"a=b\r\n\r\n")
        read_until(one, b"GET 0")
        one.sendall(BODIES["half a body"])
        time.sleep(0.05)
        one.sendall(b"-five")
        read_until(one, b"POST 9")
        one.sendall(WHOLE * 3)
        read_until(one, b"GET 0", 3)
        assert still_open(one)


def test_the_server_may_take_its_time() -> None:
    """The time in which the server answers has no limit. Nor has a connection that idles after a response: uvicorn's
    own limit holds there.
    """
    with serving(replace(LIMITS, headers=0.3, body=0.3, reading=0.3)) as port:
        slow, idle = connect(port, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"), connect(port, WHOLE)
        read_until(idle, b"GET 0")
        read_until(slow, b"at last")
        assert still_open(idle) and still_open(slow)
        idle.sendall(WHOLE)
        read_until(idle, b"GET 0")
        slow.close()
        idle.close()


def test_one_address_leaves_room_for_others() -> None:
    """It gets its share of the connections and no more; when some end, it is served again."""
    with started(replace(LIMITS, most=20, most_of_one=15)) as (port, server):
        greedy = [connect(port, HALF["half a line"]) for _ in range(40)]
        wait_until_open(greedy, 15)
        assert not answered(port)
        assert answered(port, "127.0.0.2")
        while len(server.server_state.connections) > 15:
            time.sleep(0.01)
        others = [connect(port, HALF["half a line"], f"127.0.0.{number}") for number in range(3, 13)]
        wait_until_open(others, 5)  # the total holds, too
        for one in (*greedy, *others):
            one.close()
        while not answered(port):
            time.sleep(0.01)


def wait_until_open(those: list[socket.socket], count: int) -> None:
    """Wait until only ``count`` of the connections are left: the server closes the others."""
    while (left := sum(map(still_open, those))) > count:
        time.sleep(0.01)
    assert left == count


def test_two_lengths() -> None:
    """A request with Content-Length and Transfer-Encoding is refused, and its connection closed."""
    both = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX"
    with serving(LIMITS) as port, connect(port, both) as one:
        found = b""
        while data := one.recv(1 << 16):
            found += data
        assert found.startswith(b"HTTP/1.1 400") and found.count(b"HTTP/1.1") == 1


def test_limits_of_the_process() -> None:
    """At most half of the files that may be open; one address never gets everything."""
    found = ConnectionLimits.of_process()
    assert 0 < found.most_of_one < found.most <= 2000
