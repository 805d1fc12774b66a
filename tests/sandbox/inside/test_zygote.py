"""The zygote's messages and look-ups; its life cycle is tested in ``tests/sandbox/test_zygote.py``."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox import policy
from grader.sandbox.inside import zygote


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The grader's end and the zygote's."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    yield pair
    for end in pair:
        end.close()


def test_the_configuration_comes_in_pieces(sockets: tuple[socket.socket, socket.socket]) -> None:
    """Pieces behind a plus sign, until a zero byte."""
    ours, theirs = sockets
    whole = json.dumps({"seccomp": "0aff", "threads": "0b", "readable": ["x" * 1000]}).encode()
    for at in range(0, len(whole), 300):
        ours.send(b"+" + whole[at : at + 300])
    ours.send(b"\0")
    config = zygote._config(theirs)
    assert config == {"seccomp": b"\x0a\xff", "threads": b"\x0b", "readable": ["x" * 1000]}


def test_a_request_is_numbers_and_two_descriptors(sockets: tuple[socket.socket, socket.socket]) -> None:
    """Anything less ends the zygote, as the closed socket does."""
    ours, theirs = sockets
    ends = os.pipe()
    socket.send_fds(ours, [zygote.FORK.pack(3, 5)], list(ends))
    got = zygote._request(theirs)
    assert got is not None and zygote.FORK.unpack(got[0]) == (3, 5) and len(got[1]) == 2
    socket.send_fds(ours, [b"short"], list(ends))
    assert zygote._request(theirs) is None
    ours.send(zygote.FORK.pack(3, 5))
    assert zygote._request(theirs) is None
    ours.close()
    assert zygote._request(theirs) is None
    for fd in (*ends, *got[1]):
        os.close(fd)


def test_mapped_libraries_are_the_systems_own() -> None:
    """Libraries in use, by folder where that is safe; never a folder in which packages are installed."""
    found = [Path(path) for path in zygote._mapped_libraries({"readable": list(policy.readable(policy.packages()))})]
    assert any("libc.so" in path.name or path.is_dir() for path in found)
    for path in found:
        if path.is_dir():
            assert not any(entry.endswith("-packages") or entry.startswith("python") for entry in os.listdir(path))
