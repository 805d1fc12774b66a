from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from grader import batch, cache
from grader import course as courses
from grader.batch import BatchProgress, BatchResult, Row, Worker, submissions, table
from grader.errors import CourseError, SandboxError, SandboxUnavailable, UsageError
from grader.inputs import Seed
from grader.model import Raised
from grader.sandbox import Sandbox, Settings, policy
from tests.helpers import answering, returned

RIGHT = Path(__file__).parent / "solutions" / "scaled_dot_product_attention" / "right" / "torch_plain.py"


@pytest.fixture(scope="module")
def course_folder() -> Path:
    """The bundled course."""
    return courses.find(None)


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


class InProcess(Executor):
    """Runs everything at once in this process, so that a worker can be looked into."""

    def __init__(self, max_workers: int, mp_context: object, initializer: Callable[..., None], initargs: Any) -> None:
        self.workers = max_workers
        initializer(*initargs)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Lent:
    """The session's sandbox in the place of a batch's own: what closes it leaves it open."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.observe, self.layers = sandbox.observe, sandbox.layers

    def start(self) -> None:
        """Has been started."""

    def close(self) -> None:
        """Stays open."""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other process."""
    monkeypatch.setattr(batch, "ProcessPoolExecutor", InProcess)
    monkeypatch.setattr(Worker, "_state", None)


@pytest.fixture
def in_process(alone: None, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """One process and one sandbox for a whole batch, which is trusted."""
    monkeypatch.setattr(batch, "Sandbox", lambda mode, settings: Lent(sandbox))
    monkeypatch.setattr(batch, "release", lambda observe: ())


def read_table(out: Path) -> list[dict[str, str]]:
    """The class table as a spreadsheet would read it."""
    with (out / "class.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------------------------------- a batch


@pytest.mark.parametrize("workers", [1, 2])
def test_a_class_is_graded(
    workers: int, handed_in: Path, tmp_path: Path, course_folder: Path, request: pytest.FixtureRequest
) -> None:
    """A file for everybody, a table of the class, and who could not be graded; with two, in processes of their own."""
    if workers == 1:
        request.getfixturevalue("in_process")
    out, steps = tmp_path / "out", list[BatchProgress]()
    result = batch.run(
        handed_in, out, course_folder=course_folder, seed=Seed.public(), workers=workers, progress=steps.append
    )
    assert [row.learner for row in result.rows] == ["ada", "bo", "cy"]
    assert not result.gradable
    assert "seccomp" in result.layers
    assert sorted(path.name for path in out.iterdir()) == ["ada.json", "bo.json", "class.csv", "class.json", "cy.json"]

    points = sum(question.points for question in courses.load(course_folder).questions)
    ada, bo, cy = result.rows
    assert (ada.complete, ada.passed, ada.error, ada.possible) == (True, False, None, points)
    assert ada.earned >= 8
    assert (bo.complete, bo.earned, bo.possible) == (True, 0, points)
    assert (cy.complete, cy.earned, cy.possible) == (False, 0, points)
    assert "cy.py" in (cy.error or "")

    data = {name: json.loads((out / f"{name}.json").read_text("utf-8")) for name in ("ada", "bo", "cy", "class")}
    assert (data["ada"]["learner"], data["ada"]["earned"], data["ada"]["seed"]) == ("ada", ada.earned, "public")
    assert data["ada"]["sandbox"] == {"layers": list(result.layers), "unsafe": False}
    assert data["bo"]["questions"][0]["exercises"][0]["status"] == "missing"
    assert data["cy"] == {"format": 1, "learner": "cy", "complete": False, "error": cy.error}
    assert [row["file"] for row in data["class"]] == ["ada.json", "bo.json", "cy.json"]

    rows = read_table(out)
    assert [row["learner"] for row in rows] == ["ada", "bo", "cy"]
    assert [row["complete"] for row in rows] == ["yes", "yes", "no"]
    assert float(rows[0]["Q5"]) + float(rows[0]["Q11"]) == ada.earned == float(rows[0]["earned"])
    assert rows[2]["error"] == cy.error

    assert [(step.done, step.total) for step in steps] == [(1, 3), (2, 3), (3, 3)]
    assert {step.row for step in steps} == set(result.rows)


def test_a_broken_course_is_told_once(handed_in: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """By an error, and not by a traceback of every worker besides."""
    (tmp_path / "questions").mkdir()
    with pytest.raises(CourseError, match="no question in it"):
        batch.run(handed_in, tmp_path / "out", course_folder=tmp_path, seed=Seed.public(), workers=2)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("in_process")
def test_a_batch_in_another_language(handed_in: Path, tmp_path: Path, course_folder: Path) -> None:
    """The words of the files are in the language that was asked for."""
    batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.public(), lang="zh")
    said = json.loads((tmp_path / "out" / "bo.json").read_text("utf-8"))["questions"][0]["exercises"][0]["message"]
    assert "没有定义" in said


@pytest.mark.usefixtures("in_process")
def test_only_some_questions_count(handed_in: Path, tmp_path: Path) -> None:
    """Named questions are all that counts, for everybody alike; a name that the course lacks stops it at the start."""
    folder = courses.find(None)
    result = batch.run(handed_in, tmp_path / "out", course_folder=folder, seed=Seed.public(), questions=("q5",))
    question = courses.load(folder).question("Q5")
    assert question is not None
    assert {row.possible for row in result.rows} == {question.points}
    assert [ids for ids in ([q for q, _, _ in row.questions] for row in result.rows) if ids] == [["Q5"], ["Q5"]]
    with pytest.raises(UsageError, match="no question 'Q50'; did you mean Q5"):
        batch.run(handed_in, tmp_path / "more", course_folder=folder, seed=Seed.public(), questions=("Q50",))


@pytest.mark.usefixtures("in_process")
def test_what_was_stopped_is_noted(tmp_path: Path, course_folder: Path) -> None:
    """A loop or a crash stands beside the points."""
    (tmp_path / "in").mkdir()
    crash = "import os\ndef scaled_dot_product_attention(*args, **kwargs): os._exit(1)\n"
    (tmp_path / "in" / "ada.py").write_text(crash)
    result = batch.run(tmp_path / "in", tmp_path / "out", course_folder=course_folder, seed=Seed.public())
    assert result.rows[0].notes == ("scaled_dot_product_attention: died",)
    assert result.gradable


# --------------------------------------------------------------------------------------- remembering


@pytest.mark.usefixtures("in_process")
def test_references_are_remembered(
    handed_in: Path, tmp_path: Path, course_folder: Path, monkeypatch: pytest.MonkeyPatch
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

    batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.public())
    public, private = kept()
    assert public > 0
    assert private == 0
    result = batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.from_file(secret))
    assert kept() == (public, public)
    assert (tmp_path / "out" / ".expected").stat().st_mode & 0o777 == 0o700
    told = (tmp_path / "out" / "ada.json").read_text("utf-8")
    assert json.loads(told)["seed"] == Seed.from_file(secret).label
    assert "nobody knows" not in told
    again = batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.from_file(secret))
    assert kept() == (public, public)
    assert [row.earned for row in again.rows] == [row.earned for row in result.rows]


