from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from grader import __version__, course, doctor
from grader.doctor import Finding, examine
from grader.errors import SandboxUnavailable
from grader.sandbox import Sandbox
from grader.sandbox.canaries import Canary
from grader.sandbox.layers import Layer


@pytest.fixture
def lent(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's sandbox in the place of the doctor's own."""

    @contextmanager
    def lend(*, mode: str) -> Iterator[Sandbox]:
        assert mode == "require"
        yield sandbox

    monkeypatch.setattr(doctor, "open_sandbox", lend)


def area(name: str, found: tuple[Finding, ...]) -> dict[str, Finding]:
    """The findings of one area, by name."""
    return {finding.name: finding for finding in found if finding.area == name}


@pytest.mark.usefixtures("lent")
def test_a_machine_that_can_grade() -> None:
    """Versions, content, layers and canaries: all there, and nothing to mend."""
    found = examine()
    assert list(dict.fromkeys(finding.area for finding in found)) == ["versions", "content", "sandbox", "canaries"]
    assert area("versions", found)["attncheck"].detail == __version__
    assert area("versions", found)["torch"].detail == importlib.metadata.version("torch")
    assert "exercises" in next(iter(area("content", found).values())).detail
    canaries = area("canaries", found)
    assert len(canaries) > 10
    for finding in found:
        assert finding.state == "ok" or (finding.area == "sandbox" and finding.name == "namespaces")
        assert (finding.remedy is None) == (finding.state == "ok")


def test_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is missing, with the command that installs it."""

    def version(name: str) -> str:
        if name == "rich":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = {finding.name: finding for finding in doctor._versions()}
    assert (found["rich"].state, found["rich"].remedy) == ("missing", "pip install rich")
    assert (found["click"].state, found["click"].detail) == ("ok", "1.0")


def test_a_course_that_cannot_be_read(tmp_path: Path) -> None:
    """What the reader says, and what to do."""
    (finding,) = doctor._content(tmp_path / "nowhere")
    assert (finding.area, finding.state) == ("content", "missing")
    assert "nowhere" in finding.detail
    assert finding.remedy is not None


def test_the_packages_of_a_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is looked for, by either of its names, and what is missing is to be installed."""
    loaded = course.load(course.find(None))
    allowing = replace(loaded, packages=("PyYAML", "yaml", "nowhere"))
    monkeypatch.setattr(course, "load", lambda folder: allowing)
    _, one, two, missing = doctor._content(None)
    assert [(f.name, f.state, f.detail) for f in (one, two)] == [
        (f"package {name}", "ok", importlib.metadata.version("pyyaml")) for name in ("PyYAML", "yaml")
    ]
    assert (missing.name, missing.state) == ("package nowhere", "missing")
    assert "pip install nowhere" in missing.detail
    assert missing.remedy is not None


@pytest.mark.parametrize(
    ("layer", "state", "remedy"),
    [
        (Layer("landlock", True, True, "ABI 7", "use Linux 5.13"), "ok", None),
        (Layer("landlock", False, True, "none", "use Linux 5.13"), "missing", "use Linux 5.13"),
        (Layer("namespaces", False, False, "none", "sysctl"), "weak", "sysctl"),
    ],
)
def test_layers(layer: Layer, state: str, remedy: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A needed one that is absent is missing, another one makes the wall weak; only then there is something to do."""
    monkeypatch.setattr(doctor, "probe", lambda: (layer,))
    finding = next(doctor._layers())
    assert (finding.name, finding.state, finding.detail, finding.remedy) == (layer.name, state, layer.detail, remedy)


def test_root_and_systems_without_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who the code runs as is said to root; a system that does not know of users is no reason to fail."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for spaces, open_to_all, state, word in (
        (True, True, "ok", "nobody"),
        (False, True, "ok", "nobody"),
        (True, False, "ok", "namespace"),
        (False, False, "missing", "root's rights"),
    ):
        layer = Layer("namespaces", spaces, False, "", "")
        monkeypatch.setattr(doctor, "probe", lambda layer=layer: (layer,))
        monkeypatch.setattr(doctor, "readable_by_all", lambda answer=open_to_all: answer)
        *_, finding = doctor._layers()
        assert (finding.name, finding.state) == ("user", state)
        assert word in finding.detail
        assert (finding.remedy is None) == (state == "ok")
    monkeypatch.setattr(doctor, "probe", lambda: ())
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert list(doctor._layers()) == []
    monkeypatch.delattr(os, "geteuid")
    assert list(doctor._layers()) == []


def test_a_machine_that_cannot_confine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why not, and what works until then."""

    @contextmanager
    def unavailable(*, mode: str) -> Iterator[Sandbox]:
        raise SandboxUnavailable("no Landlock")
        yield

    monkeypatch.setattr(doctor, "open_sandbox", unavailable)
    (finding,) = doctor._canaries()
    assert (finding.area, finding.name, finding.state, finding.detail) == (
        "canaries",
        "confinement",
        "missing",
        "no Landlock",
    )
    assert finding.remedy is not None
    assert "batch" in finding.remedy


@pytest.mark.usefixtures("lent")
def test_a_canary_that_gets_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attack is told by its name; one that worked is a reason not to grade."""
    monkeypatch.setattr(doctor, "release", lambda _: (Canary("read a file", False), Canary("fork", True)))
    escaped, refused = doctor._canaries()
    assert (escaped.name, escaped.state, escaped.detail) == ("read a file", "missing", "NOT refused")
    assert escaped.remedy is not None
    assert (refused.name, refused.state, refused.remedy) == ("fork", "ok", None)
