"""What this machine can do: versions, content, layers, canary attacks; and what to set where it cannot."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader import __version__, course, installed
from grader.errors import AttncheckError, CourseError, SandboxError
from grader.sandbox import Sandbox, open_sandbox
from grader.sandbox.canaries import release
from grader.sandbox.layers import probe
from grader.sandbox.zygote import readable_by_all

State = Literal["ok", "weak", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about this machine. ``remedy`` says what to do where the state is not ``ok``."""

    area: Literal["versions", "content", "sandbox", "canaries"]
    name: str
    state: State
    detail: str
    remedy: str | None = None


def examine(folder: Path | None = None) -> tuple[Finding, ...]:
    """Everything worth knowing, in the order in which one would ask."""
    return (*_versions(), *_content(folder), *_layers(), *_canaries())


def _versions() -> Iterator[Finding]:
    yield Finding("versions", "attncheck", "ok", __version__)
    yield Finding("versions", "python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield Finding("versions", "system", "ok", f"{platform.system()} {platform.release()} ({platform.machine()})")
    for name in ("torch", "numpy", "click", "pyyaml", "pydantic", "rich"):
        try:
            yield Finding("versions", name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding("versions", name, "missing", "not installed", f"pip install {name}")


def _content(folder: Path | None) -> Iterator[Finding]:
    try:
        found = course.find(folder)
        read = course.load(found)
    except AttncheckError as error:
        yield Finding("content", "course", "missing", str(error), "mend the course, or name another with --course")
        return
    exercises = sum(len(question.exercises) for question in read.questions)
    items = sum(len(question.items) for question in read.questions)
    detail = f"{len(read.questions)} questions, {exercises} exercises, {items} items in {found}"
    yield Finding("content", read.title.en, "ok", detail)
    for name in read.packages:
        try:
            installed.distributions((name,))
        except CourseError as error:
            remedy = f"install it for {sys.executable}, or take it out of course.yaml"
            yield Finding("content", f"package {name}", "missing", str(error), remedy)
        else:
            distribution = installed.distribution(name) or name
            yield Finding("content", f"package {name}", "ok", importlib.metadata.version(distribution))


def _layers() -> Iterator[Finding]:
    found = probe()
    for layer in found:
        state: State = "ok" if layer.present else "missing" if layer.needed else "weak"
        yield Finding("sandbox", layer.name, state, layer.detail, None if layer.present else layer.remedy)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield _root(any(layer.name == "namespaces" and layer.present for layer in found))


def _root(namespaces: bool) -> Finding:
    """Whose rights learners' code has where root grades: root's own would undo everything else."""
    if readable_by_all():
        return Finding("sandbox", "user", "ok", "running as root: learners' code is run as the user nobody")
    if namespaces:
        return Finding("sandbox", "user", "ok", "running as root: learners' code is run in a user namespace of its own")
    return Finding(
        "sandbox",
        "user",
        "missing",
        "running as root: learners' code would have root's rights, since there are no namespaces, and only root can "
        "read this Python",
        "run attncheck as an ordinary user, or install Python where everybody can read it",
    )


def _canaries() -> Iterator[Finding]:
    try:
        with open_sandbox(mode="require") as sandbox:
            yield from _released(sandbox)
    except SandboxError as error:  # unavailable, or there and of no use
        yield Finding(
            "canaries",
            "confinement",
            "missing",
            str(error),
            "until then 'grade' runs code unconfined and says so; 'batch' and '--seed-file' refuse",
        )


def _released(sandbox: Sandbox) -> Iterator[Finding]:
    for canary in release(sandbox.observe):
        if canary.refused:
            yield Finding("canaries", canary.name, "ok", "refused")
        else:
            remedy = "do not grade strangers' code on this machine; please report this with the output of doctor"
            yield Finding("canaries", canary.name, "missing", "NOT refused", remedy)
