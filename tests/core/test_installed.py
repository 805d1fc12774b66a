"""Which packages a course may allow, by what is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core import installed
from grader.core.errors import CourseError
from grader.sandbox import Sandbox, ZygoteSettings, policy

Needs = dict[str, tuple[str, ...]]


@pytest.fixture(autouse=True)
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with distributions: name → what each needs; its package is called ``py_`` and its name."""
    needs: Needs = {
        "Root-One": ("setuptools",),
        "nice_tool": ("helper.lib>=1", "absent; extra == 'dev'"),
        "helper-lib": ("root-one",),
        "spy": ("PyTest>=7",),
        "bare": ("attncheck",),
        "attncheck": (),
        "pytest": (),
        "setuptools": (),
    }
    for name, requires in needs.items():
        package = f"py_{name.lower().replace('-', '_')}"
        info = tmp_path / f"{name.replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
        lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.2", *(f"Requires-Dist: {r}" for r in requires)]
        (info / "METADATA").write_text("\n".join(lines))
        (info / "RECORD").write_text(f"{package}/__init__.py,,")
        (info / "top_level.txt").write_text(package)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["nice_tool", "nice-tool", "Nice.Tool", "py_nice_tool"])
def test_a_package_is_found_by_either_name(name: str) -> None:
    """That of its distribution, however it is written, or that by which it is imported."""
    assert installed.distributions((name,), ("root-one",)) == ("nice-tool",)


def test_a_course_lets_in_what_it_names_and_what_that_needs(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing besides; where it names nothing, all is as without."""
    monkeypatch.setattr(policy, "_ROOTS", ("root-one",))
    names = ("root_one", "setuptools")
    assert policy.packages() == {f"py_{name}": made / f"py_{name}" for name in names}
    names += ("nice_tool", "helper_lib")
    assert policy.packages(("nice_tool",)) == {f"py_{name}": made / f"py_{name}" for name in names}
    readable = policy.readable(policy.packages(("nice_tool",)))
    assert {str(made / "py_nice_tool"), str(made / "py_helper_lib")} <= set(readable)
    assert str(made / "py_spy") not in readable


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere", r"nowhere is not installed in the Python that runs attncheck .*pip install nowhere"),
        ("spy", "spy needs pytest, which submissions may not import"),
        ("bare", "bare needs attncheck, which"),
        ("attncheck", "attncheck needs attncheck, which"),
        ("py_attncheck", "py_attncheck needs attncheck, which"),
    ],
)
def test_what_cannot_be_allowed_is_a_fault_of_the_course(name: str, said: str) -> None:
    """Whether it is confined or not, before anything runs; a sandbox that was refused stays as it was."""
    with pytest.raises(CourseError, match=said):
        installed.distributions((name,), ("root-one",))
    sandbox = Sandbox("plain", ZygoteSettings())
    with pytest.raises(CourseError, match=said):
        sandbox.allow_packages((name,))
    assert sandbox._settings.packages == ()


def test_what_every_child_has_anyway_is_no_reason_to_refuse() -> None:
    """torch needs setuptools on newer Pythons; what needs torch may still be allowed."""
    assert installed.distributions(("helper-lib",), ("root-one",)) == ("helper-lib",)
    with pytest.raises(CourseError, match="setuptools"):
        installed.distributions(("helper-lib",), ())
