from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import __version__
from grader.classroom import doctor
from grader.classroom.doctor import MachineFact, examine
from grader.core import resources
from grader.core.errors import CourseError, SandboxError, SandboxUnavailable
from grader.core.model import Text
from grader.core.text import same
from grader.course import loader
from grader.grading import courses
from grader.sandbox import Sandbox
from grader.sandbox.canaries import AttackResult
from grader.sandbox.layers import Layer


class Prompt(Executor):
    """Workers that have done what they are asked for: nothing, or what raises ``error``."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.asked = 0
        self._error = error

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        assert function is doctor.warm_up
        self.asked += 1
        future: Future[Any] = Future()
        if self._error is None:
            future.set_result(None)
        else:
            future.set_exception(self._error)
        return future


@pytest.fixture
def lent(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's sandbox in the place of the doctor's own, and workers that are ready at once."""

    @contextmanager
    def lend(*, mode: str) -> Iterator[Sandbox]:
        assert mode == "require"
        yield sandbox

    monkeypatch.setattr(doctor, "open_sandbox", lend)
    monkeypatch.setattr(doctor, "Workers", lambda count: Prompt())


def both(text: str) -> Text:
    """The same in both languages."""
    return Text(text, text)


def area(name: str, found: tuple[MachineFact, ...]) -> dict[str, MachineFact]:
    """The findings of one area, by name."""
    return {finding.name: finding for finding in found if finding.area == name}


@pytest.mark.usefixtures("lent")
def test_a_machine_that_can_grade() -> None:
    """Versions, content, layers and canaries: all there, and nothing to mend."""
    found = examine()
    assert list(dict.fromkeys(finding.area for finding in found)) == ["versions", "content", "sandbox", "canaries"]
    assert area("versions", found)["attncheck"].detail.en == __version__
    assert area("versions", found)["torch"].detail.en == importlib.metadata.version("torch")
    assert "exercises" in next(iter(area("content", found).values())).detail.en
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
    assert (found["rich"].state, found["rich"].remedy) == ("missing", both("pip install rich"))
    assert (found["click"].state, found["click"].detail.en) == ("ok", "1.0")


def test_a_course_that_cannot_be_read(tmp_path: Path) -> None:
    """What the reader says, and what to do."""
    (finding,) = doctor._content(tmp_path / "nowhere")
    assert (finding.area, finding.state) == ("content", "missing")
    assert "nowhere" in finding.detail.en
    assert finding.remedy is not None


def test_the_packages_of_a_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is looked for, by either of its names, and what is missing is to be installed."""
    loaded = courses.load(loader.find(None))
    allowing = replace(loaded, packages=("PyYAML", "yaml", "nowhere"))
    monkeypatch.setattr(courses, "load", lambda folder: allowing)
    _, one, two, missing = doctor._content(None)
    assert [(f.name, f.state, f.detail.en) for f in (one, two)] == [
        (f"package {name}", "ok", importlib.metadata.version("pyyaml")) for name in ("PyYAML", "yaml")
    ]
    assert (missing.name, missing.state) == ("package nowhere", "missing")
    assert "pip install nowhere" in missing.detail.en
    assert missing.remedy is not None


@pytest.mark.parametrize(
    ("layer", "state", "remedy"),
    [
        (Layer("landlock", True, True, both("ABI 7"), both("use Linux 5.13")), "ok", None),
        (Layer("landlock", False, True, both("none"), both("use Linux 5.13")), "missing", both("use Linux 5.13")),
        (Layer("namespaces", False, False, both("none"), both("sysctl")), "weak", both("sysctl")),
    ],
)
def test_layers(layer: Layer, state: str, remedy: Text | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A needed one that is absent is missing, another one makes the wall weak; only then there is something to do."""
    monkeypatch.setattr(doctor, "probe", lambda: (layer,))
    finding = next(doctor._layers())
    assert (finding.name, finding.state, finding.detail, finding.remedy) == (layer.name, state, layer.detail, remedy)


