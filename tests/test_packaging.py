"""What is shipped, and that it works away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import grader

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    made = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    return Path(next(made))


def below(folder: str, inside: str) -> set[str]:
    """The files of a folder of the checkout, by the names they should have in the wheel."""
    files = (f for f in (ROOT / folder).rglob("*") if f.is_file() and "__pycache__" not in f.parts)
    return {f"{inside}/{f.relative_to(ROOT / folder).as_posix()}" for f in files}


def test_the_wheel_holds_the_package_and_its_content(wheel: Path) -> None:
    """`grader` with questions and references inside it, `attncheck.py` for notebooks, and not one file besides."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = {name for name in names if not name.startswith(f"attncheck-{grader.__version__}.dist-info/")}
    expected = below("grader", "grader")
    expected |= below("questions", "grader/_content/questions") | below("reference", "grader/_content/reference")
    assert shipped == {*expected, "attncheck.py"}
    assert "grader/py.typed" in shipped


def test_the_wheel_says_who_it_is(wheel: Path) -> None:
    """Its metadata carry the version that `grader` states, the licence and the command."""
    with zipfile.ZipFile(wheel) as archive:
        info = f"attncheck-{grader.__version__}.dist-info"
        metadata = archive.read(f"{info}/METADATA").decode()
        commands = archive.read(f"{info}/entry_points.txt").decode()
        archive.getinfo(f"{info}/licenses/LICENSE")
    assert f"\nVersion: {grader.__version__}\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata
    assert "attncheck = grader.commands:main" in commands


@pytest.mark.prove
def test_an_installed_wheel_grades_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    """In a virtual environment without the checkout, from `/`, a right submission gets every point."""
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(pip, check=True)
    # A plain path in a .pth: torch is found there, and the .pth of an editable install there is not obeyed.
    own = next((environment / "lib").glob("python3*/site-packages"))
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    where = subprocess.run(
        [python, "-c", "import grader; print(grader.__file__)"], cwd="/", env=settings, capture_output=True, text=True
    )
    assert Path(where.stdout.strip()).is_relative_to(own), where.stderr

    grade = [environment / "bin" / "attncheck", "grade", ROOT / "examples" / "class" / "ada-torch", "--json"]
    done = subprocess.run(grade, cwd="/", env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["complete"]
    assert report["earned"] == report["possible"] > 0


def test_a_run_of_the_tests_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """Not the one that pytest shares between runs, where each removes what it takes for left over."""
    assert not any(part.startswith("pytest-of-") for part in tmp_path.parts)
