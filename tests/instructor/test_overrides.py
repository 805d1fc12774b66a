"""Points given by hand, and learners who are to go."""

from __future__ import annotations

import csv
import json
import math
import shutil
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from filelock import FileLock

from grader.classroom import batch
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import LearnerRow, Override, SubmissionRow, open_gradebook
from grader.core.errors import GradebookError, UsageError
from grader.grading.inputs import Seed
from grader.instructor import learner_requests
from grader.instructor.overrides import (
    ForgetPlan,
    OverrideRequest,
    OverrideResult,
    Signed,
    find_learner,
    forgetting,
    give_points,
    remove_override,
    undo_save,
)
from tests import tiny
from tests.tiny import give

NOW = datetime(2026, 11, 21, tzinfo=UTC)
BY = Signed("tutor", NOW)
WISH = OverrideRequest("bo", "double", 3.0, " nearly ", "Prof. Invented")
in_process = tiny.in_process


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with course, class and results; Ada has 4 of 5, Bo nothing, Cy could not be graded."""
    folder = tmp_path_factory.mktemp("amending")
    tiny.course(folder / "course")
    tiny.handed_in(folder / "in")
    shutil.make_archive(str(folder / "class"), "zip", folder / "in")
    return folder


@pytest.fixture
def out(graded: Path, tmp_path: Path, in_process: None) -> Path:
    """The results, from a zip."""
    if not (graded / "out").exists():
        order = BatchRequest(graded / "class.zip", graded / "out", graded / "course", Seed.public(), files=True)
        batch.run(order)
        take_back_nothing(order.out)
    shutil.copytree(graded / "out", tmp_path / "out")
    return tmp_path / "out"


def take_back_nothing(out: Path) -> None:
    """Writes the files of results as a batch does."""
    give_points(out, replace(WISH, points=0.0), NOW, None, "en")
    remove_override(out, ("bo", "double"), BY, None, "en")


def earned(out: Path) -> dict[str, float]:
    """What class.csv says."""
    with (out / "class.csv").open(newline="") as file:
        return {row["learner"]: float(row["earned"]) for row in csv.DictReader(file)}


def given(out: Path) -> tuple[Override, ...]:
    """What the gradebook says."""
    with closing(open_gradebook(out)) as book:
        return book.overrides()


def test_points_are_given(out: Path) -> None:
    """In the gradebook and in every file, with who and why."""
    found, _ = give_points(out, WISH, NOW, None, "en")
    assert isinstance(found, OverrideResult)
    assert given(out) == (found.override,) == (Override("bo", "double", 3.0, "nearly", "Prof. Invented", NOW),)
    assert (found.part.question, found.part.possible, [mark.earned for mark in found.marks]) == ("Q1", 4.0, [3.0])
    assert earned(out) == {"ada": 4, "bo": 3, "cy": 0}
    data = json.loads((out / "bo.json").read_text())
    assert (data["earned"], data["overrides"][0]["reason"]) == (3, "nearly")


def test_points_for_what_could_not_be_graded(out: Path) -> None:
    """A person can read what a program cannot."""
    give_points(out, replace(WISH, learner="cy"), NOW, None, "en")
    assert earned(out)["cy"] == 3


def test_points_are_taken_back(out: Path) -> None:
    """Those that were earned count again."""
    give_points(out, replace(WISH, learner="ada", points=1.0), NOW, None, "en")
    assert earned(out)["ada"] == 1
    found, _ = remove_override(out, ("Ada", "DOUBLE"), BY, None, "en")
    assert (found.override, found.part.name, found.marks[0].earned) == (None, "double", 4)
    assert (given(out), earned(out)["ada"]) == ((), 4)


def test_points_of_what_is_no_longer_there_can_be_taken_back(out: Path) -> None:
    """Neither learner nor part has to be known any more."""
    with closing(open_gradebook(out)) as book:
        give(book, Override("gone", "old", 1.0, "x", "y", NOW))
    assert remove_override(out, ("gone", "old"), BY, None, "en")[0].part.possible == 0
    assert given(out) == ()


@pytest.mark.parametrize(
    ("change", "points", "beyond"),
    [
        ({"learner": "BO", "part": "Double"}, 4.0, False),
        ({"part": "q1.A"}, 0.0, False),
        ({"part": "Q1.a"}, 7.0, True),
        ({"part": "Q1.a"}, -2.0, True),
    ],
)
def test_names_in_any_case_and_points_within_bounds(
    change: dict[str, str], points: float, beyond: bool, out: Path
) -> None:
    """Unless it is asked for more."""
    give_points(out, replace(WISH, points=points, beyond=beyond, **change), NOW, None, "en")  # type: ignore[arg-type]
    (found,) = given(out)
    assert (found.learner, found.points) == ("bo", points)
    assert found.part in ("double", "Q1.a")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"learner": "bob"}, "There is no learner “bob” in .*gradebook.sqlite. Did you mean bo?"),
        ({"learner": "xxxxxxx"}, "There are: ada, bo, cy."),
        ({"part": "doubel"}, "graded item “doubel”. Did you mean double?"),
        ({"part": "Q9.z"}, "There is no exercise or graded item “Q9.z”"),
        ({"points": 4.5}, "double has 0 to 4 points; found 4.5"),
        ({"points": -1.0}, "0 to 4 points; found -1"),
        ({"points": math.nan, "beyond": True}, "found nan"),
        ({"points": math.inf, "beyond": True}, "found inf"),
        ({"reason": "  "}, "Give a reason"),
    ],
)
def test_what_is_refused(change: dict[str, object], said: str, out: Path) -> None:
    """With what there is instead; nothing is written."""
    with pytest.raises(UsageError, match=said):
        give_points(out, replace(WISH, **change), NOW, None, "en")  # type: ignore[arg-type]
    assert given(out) == ()


@pytest.mark.parametrize(("learner", "part"), [("ada", "double"), ("bo", "Q1.a"), ("nobody", "double")])
def test_what_was_not_given_cannot_be_taken_back(learner: str, part: str, out: Path) -> None:
    """It is said what was."""
    give_points(out, WISH, NOW, None, "en")
    with pytest.raises(UsageError, match=r"has no points given by hand|There is no learner"):
        remove_override(out, (learner, part), BY, None, "en")
    assert len(given(out)) == 1


def test_one_at_a_time(out: Path) -> None:
    """While a batch is running, its folder is left alone."""
    with FileLock(out / ".lock"), pytest.raises(UsageError, match="Another attncheck is grading into"):
        give_points(out, WISH, NOW, None, "en")
    assert given(out) == ()


def test_no_gradebook(tmp_path: Path) -> None:
    """In a folder that was mistyped nothing is made."""
    with pytest.raises(GradebookError, match="has no gradebook"):
        give_points(tmp_path, WISH, NOW, None, "en")
    assert not list(tmp_path.iterdir())


def test_who_is_meant(out: Path) -> None:
    """An id before a name; what could be two is neither."""
    with closing(open_gradebook(out)) as book:
        book.enrol([LearnerRow("100", "Kim Lee"), LearnerRow("101", "Kim Park"), LearnerRow("102", "kim park")])
        book.save_collection([*book.submissions(), SubmissionRow("eve.py", "eve.py", (), "d", "Eve")])
        assert find_learner(book, "kim lee ").id == "100"
        assert find_learner(book, "101").name == "Kim Park"
        assert find_learner(book, "Eve").id == "eve.py"
        with pytest.raises(UsageError, match="could be any of 101, 102"):
            find_learner(book, "Kim Park")
    with pytest.raises(UsageError, match=r"eve.py belongs to nobody in the class"):
        give_points(out, replace(WISH, learner="eve.py"), NOW, None, "en")


# ------------------------------------------------------------------------------------------ forgetting


def inside(out: Path) -> set[str]:
    """Names of files and of unpacked submissions."""
    return {path.name for path in (*out.iterdir(), *(out / ".intake").iterdir())}


def forget(out: Path, name: str) -> ForgetPlan:
    """Removes a learner."""
    with forgetting(out, name, None) as (leaving, remove):
        remove("en")
    return leaving


def test_a_learner_goes(out: Path, graded: Path) -> None:
    """With everything that is theirs; what lies elsewhere is named, and stays."""
    give_points(out, WISH, NOW, None, "en")
    give_points(out, replace(WISH, learner="ada"), NOW, None, "en")
    learner_requests.add_request(out, "bo", "double", "It is right.", NOW)
    (out / "mine.html").write_text("a page")
    (out / "notes.json").write_text("[]")
    before = inside(out)
    (copy,) = {path.parent.name for path in (out / ".intake").glob("*/bo.py")}
    with forgetting(out, "Bo", None) as (leaving, _):
        assert inside(out) == before
    assert leaving == forget(out, "Bo")
    assert (leaving.submissions, leaving.overrides, leaving.requests, leaving.shared) == (("bo.py",), 1, 1, ())
    assert learner_requests.list_requests(out) == ()
    assert {path.name for path in leaving.removed} == {copy, "bo.json"} == before - inside(out)
    assert leaving.outside == (graded / "class.zip",)
    assert [path.name for path in leaving.others] == ["mine.html", "notes.json"]
    assert earned(out) == {"ada": 3, "cy": 0}
    assert b"bo.py" not in (out / "gradebook.sqlite").read_bytes()
    with pytest.raises(UsageError, match="There is no learner “bo”"):
        forget(out, "bo")


def test_files_named_otherwise_go_as_well(out: Path) -> None:
    """Names of files only follow names of learners; what counts is what they say."""
    (out / "bo.json").rename(out / "bo (2).json")
    (out / "broken.json").write_text("{")
    (out / "deep.json").write_text("[" * 100_000)
    forget(out, "bo")
    assert {"bo (2).json", "bo.json"} & inside(out) == set()
    assert "broken.json" in inside(out)


def test_what_a_killed_process_was_writing_goes(out: Path) -> None:
    """When files of results are written next, and with a learner whose it may have been."""
    (out / ".writing-1").write_text('{"learner": "bo"')
    give_points(out, WISH, NOW, None, "en")
    assert ".writing-1" not in inside(out)
    (out / ".writing-2").write_text('{"learner": "bo"')
    leaving = forget(out, "bo")
    assert out / ".writing-2" in leaving.removed
    assert ".writing-2" not in inside(out)


def test_shared_work_stays(out: Path) -> None:
    """For those who share it, with the points."""
    with closing(open_gradebook(out)) as book:
        book.save_collection(
            [replace(each, learners=("ada", "bo")) if each.key == "ada" else each for each in book.submissions()]
        )
        kept = book.place(next(each for each in book.submissions() if each.key == "ada"))
    leaving = forget(out, "ada")
    assert (leaving.submissions, leaving.shared) == ((), ("ada",))
    assert kept.exists()
    assert "ada" not in earned(out)
    with closing(open_gradebook(out)) as book:
        assert [each.learners for each in book.submissions()] == [("bo",), ("bo",), ("cy",)]


def test_work_of_nobody_goes(out: Path) -> None:
    """By its key."""
    with closing(open_gradebook(out)) as book:
        book.save_collection(
            [replace(each, learners=()) if each.key == "bo.py" else each for each in book.submissions()]
        )
    assert forget(out, "bo.py").submissions == ("bo.py",)
    with closing(open_gradebook(out)) as book:
        assert [each.key for each in book.submissions()] == ["ada", "cy.py"]


def test_what_cannot_be_removed(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is said, and the learner stays until it can be."""

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("grader.instructor.overrides.shutil.rmtree", refuse)
        with pytest.raises(UsageError, match=r"cannot be removed \(Permission denied\)"):
            forget(out, "bo")
    assert forget(out, "bo").submissions == ("bo.py",)


