"""A course of one small question in a folder of its own, a class that answers it, and grading without processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import schedule, worker
from grader.classroom.gradebook import Gradebook, Override
from grader.core.model import Text
from grader.sandbox import Sandbox

QUESTION = """\
id: Q1
title: {en: Twice, zh: 两倍}
group: self-attention
prompt: {en: Write it., zh: 写。}
sources: [made2020]
misconceptions:
  squares: {truth: {en: Twice is not squared., zh: 两倍不是平方。}, ask: {en: What is twice 3?, zh: 3 的两倍是多少？}}
items:
  - id: Q1.a
    kind: choice
    ask: {en: Twice 2?, zh: 2 的两倍？}
    options:
      - {id: a, text: {en: "4", zh: "4"}, correct: true}
      - {id: b, text: {en: "5", zh: "5"}, misconception: squares}
    explain: {en: So it is., zh: 如此。}
    sources: [made2020]
exercises:
  - function: double
    signature: (x)
    summary: {en: Twice x., zh: x 的两倍。}
    result: {en: "(n,)", zh: "(n,)"}
    reference: bank.double
    points: 4
    hints: [{en: Add., zh: 加。}, {en: x + x, zh: x + x}]
    cases:
      - {name: basic, public: true, args: {x: {normal: [3]}}}
      - {name: long, args: {x: {normal: [200]}}}
      - {name: square, args: {x: {normal: [2, 2]}}}
    checks: [values, dtype]
    mistakes:
      - {misconception: squares, edits: [{replace: x + x, with: x * x}], fails: [values/basic]}
"""
REFERENCE = '''\
"""A reference."""

from __future__ import annotations

from torch import Tensor


def double(x: Tensor) -> Tensor:
    """Twice x."""
    return x + x
'''
SOURCES = "made2020: {title: Made up, authors: Nobody, year: 2020, where: nowhere}\n"
RIGHT = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return x * x\n"


def course(folder: Path) -> Path:
    """The course, in ``folder``."""
    for name, text in (
        ("questions/q01_tiny.yaml", QUESTION),
        ("questions/sources.yaml", SOURCES),
        ("reference/bank.py", REFERENCE),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def change(folder: Path, old: str, new: str) -> None:
    """Another text in the question of the course."""
    place = folder / "questions" / "q01_tiny.yaml"
    text = place.read_text("utf-8")
    assert old in text
    place.write_text(text.replace(old, new), encoding="utf-8")


def handed_in(folder: Path) -> Path:
    """Ada is right but for the item, Bo squares, Cy cannot be read."""
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "q01.py").write_text(RIGHT)
    (folder / "ada" / "answers.yaml").write_text("{format: 1, learner: Ada I., answers: {Q1.a: b}}\n")
    (folder / "bo.py").write_text(WRONG)
    (folder / "cy.py").write_text("def broken(:\n")
    return folder


def bilingual(text: Text | None) -> bool:
    """Whether a sentence is English in English, and Chinese in Chinese."""
    if text is None:
        return False
    english, chinese = (any("\u4e00" <= char <= "\u9fff" for char in said) for said in (text.en, text.zh))
    return chinese and not english


def give(book: Gradebook, points: Override) -> None:
    """Points that a person gives."""
    book.change_overrides({(points.learner, points.part): points}, points.author, points.at)


def withdraw(book: Gradebook, learner: str, part: str) -> None:
    """Points that a person gave, taken back."""
    book.change_overrides({(learner, part): None}, "prof", datetime.now(UTC))


class InProcess(Executor):
    """Runs everything at once in this process."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Lent:
    """The session's sandbox in the place of one's own: what closes it leaves it open."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.observe, self.layers = sandbox.observe, sandbox.layers
        self.observe_unverified, self.verify = sandbox.observe_unverified, sandbox.verify

    def start(self) -> None:
        """Has been started."""

    def children(self) -> None:
        """Is ready."""

    def allow_packages(self, packages: tuple[str, ...]) -> None:
        """Allows no packages."""
        assert not packages

    def expect_libraries(self, digest: str) -> None:
        """Has the libraries that are expected."""

    def close(self) -> None:
        """Stays open."""

    def __enter__(self) -> Lent:
        return self

    def __exit__(self, *_: object) -> None:
        """Stays open."""


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Iterator[None]:
    """No other process, and one sandbox for all, which is trusted."""
    monkeypatch.setattr(schedule, "executor", lambda count, **_: InProcess())
    monkeypatch.setattr(worker, "Sandbox", lambda mode, settings: Lent(sandbox))
    monkeypatch.setattr(schedule, "try_attacks", lambda observe, quiet: ())
    worker._context.cache_clear()
    yield
    worker._context.cache_clear()
