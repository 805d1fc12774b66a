"""The workers and the gradebook of a class server: what is submitted is graded once, whatever happens."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import FILE, open_gradebook
from grader.classroom.roster import Learner, Roster
from grader.classroom.service import Attempt, Service, ServicePlan
from grader.grading.inputs import Seed
from tests import tiny
from tests.tiny import in_process  # noqa: F401, a fixture

NOW = datetime(2026, 11, 6, 7, 13, 47, tzinfo=UTC)
ADA, BO = (Learner(name, name.title(), (("learner", name),)) for name in ("ada", "bo"))


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one small question."""
    return tiny.course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def plan(course_folder: Path, tmp_path: Path) -> ServicePlan:
    """A class of two."""
    return ServicePlan(tmp_path / "class", course_folder, Roster((ADA, BO)), Seed.public(), workers=2)


def work(folder: Path, code: str, answer: str = "a", learner: str = "ada") -> Path:
    """A folder with code and an answer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "q01.py").write_text(code)
    (folder / "answers.yaml").write_text(f"{{format: 1, learner: {learner}, answers: {{Q1.a: {answer}}}}}\n")
    return folder


def eventually(found: Callable[[], Any]) -> Any:
    """What is found, once it is true; the test's own time limit is the limit."""
    while not (value := found()):
        time.sleep(0.02)
    return value


def graded(service: Service, learner: Learner, count: int) -> tuple[Attempt, ...]:
    """The attempts of a learner, when all of them are graded."""

    def done() -> tuple[Attempt, ...]:
        found = service.attempts(learner)
        assert service.halted is None, service.halted
        return found if len(found) == count and all(each.state == "graded" for each in found) else ()

    found: tuple[Attempt, ...] = eventually(done)
    return found


def runs(plan: ServicePlan) -> int:
    """How often anything was graded."""
    with contextlib.closing(sqlite3.connect(plan.folder / FILE)) as book:
        return int(book.execute("SELECT count(*) FROM run").fetchone()[0])


def points(attempts: tuple[Attempt, ...]) -> list[float]:
    """What each attempt is worth."""
    return [attempt.mark.earned for attempt in attempts if attempt.mark is not None]


@pytest.mark.usefixtures("in_process")
def test_what_is_handed_in_is_graded_and_the_same_as_in_a_batch(plan: ServicePlan, tmp_path: Path) -> None:
    """Points, history, and a gradebook with which `batch` agrees in every row; nothing is graded again."""
    with Service(plan) as service:
        receipt, new = service.submit(ADA, work(tmp_path / "w", tiny.WRONG), NOW)
        assert new and receipt.mac and receipt.number == 1
        assert service.submit(ADA, tmp_path / "w", NOW)[1] is False
        service.submit(ADA, work(tmp_path / "w", tiny.RIGHT), NOW + timedelta(minutes=1))
        service.submit(BO, work(tmp_path / "b", tiny.RIGHT, "b", "bo"), NOW)
        newest, oldest = points(graded(service, ADA, 2))
        (bo,) = points(graded(service, BO, 1))
        assert newest > oldest and newest > bo
        assert [a.receipt.number for a in service.attempts(ADA)] == [2, 1]
    with contextlib.closing(open_gradebook(plan.folder)) as book:
        before = book.submissions()
    batch.run(BatchRequest(service.inbox, plan.folder, plan.course_folder, plan.seed, roster=roster(tmp_path)))
    with contextlib.closing(open_gradebook(plan.folder)) as book:
        after = book.submissions()
    assert [replace(row, signature="") for row in before] == [replace(row, signature="") for row in after]
    assert len(after) == 3
    assert runs(plan) == 3


def roster(folder: Path) -> Path:
    """The class as a file."""
    (folder / "roster.csv").write_text("id,name\nada,Ada\nbo,Bo\n")
    return folder / "roster.csv"
