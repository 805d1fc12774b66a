"""A learner's files or name change neither others' results nor what the instructor's commands read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from grader.classroom import enrolment, inbox, worker
from grader.classroom.collect import CollectedSubmission, Collection
from grader.classroom.enrolment import enrol
from grader.classroom.gradebook import SubmissionRow, open_gradebook
from grader.classroom.intake import PLAIN, FoundSubmission, Person
from grader.classroom.roster import Learner, Roster
from grader.classroom.words import FILES_CHANGED
from grader.core.errors import SubmissionError
from grader.core.model import Text
from grader.grading import courses
from grader.instructor.analysis.class_similarity import compare_class
from grader.submission import text
from tests import helpers, tiny
from tests.attacks import intake


def handed(folder: Path, *people: Person) -> list[CollectedSubmission]:
    """A submission for each of ``people``."""
    (folder / "q05.py").write_text(intake.EVIL)
    return [CollectedSubmission(FoundSubmission(repr(person), (person,), ()), folder / "q05.py") for person in people]


def row(each: Sequence[CollectedSubmission]) -> list[SubmissionRow]:
    """What a batch without a roster would enter."""
    return list(enrol(Collection(PLAIN, tuple(each), ()), None).submissions)


def test_a_fault_of_ours_costs_one_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one submission triggers a bug of ours, the others are graded."""

    def identity(path: Path) -> tuple[str, None]:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(enrolment, "fingerprint_and_learner", identity)
    (one,) = row(handed(tmp_path, Person("mallory")))
    assert one.error is not None and "unforeseen" in one.error.en


def test_another_s_name_draws_no_other_numbers(tmp_path: Path) -> None:
    """A learner who takes another's name is kept apart, and the other's numbers stay the same."""
    ada, mallory = Person("Ada", (("canvas", "11"),)), Person("ada", (("canvas", "66"),))
    (alone,) = row(handed(tmp_path, ada))
    both = row(handed(tmp_path, ada, mallory))
    assert both[0].seed_name == alone.seed_name == "Ada"
    assert both[0].learners != both[1].learners


def test_files_that_were_changed_are_not_graded(tmp_path: Path) -> None:
    """Files that change after they were recorded are not graded: points belong to the recorded digest."""
    (tmp_path / "q05.py").write_text(intake.EVIL)
    task = worker.GradingTask("ada", str(tmp_path / "q05.py"), "ada", ("Q1",), digest="0" * 64)
    assert worker.grade_task(cast(Any, None), cast(Any, None), task).error == FILES_CHANGED


def test_a_leftover_whose_name_is_no_text(tmp_path: Path) -> None:
    """It is listed in the gradebook under a printable name."""
    roster = Roster((Learner("ada", "ada", ids=(("learner", "ada"),)),))
    (claimed,) = enrolment.ungradable(Collection(PLAIN, (), (os.fsdecode(b"ada\xff.txt"),)), roster)
    assert claimed.found.key.encode() and os.fspath(claimed.path).encode()


def test_what_is_nobody_s_is_not_looked_for_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreadable entry has no path, so the current folder is not read in its place."""
    here = tmp_path / "here"
    intake.put(here / "private.py", intake.EVIL)
    monkeypatch.chdir(here)
    course = courses.load(tiny.course(tmp_path / "course"))
    with closing(open_gradebook(tmp_path, create=True)) as book:
        book.save_collection(
            [
                SubmissionRow(
                    "nobody/mallory", "", (), seed_name="mallory", error=Text("nobody knows whose", "不知道是谁的")
                )
            ]
        )
        found = compare_class(book, course)
    assert found.left_out == ("nobody/mallory",)
    assert found.read("nobody/mallory") is None


@pytest.mark.parametrize("make", [os.mkfifo, intake._sparse, lambda place: place.symlink_to("/dev/zero")])
def test_handing_in_reads_receipts_only(make: Any, tmp_path: Path) -> None:
    """If something else replaced an earlier receipt, it is skipped without waiting."""
    folder = tmp_path / "inbox"
    (folder / "ada" / "x-y").mkdir(parents=True)
    make(folder / "ada" / "x-y" / inbox.RECEIPT)
    (tmp_path / "q05.py").write_text(intake.EVIL)
    receipt, new = inbox.submit(tmp_path / "q05.py", folder, "ada", intake.NOW, helpers.course())
    assert new and receipt.number == 1


@pytest.mark.parametrize("name", ["u7", "unicode_1_1_utf_7", "u16", "utf-7", "raw_unicode_escape"])
def test_encodings_by_other_names(name: str) -> None:
    """An unusual encoding is refused under all its names, so that people read what is run."""
    with pytest.raises(SubmissionError, match="cannot be used"):
        text.decode(f"# coding: {name}\nx = 1\n".encode(), "q05.py", text.say.PYTHON_SOURCE, python=True)
