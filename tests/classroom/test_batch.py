from __future__ import annotations

import csv
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from grader.classroom import batch, enrolment, schedule, worker
from grader.classroom.batch import BatchProgress, BatchRequest
from grader.classroom.collect import CollectedSubmission, Collection, collect
from grader.classroom.gradebook import open_gradebook
from grader.classroom.intake import FoundSubmission, Person
from grader.classroom.recorder import question_version as version
from grader.classroom.results import Book, MarkSummary, write_files
from grader.classroom.roster import read_roster as read_roster
from grader.classroom.task import BatchPlan, GradingTask, TaskResult
from grader.classroom.words import CHECK_BROKE, INTERNAL_ERROR
from grader.classroom.worker import WorkerLost
from grader.core import cache
from grader.core.errors import CourseError, SandboxError, SandboxKilled, SandboxUnavailable, UsageError
from grader.core.model import Died, Job, Limits, Observation, Observed, Raised, Returned, Text, TimedOut
from grader.core.text import same
from grader.course import loader
from grader.grading import courses
from grader.grading.checks import values
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox, ZygoteSettings, policy
from grader.sandbox.canaries import AttackResult, attacks
from tests import tiny

if TYPE_CHECKING:
    from grader.core.model import Observe

RIGHT = Path(__file__).parents[1] / "solutions" / "scaled_dot_product_attention" / "right" / "torch_plain.py"


@pytest.fixture(scope="module")
def course_folder() -> Path:
    """The bundled course."""
    return loader.find(None)


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """Three learners: one right, one who has written nothing, one whose file cannot be read."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "ada").mkdir()
    shutil.copy(RIGHT, folder / "ada" / "q05.py")
    (folder / "ada" / "answers.yaml").write_text("{format: 1, learner: Ada L., answers: {Q5.output: b}}\n")
    (folder / "bo.py").write_text("def something_else(): pass\n")
    (folder / "cy.py").write_text("def broken(:\n")
    (folder / "README.txt").write_text("not a submission")
    (folder / ".DS_Store").write_text("neither")
    return folder


@pytest.fixture
def order(handed_in: Path, tmp_path: Path, course_folder: Path) -> Callable[..., BatchRequest]:
    """What is asked of a batch: Q5 of the bundled course, unless said otherwise."""

    def make(**changes: Any) -> BatchRequest:
        asked = {"collection": handed_in, "out": tmp_path / "out", "course_folder": course_folder}
        return BatchRequest(**(asked | {"seed": Seed.public(), "questions": ("Q5",), "files": True} | changes))

    return make


@pytest.fixture
def small(order: Callable[..., BatchRequest], tmp_path: Path) -> Callable[..., BatchRequest]:
    """The same of a course with one small question, where it matters to nobody what is graded."""
    klass, course = tiny.handed_in(tmp_path / "small"), tiny.course(tmp_path / "course")
    return functools.partial(order, collection=klass, course_folder=course, questions=("Q1",))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No other process."""
    monkeypatch.setattr(schedule, "executor", lambda count: tiny.InProcess())
    worker._context.cache_clear()
    yield
    worker._context.cache_clear()