def test_folders_that_were_not_unpacked_are_not_removed(graded: Path, tmp_path: Path, in_process: None) -> None:
    """The original collection is the instructor's."""
    batch.run(BatchRequest(graded / "in", tmp_path / "out", graded / "course", Seed.public()))
    leaving = forget(tmp_path / "out", "bo")
    assert leaving.outside == (graded / "in", graded / "in" / "bo.py")
    assert (graded / "in" / "bo.py").exists()


def test_a_save_is_undone_exactly(out: Path) -> None:
    """What was before counts again, with its reason and author; undoing can be undone; a later change is in the way."""
    given = [give_points(out, replace(WISH, points=points), NOW, None, "en")[1] for points in (1.0, 2.0)]
    with pytest.raises(UsageError, match="changed again later"):
        undo_save(out, given[0], BY, None, "en")

    def now() -> tuple[Override, ...]:
        with closing(open_gradebook(out)) as book:
            return book.overrides()

    (second,) = now()
    undo_save(out, given[1], BY, None, "en")
    (first,) = now()
    assert (first.points, first.author) == (1.0, WISH.author)
    with closing(open_gradebook(out)) as book:
        undone = book.saves(1)[0]
    assert (undone.undoes, undone.author) == (given[1], "tutor")
    undo_save(out, undone.number, BY, None, "en")
    assert now() == (second,)
    with pytest.raises(UsageError, match="no change 99"):
        undo_save(out, 99, BY, None, "en")
