"""Closed streams, no terminal, a full disk, ASCII only: every command ends with a proper message."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader import commands
from grader.commands._options import READING
from tests import tiny
from tests.faults.conftest import ROOT, Attncheck

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def clean(said: bytes) -> bool:
    """Whether the output contains only our own messages."""
    return not any(word in said for word in (b"Traceback", b"fault of attncheck", b"Exception", b"Error:"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$A stats out --course course --json | head -1", 0),
        pytest.param("$A stats out --course course --json >&-", 0, marks=pytest.mark.prove),
        ("$A regrade out --course course <&-", 2),
        ("$A quiz --course course --state log <&-", 0),
        pytest.param("$A questions --course course 2>&-", 0, marks=pytest.mark.prove),
        pytest.param("$A stats out --course nowhere 2>&-", 4, marks=pytest.mark.prove),
    ],
)
def test_streams_that_are_closed(line: str, code: int, graded: Path, attncheck: Attncheck) -> None:
    """With closed streams, what can be done is done, without a traceback."""
    ran = attncheck(shell=line)
    assert clean(ran.stderr + ran.stdout)
    assert ran.returncode == code


@FULL
@pytest.mark.parametrize("line", ["questions --course course", pytest.param("--help", marks=pytest.mark.prove)])
def test_output_that_does_not_fit(line: str, graded: Path, attncheck: Attncheck) -> None:
    """A full disk behind ``>`` is reported as an error."""
    ran = attncheck(shell=f"$A {line} >/dev/full")
    assert ran.returncode == 4
    assert b"no space left on device" in ran.stderr
    assert clean(ran.stderr)


def test_closed_streams_are_given_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file opened later gets the descriptor of standard output."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    commands._open_streams()
    opened = sys.stdin, sys.stdout, sys.stderr
    assert [stream.name for stream in opened] == [os.devnull] * 3
    for stream in opened:
        stream.close()


def test_an_output_without_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was still to be written when the reader left is discarded."""
    read, write = os.pipe()
    os.close(read)
    with contextlib.suppress(BrokenPipeError), open(write, "w", encoding="utf-8") as pipe:
        pipe.write("x")
        monkeypatch.setattr(sys, "stdout", pipe)
        assert commands._flushed() == 0


@FULL
def test_the_rest_of_the_output_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same for what is written at the very end."""
    with contextlib.suppress(OSError), open("/dev/full", "w", encoding="utf-8") as full:
        full.write("x")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", full)
            assert commands._flushed() == 4
        full.detach()
    assert "no space left on device" in capsys.readouterr().err


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": None}


@pytest.mark.parametrize(
    "line",
    [
        "questions --course course --lang zh",
        pytest.param("show Q1 --course course --lang zh", marks=pytest.mark.prove),
        pytest.param("stats out --course course --lang zh", marks=pytest.mark.prove),
        "export csv --from out --to 表.csv --course course --lang zh",
        pytest.param("grade in/学.py --course course --lang zh --public-only", marks=pytest.mark.prove),
    ],
)
def test_a_terminal_that_knows_ascii_alone(line: str, graded: Path, attncheck: Attncheck, tmp_path: Path) -> None:
    """Input and output are UTF-8 all the same, and no character causes an error."""
    (tmp_path / "in" / "学.py").write_text("# 学\ndef double(x):\n    return x + x\n", encoding="utf-8")
    ran = attncheck(shell=f"$A {line}", env=ASCII)
    assert ran.returncode in (0, 1)
    assert ran.stderr == b"" or (line.startswith("export") and clean(ran.stderr))


def test_a_first_command_says_why_it_takes_seconds(tmp_path: Path) -> None:
    """Whoever sits at a terminal reads, the first time only, that the course is being read, in their language."""
    tiny.course(tmp_path / "course")
    command = [sys.executable, str(ROOT / "cli.py"), "questions", "--course", "course"]
    env = os.environ | {"ATTNCHECK_CACHE": str(tmp_path / "cache"), "ATTNCHECK_LANG": "zh"}
    seen = []
    for _ in range(2):
        leader, follower = pty.openpty()
        subprocess.run(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=follower, check=True)
        os.close(follower)
        with open(leader, "rb", buffering=0) as screen, contextlib.suppress(OSError):  # nothing more to read
            seen.append("")
            seen[-1] = screen.read(1000).decode().strip()
    assert seen == [READING.zh, ""]


def test_a_terminal_that_goes_away(graded: Path, tmp_path: Path) -> None:
    """In the middle of a quiz: the process ends, and the answers are saved."""
    leader, follower = pty.openpty()
    command = [sys.executable, str(ROOT / "cli.py"), "quiz", "--course", "course", "--state", "log", "--learner", "A"]
    env = os.environ | {"TERM": "dumb"}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdin=follower, stdout=follower, stderr=follower, start_new_session=True
    )
    os.close(follower)
    try:
        os.write(leader, b"1\n")
        until = time.monotonic() + 60
        with open(leader, "rb", buffering=0, closefd=False) as screen:
            seen = b""
            while b"answered" not in (tmp_path / "log").read_bytes() if (tmp_path / "log").exists() else True:
                seen += screen.read(1000)
                assert time.monotonic() < until, seen
    finally:
        os.close(leader)
    os.kill(process.pid, signal.SIGHUP)  # as the kernel does for who has it as controlling terminal
    assert process.wait(timeout=30) in (1, 4, 130)
    assert (tmp_path / "log").read_bytes().count(b'"answered"') == 1
    assert (tmp_path / "log").read_bytes().endswith(b"}\n")