@pytest.fixture
def in_process(alone: None, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """One process and one sandbox for a whole batch, which is trusted."""
    monkeypatch.setattr(worker, "Sandbox", lambda mode, settings: tiny.Lent(sandbox))
    monkeypatch.setattr(schedule, "try_attacks", lambda observe, quiet: ())


def said(error: Text | None) -> str:
    """A reason in English; empty where there is none."""
    return "" if error is None else error.en


def rows(order: BatchRequest) -> dict[str, MarkSummary]:
    """What the files of results say, by learner."""
    with closing(open_gradebook(order.out)) as book:
        found = write_files(Book.of(book, courses.load(order.course_folder)), order.out, "en")
    assert all(tiny.bilingual(row.error) for row in found if row.error is not None)
    return {row.mark.learner.id: row for row in found}


# ------------------------------------------------------------------------------------------- a batch


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.prove), 2])
def test_a_class_is_graded(
    workers: int, order: Callable[..., BatchRequest], course_folder: Path, request: pytest.FixtureRequest
) -> None:
    """A file for everybody, a table of the class, and who could not be graded; with two, in processes of their own."""
    if workers == 1:
        request.getfixturevalue("in_process")
    asked, steps = order(workers=workers), list[BatchProgress]()
    summary = batch.run(asked, steps.append)
    assert (summary.enrolment.kind, summary.submissions, summary.graded, summary.kept) == ("folders", 3, 2, 0)
    ((key, why),) = summary.refused
    assert (key, "cy.py" in why.en) == ("cy.py", True)
    assert "seccomp" in summary.layers
    assert [(step.done, step.total) for step in steps] == [(1, 3), (2, 3), (3, 3)]
    assert {step.key for step in steps} == {"ada", "bo.py", "cy.py"}

    found = rows(asked)
    (question,) = [q for q in courses.load(course_folder).questions if q.id == "Q5"]
    assert {row.mark.possible for row in found.values()} == {question.points}
    ada, bo, cy = (found[name] for name in ("ada", "bo", "cy"))
    assert (ada.mark.complete, ada.mark.passed, ada.error) == (True, False, None)
    assert ada.mark.earned >= 8
    assert (bo.mark.complete, bo.mark.earned) == (True, 0)
    assert (cy.mark.complete, cy.mark.earned, cy.error) == (False, 0, why)
    data = {name: json.loads((asked.out / f"{name}.json").read_text("utf-8")) for name in ("ada", "bo", "cy")}
    assert (data["ada"]["learner"], data["ada"]["earned"], data["ada"]["seed"]) == ("ada", ada.mark.earned, "public")
    assert data["ada"]["sandbox"] == {"layers": list(summary.layers), "unsafe": False}
    assert data["bo"]["questions"][0]["exercises"][0]["status"] == "missing"
    known = {"learner": "cy", "earned": 0, "possible": question.points, "complete": False, "error": why.en}
    assert known.items() <= data["cy"].items()
    assert "questions" not in data["cy"]
    with (asked.out / "class.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["learner"], line["complete"]) for line in lines] == [("ada", "yes"), ("bo", "yes"), ("cy", "no")]
    assert float(lines[0]["Q5"]) == float(lines[0]["earned"]) == ada.mark.earned


@pytest.mark.usefixtures("in_process")
def test_nothing_is_graded_twice(
    order: Callable[..., BatchRequest], handed_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has not changed is kept: other files, and questions that are asked besides, are all that is graded."""
    seen: list[tuple[str, tuple[str, ...]]] = []
    work = worker.run_task

    def spied(plan: BatchPlan, task: GradingTask) -> TaskResult:
        seen.append((task.key, task.questions))
        return work(plan, task)

    monkeypatch.setattr(schedule, "run_task", spied)
    batch.run(order())
    before = rows(order())
    seen.clear()
    (handed_in / "cy.py").unlink()
    assert batch.run(order()).kept == 2
    assert seen == []
    (handed_in / "bo.py").write_text("def something_better(): pass\n")
    (handed_in / "di.py").write_text("def more(): pass\n")
    summary = batch.run(order())
    assert (summary.graded, summary.kept) == (2, 1)
    assert seen == [("bo.py", ("Q5",)), ("di.py", ("Q5",))]
    seen.clear()
    batch.run(order(questions=("Q5", "Q6")))
    assert seen == [(key, ("Q6",)) for key in ("ada", "bo.py", "di.py")]
    assert rows(order())["ada"].mark.questions[0] == before["ada"].mark.questions[0]


@pytest.mark.usefixtures("in_process")
def test_a_batch_goes_on_where_it_was_stopped(order: Callable[..., BatchRequest], handed_in: Path) -> None:
    """Whenever that was, the same is found as if nothing had happened."""
    (handed_in / "cy.py").unlink()
    batch.run(order(out=handed_in.parent / "other"))
    whole = rows(order(out=handed_in.parent / "other"))

    def stop(step: BatchProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.run(order(), stop)
    summary = batch.run(order())
    assert (summary.graded, summary.kept) == (1, 1)
    assert rows(order()) == whole


def test_a_batch_that_was_killed_goes_on(tmp_path: Path) -> None:
    """Without a moment to tidy up, processes and all."""
    handed_in, out = tiny.handed_in(tmp_path / "in"), tmp_path / "out"
    for at in range(6):
        (handed_in / f"x{at}.py").write_text(f"{tiny.RIGHT}# {at}\n")
    there = ("--out", str(out), "--course", str(tiny.course(tmp_path / "course")))
    command = [sys.executable, "cli.py", "batch", str(handed_in), *there, "--workers", "1"]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=root, start_new_session=True, stdout=subprocess.DEVNULL)
    while not _units(out) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert _units(out)
    ran = subprocess.run([*command, "--json"], cwd=root, capture_output=True, check=False)
    summary = json.loads(ran.stdout)
    assert ran.returncode == 5
    assert summary["kept"] >= 1
    assert summary["graded"] + summary["kept"] == 8
    assert {row["earned"] for row in summary["learners"] if row["learner"].startswith("x")} == {4}


def _units(out: Path) -> int:
    """How much is put down in a gradebook that somebody else is writing."""
    import sqlite3

    if not (out / "gradebook.sqlite").exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{out / 'gradebook.sqlite'}?mode=ro", uri=True)) as book:
            return int(book.execute("SELECT count(*) FROM unit").fetchone()[0])
    except sqlite3.Error:
        return 0


@pytest.mark.usefixtures("in_process")
def test_one_batch_at_a_time(order: Callable[..., BatchRequest]) -> None:
    """The second is told, and nothing of the first is touched."""
    asked = order()
    asked.out.mkdir()
    with FileLock(asked.out / ".lock"), pytest.raises(UsageError, match="Another attncheck is grading into"):
        batch.run(asked)
    assert [path.name for path in asked.out.iterdir()] == [".lock"]


@pytest.mark.usefixtures("in_process")
def test_a_roster_says_who_is_who(order: Callable[..., BatchRequest], handed_in: Path, tmp_path: Path) -> None:
    """By its ids; strangers and those who are missing are named, and strangers' work is graded nevertheless."""
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\n100,Ada\n101,Cy\n102,Dee\n")
    (handed_in / "Ada (2).py").write_text("x = 1\n")
    summary = batch.run(order(roster=roster))
    assert (summary.enrolment.unknown, summary.enrolment.missing) == (("Ada (2)", "bo"), ("102",))
    found = rows(order())
    assert {name: row.error for name, row in found.items() if row.file is None} == {"102": None}
    assert found["100"].mark.learner.name == "Ada"
    assert found["bo.py"].mark.learner.name == "bo"
    assert found["100"].mark.earned > 0
    assert summary.enrolment.misnamed == (("100", "Ada L."),)


@pytest.mark.usefixtures("in_process")
def test_a_roster_that_comes_later(order: Callable[..., BatchRequest], tmp_path: Path) -> None:
    """Takes the place of the names of the collection, in gradebook and folder; a group's work is its members'."""
    batch.run(order())
    assert set(rows(order())) == {"ada", "bo", "cy"}
    (order().out / "mine.json").write_text('{"format": 1, "learner": "ada"}')
    (tmp_path / "roster.csv").write_text("id,name,login,group\n100,Ada,Ada L.,\n101,Bob,,bo\n102,Cy,,\n103,Di,,bo\n")
    summary = batch.run(order(roster=tmp_path / "roster.csv"))
    found = rows(order())
    assert set(found) == {"100", "101", "102", "103"}
    assert found["101"].mark.complete == found["103"].mark.complete is True
    assert {path.stem for path in order().out.glob("*.json")} == {*found, "mine"}
    assert (summary.enrolment.misnamed, summary.enrolment.respelt) == ((), (("100", "Ada L."),))


@pytest.mark.parametrize(
    ("said", "learners", "listed", "draws"),
    [
        ("Ada L.", ("ada",), False, "Ada L."),
        (None, ("ada",), False, "ada"),
        (None, (), False, ""),
        ("Ada", ("100",), True, "100"),
        ("A. D. (a)", ("100",), True, "100"),
        ("100", ("100",), True, "100"),
        (" 100 ", ("100",), True, "100"),
        ("ADA", ("100", "101"), True, "100"),
        ("cy", ("100", "101"), True, "101"),
        ("Cy", ("100",), True, "100"),
        ("whoever", ("100",), True, "100"),
        ("Ada", (), True, ""),
    ],
)
def test_whose_numbers(said: str | None, learners: tuple[str, ...], listed: bool, draws: str, tmp_path: Path) -> None:
    """With a roster those of the id in it, in whatever way the file spells the name; else those of that name."""
    (tmp_path / "roster.csv").write_text("id,name\n100,Ada\n101,Cy\n")
    roster = read_roster(tmp_path / "roster.csv") if listed else None
    assert enrolment.seed_name(said, learners, roster) == draws


@pytest.mark.parametrize(
    ("said", "misnamed"),
    [
        ({"ada": "ada", "bob": "ada"}, {"bob": "ada"}),
        ({"ada": None, "bob": "ADA"}, {"bob": "ADA"}),
        ({"bob": "Zed Zeta"}, {"bob": "Zed Zeta"}),
        ({"bob": None, "cy": None}, {}),
        ({"ada-lovelace": "Lovelace, Ada", "ada": "Ada"}, {}),
        ({"lovelacea": "Ada Lovelace", "bob": "Bob B.", "al2": "Alan"}, {}),
        ({"jose": "José", "100": "Zed Zeta", "lilei": "李雷"}, {}),
        ({"李雷": "韩梅梅", "ada": "ada"}, {"李雷": "韩梅梅"}),
        ({"ada-lovelace": "Ada", "ada": "ada"}, {"ada-lovelace": "Ada"}),
        ({"team-x": "Ada", "team-y": "Bob", "team-z": "Cy"}, {}),
        ({"team-x": "Ada", "team-y": "Bob", "team-z": "team-x"}, {"team-z": "team-x"}),
    ],
)
def test_somebody_else_s_answers(said: dict[str, str | None], misnamed: dict[str, str], tmp_path: Path) -> None:
    """Without a roster a name is listed that is another's or cannot be short for theirs, unless that is the rule."""
    for name, learner in said.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "q05.py").write_text(f"x = '{name}'\n")
        if learner:
            (tmp_path / "in" / name / "answers.yaml").write_text(f"format: 1\nlearner: {learner!r}\nanswers: {{}}\n")
    found = enrolment.enrol(collect(tmp_path / "in", tmp_path / "kept"), None)
    assert {row.key: row.seed_name for row in found.submissions} == {
        name: learner or name for name, learner in said.items()
    }
    assert dict(found.misnamed) == misnamed


@pytest.mark.usefixtures("in_process")
def test_a_zip_of_a_course_system(order: Callable[..., BatchRequest], handed_in: Path, tmp_path: Path) -> None:
    """Is graded like a folder."""
    for name in ("doejane_1_2_q05.py", "bo_LATE_3_4_q05.py"):
        (tmp_path / "canvas").mkdir(exist_ok=True)
        shutil.copy(RIGHT, tmp_path / "canvas" / name)
    place = shutil.make_archive(str(tmp_path / "submissions"), "zip", tmp_path / "canvas")
    summary = batch.run(order(collection=Path(place)))
    assert (summary.enrolment.kind, summary.graded) == ("canvas", 2)
    assert {name: row.mark.earned for name, row in rows(order()).items()} == {"bo": 7, "doejane": 7}


@pytest.mark.usefixtures("in_process")
def test_only_some_questions_count(order: Callable[..., BatchRequest]) -> None:
    """A name that the course lacks stops it at the start."""
    with pytest.raises(UsageError, match=r"no question “Q50” in this course\. Did you mean Q5"):
        batch.run(order(questions=("Q50",)))


@pytest.mark.usefixtures("in_process")
def test_what_was_stopped_is_noted(order: Callable[..., BatchRequest], tmp_path: Path) -> None:
    """A loop or a crash stands beside the points."""
    (tmp_path / "crash").mkdir()
    crash = "import os\ndef scaled_dot_product_attention(*args, **kwargs): os._exit(1)\n"
    (tmp_path / "crash" / "ada.py").write_text(crash)
    asked = order(collection=tmp_path / "crash")
    assert batch.run(asked).refused == ()
    assert rows(asked)["ada"].notes == ("scaled_dot_product_attention: died",)


@pytest.mark.usefixtures("in_process")
def test_a_check_that_breaks_is_noted(small: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails, and the instructor is told which one; everything else is graded, and the batch ends as usual."""

    def breaks(seen: object) -> None:
        raise OverflowError

    monkeypatch.setattr(values, "judge", breaks)
    asked = small()
    batch.run(asked)
    row = next(row for row in rows(asked).values() if row.notes)
    assert row.notes[0].startswith("double/values/")
    assert all(note.endswith(f": {CHECK_BROKE.en}") for note in row.notes)
    assert (0 < row.mark.earned < row.mark.possible, row.mark.complete) == (True, True)
    assert row.file is not None
    assert CHECK_BROKE.en in (asked.out / "class.csv").read_text(encoding="utf-8")
    assert '"broken": true' in (asked.out / row.file).read_text(encoding="utf-8")


def test_a_broken_course_is_told_once(order: Callable[..., BatchRequest], tmp_path: Path) -> None:
    """By an error, before anything is made."""
    (tmp_path / "questions").mkdir()
    with pytest.raises(CourseError, match="no question in it"):
        batch.run(order(course_folder=tmp_path))
    assert not (tmp_path / "out").exists()


def test_versions(course_folder: Path) -> None:
    """A question's version changes with what decides its points, and with nothing else."""
    loaded = courses.load(course_folder)
    first, second = loaded.questions[:2]
    assert version(first, loaded, Seed.public().label) == version(
        first, courses.load(course_folder), Seed.public().label
    )
    assert version(first, loaded, Seed.public().label) != version(second, loaded, Seed.public().label)
    assert version(first, loaded, Seed.public().label) != version(first, loaded, Seed.number(3).label)
    allowing = replace(loaded, packages=("einops",))
    assert version(first, loaded, Seed.public().label) != version(first, allowing, Seed.public().label)


# --------------------------------------------------------------------------------------- remembering


@pytest.mark.usefixtures("in_process")
def test_references_are_remembered(
    small: Callable[..., BatchRequest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the public seed in the user's cache; with a secret one beside the results, readable by their owner."""
    secret = tmp_path / "seed"
    secret.write_bytes(b"a seed that nobody knows")
    monkeypatch.setenv("ATTNCHECK_CACHE", str(tmp_path / "cache"))

    def kept() -> tuple[int, int]:
        hidden = tmp_path / "out" / ".expected"
        return (
            sum(1 for _ in (cache.folder() / "expected").glob("*")),
            sum(1 for _ in hidden.glob("*")) if hidden.is_dir() else 0,
        )

    batch.run(small())
    public, private = kept()
    assert public > 0
    assert private == 0
    batch.run(small(seed=Seed.from_file(secret)))
    assert kept() == (public, public)
    assert (tmp_path / "out" / ".expected").stat().st_mode & 0o777 == 0o700
    earned = rows(small())["ada"].mark.earned
    assert earned > 0
    told = (tmp_path / "out" / "ada.json").read_text("utf-8")
    assert json.loads(told)["seed"] == Seed.from_file(secret).label
    assert "nobody knows" not in told
    assert b"nobody knows" not in (tmp_path / "out" / "gradebook.sqlite").read_bytes()
    worker._context.cache_clear()
    shutil.rmtree(tmp_path / "out" / ".expected")
    (tmp_path / "out" / "gradebook.sqlite").unlink()
    batch.run(small(seed=Seed.from_file(secret)))
    assert rows(small())["ada"].mark.earned == earned


# ---------------------------------------------------------------------------------------- refusing


@pytest.mark.usefixtures("alone")
def test_without_a_wall_nothing_is_graded(order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch) -> None:
    """No fall-back to plain mode: a class is graded confined or not at all."""
    monkeypatch.setattr(policy, "seccomp_program", lambda: b"")
    with pytest.raises(SandboxUnavailable, match="libseccomp"):
        batch.run(order())
    assert not list(order().out.glob("*.json"))


@pytest.mark.usefixtures("alone")
def test_a_layer_that_is_switched_off_is_missed(
    order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Landlock files could be read; the sandbox itself refuses to start."""
    monkeypatch.setattr(schedule, "warm_up", lambda plan: None)
    monkeypatch.setattr(worker, "ZygoteSettings", lambda **_: ZygoteSettings(landlock_abi=0))
    with pytest.raises(SandboxUnavailable, match="Landlock"):
        batch.run(order())


REFUSED = {
    "allocate without end": Raised("OSError", "[Errno 12] Cannot allocate memory", None, None),
    "start threads without end": Raised("RuntimeError", "can't start new thread", None, None),
} | {
    f"import the {name}": Raised("ModuleNotFoundError", f"No module named '{name}'", None, None)
    for name in ("grader", "reference")
}


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("others", "said"),
    [
        (
            {"read a file": Returned((None,)), "open any socket": Returned((None,)), "run a program": Died(9, None)},
            r"does not work on this machine: code could read a file, open any socket; nothing was graded",
        ),
        (
            {"start a process": TimedOut(6.0, "wall")},
            r"whether the sandbox works on this machine could not be decided \(start a process: not finished after 6 s "
            r"\(wall\)\); nothing was graded",
        ),
    ],
    ids=["out", "undecided"],
)
def test_a_canary_that_is_not_refused_stops_everything(
    others: dict[str, Observation], said: str, order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an attack was let do is named, or what could not be tried, which is another matter; nothing is graded."""
    bodies = {attack.body: name for name, attack in attacks().items()}

    def observe(job: Job, limits: Limits) -> Observed:
        names = [bodies[file.parts[0].text.partition("\n    ")[2].rstrip("\n")] for file in job.files]
        refusal = Raised("PermissionError", "", None, None)
        return Observed(tuple((REFUSED | others).get(name, refusal) for name in names), (), unsafe=False)

    class Leaky(tiny.Lent):
        def __init__(self) -> None:
            self.observe, self.layers = observe, ()

    monkeypatch.setattr(schedule, "warm_up", lambda plan: None)
    monkeypatch.setattr(worker, "Sandbox", lambda mode, settings: Leaky())
    with pytest.raises(SandboxUnavailable, match=said):
        batch.run(order())
    with closing(open_gradebook(order().out)) as book:
        assert [row.error for row in book.submissions()] == [None, None, None]


@pytest.mark.usefixtures("alone")
def test_the_rehearsal_opens_no_sandbox_of_its_own(
    small: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    """Canaries and references run in a worker's sandbox: torch is not imported once more just for them."""
    opened: list[tiny.Lent] = []

    def lend(mode: str, settings: ZygoteSettings) -> tiny.Lent:
        opened.append(tiny.Lent(sandbox))
        return opened[-1]

    monkeypatch.setattr(worker, "Sandbox", lend)
    monkeypatch.setattr("grader.sandbox.zygote.Zygote", None)
    assert batch.run(small()).graded > 0
    assert len(opened) == 1


@pytest.mark.usefixtures("alone")
def test_what_is_undecided_waits_for_the_workers(
    order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A canary is tried again only after all workers have become ready: until then they are what keeps it waiting."""
    seen: list[str] = []

    def trial(observe: Observe, quiet: Callable[[], object]) -> tuple[AttackResult, ...]:
        quiet()
        seen.append("quiet")
        return (AttackResult("read a file", "let-through"),)

    class Waiting(tiny.InProcess):
        def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            threading.Timer(0.05, lambda: (seen.append("ready"), future.set_result(None))).start()
            return future

    monkeypatch.setattr(schedule, "executor", lambda count: Waiting())
    monkeypatch.setattr(schedule, "try_attacks", trial)
    with pytest.raises(SandboxUnavailable, match="read a file"):
        batch.run(order(workers=2))
    assert seen == ["ready", "ready", "quiet"]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("error", "raised", "said"),
    [
        (OSError("disk full"), SandboxError, "a worker process had to stop: disk full"),
        (UsageError(same("no")), UsageError, "^no$"),
    ],
)
def test_a_worker_that_fails_ends_the_batch(
    error: Exception,
    raised: type[Exception],
    said: str,
    order: Callable[..., BatchRequest],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Our own errors as they are; anything else with what happened."""

    def failing(*_: object) -> TaskResult:
        raise error

    monkeypatch.setattr(schedule, "run_task", failing)
    with pytest.raises(raised, match=said):
        batch.run(order())


@pytest.mark.usefixtures("in_process")
def test_a_bug_of_ours_costs_one_submission(
    order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named as ours, and the others are graded."""
    grade = worker.grade

    def buggy(course: object, submission: Any, *rest: Any, **more: Any) -> object:
        if submission.learner == "bo":
            raise ZeroDivisionError("oops")
        return grade(course, submission, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(worker, "grade", buggy)
    summary = batch.run(order())
    assert summary.graded == 1
    assert dict(summary.refused)["bo.py"] == INTERNAL_ERROR.fill(error="ZeroDivisionError: oops")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("error", [BrokenProcessPool, WorkerLost, SandboxKilled])
@pytest.mark.parametrize("times", [1, 9])
def test_a_worker_that_dies(
    times: int, error: type[Exception], order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had in hand is tried again; only what takes a second one along is given up, and nothing else is."""
    deaths: list[str] = []
    work = worker.run_task

    def dying(plan: BatchPlan, task: GradingTask) -> TaskResult:
        if task.key == "bo.py" and len(deaths) < times:
            deaths.append(task.key)
            raise error(Text("gone", "不在了"))
        return work(plan, task)

    monkeypatch.setattr(schedule, "run_task", dying)
    steps: list[BatchProgress] = []
    summary = batch.run(order(), steps.append)
    assert [step.done for step in steps] == [1, 2, 3]
    assert len(deaths) == min(times, 2)
    assert summary.graded == (2 if times == 1 else 1)
    assert ("bo.py" in dict(summary.refused)) == (times > 1)
    assert rows(order())["ada"].mark.earned > 0
    monkeypatch.setattr(schedule, "run_task", work)
    assert "bo.py" not in dict(batch.run(order()).refused)  # the same command grades it


def test_a_pause_between_results_is_told() -> None:
    """So that what has arrived is saved soon, however long the next submission takes."""
    sent: dict[str, Future[TaskResult]] = {}

    def send(_: object, task: GradingTask) -> Future[TaskResult]:
        return sent.setdefault(task.key, Future())

    pool = schedule.WorkerPool(iter([tiny.InProcess()]), lambda: 2, send, ())
    arriving = schedule.run_tasks(pool, [GradingTask(name, name, name, ("Q1",)) for name in ("ada", "bo")])
    threading.Timer(0.01, lambda: sent["ada"].set_result(TaskResult("ada"))).start()
    assert next(arriving) == (TaskResult("ada"), ("bo",))
    assert next(arriving) == (None, ("bo",))
    sent["bo"].set_result(TaskResult("bo"))
    assert next(arriving) == (TaskResult("bo"), ())
    assert next(arriving, None) is None


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("lasting", [2, 0])
def test_a_pool_that_breaks_between_two(
    lasting: int, order: Callable[..., BatchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does not take any more is given to another; workers that never take anything end the batch."""
    sent: list[object] = []

    class Breaking(tiny.InProcess):
        def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if function is schedule.run_task:
                sent.append(function)
                if lasting == 0 or len(sent) == lasting:
                    raise BrokenProcessPool("gone")
            return super().submit(function, *args, **kwargs)

    monkeypatch.setattr(schedule, "executor", lambda count: Breaking())
    if lasting:
        assert batch.run(order()).graded == 2
        assert len(sent) == 4
    else:
        with pytest.raises(SandboxError, match="exit as soon as they start"):
            batch.run(order())


def test_there_must_be_submissions(order: Callable[..., BatchRequest], tmp_path: Path) -> None:
    """A folder or zip, with something in it that can be one."""
    with pytest.raises(UsageError, match="does not exist"):
        batch.run(order(collection=tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no submission found"):
        batch.run(order(collection=tmp_path / "empty"))


@pytest.mark.usefixtures("in_process")
def test_nobody_s_results_are_overwritten(order: Callable[..., BatchRequest], tmp_path: Path) -> None:
    """Equal names are told apart, whatever makes them equal: suffix, case, or what a file name cannot hold."""
    place = tmp_path / "names"
    place.mkdir()
    names = ["ada.py", "ADA.ipynb", "a?b.py", "a*b.py", "class.py", "class_.py", "  .py", "con.py", "x" * 240 + ".py"]
    for name in names:
        (place / name).write_text("x = 1\n")
    (place / "ada").mkdir()
    (place / "ada" / "q05.py").write_text("x = 1\n")
    asked = order(collection=place)
    batch.run(asked)
    found = rows(asked)
    assert len(found) == len(names) + 1
    files = [row.file for row in found.values() if row.file]
    assert len({file.casefold() for file in files}) == len(files) == len(found)
    assert {path.name for path in asked.out.glob("*.json")} == set(files)
    assert "class_.json" in files
    assert {"ADA (ADA.ipynb)", "ada (ada.py)", "ada (ada)"} <= {*found}


@pytest.mark.usefixtures("in_process")
def test_nobody_is_lost(order: Callable[..., BatchRequest], handed_in: Path, tmp_path: Path) -> None:
    """Who handed in nothing that can be graded stands in the table with the reason; so does what is nobody's."""
    (handed_in / "di").mkdir()
    (handed_in / "ed.py").symlink_to(RIGHT)
    (handed_in / "fay.pdf").write_text("%PDF")
    (handed_in / "gus.txt").write_text("def f(): pass")
    (handed_in / "grades.csv").write_text("")
    (handed_in / "hal").mkdir()
    (handed_in / "hal" / ".q05.py").write_text("x = 1\n")
    (handed_in / "ivy").mkdir()
    (handed_in / "ivy" / "notes.txt").write_text("x = 1\n")
    summary = batch.run(order())
    errors = {row.mark.learner.id: row.error.en if row.error else None for row in rows(order()).values()}
    assert {name for name, error in errors.items() if error} == {"cy", "di", "ed", "fay", "hal", "ivy"}
    assert all(found in (errors[name] or "") for name, found in (
        ("di", "nothing to grade"), ("ed", "symbolic link"), ("fay", "fay.pdf"), ("hal", "hidden"), ("ivy", "notes.txt")
    ))  # fmt: skip
    assert summary.enrolment.leftovers == ("grades.csv", "gus.txt")
    with closing(open_gradebook(order().out)) as book:
        write_files(Book.of(book, courses.load(order().course_folder)), order().out, "zh")
    told = json.loads((order().out / "di.json").read_text("utf-8"))["error"]
    assert told.startswith("没有可以评分的内容：") and "空文件夹" in told
    with (order().out / "class.csv").open(newline="", encoding="utf-8") as file:
        assert {line["learner"]: line["error"] for line in csv.DictReader(file)}["di"] == errors["di"]
    (tmp_path / "roster.csv").write_text("id,name\n1,Gus\n2,Ada\n3,Zed\n")
    summary = batch.run(order(roster=tmp_path / "roster.csv"))
    assert "nothing to grade" in said(rows(order())["1"].error)
    assert summary.enrolment.missing == ("3",)


@pytest.mark.usefixtures("in_process")
def test_what_is_nobodys_is_not_graded(order: Callable[..., BatchRequest], tmp_path: Path) -> None:
    """It stands in the table under the entry that it came in, and the batch says that not all was graded."""
    place = tmp_path / "export"
    for number in (1, 2):
        (place / f"submission_{number}").mkdir(parents=True)
        shutil.copy(RIGHT, place / f"submission_{number}" / "q05.py")
    (place / "submission_metadata.yml").write_text("submission_1:\n  :submitters:\n  - :name: Ada\n")
    summary = batch.run(order(collection=place))
    assert (summary.enrolment.kind, summary.submissions, summary.graded) == ("gradescope", 2, 1)
    assert [key for key, _ in summary.refused] == ["nobody/submission_2"]
    found = rows(order())
    assert found["Ada"].error is None and found["Ada"].mark.earned == 7
    assert "does not name its owner" in said(found["nobody/submission_2"].error)


def test_names_depend_on_nobodys_order() -> None:
    """Long ones stay whole; those of different people are told apart by their own numbers, and never by addresses."""
    people = [
        Person("Li Wei", (("moodle", "12"),)),
        Person("li wei", (("moodle", "13"),)),
        Person("Li Wei", (("email", "li@example.org"),)),
        Person("Ada", (("canvas", "7"),)),
        Person("n" * 200),
        Person("n" * 201),
        Person("n" * 202),
    ]
    handed = [CollectedSubmission(FoundSubmission(f"k{at}", (who,), ()), Path("x")) for at, who in enumerate(people)]
    found = enrolment.display_names(handed)
    assert found == enrolment.display_names(handed[::-1])
    names = [found[f"k{at}"][0] for at in range(len(people))]
    assert names[:2] == ["Li Wei (12)", "li wei (13)"] and names[3:5] == ["Ada", "n" * 200]
    assert names[2].startswith("Li Wei (") and "@" not in names[2]
    assert len(set(names)) == len(names) and max(map(len, names)) == 200


def test_what_could_not_be_collected_is_not_read(tmp_path: Path) -> None:
    """Work that lies there, but is not to be graded, is filed with the reason."""
    shutil.copy(RIGHT, tmp_path / "q05.py")
    placed, why = (
        FoundSubmission("ada", (Person("Ada"),), (("q05.py", "q05.py"),)),
        Text("not as the receipt says", "与回执不符"),
    )
    handed = CollectedSubmission(placed, tmp_path / "q05.py", why)
    (row,) = enrolment.enrol(Collection("folders", (handed,), ()), None).submissions
    assert (row.error, row.digest) == (why, "")
