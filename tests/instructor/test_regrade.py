"""Grading again: only what changed, shown before anything is put down, and never from other files or another seed."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from grader.classroom import batch, class_folder, schedule, worker
from grader.classroom.batch import BatchProgress, BatchRequest
from grader.classroom.gradebook import Gradebook, Override, open_gradebook
from grader.classroom.results import Book
from grader.classroom.task import BatchPlan, GradingTask, TaskResult
from grader.core.errors import CourseError, GradebookError, UsageError
from grader.core.model import Text
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.instructor.regrade import PointsChange, RegradeRequest, RegradeResult, regraded, seed_of
from tests import tiny
from tests.tiny import give

BUG = Text("a bug", "程序错误")

NOW = datetime(2026, 11, 21, tzinfo=UTC)
in_process = tiny.in_process


@pytest.fixture
def out(tmp_path: Path, in_process: None) -> Path:
    """The results of the tiny class; Ada has 4 of 5, Bo nothing."""
    order = BatchRequest(
        tiny.handed_in(tmp_path / "in"), tmp_path / "out", tiny.course(tmp_path / "course"), Seed.public(), files=True
    )
    assert batch.run(order).graded == 2
    return order.out


def change(out: Path, old: str, new: str) -> None:
    """Another text in the question of the course."""
    tiny.change(out.parent / "course", old, new)


def again(out: Path, write: bool = False, **more: Any) -> RegradeResult:
    """What grading again finds; put down if asked for."""
    with regraded(RegradeRequest(out, **({"seed": Seed.public()} | more)), dry=not write) as (found, put_down):
        if write:
            put_down("en")
    return found


def earned(out: Path) -> dict[str, float]:
    """Everybody's points in the gradebook."""
    with closing(open_gradebook(out)) as book:
        folder = str(book.recall("course"))
        return {mark.learner.id: mark.earned for mark in Book.of(book, courses.load(Path(folder))).marks()}


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file, byte by byte."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_nothing_has_changed(out: Path) -> None:
    """Then nothing is graded, and there is no news."""
    assert again(out) == RegradeResult((), (), 0, (), False, ())


KEY = ('zh: "4"}, correct: true}', 'zh: "4"}, misconception: squares}')
OTHER_KEY = ('zh: "5"}, misconception: squares}', 'zh: "5"}, correct: true}')


def test_what_changed_is_graded_again(out: Path) -> None:
    """The differences are seen first; once put down they are in the gradebook and in every file."""
    change(out, *KEY)
    change(out, *OTHER_KEY)
    before = snapshot(out)
    found = again(out)
    assert found.changes == (PointsChange("ada", "Q1", (4.0, 5.0), (5.0, 5.0)),)
    assert (found.questions, found.submissions, found.refused, found.has_changes) == (("Q1",), 2, (), True)
    assert "seccomp" in found.layers
    assert snapshot(out) == before
    assert again(out, write=True).changes == found.changes
    assert earned(out) == {"ada": 5, "bo": 0, "cy": 0}
    assert "ada,ada,,5,5," in (out / "class.csv").read_text()
    assert '"earned": 5' in (out / "ada.json").read_text()
    assert not again(out).has_changes