# ---------------------------------------------------------------------------------------- refusing


@pytest.mark.usefixtures("alone")
def test_without_a_wall_nothing_is_graded(
    handed_in: Path, tmp_path: Path, course_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fall-back to plain mode: a class is graded confined or not at all."""
    monkeypatch.setattr(policy, "seccomp_program", lambda: b"")
    with pytest.raises(SandboxUnavailable, match="libseccomp"):
        batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.public())
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.usefixtures("alone")
def test_a_layer_that_is_switched_off_is_missed(
    handed_in: Path, tmp_path: Path, course_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Landlock files could be read; the sandbox itself refuses to start."""
    monkeypatch.setattr(Worker, "begin", lambda plan: None)
    monkeypatch.setattr(batch, "Settings", lambda **_: Settings(landlock_abi=0))
    with pytest.raises(SandboxUnavailable, match="Landlock"):
        batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.public())


@pytest.mark.usefixtures("alone")
def test_a_canary_that_gets_out_stops_everything(
    handed_in: Path, tmp_path: Path, course_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an attack was let do is named, and nothing is graded."""

    class Leaky(Lent):
        def __init__(self) -> None:
            self.observe = answering(
                lambda p: (
                    returned(None)
                    if p.module in ("canary_0", "canary_6")
                    else Raised("PermissionError", "", None, None)
                )
            )
            self.layers = ()

    monkeypatch.setattr(batch, "Sandbox", lambda mode, settings: Leaky())
    with pytest.raises(
        SandboxUnavailable, match=r"let code read a file, open a network connection\); nothing was graded"
    ):
        batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.public())
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("error", "raised", "said"),
    [(OSError("disk full"), SandboxError, "ended unexpectedly: disk full"), (UsageError("no"), UsageError, "^no$")],
)
def test_a_worker_that_fails_ends_the_batch(
    error: Exception,
    raised: type[Exception],
    said: str,
    handed_in: Path,
    tmp_path: Path,
    course_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Our own errors as they are; anything else with what happened."""

    def failing(*_: object) -> Row:
        raise error

    monkeypatch.setattr(Worker, "grade", failing)
    with pytest.raises(raised, match=said):
        batch.run(handed_in, tmp_path / "out", course_folder=course_folder, seed=Seed.public())
    assert not (tmp_path / "out" / "class.csv").exists()


def test_there_must_be_submissions(tmp_path: Path) -> None:
    """A folder, with something in it that can be one; names say what is none."""
    for folder in (tmp_path / "nowhere", tmp_path / "file"):
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match="is not a folder; expected one that holds"):
            submissions(folder)
    (tmp_path / "in").mkdir()
    for ignored in (".git", "__MACOSX", "README.md", "readme"):
        (tmp_path / "in" / ignored).mkdir()
    with pytest.raises(UsageError, match="is empty; expected a file, folder or zip per learner"):
        submissions(tmp_path / "in")
    for name in ("b.py", "a.zip", "c"):
        (tmp_path / "in" / name).write_text("")
    assert [path.name for path in submissions(tmp_path / "in")] == ["a.zip", "b.py", "c"]


