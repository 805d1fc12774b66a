"""However attncheck is installed (checkout, editable, wheel), graded code cannot reach its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.attacks import arena
from tests.attacks.arena import Attack, Bait

ATTACKS = {attack.name: attack for attack in arena.attacks()}
HONEST = arena.ROOT / "tests" / "solutions" / "scaled_dot_product_attention" / "right" / "torch_plain.py"
#: Reading what stands beside the grader: names, files, frames, modules, packages.
EVERYWHERE = ("read/questions_folder", "read/frames")
MORE = (
    "read/import_star",
    "read/loaded_modules",
    "read/import_after_path",
    "read/import_grader",
    "read/import_reference",
    "read/installed_packages",
    "read/linecache_and_inspect",
    "read/reference_file",
)


@dataclass(frozen=True, slots=True)
class Installed:
    """A way of having attncheck: the words that start it, and bait that knows where its content is."""

    command: tuple[str | Path, ...]
    bait: Bait

    def grade(self, path: Path) -> subprocess.CompletedProcess[str]:
        """Runs ``attncheck grade PATH --json`` from another folder."""
        command = [*self.command, "grade", path, "--json", "--require-sandbox"]
        settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
        return subprocess.run(command, cwd=path.parent, env=settings, capture_output=True, text=True, check=False)


def _environment(folder: Path, version: str, *, beside: bool = False) -> tuple[Path, Path]:
    """A virtual environment that has attncheck, and torch from the running one; its command and its packages.

    Torch & co. are found through a path in a .pth file, or (``beside``) stand in the same folder as attncheck.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    own = next((folder / "lib").glob("python3*/site-packages"))
    libraries = Path(sysconfig.get_path("purelib"))
    if beside:
        for entry in libraries.iterdir():
            if not entry.name.startswith(("attncheck", "_attncheck", "_editable")) and entry.suffix != ".pth":
                (own / entry.name).symlink_to(entry)
    else:
        (own / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")
    wheel = next(WheelBuilder(str(arena.ROOT)).build(directory=str(folder / "wheel"), versions=[version]))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(pip, check=True)
    return folder / "bin" / "attncheck", own


@pytest.fixture(
    scope="module",
    params=[
        "checkout",
        pytest.param("editable", marks=pytest.mark.prove),
        pytest.param("wheel", marks=pytest.mark.prove),
        pytest.param("wheel beside torch", marks=pytest.mark.prove),
    ],
)
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """Each way of having attncheck, with bait."""
    command: tuple[str | Path, ...] = (sys.executable, arena.ROOT / "cli.py")
    content = arena.ROOT
    if request.param != "checkout":
        folder = tmp_path_factory.mktemp("venv") / "here"
        version = "editable" if request.param == "editable" else "standard"
        program, packages = _environment(folder, version, beside=request.param == "wheel beside torch")
        command = (program,)
        content = content if version == "editable" else packages / "grader" / "_content"
    assert (content / "reference" / "attention.py").is_file()
    with arena.bait(content) as bait:
        yield Installed(command, bait)


def check(name: str, installed: Installed, folder: Path) -> None:
    """Grades an attack; asserts that it ends as it declares and learns nothing."""
    attack: Attack = ATTACKS[name]
    done = installed.grade(installed.bait.arm(attack, folder))
    assert arena.traces_of_success(done.stdout + done.stderr, installed.bait) == []
    report = json.loads(done.stdout)
    (exercise,) = (exercise for question in report["questions"] for exercise in question["exercises"])
    right = "harmless" in attack.observe
    assert exercise["status"] == ("passed" if right else "raised")
    assert exercise["earned"] == (exercise["possible"] if right else 0)
    assert done.returncode == (0 if right else 1), done.stderr
    installed.bait.untouched()


@pytest.mark.parametrize("name", EVERYWHERE)
def test_gains_nothing(name: str, installed: Installed, tmp_path: Path) -> None:
    """The reference, questions, callers and loaded modules are out of reach."""
    check(name, installed, tmp_path)


@pytest.mark.prove
@pytest.mark.parametrize("name", MORE)
def test_gains_nothing_more(name: str, installed: Installed, tmp_path: Path) -> None:
    """The same for everything else that knows where attncheck is installed."""
    check(name, installed, tmp_path)


def test_an_honest_submission_is_right(installed: Installed) -> None:
    """The same command gives a correct submission all points."""
    done = installed.grade(HONEST)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["earned"] == report["possible"] > 0
