"""Examines this machine: versions, content, sandbox layers and canary attacks, with a remedy for what is missing."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader import __version__
from grader.classroom.task import BatchPlan
from grader.classroom.worker import Workers, shutting_down, warm_up
from grader.core import installed, resources
from grader.core.errors import AttncheckError, CourseError, SandboxError
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.sandbox import open_sandbox
from grader.sandbox.canaries import AttackResult, try_attacks
from grader.sandbox.layers import probe
from grader.sandbox.zygote import readable_by_all

State = Literal["ok", "weak", "missing"]


@dataclass(frozen=True, slots=True)
class MachineFact:
    """One fact about this machine. ``remedy`` says what to do if the state is not ``ok``."""

    area: Literal["versions", "content", "sandbox", "canaries"]
    name: str
    state: State
    detail: str
    remedy: str | None = None


def examine(folder: Path | None = None, workers: int | None = None) -> tuple[MachineFact, ...]:
    """All findings, as ``batch`` would meet them with this number of ``workers`` (default: one per processor)."""
    return (*_versions(), *_content(folder), *_layers(), *_rehearsal(folder, workers or resources.processors()))


def _versions() -> Iterator[MachineFact]:
    yield MachineFact("versions", "attncheck", "ok", __version__)
    yield MachineFact("versions", "python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield MachineFact("versions", "system", "ok", f"{platform.system()} {platform.release()} ({platform.machine()})")
    for name in ("torch", "numpy", "click", "pyyaml", "pydantic", "rich"):
        try:
            yield MachineFact("versions", name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield MachineFact("versions", name, "missing", "not installed", f"pip install {name}")


def _content(folder: Path | None) -> Iterator[MachineFact]:
    try:
        found = loader.find(folder)
        read = courses.load(found)
    except AttncheckError as error:
        yield MachineFact("content", "course", "missing", str(error), "fix the course, or name another with --course")
        return
    exercises = sum(len(question.exercises) for question in read.questions)
    items = sum(len(question.items) for question in read.questions)
    detail = f"{len(read.questions)} questions, {exercises} exercises, {items} items in {found}"
    yield MachineFact("content", read.title.en, "ok", detail)
    for name in read.packages:
        try:
            installed.distributions((name,))
        except CourseError as error:
            remedy = f"install it for {sys.executable}, or remove it from course.yaml"
            yield MachineFact("content", f"package {name}", "missing", str(error), remedy)
        else:
            distribution = installed.distribution(name) or name
            yield MachineFact("content", f"package {name}", "ok", importlib.metadata.version(distribution))


def _layers() -> Iterator[MachineFact]:
    try:
        found = probe()
    except SandboxError as error:
        yield MachineFact("sandbox", "layers", "missing", str(error), "close other programs, and run doctor again")
        return
    for layer in found:
        state: State = "ok" if layer.present else "missing" if layer.needed else "weak"
        yield MachineFact("sandbox", layer.name, state, layer.detail, None if layer.present else layer.remedy)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield _root(any(layer.name == "namespaces" and layer.present for layer in found))


def _root(namespaces: bool) -> MachineFact:
    """Which user learners' code runs as when root grades; root's own rights would undo everything else."""
    if readable_by_all():
        return MachineFact("sandbox", "user", "ok", "running as root: learners' code runs as the user nobody")
    if namespaces:
        return MachineFact(
            "sandbox",
            "user",
            "ok",
            "running as root, with a Python that only root can read: learners' code runs in its own user namespace. "
            "To the rest of the machine it is user 0, without root's capabilities. If everybody could read Python, it "
            "would run as the user nobody",
        )
    return MachineFact(
        "sandbox",
        "user",
        "missing",
        "running as root: learners' code would have root's rights, because there are no user namespaces and only root "
        "can read this Python",
        "run attncheck as an ordinary user, or install Python where all users can read it",
    )


def _rehearsal(folder: Path | None, workers: int) -> Iterator[MachineFact]:
    """Slightly more than ``batch`` needs: the workers, and the trial attacks in a sandbox of their own beside them."""
    try:
        with shutting_down(Workers(workers)) as pool, open_sandbox(mode="require") as sandbox:
            plan = BatchPlan(_place(folder), Seed.public(), "")
            ready = [pool.submit(warm_up, plan) for _ in range(workers)]
            yield from map(_canary, try_attacks(sandbox.observe, lambda: wait(ready)))
            yield _workers(ready)
    except (SandboxError, OSError) as error:  # unavailable, broken, or no more processes
        yield MachineFact(
            "canaries",
            "confinement",
            "missing",
            resources.shortage(error) or str(error),
            "until then 'grade' runs code unconfined and says so; 'batch' and '--seed-file' refuse",
        )


def _place(folder: Path | None) -> str:
    """The course folder; empty if there is none, which is reported under "content"."""
    try:
        return str(loader.find(folder))
    except AttncheckError:
        return ""


def _canary(canary: AttackResult) -> MachineFact:
    match canary.state:
        case "refused":
            return MachineFact("canaries", canary.name, "ok", "refused")
        case "let-through":
            remedy = "do not grade untrusted code on this machine; please report this with the output of doctor"
            return MachineFact("canaries", canary.name, "missing", "NOT refused", remedy)
    detail = f"could not be decided: {canary.why}"
    remedy = "close other programs and run doctor again; if this stays, please report it with the output of doctor"
    return MachineFact("canaries", canary.name, "missing", detail, remedy)


def _workers(ready: Sequence[Future[None]]) -> MachineFact:
    """Whether this number of sandboxes can run at once."""
    name, at_once = "workers", f"{len(ready)} at once"
    try:
        for future in ready:
            with contextlib.suppress(CourseError):  # reported under "content"
                future.result()
    except (AttncheckError, BrokenProcessPool, OSError) as error:
        detail = f"{at_once}: {resources.shortage(error) or error}"
        return MachineFact("canaries", name, "missing", detail, "close other programs, or use fewer: --workers N")
    return MachineFact("canaries", name, "ok", at_once)