# ------------------------------------------------------------------------------------------- names


@pytest.mark.usefixtures("in_process")
def test_nobody_s_results_are_overwritten(tmp_path: Path, course_folder: Path) -> None:
    """Equal names get numbers, whatever makes them equal: suffix, case, or what a file name cannot hold."""
    (tmp_path / "in").mkdir()
    names = [
        "ada.py",
        "ADA.txt",
        "a?b.txt",
        "a*b.txt",
        "class.txt",
        "class_.txt",
        "  .txt",
        "con.txt",
        "x" * 250 + ".txt",
    ]
    for name in names:
        (tmp_path / "in" / name).write_text("x = 1\n")
    (tmp_path / "in" / "ada").mkdir()
    (tmp_path / "in" / b"caf\xe9.txt".decode("utf-8", "surrogateescape")).write_text("x = 1\n")
    result = batch.run(tmp_path / "in", tmp_path / "out", course_folder=course_folder, seed=Seed.public())
    files = [row.file for row in result.rows]
    assert len(result.rows) == len(names) + 2
    assert len({file.casefold() for file in files}) == len(files)
    assert len({row.learner.casefold() for row in result.rows}) == len(files)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*files, "class.csv", "class.json"}
    by_learner = {row.learner: row.file for row in result.rows}
    assert {by_learner[name] for name in ("ADA", "ada (2)", "ada (3)")} == {"ADA.json", "ada (2).json", "ada (3).json"}
    assert by_learner["class"] == "class_.json"
    assert by_learner["class_ (2)"] == "class_ (2).json"


def row(learner: str, error: str | None = None, **points: float) -> Row:
    """A line of the class table."""
    questions = tuple((name, earned, 8.0) for name, earned in points.items())
    return Row(learner, sum(points.values()), 16.0, error is None, questions, "", 0.0, error=error)


def test_the_table_has_a_column_for_every_question() -> None:
    """Points as short as they can be, commas and quotes as CSV wants them, nothing where nothing was graded."""
    rows = (row("Ada, L.", Q5=7.5, Q11=8), row('Bo "B"', error="bo.py: empty"), row("陈", Q5=1 / 3, Q12=0))
    assert table(BatchResult(rows, ())).splitlines() == [
        "learner,earned,possible,Q5,Q11,Q12,complete,error",
        '"Ada, L.",15.5,16,7.5,8,0,yes,',
        '"Bo ""B""",0,16,0,0,0,no,bo.py: empty',
        "陈,0.333333,16,0.333333,0,0,yes,",
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n =1", "ada\r=1"])
def test_no_spreadsheet_takes_a_name_for_a_formula(name: str) -> None:
    """A name or an error that begins like one is quoted, and none can begin a row of its own."""
    text = table(BatchResult((row(name, error=name),), ()))
    assert text.count("\n") == 2
    assert "\r" not in text
    (line,) = csv.DictReader(io.StringIO(text))
    assert line["learner"] == line["error"]
    assert line["learner"][0] in "'a"


def test_a_batch_is_gradable_when_all_of_it_was() -> None:
    """A wrong solution is graded; an unreadable or unmarked one is not."""
    assert BatchResult((row("ada", Q5=0), row("bo")), ()).gradable
    assert not BatchResult((row("ada"), row("bo", error="no")), ()).gradable
    unmarked = Row("cy", 0, 0, False, (), "", 0)
    assert not BatchResult((unmarked,), ()).gradable
