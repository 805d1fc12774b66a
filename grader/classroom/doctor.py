"""Check this machine: versions, content, sandbox layers and canary attacks, with a remedy for what is missing."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader import __version__
from grader.classroom.task import BatchPlan
from grader.classroom.text_view import text_lines
from grader.classroom.worker import Workers, shutting_down, warm_up
from grader.core import installed, resources
from grader.core.errors import AttncheckError, CourseError, SandboxError
from grader.core.layout import WIDTH
from grader.core.model import Lang, Message, Text
from grader.core.tables import table, texts
from grader.core.text import LABELED, PARENTHESIZED, same
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.sandbox import open_sandbox
from grader.sandbox.canaries import AttackResult, attacks, try_attacks
from grader.sandbox.layers import probe
from grader.sandbox.zygote import readable_by_all

State = Literal["ok", "weak", "missing"]


@dataclass(frozen=True, slots=True)
class MachineFact:
    """One fact about this machine. ``remedy`` says what to do if the state is not ``ok``."""

    area: Literal["versions", "content", "sandbox", "canaries"]
    name: str
    state: State
    detail: Text
    remedy: Text | None = None


def _said(name: str) -> Text:
    """What is said about a finding, or what to do about it."""
    return texts(__file__, "doctor.yaml")[name]


def _why(error: Exception) -> Text:
    """The resource that the machine lacks, or else the message of the error."""
    lacking = resources.shortage(error)
    if lacking is None and isinstance(error, AttncheckError):
        return error.message
    return lacking or same(str(error))


def examine(folder: Path | None = None, workers: int | None = None) -> tuple[MachineFact, ...]:
    """All findings, tested as ``batch`` would run with ``workers`` processes (default: one per processor)."""
    return (*_versions(), *_content(folder), *_layers(), *_rehearsal(folder, workers or resources.processors()))


def _versions() -> Iterator[MachineFact]:
    yield MachineFact("versions", "attncheck", "ok", same(__version__))
    yield MachineFact("versions", "python", "ok", same(f"{platform.python_version()} ({sys.executable})"))
    system = f"{platform.system()} {platform.release()} ({platform.machine()})"
    yield MachineFact("versions", "system", "ok", same(system))
    for name in ("torch", "numpy", "click", "pyyaml", "pydantic", "rich"):
        try:
            yield MachineFact("versions", name, "ok", same(importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            yield MachineFact("versions", name, "missing", Message("not installed"), same(f"pip install {name}"))


def _content(folder: Path | None) -> Iterator[MachineFact]:
    try:
        course_folder = loader.find(folder)
        course = courses.load(course_folder)
    except AttncheckError as error:
        yield MachineFact("content", "course", "missing", error.message, _said("fix-course"))
        return
    exercises = sum(len(question.exercises) for question in course.questions)
    items = sum(len(question.items) for question in course.questions)
    counts = {"questions": len(course.questions), "exercises": exercises, "items": items}
    detail = _said("content").fill(**counts, folder=course_folder)
    yield MachineFact("content", course.title.en, "ok", detail)
    for name in course.packages:
        try:
            installed.distributions((name,))
        except CourseError as error:
            remedy = Message("install it for {python}, or remove it from course.yaml").fill(python=sys.executable)
            yield MachineFact("content", f"package {name}", "missing", error.message, remedy)
        else:
            distribution = installed.distribution(name) or name
            yield MachineFact("content", f"package {name}", "ok", same(importlib.metadata.version(distribution)))


def _layers() -> Iterator[MachineFact]:
    try:
        layers = probe()
    except SandboxError as error:
        yield MachineFact("sandbox", "layers", "missing", error.message, _said("close-and-run"))
        return
    for layer in layers:
        state: State = "ok" if layer.present else "missing" if layer.needed else "weak"
        yield MachineFact("sandbox", layer.name, state, layer.detail, None if layer.present else layer.remedy)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield _root(any(layer.name == "namespaces" and layer.present for layer in layers))


def _root(namespaces: bool) -> MachineFact:
    """The user that learners' code runs as when root grades. As root, it could undo all other layers."""
    if readable_by_all():
        return MachineFact("sandbox", "user", "ok", Message("running as root: learners' code runs as the user nobody"))
    if namespaces:
        return MachineFact("sandbox", "user", "ok", _said("in-namespace"))
    return MachineFact("sandbox", "user", "missing", _said("as-root"), _said("not-as-root"))


def _rehearsal(folder: Path | None, workers: int) -> Iterator[MachineFact]:
    """Start the workers as ``batch`` does, and try the attacks in another sandbox at the same time."""
    try:
        with shutting_down(Workers(workers)) as pool, open_sandbox(mode="require") as sandbox:
            plan = BatchPlan(_place(folder), Seed.public(), "")
            ready = [pool.submit(warm_up, plan) for _ in range(workers)]
            yield from map(_canary, try_attacks(sandbox.observe, lambda: wait(ready)))
            yield _workers(ready)
    except (SandboxError, OSError) as error:  # unavailable, broken, or too many processes
        yield MachineFact("canaries", "confinement", "missing", _why(error), _said("until-then"))


def _place(folder: Path | None) -> str:
    """The course folder; empty if there is none, which is reported under "content"."""
    try:
        return str(loader.find(folder))
    except AttncheckError:
        return ""


def _canary(canary: AttackResult) -> MachineFact:
    match canary.state:
        case "refused":
            return MachineFact("canaries", canary.name, "ok", Message("refused"))
        case "let-through":
            return MachineFact("canaries", canary.name, "missing", Message("NOT refused"), _said("do-not-grade"))
    return MachineFact("canaries", canary.name, "missing", _said("undecided").fill(why=canary.why), _said("try-again"))


def _workers(ready: Sequence[Future[None]]) -> MachineFact:
    """Whether this number of sandboxes can run at once."""
    name, at_once = "workers", Message("{count} at once").fill(count=len(ready))
    try:
        for future in ready:
            with contextlib.suppress(CourseError):  # reported under "content"
                future.result()
    except (AttncheckError, BrokenProcessPool, OSError) as error:
        return MachineFact("canaries", name, "missing", LABELED.fill(who=at_once, said=_why(error)), _said("fewer"))
    return MachineFact("canaries", name, "ok", at_once)


# ------------------------------------------------------------------------------------------ for people and for programs


def in_chinese(name: str) -> str:
    """The name of a trial attack or of another finding in Chinese, if it has one."""
    attack = attacks().get(name)
    return attack.zh if attack else table(__file__, "findings.yaml").get(name, name)


def lines(findings: Sequence[MachineFact], lang: Lang, width: int = WIDTH) -> Sequence[str]:
    """The findings by area, each with its remedy, and a conclusion."""
    given = {"findings": findings, "missing": is_missing(findings), "width": width}
    given |= {"words": texts(__file__, "words.yaml"), "in_chinese": in_chinese, "PARENTHESIZED": PARENTHESIZED}
    return text_lines(__file__, "doctor.txt", lang, **given)


def is_missing(findings: Iterable[MachineFact]) -> bool:
    """Whether anything is missing that grading a class needs."""
    return any(finding.state == "missing" for finding in findings)
