"""The arena notices whatever an attack could leave behind: each kind is left there once on purpose."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Job, Limits, Part, SourceFile
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox
from grader.sandbox.wire import encode_files
from grader.submission import read
from tests.attacks import arena
from tests.attacks.arena import Bait, Inert

SLEEP = "import sys, time; print(flush=True); time.sleep(60)"


@contextlib.contextmanager
def file(path: str | Path) -> Iterator[None]:
    """A file that exists for a while."""
    Path(path).write_text("left")
    try:
        yield
    finally:
        Path(path).unlink()


@contextlib.contextmanager
def shared(key: int) -> Iterator[None]:
    """A shared memory segment with this key."""
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(key, 4096, 0o1600)
    assert segment >= 0
    try:
        yield
    finally:
        libc.shmctl(segment, 0, None)


def knocked(door: socket.socket) -> None:
    """Makes a connection, or sends a datagram."""
    with socket.socket(door.family, door.type) as client:
        if door.type == socket.SOCK_DGRAM:
            client.sendto(b"x", door.getsockname())
        else:
            client.connect(door.getsockname())


def changed(bait: Bait) -> None:
    """Changes the gradebook."""
    (bait.folder / "gradebook.json").write_text("100 points")


LEFT: dict[str, Callable[[Bait], object]] = {
    "a signal": lambda bait: os.kill(os.getpid(), signal.SIGUSR2),
    "a byte of memory": lambda bait: ctypes.memset(int(bait.words["scratch_address"]), 0x78, 1),
    "a TCP connection": lambda bait: knocked(bait.doors[0]),
    "a datagram": lambda bait: knocked(bait.doors[1]),
    "a connection by path": lambda bait: knocked(bait.doors[2]),
    "a connection without a path": lambda bait: knocked(bait.doors[3]),
    "a file beside the secret": lambda bait: (bait.folder / "more").write_text("x"),
    "a file that has gone": lambda bait: (bait.folder / "secret.txt").unlink(),
    "other rights": lambda bait: (bait.folder / "gradebook.json").chmod(0o600),
    "other points": changed,
}
MEANWHILE: dict[str, Callable[[Bait], contextlib.AbstractContextManager[None]]] = {
    "a file in /tmp": lambda bait: file(f"/tmp/left-{bait.mark}"),
    "a file in /dev/shm": lambda bait: file(f"/dev/shm/left-{bait.mark}"),
    "shared memory": lambda bait: shared(int(bait.words["key"])),
}


def test_an_untouched_bait() -> None:
    """If nothing was left, nothing is found."""
    with arena.bait() as bait:
        bait.untouched()


@pytest.mark.parametrize("what", LEFT)
def test_what_was_done_is_noticed(what: str) -> None:
    """Signals, memory, connections and files are noticed."""
    with arena.bait() as bait:
        LEFT[what](bait)
        with pytest.raises(AssertionError):
            bait.untouched()


@pytest.mark.parametrize("what", MEANWHILE)
def test_what_was_left_is_noticed(what: str) -> None:
    """Files and memory that others could find are noticed."""
    with arena.bait() as bait:
        with MEANWHILE[what](bait), pytest.raises(AssertionError):
            bait.untouched()
        bait.untouched()


@contextlib.contextmanager
def process(*arguments: str, code: str = SLEEP) -> Iterator[int]:
    """A Python process that has started."""
    with subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE) as started:
        assert started.stdout is not None and started.stdout.readline() == b"\n"
        try:
            yield started.pid
        finally:
            started.kill()


def test_a_process_is_noticed() -> None:
    """It is found by the mark in its command line."""
    assert arena.running("left-by-nobody") == []
    with process("left-by-an-attack"):
        assert len(arena.running("left-by-an-attack")) == 1


def test_an_orphan_is_noticed() -> None:
    """A process like the zygote whose parent has ended is found."""
    code = f"import os, sys\nif os.fork(): os._exit(0)\n{SLEEP}"
    command = [sys.executable, "-c", code, "orphan"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None and started.stdout.readline() == b"\n"
        started.wait()
        found = []
        try:
            found = list(arena.orphans("\0".join([*command, ""]).encode()))
            assert len(found) == 1
        finally:
            for pid in found:
                os.kill(pid, signal.SIGKILL)


def test_a_second_thread_is_noticed() -> None:
    """A zygote with a second thread is found."""
    with process() as pid:
        arena.idle(pid, 0)
    code = "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); " + SLEEP
    with process(code=code) as pid, pytest.raises(AssertionError):
        arena.idle(pid, 0)


def test_a_child_is_noticed(sandbox: Sandbox) -> None:
    """A child that was started and did not end is found."""
    sandbox.children()
    assert sandbox._zygote is not None
    zygote = arena.zygotes(sandbox)[-1]
    job = Job((SourceFile("a.py", "a", (Part("a.py", "x = 1"),)),), ())
    with contextlib.closing(sandbox._zygote.start(encode_files(job), 5, Limits())) as child:
        assert child.receive(30, 1000) is not None
        with pytest.raises(AssertionError):
            arena.idle(zygote, 0)
    until = time.monotonic() + 10
    while arena._children(zygote) and time.monotonic() < until:
        time.sleep(0.01)
    arena.idle(zygote)


@pytest.mark.parametrize(
    "page",
    [
        "<p><script>x</script>",
        "<img src=x>",
        "<p onclick=x>",
        '<a href="javascript:x">',
        '<a href="//example.org">',
        "<svg><foreignObject>",
        "<base href=/>",
    ],
)
def test_a_page_that_acts_is_noticed(page: str) -> None:
    """Elements and attributes that would run or load something are found."""
    inert = Inert()
    inert.feed(page)
    assert inert.alive
    calm = Inert()
    calm.feed('<p class="a"><a href="#b">x</a><svg width="1"><rect/></svg></p>')
    assert (calm.alive, calm.text) == ([], "x")


@pytest.mark.prove
@pytest.mark.parametrize("name", ["read/hidden_inputs_in_a_dtype", "read/hidden_inputs_in_a_shape"])
def test_hidden_inputs_are_noticed(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """In a course whose hidden cases are reported like public ones, the same attack is seen to leak them."""
    loaded = courses.load(loader.find(None))
    seed = Seed("secret", b"known to nobody!")
    question = loaded.question("Q5")
    assert question is not None
    (exercise,) = question.exercises
    told = replace(exercise, cases=tuple(replace(case, public=True) for case in exercise.cases))
    course = replace(loaded, questions=(replace(question, exercises=(told,)),))
    with arena.bait() as bait:
        armed = bait.arm(next(attack for attack in arena.attacks() if attack.name == name), tmp_path)
        report = grade(course, read(armed), sandbox.observe, context=GradingContext(course, seed, sandbox.observe))
        text = arena.told(report, course)
        assert [number for number in arena.hidden_numbers(course, seed, public=True) if number in text] != []