def test_only_what_changed_is_graded(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new question that does not count is not; a unit that is there from before is not, either."""
    seen: list[str] = []
    work = worker.run_task

    def spied(plan: BatchPlan, task: GradingTask) -> TaskResult:
        seen.append(task.key)
        return work(plan, task)

    monkeypatch.setattr(schedule, "run_task", spied)
    other = tiny.QUESTION.replace("Q1", "Q2").replace("double", "twice").replace("bank.twice", "bank.double")
    (out.parent / "course" / "questions" / "q02_more.yaml").write_text(other)
    assert again(out).questions == ()
    change(out, *KEY)
    change(out, *OTHER_KEY)
    again(out, write=True)
    assert seen == ["ada", "bo.py"]
    change(out, OTHER_KEY[1], OTHER_KEY[0])
    change(out, KEY[1], KEY[0])
    seen.clear()
    assert again(out, write=True).changes == (PointsChange("ada", "Q1", (5.0, 5.0), (4.0, 5.0)),)
    assert seen == []
    assert earned(out)["ada"] == 4


def test_points_given_by_hand_stay(out: Path) -> None:
    """They are in both columns."""
    with closing(open_gradebook(out)) as book:
        give(book, Override("bo", "double", 3.0, "nearly", "Prof. Invented", NOW))
    change(out, "checks: [values, dtype]", "checks: [values]")
    assert again(out, write=True).changes == ()
    assert earned(out) == {"ada": 4, "bo": 3, "cy": 0}


def test_other_points_and_other_rules(out: Path) -> None:
    """What a question is worth, and what lateness leaves, are changes too; the sum tells what the question does not."""
    change(out, "points: 4", "points: 9")
    (found,) = (change for change in again(out, write=True).changes if change.learner == "ada")
    assert found == PointsChange("ada", "Q1", (4.0, 5.0), (9.0, 10.0))
    assert earned(out)["ada"] == 9
    with closing(open_gradebook(out)) as book:
        book.save_collection([replace(row, at=NOW) for row in book.submissions()])
    rules = "due: 2026-11-20T00:00:00+00:00\nlate: {percent: 50}\n"
    (out.parent / "course" / "course.yaml").write_text(rules)
    found_again = again(out, write=True)
    assert (found_again.submissions, found_again.questions) == (0, ())
    assert found_again.changes == (PointsChange("ada", None, (9.0, 10.0), (4.5, 10.0)),)
    assert not again(out).has_changes
    change(out, "points: 9", "points: 4")
    assert again(out).changes[:2] == (
        PointsChange("ada", "Q1", (9.0, 10.0), (4.0, 5.0)),
        PointsChange("ada", None, (4.5, 10.0), (2.0, 5.0)),
    )


def test_the_course_can_be_elsewhere(out: Path) -> None:
    """Where the one of then is gone, its new place has to be named."""
    shutil.move(out.parent / "course", out.parent / "moved")
    with pytest.raises(UsageError, match=r"with the course in .*course, which no longer exists; give its folder"):
        again(out)
    assert again(out, course_folder=out.parent / "moved", write=True).submissions == 0
    assert not again(out).has_changes


def test_results_can_be_moved(out: Path, tmp_path: Path) -> None:
    """With the submissions that were unpacked into their folder."""
    place = shutil.make_archive(str(tmp_path / "class"), "zip", tmp_path / "in")
    asked = BatchRequest(Path(place), tmp_path / "zipped", out.parent / "course", Seed.public())
    batch.run(asked)
    shutil.move(asked.out, tmp_path / "elsewhere")
    os.remove(place)
    change(out, *KEY)
    change(out, *OTHER_KEY)
    assert [each.learner for each in again(tmp_path / "elsewhere", write=True).changes] == ["ada"]


@pytest.fixture
def secret(tmp_path: Path) -> Seed:
    """A seed from a file."""
    (tmp_path / "seed").write_bytes(b"a seed that nobody knows")
    return Seed.from_file(tmp_path / "seed")


def test_the_seed_is_the_one_that_the_course_names(tmp_path: Path, secret: Seed) -> None:
    """From the folder of course.yaml on; where it names none, the public one."""
    folder = tiny.course(tmp_path / "course")
    with closing(open_gradebook(tmp_path, create=True)) as book:
        book.remember("course", str(folder))
    assert seed_of(tmp_path, None) == Seed.public()
    (folder / "course.yaml").write_text("seed_file: ../seed\n")
    assert seed_of(tmp_path, None) == seed_of(tmp_path, folder) == secret


def test_another_seed_is_refused(out: Path, secret: Seed) -> None:
    """By its label, with what to give instead."""
    with pytest.raises(UsageError, match=r"seed public, but this command uses seed file:\w+: leave out `--seed-file"):
        again(out, seed=secret)
    with closing(open_gradebook(out)) as book:
        book.remember("seed", secret.label)
    with pytest.raises(UsageError, match=r"seed file:\w+, but .* seed public: give the original seed file"):
        again(out)
    with closing(open_gradebook(out)) as book:
        book.remember("seed", "7")
    with pytest.raises(UsageError, match="seed 7, but this command uses seed public: give the seed"):
        again(out)


def test_a_secret_stays_out_of_the_results(out: Path, secret: Seed) -> None:
    """What follows from it is kept in a place that is gone afterwards."""
    order = BatchRequest(out.parent / "in", out.parent / "secret", out.parent / "course", secret)
    batch.run(order)
    shutil.rmtree(order.out / ".expected")
    change(out, *KEY)
    change(out, *OTHER_KEY)
    assert again(order.out, seed=secret, write=True).submissions == 2
    assert not (order.out / ".expected").exists()


@pytest.mark.parametrize("gone", [True, False])
def test_other_files_are_not_graded(gone: bool, out: Path) -> None:
    """Points of one's first submission are not replaced by those of what happens to lie there now."""
    place = out.parent / "in" / "bo.py"
    place.unlink() if gone else place.write_text(tiny.RIGHT)
    assert not again(out).has_changes
    change(out, *KEY)
    change(out, *OTHER_KEY)
    with pytest.raises(UsageError, match=r"since they were graded: \S+bo.py. Restore them, or run `attncheck batch`"):
        again(out, write=True)
    assert earned(out)["ada"] == 4


def test_what_cannot_be_graded_any_more(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is told before it is put down, and costs nobody else anything."""
    work = worker.run_task
    monkeypatch.setattr(
        schedule,
        "run_task",
        lambda plan, task: TaskResult(task.key, error=BUG) if task.key == "ada" else work(plan, task),
    )
    change(out, *KEY)
    change(out, *OTHER_KEY)
    found = again(out, write=True)
    assert found.refused == (("ada", BUG),)
    assert found.changes == (PointsChange("ada", "Q1", (4.0, 5.0), (0.0, 5.0)),)
    assert earned(out) == {"ada": 0, "bo": 0, "cy": 0}
    assert '"error": "a bug"' in (out / "ada.json").read_text()


@pytest.mark.parametrize("at", range(3))
def test_a_crash_while_putting_down(at: int, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the points of before, whole; the same again goes through, and grades only what is left."""
    change(out, *KEY)
    change(out, *OTHER_KEY)
    calls: list[str] = []

    def failing(self: Gradebook, *args: Any, **more: Any) -> None:
        if self.path.parent == out and len(calls) == at:
            raise KeyboardInterrupt
        calls.append("") if self.path.parent == out else None
        record(self, *args, **more)

    def remembering(self: Gradebook, facts: Any) -> None:
        if self.path.parent == out:
            raise KeyboardInterrupt
        remember(self, facts)

    record, remember = Gradebook.record, Gradebook.remember_all
    with monkeypatch.context() as patch:
        patch.setattr(Gradebook, "record", failing)
        patch.setattr(Gradebook, "remember_all", remembering)
        with pytest.raises(KeyboardInterrupt):
            again(out, write=True)
    assert earned(out) == {"ada": 4, "bo": 0, "cy": 0}
    found = again(out, write=True)
    assert found.submissions == 2 - at
    assert found.changes == (PointsChange("ada", "Q1", (4.0, 5.0), (5.0, 5.0)),)
    assert earned(out)["ada"] == 5


def test_a_change_of_attempts(out: Path) -> None:
    """Where another attempt counts than before, the sum says so."""
    with closing(open_gradebook(out)) as book:
        row = book.submissions()
        book.save_collection([replace(row[1], learners=("ada",), attempt=2), row[0]])
    assert earned(out)["ada"] == 0
    (out.parent / "course" / "course.yaml").write_text("attempts: {count: best}\n")
    assert again(out).changes == (PointsChange("ada", None, (0.0, 5.0), (4.0, 5.0)),)


def test_one_at_a_time(out: Path) -> None:
    """While another process grades into the folder, nothing is put down; to look is allowed."""
    with FileLock(out / ".lock"):
        with pytest.raises(UsageError, match="Another attncheck is grading into"):
            again(out, write=True)
        assert not again(out).has_changes


def test_a_broken_course(out: Path) -> None:
    """Or one without a question that counted: told, with everything as it was."""
    before = snapshot(out)
    change(out, "id: Q1\n", "id: Q7\n")
    with pytest.raises(CourseError):
        again(out, write=True)
    for path in (out.parent / "course" / "questions").glob("q*.yaml"):
        path.rename(path.with_name("q07_tiny.yaml"))
    place = out.parent / "course" / "questions" / "q07_tiny.yaml"
    place.write_text(place.read_text("utf-8").replace("Q1", "Q7"))
    with pytest.raises(UsageError, match="no question “Q1”"):
        again(out, write=True)
    assert snapshot(out) == before


def test_nothing_was_graded(tmp_path: Path) -> None:
    """An empty gradebook, or none."""
    with pytest.raises(GradebookError, match="has no gradebook"):
        again(tmp_path)
    (tmp_path / "gradebook.sqlite").touch()
    with pytest.raises(GradebookError, match=r"is empty\. Run `attncheck batch` again"):
        again(tmp_path)
    (tmp_path / "gradebook.sqlite").unlink()
    with closing(open_gradebook(tmp_path, create=True)) as book:
        book.remember_all({"seed": "public", "course": str(tiny.course(tmp_path / "course"))})
    with pytest.raises(GradebookError, match="does not record which questions count"):
        again(tmp_path)


def test_progress_is_shown(out: Path) -> None:
    """As for a batch."""
    change(out, *KEY)
    change(out, *OTHER_KEY)
    steps: list[BatchProgress] = []
    with regraded(RegradeRequest(out, Seed.public()), steps.append, dry=True):
        assert [(step.done, step.total) for step in steps] == [(1, 2), (2, 2)]


def test_a_folder_that_cannot_be_written(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is said, and what to do; nothing is graded for nothing."""

    def refuse(self: FileLock) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(class_folder.FileLock, "acquire", refuse)
        with pytest.raises(UsageError, match=r"out cannot be written \(Permission denied\); make it writable"):
            again(out, write=True)
    order = BatchRequest(out.parent / "in", out / "class.csv" / "out", out.parent / "course", Seed.public())
    (out / "class.csv").touch()
    with pytest.raises(UsageError, match=r"cannot be written \(Not a directory\)"):
        batch.run(order)


def test_files_that_cannot_be_written(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The points are in the gradebook; the same command writes the files another time."""

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    change(out, *KEY)
    change(out, *OTHER_KEY)
    with monkeypatch.context() as patch:
        patch.setattr("grader.classroom.results.write", full)
        with pytest.raises(
            UsageError, match=r"cannot be written \(No space left on device\), but the gradebook is complete"
        ):
            again(out, write=True)
    assert earned(out)["ada"] == 5
    assert not again(out, write=True).has_changes
    assert '"earned": 5' in (out / "ada.json").read_text()
