"""The workers and the gradebook of a class server: what is submitted is graded once, whatever happens."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch, ended_sessions, inbox, schedule, worker
from grader.classroom import service as service_module
from grader.classroom.batch import BatchRequest
from grader.classroom.class_folder import INBOX, locked
from grader.classroom.ended_sessions import EndedSessions
from grader.classroom.gradebook import FILE, open_gradebook
from grader.classroom.roster import Learner, Roster
from grader.classroom.service import Attempt, Service, ServicePlan
from grader.classroom.task import GradingTask, TaskResult
from grader.core.errors import LibrariesChanged, SandboxError, SandboxUnavailable, UsageError
from grader.core.model import Text
from grader.grading.inputs import Seed
from grader.instructor.overrides import forgetting
from grader.submission import read
from tests import helpers, tiny
from tests.tiny import in_process  # noqa: F401, a fixture

NOW = datetime(2026, 11, 6, 7, 13, 47, tzinfo=UTC)
ADA, BO, CY = (Learner(name, name.title(), ids=(("learner", name),)) for name in ("ada", "bo", "cy"))


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one small question."""
    return tiny.course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def plan(course_folder: Path, tmp_path: Path) -> ServicePlan:
    """A class of three."""
    return ServicePlan(tmp_path / "class", course_folder, Roster((ADA, BO, CY)), Seed.public(), workers=2)


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
        (tmp_path / "w" / "q01.py").unlink()
        service.submit(CY, work(tmp_path / "c", tiny.RIGHT, "a", "cy"), NOW)
        (tmp_path / "c" / "q01.py").unlink()
        service.submit(CY, tmp_path / "c", NOW + timedelta(minutes=1))
        work(tmp_path / "c", "import os\n" + tiny.RIGHT)
        (tmp_path / "c" / "answers.yaml").unlink()
        service.submit(CY, tmp_path / "c", NOW + timedelta(minutes=2))
        assert [len(each.receipt.files) for each in graded(service, CY, 3)] == [1, 1, 2]
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
    assert len(after) == 6
    assert runs(plan) == 6


def roster(folder: Path) -> Path:
    """The class as a file."""
    (folder / "roster.csv").write_text("id,name\nada,Ada\nbo,Bo\ncy,Cy\n")
    return folder / "roster.csv"


@pytest.mark.usefixtures("in_process")
def test_what_was_not_graded_is_graded_after_the_next_start(plan: ServicePlan, tmp_path: Path) -> None:
    """What came in while nothing ran, from a terminal; what is graded already is not graded again."""
    with Service(plan) as service:
        service.submit(ADA, work(tmp_path / "a", tiny.RIGHT), NOW)
        graded(service, ADA, 1)
    inbox.submit(work(tmp_path / "b", tiny.WRONG, "a", "bo"), plan.folder / INBOX, "bo", NOW, helpers.course())
    with Service(plan) as service:
        assert len(graded(service, BO, 1)) == len(graded(service, ADA, 1)) == 1
    assert runs(plan) == 2