def test_layers_that_cannot_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is not the same as a layer that is missing, and doctor goes on."""

    def probe() -> tuple[Layer, ...]:
        raise SandboxError(same("could not be tried"))

    monkeypatch.setattr(doctor, "probe", probe)
    (finding,) = doctor._layers()
    assert (finding.name, finding.state, finding.detail.en) == ("layers", "missing", "could not be tried")
    assert finding.remedy is not None


def test_root_and_systems_without_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who the code runs as is said to root; a system that does not know of users is no reason to fail."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for spaces, open_to_all, state, word in (
        (True, True, "ok", "nobody"),
        (False, True, "ok", "nobody"),
        (True, False, "ok", "namespace"),
        (False, False, "missing", "would run as root"),
    ):
        layer = Layer("namespaces", spaces, False, both(""))
        monkeypatch.setattr(doctor, "probe", lambda layer=layer: (layer,))
        monkeypatch.setattr(doctor, "readable_by_all", lambda answer=open_to_all: answer)
        *_, finding = doctor._layers()
        assert (finding.name, finding.state) == ("user", state)
        assert word in finding.detail.en
        assert (finding.remedy is None) == (state == "ok")
    monkeypatch.setattr(doctor, "probe", lambda: ())
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert list(doctor._layers()) == []
    monkeypatch.delattr(os, "geteuid")
    assert list(doctor._layers()) == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SandboxUnavailable(same("no Landlock")), "no Landlock"),
        (BlockingIOError(11, "Resource temporarily unavailable"), "no more processes or memory are available"),
    ],
)
def test_a_machine_that_cannot_confine(error: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Why not, and what works until then."""

    @contextmanager
    def unavailable(*, mode: str) -> Iterator[Sandbox]:
        raise error
        yield

    monkeypatch.setattr(doctor, "open_sandbox", unavailable)
    monkeypatch.setattr(doctor, "Workers", lambda count: Prompt())
    (finding,) = doctor._rehearsal(None, 2)
    assert (finding.area, finding.name, finding.state) == ("canaries", "confinement", "missing")
    assert said in finding.detail.en
    assert finding.remedy is not None
    assert "batch" in finding.remedy.en


@pytest.mark.usefixtures("lent")
def test_canaries_that_are_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attack is told by its name; one that worked, or that could not be tried, is a reason not to grade."""
    found = (
        AttackResult("read a file", "let-through"),
        AttackResult("start a process", "refused"),
        AttackResult("open any socket", "undecided", "ended by signal 9"),
    )
    monkeypatch.setattr(doctor, "try_attacks", lambda *_: found)
    escaped, refused, undecided, _ = doctor._rehearsal(None, 1)
    assert (escaped.name, escaped.state, escaped.detail.en) == ("read a file", "missing", "NOT refused")
    assert escaped.remedy is not None
    assert (refused.name, refused.state, refused.remedy) == ("start a process", "ok", None)
    assert (undecided.state, undecided.detail.en) == ("missing", "could not be tested: ended by signal 9")
    assert undecided.remedy is not None and "close other programs" in undecided.remedy.en


@pytest.mark.usefixtures("lent")
@pytest.mark.parametrize(
    ("error", "state", "said"),
    [
        (None, "ok", "3 at once"),
        (CourseError(same("no course")), "ok", "3 at once"),
        (SandboxError(same("too little memory")), "missing", "3 at once: too little memory"),
        (BrokenProcessPool("gone"), "missing", "3 at once: gone"),
        (OSError(12, "Cannot allocate memory"), "missing", "cannot allocate memory: not enough memory"),
    ],
)
def test_as_many_workers_as_batch_would_use(
    error: Exception | None, state: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All get ready beside the attacks; where one cannot, batch with so many would not grade, and doctor says so."""
    pool = Prompt(error)
    counts: list[int] = []
    monkeypatch.setattr(doctor, "Workers", lambda count: counts.append(count) or pool)  # type: ignore[func-returns-value]
    monkeypatch.setattr(doctor, "try_attacks", lambda *_: ())
    (finding,) = doctor._rehearsal(None, 3)
    assert (counts, pool.asked) == ([3], 3)
    assert (finding.name, finding.state) == ("workers", state)
    assert said in finding.detail.en
    assert (finding.remedy is None) == (state == "ok")


def test_batch_and_doctor_count_processors_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default one worker for each processor that this process may use, not for each that the machine has."""
    counts: list[int] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    monkeypatch.setattr(doctor, "_rehearsal", lambda _, workers: counts.append(workers) or ())  # type: ignore[func-returns-value]
    monkeypatch.setattr(doctor, "_versions", lambda: ())
    monkeypatch.setattr(doctor, "_layers", lambda: ())
    doctor.examine()
    doctor.examine(workers=7)
    assert counts == [3, 7] and resources.processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert resources.processors() == 1
