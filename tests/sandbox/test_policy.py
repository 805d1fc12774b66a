"""What a child may read, import and call is decided by lists, which must not contain too much."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path

import pytest

from grader.sandbox import policy

ROOT = Path(__file__).parents[2]


def inside(path: Path, folder: Path) -> bool:
    """Whether ``path`` is ``folder`` or below it."""
    return path == folder or folder in path.parents


@pytest.fixture(scope="module")
def readable() -> list[Path]:
    """The Landlock read list."""
    return [Path(path) for path in policy.readable(policy.packages())]


def test_the_read_list_opens_no_folder_that_holds_more(readable: list[Path]) -> None:
    """It contains no folder of Python, of packages or of the project, nor /proc or /etc, nor any of their parents."""
    paths = sysconfig.get_paths()
    closed = {sys.prefix, sys.base_prefix, sys.exec_prefix, *site.getsitepackages(), site.getusersitepackages()}
    closed |= {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib", "scripts", "data")}
    closed |= {"/", "/proc", "/etc", "/home", "/root", "/tmp", "/var", "/usr", "/usr/lib", "/dev", "/sys", "/run"}
    closed |= {str(ROOT), os.path.expanduser("~"), *(str(ROOT / name) for name in ("grader", "questions", "reference"))}
    assert readable
    for folder in {Path(path).resolve() for path in closed}:
        wide = [path for path in readable if inside(folder, path)]
        assert not wide, f"{wide} opens {folder}"


def test_the_read_list_is_what_is_needed(readable: list[Path]) -> None:
    """It is the standard library, torch, NumPy and four system paths, nothing below /proc, /etc or the project."""
    assert {path.name for path in readable} >= {"torch", "numpy", "os.py", "json", "encodings", "ld.so.cache"}
    assert [path for path in readable if inside(path, Path("/etc"))] == [Path("/etc/ld.so.cache")]
    assert {path for path in readable if inside(path, Path("/dev"))} == {Path("/dev/null"), Path("/dev/urandom")}
    assert not [path for path in readable if inside(path, Path("/proc"))]
    packages = [path.resolve() for path in policy.packages().values()]
    assert not [path for path in readable if inside(path, ROOT) and path not in packages]


def test_packages_are_torch_numpy_and_what_they_need() -> None:
    """They are the transitive requirements, each as its top-level entry."""
    found = policy.packages()
    assert {"torch", "numpy", "typing_extensions.py", "sympy", "mpmath", "networkx", "jinja2"} <= set(found)
    assert all(path.exists() for path in found.values())
    assert not [name for name in found if name.endswith(".pth") or name in ("..", "__pycache__", "bin")]


@pytest.mark.parametrize(
    "name",
    [
        *("grader", "attncheck", "reference", "questions", "click", "yaml", "pydantic", "rich", "nbformat"),
        *("pytest", "_pytest", "pip", "hypothesis", "coverage", "pyseccomp.py", "seccomp.py"),
    ],
)
def test_packages_are_nothing_else(name: str) -> None:
    """Neither the grader nor its other dependencies can be imported."""
    assert name not in policy.packages()


def test_requirements_are_followed_once_and_extras_are_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Cycles end; extras and missing packages are left out; scripts, caches and .pth files are not packages."""
    for name, requires, record in (
        (
            "one",
            ["Two_Lib>=1", "absent; sys_platform == 'win32'", "three; extra == 'dev'"],
            ["one/__init__.py", "../../bin/tool", "one.pth"],
        ),
        ("two.lib", ["one"], ["two.py", "__pycache__/two.pyc", "two_gone/x.py"]),
        ("three", [], ["three/__init__.py"]),
    ):
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1", *[f"Requires-Dist: {r}" for r in requires]]
        (info / "METADATA").write_text("\n".join(lines))
        (info / "RECORD").write_text("\n".join(f"{path},," for path in record))
        for path in record:
            if not path.startswith("..") and "gone" not in path:
                (tmp_path / path).parent.mkdir(exist_ok=True)
                (tmp_path / path).write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(policy, "_ROOTS", ("one",))
    assert policy.packages() == {"one": tmp_path / "one", "two.py": tmp_path / "two.py"}


def test_a_package_without_metadata_is_found_by_its_import(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If pip did not install torch, its folder is still found."""
    (tmp_path / "homemade_torch").mkdir()
    (tmp_path / "homemade_torch/__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(policy, "_ROOTS", ("homemade_torch", "not_there_at_all"))
    assert policy.packages() == {"homemade_torch": tmp_path / "homemade_torch"}


def test_the_path_of_a_child_has_no_packages() -> None:
    """A child's ``sys.path`` is the standard library and its extension modules."""
    paths = policy.stdlib_path()
    assert sysconfig.get_paths()["stdlib"] in paths
    assert not [path for path in paths if path.endswith("-packages")]


def test_the_filters_are_built_once() -> None:
    """They are whole BPF instructions, of reasonable number, and cached."""
    program = policy.seccomp_program()
    assert len(program) % 8 == 0 and 100 < len(program) // 8 < 4096
    assert policy.seccomp_program() is program
    asking, call = policy.thread_program()
    assert len(asking) % 8 == 0 and 4 < len(asking) // 8 < 64 and call > 0
    assert policy.thread_program()[0] is asking


@pytest.mark.parametrize("error", [ImportError, OSError, RuntimeError])
def test_without_the_library_there_is_no_filter(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    """If libseccomp cannot be loaded for any reason, the program is empty, which the caller refuses."""

    class Broken:
        def find_spec(self, name: str, path: object, target: object = None) -> None:
            """Fails for this one module."""
            if name == "pyseccomp":
                raise error("no library")

    monkeypatch.delitem(sys.modules, "pyseccomp", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    policy._program.cache_clear()
    policy._thread_program.cache_clear()
    assert policy.seccomp_program() == b""
    assert policy.thread_program() == (b"", -1)
    monkeypatch.undo()
    assert policy.seccomp_program() != b""  # it is not missing for good
    assert policy.thread_program()[0] != b""
