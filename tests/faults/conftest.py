"""A small class that has been graded, and the command line as processes of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader import batch, working
from grader.batch import Order
from grader.inputs import Seed
from grader.sandbox import Sandbox
from tests import tiny

ROOT = Path(__file__).parents[2]
Ran = subprocess.CompletedProcess[bytes]
Attncheck = Callable[..., Ran]


@pytest.fixture
def attncheck(tmp_path: Path) -> Attncheck:
    """Runs ``attncheck`` with arguments in ``tmp_path``; a ``shell`` line has it as $A, ``env`` changes the rest."""

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
    order = Order(place / "in", place / "out", tiny.course(place / "course"), Seed.public())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "executor", lambda order, count: tiny.InProcess())
        for module in (batch, working):
            patch.setattr(module, "Sandbox", lambda mode, settings: tiny.Lent(sandbox))
        patch.setattr(batch, "release", lambda observe: ())
        working._desk.cache_clear()
        batch.run(order)
        working._desk.cache_clear()
    return place


@pytest.fixture
def graded(_once: Path, tmp_path: Path) -> Path:
    """A folder of results in ``tmp_path``, with ``in`` and ``course`` beside it."""
    for name in ("in", "out", "course"):
        shutil.copytree(_once / name, tmp_path / name)
    return tmp_path / "out"
