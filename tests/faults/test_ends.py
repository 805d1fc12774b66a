"""A batch that is stopped or loses processes: no process stays behind, and the same command continues."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader import commands
from grader.classroom import worker
from tests import tiny
from tests.faults.conftest import ROOT
from tests.sandbox.test_zygote import descendants, gone

COMMAND = ("batch", "in", "--out", "out", "--course", "course", "--workers", "2", "--files")
#: Seconds after which nobody is left: a zygote that imports torch notices only then that it is not needed any more.
SOON = 60.0
SLOW = "import time\ndef double(x):\n    time.sleep(0.1)\n    return x + x\n"


@pytest.fixture
def klass(tmp_path: Path) -> Path:
    """A class of thirty that takes some seconds to grade."""
    tiny.course(tmp_path / "course")
    tiny.handed_in(tmp_path / "in")
    for number in range(30):
        (tmp_path / "in" / f"x{number:02}.py").write_text(SLOW + f"# {number}\n")
    return tmp_path


@contextlib.contextmanager
def running(folder: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A running ``attncheck`` command, killed at the end with all its processes."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    everybody: set[int] = set()
    try:
        everybody |= set(descendants(process.pid))
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            everybody |= set(descendants(process.pid))
            process.kill()
        process.communicate(timeout=60)
        assert gone(everybody, SOON)


def result(folder: Path, *, out: str = "out") -> dict[str, Any]:
    """The results without anything that differs between runs."""
    found = {}
    for path in sorted((folder / out).glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        found[path.name] = {key: value for key, value in data.items() if key not in ("seconds", "at")}
    found["class.csv"] = (folder / out / "class.csv").read_text("utf-8")
    return found


def undisturbed(folder: Path) -> dict[str, Any]:
    """The results of an undisturbed run."""
    with running(folder, *(part if part != "out" else "whole" for part in COMMAND)) as process:
        process.communicate(timeout=300)
    return result(folder, out="whole")


# ------------------------------------------------------------------------------- being told to end

WORKER = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from grader.classroom.worker import exit_with_parent
if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), initializer=exit_with_parent)
    print(*{pool.submit(os.getpid).result() for _ in range(4)}, flush=True)
    pool.submit(time.sleep, 60)
    time.sleep(60)
"""


def test_workers_end_with_whoever_started_them(tmp_path: Path) -> None:
    """Workers end with their parent, even if it was killed while they were busy."""
    script = tmp_path / "script.py"
    script.write_text(WORKER)
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, str(script)], env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        workers = set(map(int, process.stdout.readline().split()))
        everybody = set(descendants(process.pid))
        process.kill()
    assert workers and workers <= everybody
    assert gone(everybody)


def test_a_worker_looks_after_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread waits for the parent's end; signals from a terminal are left to the parent."""

    class Parent:
        def join(self) -> None:
            """Has ended."""

    codes: list[int] = []
    ended = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(os, "_exit", lambda code: (codes.append(code), ended.set()))
    try:
        worker.exit_with_parent()  # without a parent: whoever runs the tests is not a worker
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert codes == []
        monkeypatch.setattr(multiprocessing, "parent_process", Parent)
        worker.exit_with_parent()
        assert ended.wait(10)
    finally:
        signal.signal(signal.SIGINT, before)
    assert codes == [1]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_command_that_is_told_to_end(name: str, tmp_path: Path) -> None:
    """Any signal to end works like Ctrl-C: one line and no traceback."""
    os.mkfifo(tmp_path / "wait")
    script = (
        "import os, sys, grader.commands as c\n"
        "def run(argv):\n    print('ready', flush=True)\n    open(sys.argv[1]).read()\n"
        "c.cli.main = lambda **_: run([])\n"
        "c.main([])\n"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script, str(tmp_path / "wait")]
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.strip() == b"attncheck: interrupted"


def test_who_does_not_listen_is_not_made_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under ``nohup``, closing the terminal ends nothing."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        commands._stop_when_asked()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_second_interruption_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second interruption during the first one's message ends the process immediately."""
    codes: list[int] = []

    def interrupted(argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "_stop_when_asked", lambda: None)
    monkeypatch.setattr(commands, "run", interrupted)
    monkeypatch.setattr(os, "_exit", codes.append)
    commands.main([])
    assert codes == [130]


# -------------------------------------------------------------------------------------- at any moment


@pytest.mark.prove
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
def test_a_batch_that_is_ended_at_any_moment(name: str, klass: Path) -> None:
    """Whether the process or its group is signalled, no process stays behind, and the next run completes the batch."""
    chance = random.Random(name)
    expected = undisturbed(klass)
    number = getattr(signal, name)
    for _ in range(8):
        with running(klass, *COMMAND) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=chance.uniform(0.3, 9))
            if process.poll() is not None:
                break
            everybody = set(descendants(process.pid))
            (os.kill if chance.random() < 0.5 else os.killpg)(process.pid, number)
            _, err = process.communicate(timeout=60)
            if process.returncode == 5:  # it was done just then
                break
            assert process.returncode in ((-9,) if name == "SIGKILL" else (130, -number)), err
            assert b"Traceback" not in err or name == "SIGHUP", err  # its group has lost the terminal
            assert gone(everybody, SOON)
    with running(klass, *COMMAND) as process:
        process.communicate(timeout=300)
        assert process.returncode == 5
    assert result(klass) == expected


def named(pid: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def is_child(pid: int, everybody: dict[int, int]) -> bool:
    """Whether a process runs learner code: killing it cannot be distinguished from its own doing."""
    with contextlib.suppress(OSError):
        return os.getsid(pid) == pid and "import zygote" in named(everybody[pid])
    return False


@pytest.mark.prove
@pytest.mark.parametrize(
    ("whom", "times"), [("from inside import zygote", 40), ("multiprocessing.spawn import spawn_main", 6)]
)
def test_a_batch_whose_processes_are_killed(whom: str, times: int, klass: Path) -> None:
    """Zygotes (outer and inner) at forty moments, workers at six: the same command completes the batch."""
    chance = random.Random(whom)
    expected = undisturbed(klass)
    killed = 0
    code = 4
    until = time.monotonic() + 600
    while code == 4 or killed < times:
        if code != 4:
            for path in (klass / "out").iterdir():  # from the beginning
                path.unlink() if path.is_file() else None
        with running(klass, *COMMAND) as process:
            while process.poll() is None and time.monotonic() < until:
                time.sleep(chance.uniform(0.05, 1.5))
                everybody = descendants(process.pid)
                found = [pid for pid in everybody if whom in named(pid) and not is_child(pid, everybody)]
                if found and killed < times:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(found), signal.SIGKILL)
                        killed += 1
            _, err = process.communicate(timeout=60)
            code = process.returncode
        assert code in (4, 5), err
        assert b"Traceback" not in err, err
        assert time.monotonic() < until
    with running(klass, *COMMAND) as process:  # who took two workers along is tried once more
        process.communicate(timeout=300)
    assert result(klass) == expected