@pytest.mark.usefixtures("in_process")
def test_what_comes_by_another_way_is_graded_meanwhile(
    plan: ServicePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a learner who has submitted on the pages and of one who has not; nothing is graded twice."""
    monkeypatch.setattr(service_module, "_WATCH", 0.02)
    with Service(plan) as service:
        service.submit(ADA, work(tmp_path / "a", tiny.WRONG), NOW)
        before = service.revision(BO)
        for learner, code in (("bo", tiny.RIGHT), ("ada", tiny.RIGHT + "# again")):
            files = work(tmp_path / f"{learner}2", code, learner=learner)
            inbox.submit(files, plan.folder / INBOX, learner, NOW + timedelta(minutes=1), helpers.course())
        assert points(graded(service, BO, 1)) == [5.0]
        assert service.revision(BO) != before
        newest, oldest = points(graded(service, ADA, 2))
        assert newest > oldest
        service.submit(BO, work(tmp_path / "b", tiny.WRONG, learner="bo"), NOW + timedelta(minutes=2))
        assert [attempt.receipt.number for attempt in graded(service, BO, 2)] == [2, 1]
    assert runs(plan) == 4


@pytest.mark.usefixtures("in_process")
def test_what_cannot_be_collected_stops_no_grading(
    plan: ServicePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The instructor is told, and submissions on the pages are graded as before."""
    monkeypatch.setattr(service_module, "_WATCH", 0.02)
    told: list[Text] = []
    with Service(plan, told.append) as service:
        (plan.folder / INBOX / inbox.KEY).chmod(0o644)
        inbox.submit(work(tmp_path / "b", tiny.RIGHT, learner="bo"), plan.folder / INBOX, "bo", NOW, helpers.course())
        eventually(lambda: told)
        assert "key of the inbox" in told[0].en
        service.submit(ADA, work(tmp_path / "a", tiny.RIGHT), NOW)
        assert points(graded(service, ADA, 1)) == [5.0]
        assert service.halted is None


@pytest.mark.usefixtures("in_process")
def test_interrupted_submissions_are_removed_at_the_start_and_by_forget(plan: ServicePlan, tmp_path: Path) -> None:
    """What a killed server left of somebody's files is neither kept nor graded."""
    left = plan.folder / INBOX / f"{inbox.INCOMING}x"
    with Service(plan) as service:
        service.submit(ADA, work(tmp_path / "a", tiny.RIGHT), NOW)
        graded(service, ADA, 1)
    work(left / "files", tiny.WRONG)
    with Service(plan):
        assert not left.exists()
    work(left / "files", tiny.WRONG)
    (plan.folder / "class.yaml").write_text("roster: roster.csv\n")
    with forgetting(plan.folder, "ada", plan.course_folder) as (found, remove):
        assert left in found.removed
        remove("en")
    assert not left.exists()


@pytest.mark.usefixtures("in_process")
def test_another_command_may_use_the_gradebook_meanwhile(plan: ServicePlan, tmp_path: Path) -> None:
    """Results wait for as long as it takes; a second server is refused."""
    with Service(plan) as service:
        with locked(plan.folder):
            service.submit(ADA, work(tmp_path / "a", tiny.RIGHT), NOW)
            assert [each.state for each in service.attempts(ADA)] == ["waiting"]
        assert points(graded(service, ADA, 1)) == [5.0]
        with pytest.raises(UsageError, match="Another `attncheck serve`"):
            Service(plan).__enter__()


@pytest.mark.usefixtures("in_process")
def test_a_machine_that_cannot_confine_code(plan: ServicePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is served, and everything is let go again."""

    def refused(*_: object) -> None:
        raise SandboxUnavailable(Text("no Landlock", "没有 Landlock"))

    with monkeypatch.context() as patch:
        patch.setattr(schedule, "rehearse", refused)
        with pytest.raises(SandboxUnavailable):
            Service(plan).__enter__()
    with Service(plan) as service:
        assert service.attempts(ADA) == ()


@pytest.mark.usefixtures("in_process")
def test_a_worker_that_dies_is_replaced(plan: ServicePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission is tried twice; then it is refused, and the next one is graded."""
    tried: list[str] = []

    def run(batch_plan: object, task: GradingTask) -> TaskResult:
        tried.append(task.seed_name)
        if task.seed_name == "ada":
            raise BrokenProcessPool
        return worker.run_task(batch_plan, task)  # type: ignore[arg-type]

    monkeypatch.setattr(service_module, "run_task", run)
    with Service(replace(plan, workers=1)) as service:
        service.submit(ADA, work(tmp_path / "a", tiny.RIGHT), NOW)
        eventually(lambda: service.attempts(ADA)[0].state == "refused")
        service.submit(BO, work(tmp_path / "b", tiny.RIGHT, "a", "bo"), NOW)
        graded(service, BO, 1)
    assert tried == ["ada", "ada", "bo"]


@pytest.mark.usefixtures("in_process")
def test_our_own_error_stops_grading_and_blames_nobody(
    plan: ServicePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is reported once; submissions are still taken, checks refused; everything is graded after the next start."""
    told: list[Text] = []

    def changed(*_: object) -> TaskResult:
        raise LibrariesChanged(Text("torch has changed", "torch 变了"))

    with monkeypatch.context() as patch:
        patch.setattr(service_module, "run_task", changed)
        with Service(plan, told.append) as service:
            service.submit(ADA, work(tmp_path / "a", tiny.RIGHT), NOW)
            eventually(lambda: service.halted)
            service.submit(BO, work(tmp_path / "b", tiny.RIGHT, "a", "bo"), NOW)
            assert [each.state for each in service.attempts(BO)] == ["waiting"]
            with pytest.raises(UsageError, match="cannot be graded at the moment"):
                service.check("ada", read(tmp_path / "a"), ("double",))
    assert [text.en for text in told] == ["torch has changed"]
    with Service(plan) as service:
        graded(service, ADA, 1)
        graded(service, BO, 1)
    assert runs(plan) == 2


@pytest.mark.usefixtures("in_process")
def test_checks(plan: ServicePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Public cases of the edition; one at a time for each person; an error of ours costs this check only."""
    told: list[Text] = []
    with Service(replace(plan, workers=1), told.append) as service:
        report = service.check("ada", read(work(tmp_path / "a", tiny.RIGHT)), ("double",)).report
        assert report.passed and report.edition
        assert service.edition.edition is not None and not service.edition.reference
        began, go_on = threading.Event(), threading.Event()

        def slow(*arguments: Any) -> Any:
            began.set()
            go_on.wait()
            return worker.run_check(*arguments)

        monkeypatch.setattr(service_module, "run_check", slow)
        with ThreadPoolExecutor(1) as other:
            first = other.submit(service.check, "ada", read(tmp_path / "a"), ("double",))
            began.wait()
            with pytest.raises(UsageError, match="still running"):
                service.check("ada", read(tmp_path / "a"), ("double",))
            go_on.set()
            assert first.result().report.passed
        monkeypatch.setattr(service_module, "run_check", lambda *_: 1 / 0)
        with pytest.raises(UsageError, match="not your fault"):
            service.check("ada", read(tmp_path / "a"), ("double",))
        assert service.halted is None and "ZeroDivisionError" in told[0].en

        def broken(*_: object) -> None:
            raise BrokenProcessPool

        monkeypatch.setattr(service_module, "run_check", broken)
        with pytest.raises(SandboxError, match="died twice"):
            service.check("ada", read(tmp_path / "a"), ("double",))
        monkeypatch.setattr(service_module, "run_check", worker.run_check)
        assert service.check("ada", read(tmp_path / "a"), ("double",)).report.passed


@pytest.mark.usefixtures("in_process")
def test_a_learner_is_forgotten(plan: ServicePlan, tmp_path: Path) -> None:
    """Submissions, code and log are deleted from the folder of a class, and do not come back at the next start."""
    # Not "ada": the inbox keeps digests, and one in a few dozen holds these three hexadecimal digits by chance.
    gone = Learner("wolfgang", "Wolfgang", ids=(("learner", "wolfgang"),))
    plan = replace(plan, roster=Roster((gone, BO)))
    with Service(plan) as service:
        for one in (gone, BO):
            service.submit(one, work(tmp_path / one.id, tiny.RIGHT, "a", one.id), NOW)
            graded(service, one, 1)
    assert any(b"wolfgang" in path.read_bytes() for path in plan.folder.rglob("inbox/**/*") if path.is_file())
    (plan.folder / "class.yaml").write_text("")
    (plan.folder / "people" / "wolfgang").mkdir(parents=True)
    ended = EndedSessions(plan.folder)
    for name in ("wolfgang", "bo"):
        ended.end(name, NOW, f"session of {name}")
    with forgetting(plan.folder, "wolfgang", plan.course_folder) as (leaving, remove):
        found = [path.relative_to(plan.folder).as_posix() for path in leaving.removed]
        assert found == ["inbox/wolfgang", "people/wolfgang"]
        assert leaving.outside == leaving.others == ()
        remove("en")
    left = (plan.folder / ended_sessions.FILE).read_text()
    assert "wolfgang" not in left and "session of bo" in left
    with Service(plan) as service:
        assert service.attempts(gone) == () and len(service.attempts(BO)) == 1
    assert not any(b"wolfgang" in path.read_bytes() for path in plan.folder.rglob("inbox/**/*") if path.is_file())


@pytest.mark.usefixtures("in_process")
def test_the_edition_is_written_once(plan: ServicePlan, course_folder: Path, tmp_path: Path) -> None:
    """And anew after a change of the course, or of the questions that count."""
    with Service(plan):
        pass
    before = (plan.folder / ".edition" / "course.yaml").stat().st_mtime_ns
    with Service(plan):
        pass
    assert (plan.folder / ".edition" / "course.yaml").stat().st_mtime_ns == before
    shutil.copytree(course_folder, tmp_path / "changed")
    tiny.change(tmp_path / "changed", "Twice 2?", "Twice 3?")
    with Service(replace(plan, course_folder=tmp_path / "changed")) as service:
        assert service.edition.questions[0].items[0].ask.en == "Twice 3?"
