"""A small graded class, and the command line in processes of its own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch, schedule, worker
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book, write_files
from grader.commands import run
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox
from tests import tiny

ROOT = Path(__file__).parents[2]
Ran = subprocess.CompletedProcess[bytes]
Attncheck = Callable[..., Ran]


@pytest.fixture(scope="session", autouse=True)
def _listening() -> Iterator[None]:
    """Makes processes started here react to signals, even if the tests run under ``nohup`` or in the background.

    An ignored signal is inherited; one with a handler is reset to its default in a new program.
    """
    ignored = [n for n in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT) if signal.getsignal(n) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def attncheck(tmp_path: Path) -> Attncheck:
    """Runs ``attncheck`` with arguments in ``tmp_path``.

    In a ``shell`` line it is $A; ``env`` changes the environment.
    """

    def execute(*args: str | Path, shell: str | None = None, env: dict[str, str | None] | None = None) -> Ran:
        command: Any = [sys.executable, str(ROOT / "cli.py"), *map(str, args)]
        changed = os.environ | (env or {})
        settings = {name: value for name, value in changed.items() if value is not None and name != "COV_CORE_SOURCE"}
        if shell is not None:
            settings["A"] = " ".join(command[:2])
            command = ["bash", "-c", shell]
        return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, timeout=120, check=False)

    return execute


@pytest.fixture(scope="session")
def _once(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Path:
    place = tmp_path_factory.mktemp("graded")
    tiny.handed_in(place / "in")
    order = BatchRequest(place / "in", place / "out", tiny.course(place / "course"), Seed.public(), files=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedule, "executor", lambda count, **_: tiny.InProcess())
        patch.setattr(worker, "Sandbox", lambda mode, settings: tiny.Lent(sandbox))
        patch.setattr(schedule, "try_attacks", lambda observe, quiet: ())
        worker._context.cache_clear()
        batch.run(order)
        worker._context.cache_clear()
    with closing(open_gradebook(order.out)) as book:
        write_files(Book.of(book, courses.load(order.course_folder)), order.out, "en")
    return place


@pytest.fixture
def graded(_once: Path, tmp_path: Path) -> Path:
    """A folder of results in ``tmp_path``, beside ``in`` and ``course``."""
    for name in ("in", "out", "course"):
        shutil.copytree(_once / name, tmp_path / name)
    return tmp_path / "out"


#: Runs lines of ``attncheck`` in one process, and tells of each its exit code and all that it wrote.
DRIVER = """
import contextlib, io, json, shlex, sys
from grader.commands import run
told = []
for line in sys.argv[1:]:
    raw = io.BytesIO()
    said = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(shlex.split(line))
    told.append([code, raw.getvalue().decode()])
print(json.dumps(told))
"""


def confined(folder: Path, mounts: str, *lines: str, after: str = "true") -> list[tuple[int, str]]:
    """Runs ``attncheck`` commands with ``mounts`` in a mount namespace of their own; returns exit codes and output.

    ``after`` is run there afterwards. Skips if there can be no such namespace.
    """
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0:
        pytest.skip("needs namespaces of users and mounts")
    program = shlex.join([sys.executable, "-c", DRIVER, *lines])
    script = f"({mounts}) >/dev/null || exit 99; {program}; code=$?; {after}; exit $code"
    ran = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if ran.returncode == 99:
        pytest.skip(f"nothing can be mounted here: {ran.stderr}")
    assert ran.returncode == 0, ran
    return [(code, text) for code, text in json.loads(ran.stdout)]


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[[str], tuple[int, str]]:
    """Runs an ``attncheck`` command in this process, in ``tmp_path``: its exit code and stderr."""
    monkeypatch.chdir(tmp_path)

    def execute(line: str) -> tuple[int, str]:
        code = run(shlex.split(line))
        return code, capfdbinary.readouterr().err.decode()

    return execute
