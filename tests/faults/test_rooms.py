"""A machine short of files, memory, a home or a cache: correct results, or a message that says what is missing."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from grader import commands
from grader.classroom import schedule, worker
from grader.classroom.task import BatchPlan, GradingTask
from grader.core import cache
from grader.core.errors import SandboxError
from grader.grading import courses
from grader.grading.inputs import Seed
from tests import tiny
from tests.faults.conftest import Attncheck

Here = Callable[[str], tuple[int, str]]
CONTINUES = "run the same command to continue"


# ------------------------------------------------------------------------------------------- the parent


def test_too_few_files(graded: Path, attncheck: Attncheck) -> None:
    """The command says what is short and how to raise the limit; earlier results are intact."""
    before = (graded / "class.csv").read_bytes()
    for line, most in (("grade in/ada --course course", 9), ("batch in --out out --course course", 12)):
        ran = attncheck(shell=f"ulimit -n {most}; exec $A {line}")
        assert ran.returncode == 4, ran
        assert b"too many open files" in ran.stderr
        assert b"ulimit -n" in ran.stderr
    assert (graded / "class.csv").read_bytes() == before


@pytest.mark.prove
@pytest.mark.parametrize("most", range(10, 60, 3))
def test_few_files(most: int, graded: Path, attncheck: Attncheck, tmp_path: Path) -> None:
    """With any number of files, the batch names the shortage or grades everybody; a second run with more continues."""
    (graded / "gradebook.sqlite").unlink()
    ran = attncheck(shell=f"ulimit -n {most}; exec $A batch in --out out --course course --workers 1")
    assert ran.returncode in (4, 5), ran
    assert b"Traceback" not in ran.stderr
    assert b"fault of attncheck" not in ran.stderr
    if ran.returncode == 4:
        assert attncheck(shell="$A batch in --out out --course course").returncode == 5


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
def test_too_little_memory(graded: Path, attncheck: Attncheck) -> None:
    """Libraries that cannot be loaded and threads that cannot be started cause no traceback and lose nothing."""
    before = (graded / "class.csv").read_bytes()
    ran = attncheck(shell="ulimit -v 45000; exec $A stats out --course course")
    assert ran.returncode == 4, ran
    assert b"not enough memory" in ran.stderr or b"cannot allocate" in ran.stderr
    assert (graded / "class.csv").read_bytes() == before


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_memory_that_runs_out(error: Exception, here: Here, graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the parent runs out of memory: a message, exit code 4, and all saved results."""
    before = (graded / "gradebook.sqlite").read_bytes()

    def short(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("grader.classroom.schedule.run_tasks", short)
    monkeypatch.setattr("grader.classroom.schedule.executor", lambda count: tiny.InProcess())
    monkeypatch.setattr("grader.classroom.schedule.rehearse", lambda plan, questions, pool, quiet: ())
    monkeypatch.setattr("grader.classroom.schedule.warm_up", lambda plan: None)
    (graded.parent / "in" / "new.py").write_text(tiny.RIGHT + "# new\n")
    code, said = here("batch in --out out --course course")
    assert code == 4
    assert CONTINUES in said
    assert "fault of attncheck" not in said
    assert len(before) > 0


# ------------------------------------------------------------------------------------------- a worker


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EMFILE, "Too many open files"), None),
        (OSError(errno.ENOSPC, "No space left on device"), None),
        (OSError(errno.ENOENT, "No such file"), "internal error of attncheck"),
        (MemoryError(), "not enough memory"),
        (ZeroDivisionError(), "internal error of attncheck"),
    ],
)
def test_a_worker_that_is_short_of_something(
    error: Exception, said: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A shortage that affects everybody ends the batch and records nothing; a bug affects one submission."""

    def fail(*_: object, **__: object) -> Any:
        raise error

    monkeypatch.setattr(worker, "_context", lambda plan: (None, None))
    monkeypatch.setattr(worker, "read_files", fail)
    future: Future[Any] = Future()
    try:
        future.set_result(worker.run_task(BatchPlan("", Seed.public(), ""), GradingTask("ada", "x", "ada", ("Q1",))))
    except Exception as raised:
        future.set_exception(raised)
    if said is None:
        with pytest.raises(SandboxError, match=CONTINUES):
            schedule.result_of(future)
    else:
        assert said in future.result().error.en
        assert tiny.bilingual(future.result().error)


# -------------------------------------------------------------------------------- home, cache and rubbish


@pytest.mark.prove
def test_nobody_at_home(graded: Path, attncheck: Attncheck, tmp_path: Path) -> None:
    """Without HOME and with an unknown user id, everything works, nothing is saved, and no ~ is created."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, to be nobody in particular")
    nobody = {"HOME": None, "ATTNCHECK_CACHE": None, "ATTNCHECK_STATE": None, "PYTHONDONTWRITEBYTECODE": "1"}
    become = "setpriv --reuid 54321 --regid 54321 --clear-groups"
    if attncheck(shell=f"{become} $A --version", env=nobody).returncode != 0:
        pytest.skip("others cannot read this checkout")
    with tempfile.TemporaryDirectory() as folder:
        place = shutil.copytree(tmp_path, Path(folder, "here"))
        for path in (place.parent, place, *place.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        begin = f"cd {place} && exec {become}"
        ran = attncheck(shell=f"{begin} $A stats out --course course", env=nobody)
        assert (ran.returncode, ran.stderr) == (0, b"")
        ran = attncheck(shell=f"{begin} $A quiz --course course </dev/null", env=nobody)
        assert ran.returncode == 2
        assert b"no home folder" in ran.stderr and b"--state" in ran.stderr
        assert not (place / "~").exists()


@pytest.fixture
def rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own that contains the course."""
    place = tmp_path / "cache"
    monkeypatch.setenv("ATTNCHECK_CACHE", str(place))
    return place


@pytest.mark.parametrize("left", [b"", b"\0" * 100, b"rubbish" * 1000, None])
def test_a_cache_full_of_rubbish(left: bytes | None, graded: Path, rubbish: Path, here: Here) -> None:
    """Empty, damaged or foreign entries, or folders in their place, are ignored."""
    assert here("questions --course course")[0] == 0
    entries = [path for path in rubbish.rglob("*") if path.is_file()]
    assert entries
    for path in entries:
        if left is None:
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(left)
    for line in ("questions --course course", "stats out --course course", "export csv --from out --to a.csv"):
        assert here(line.replace("export csv", "export csv --course course"))[0] == 0


def test_a_cache_that_cannot_be_written(graded: Path, rubbish: Path, here: Here) -> None:
    """With a file in its place, or in a world-writable folder, everything works without the cache."""
    rubbish.write_text("in the way")
    assert here("stats out --course course")[0] == 0
    rubbish.unlink()
    rubbish.mkdir()
    rubbish.chmod(0o777)
    assert here("stats out --course course")[0] == 0
    assert list(rubbish.iterdir()) == []
    assert cache.get("course", "0" * 64) is None
    assert courses.load(graded.parent / "course").questions


def test_files_that_may_not_grow(graded: Path, here: Here) -> None:
    """A file size limit acts like a full disk: existing data stays, and a message says so."""
    before = (graded / "ada.json").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        for line in (
            "override out ada Q1.a --points 1 --reason r --course course",
            "export csv --from out --to a.csv --course course",
            "stats out --html a.html --course course",
        ):
            code, said = here(line)
            assert code in (2, 4), line
            assert "Traceback" not in said and "fault of attncheck" not in said
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (graded / "ada.json").read_bytes() == before
    assert not Path("a.csv").exists() and not Path("a.html").exists()
    assert here("override out ada Q1.a --points 1 --reason r --course course")[0] == 0


def test_a_reader_who_has_gone(here: Here, graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken pipe ends the command silently, wherever it shows."""

    def gone(**_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(commands.cli, "main", gone)
    assert here("questions") == (1, "")
