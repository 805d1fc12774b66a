"""``attncheck grade``: what the options mean, what is written where, and how it ends."""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import pytest

from grader.core.errors import SandboxUnavailable, SubmissionError
from grader.core.model import Course, ExerciseResult, ItemResult, QuestionResult, Report, Status, Submission, Text
from grader.core.text import same
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed

Attncheck = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Selection:
    """What the command asks to be graded."""

    questions: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    public_only: bool = False
    everything: bool = False


def a_report(status: Status = Status.PASSED) -> Report:
    """A report with one item."""
    item = ItemResult("Q5.output", "choice", status, float(status is Status.PASSED), 1, Text("Because.", "因为。"))
    return Report(
        learner="ada",
        course_title=Text("Attention", "注意力"),
        course_digest="digest",
        seed="public",
        questions=(QuestionResult("Q5", Text("Output", "输出"), (item,), ()),),
        layers=("seccomp",),
        unsafe=False,
        versions=(),
        seconds=0.25,
    )


class Machine:
    """Sandbox, reader and grader that do nothing but remember what they were asked."""

    def __init__(self) -> None:
        self.report = a_report()
        self.asked = SimpleNamespace(mode=None, path=None, learner=None, selection=None, seed=None)
        self.order: list[str] = []
        self.observing: object = None
        self.error: Exception | None = None

    @contextlib.contextmanager
    def open_sandbox(self, *, mode: str) -> Iterator[SimpleNamespace]:
        """Opens nothing."""
        self.asked.mode = mode
        yield SimpleNamespace(
            start=lambda: self.order.append("start"), observe=self.observe, allow_packages=lambda packages: None
        )
        self.order.append("close")

    def observe(self, job: object, limits: object) -> None:
        """Is passed on and never called."""

    def read(self, path: Path, learner: str | None) -> Submission:
        """Reads nothing."""
        self.order.append("read")
        self.asked.path, self.asked.learner = path, learner
        if self.error is not None:
            raise self.error
        return Submission("ada", ())

    def grade(
        self, course: Course, submission: Submission, observe: object, *, selection: Selection, context: GradingContext
    ) -> Report:
        """Grades nothing."""
        assert callable(observe) and callable(context.observe_reference)
        self.observing = observe
        self.asked.selection, self.asked.seed = selection, context.seed
        return self.report


def put(monkeypatch: pytest.MonkeyPatch, name: str, **attributes: object) -> None:
    """Puts a copy of ``grader.<name>`` with these attributes in its place."""
    module = ModuleType(f"grader.{name}")
    vars(module).update(vars(importlib.import_module(module.__name__)) | attributes)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    room, _, own = module.__name__.rpartition(".")
    monkeypatch.setattr(importlib.import_module(room), own, module, raising=False)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Replaces everything behind the command."""
    made = Machine()
    put(monkeypatch, "sandbox", open_sandbox=made.open_sandbox)
    put(monkeypatch, "submission", read=made.read, learner_named=lambda path: None)
    put(monkeypatch, "grading.context", GradingContext=GradingContext)
    put(monkeypatch, "grading.selection", Selection=Selection)
    put(monkeypatch, "grading.grade", grade=made.grade)
    return made


def test_asks_for_what_the_options_say(attncheck: Attncheck, machine: Machine) -> None:
    """Every option arrives where it belongs."""
    attncheck(
        *("grade", "there", "-q", "Q5", "-q", "Q6", "-e", "softmax", "--learner", "bo", "--seed", "7", "--public-only")
    )
    assert machine.asked.path == Path("there")
    assert machine.asked.learner == "bo"
    assert machine.asked.selection == Selection(("Q5", "Q6"), ("softmax",), public_only=True)
    assert machine.asked.seed == Seed.number(7)


def test_torch_is_imported_while_we_read(attncheck: Attncheck, machine: Machine) -> None:
    """The sandbox starts before anything is read, and is closed in the end."""
    attncheck("grade", "there")
    assert machine.order == ["start", "read", "close"]


@pytest.mark.parametrize(
    ("args", "mode"),
    [
        ([], "auto"),
        (["--require-sandbox"], "require"),
        (["--seed-file", "SEED"], "require"),
        (["--seed", "3"], "auto"),
        (["--unsafe-no-sandbox"], "plain"),
    ],
)
def test_modes(args: list[str], mode: str, attncheck: Attncheck, machine: Machine, tmp_path: Path) -> None:
    """A secret seed and ``--require-sandbox`` refuse to do without a sandbox; only one option forces to."""
    seed = tmp_path / "seed"
    seed.write_text("0123456789abcdef" * 4)
    attncheck("grade", "there", *(str(seed) if arg == "SEED" else arg for arg in args))
    assert machine.asked.mode == mode
    assert machine.asked.seed.label.startswith("file:") is ("SEED" in args)


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        (["--seed", "1", "--seed-file", "x"], "--seed and --seed-file cannot be combined"),
        (["--require-sandbox", "--unsafe-no-sandbox"], "contradict each other"),
        (["--seed-file", "x", "--unsafe-no-sandbox"], "could read the seed"),
        (["--seed", "-1"], "x>=0"),
    ],
)
def test_options_that_exclude_each_other(
    args: list[str], fragment: str, attncheck: Attncheck, machine: Machine
) -> None:
    """They are refused before anything is graded, with the way out."""
    ran = attncheck("grade", "there", *args)
    assert (ran.code, ran.out) == (2, "")
    assert fragment in ran.err
    assert machine.asked.selection is None


@pytest.mark.parametrize(
    ("status", "code"),
    [(Status.PASSED, 0), (Status.FAILED, 1), (Status.MISSING, 1), (Status.PENDING, 1), (Status.UNMARKED, 4)],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_exit_codes(status: Status, code: int, form: list[str], attncheck: Attncheck, machine: Machine) -> None:
    """0 when everything passed, 1 when not, 4 when something could not be graded."""
    machine.report = a_report(status)
    assert attncheck("grade", "there", *form).code == code


@pytest.mark.parametrize(
    ("error", "code"),
    [(SubmissionError(same("there is nothing at there")), 3), (SandboxUnavailable(same("no seccomp")), 4)],
)
def test_refusals(error: Exception, code: int, attncheck: Attncheck, machine: Machine) -> None:
    """What cannot be read, or must not be run, leaves stdout empty."""
    machine.error = error
    ran = attncheck("grade", "there", "--json")
    assert (ran.code, ran.out) == (code, "")
    assert str(error) in ran.err


def test_for_people(attncheck: Attncheck, machine: Machine) -> None:
    """The report goes to stdout, without colour codes, in the language asked for."""
    machine.report = a_report(Status.FAILED)
    ran = attncheck("grade", "there", "--lang", "zh")
    assert "✗ Q5.output" in ran.out
    assert "因为。" in ran.out
    assert "\x1b" not in ran.out
    assert ran.err == ""


def test_for_programs(attncheck: Attncheck, machine: Machine) -> None:
    """With --json stdout is JSON and nothing else; what must be said as well goes to stderr."""
    machine.report = replace(a_report(), unsafe=True, layers=())
    ran = attncheck("grade", "there", "--json")
    assert json.loads(ran.out)["sandbox"] == {"layers": [], "unsafe": True}
    assert "unconfined" in ran.err


@pytest.mark.parametrize(("args", "warned"), [([], True), (["--unsafe-no-sandbox"], False)])
def test_says_that_code_ran_unconfined(args: list[str], warned: bool, attncheck: Attncheck, machine: Machine) -> None:
    """Falling back is said on stderr, with the way to learn why; who asked for it is not told twice."""
    machine.report = replace(a_report(), unsafe=True, layers=())
    ran = attncheck("grade", "there", *args)
    assert ("attncheck doctor" in ran.err) is warned
    assert "WITHOUT a sandbox" in ran.out


# ------------------------------------------------------------------------------------- files besides


@pytest.fixture
def looked(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose arrays were looked at: no code is run for that here, either."""
    asked: list[str] = []

    def shown(course: Course, submission: Submission, report: Report, observe: object, expect: object) -> tuple[()]:
        assert observe is machine.observing and callable(expect)  # the same, so that they share one budget
        assert machine.order[-1] != "close"
        asked.append(submission.learner)
        return ()

    put(monkeypatch, "grading.public_arrays", compare_public_cases=shown)
    return asked


@pytest.mark.parametrize(("more", "pictured"), [((), True), (("--public-only",), True), (("--seed-file",), False)])
def test_code_that_was_given_secret_inputs_draws_nothing(
    more: tuple[str, ...], pictured: bool, attncheck: Attncheck, looked: list[str], tmp_path: Path
) -> None:
    """A picture shows what the code returns, which could be these inputs."""
    secret, page = tmp_path / "seed", tmp_path / "report.html"
    secret.write_text("0123456789abcdef" * 2)
    seed = ("--seed-file", str(secret)) if more != () else ()
    attncheck("grade", "there", "--html", str(page), *seed, *(o for o in more if o != "--seed-file"))
    assert page.exists() and looked == ["ada"] * pictured


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize(("status", "code"), [(Status.PASSED, 0), (Status.FAILED, 1), (Status.UNMARKED, 4)])
def test_files_besides(
    status: Status,
    code: int,
    form: list[str],
    attncheck: Attncheck,
    machine: Machine,
    looked: list[str],
    tmp_path: Path,
) -> None:
    """A page and XML are written along with what stdout shows, which they do not change; nor do they the exit code."""
    machine.report = a_report(status)
    page, xml = tmp_path / "report.html", tmp_path / "report.xml"
    page.write_text("old")
    alone = attncheck("grade", "there", *form)
    assert looked == []
    ran = attncheck("grade", "there", *form, "--html", str(page), "--junit", str(xml), "--lang", "zh")
    assert (ran.code, alone.code) == (code, code)
    assert looked == ["ada"]
    assert page.read_text().startswith('<!doctype html>\n<html lang="zh-Hans">')
    assert ElementTree.parse(xml).getroot().get("tests") == "1"
    assert {file.name for file in tmp_path.iterdir()} == {"report.html", "report.xml"}
    if form:
        assert json.loads(ran.out)["learner"] == "ada"


def test_xml_alone_runs_nothing_again(
    attncheck: Attncheck, machine: Machine, looked: list[str], tmp_path: Path
) -> None:
    """Only the page has pictures."""
    assert attncheck("grade", "there", "--junit", str(tmp_path / "report.xml")).code == 0
    assert looked == []


@pytest.mark.parametrize("option", ["--html", "--junit"])
@pytest.mark.parametrize(("name", "said"), [("", "is a folder"), ("missing/report", "there is no folder")])
def test_places_that_cannot_be_written(
    name: str, said: str, option: str, attncheck: Attncheck, machine: Machine, tmp_path: Path
) -> None:
    """They are refused before anything is graded, by their name."""
    ran = attncheck("grade", "there", option, str(tmp_path / name))
    assert (ran.code, ran.out, machine.order) == (2, "", [])
    assert str(tmp_path / name) in ran.err
    assert said in ran.err


@pytest.mark.parametrize("option", ["--html", "--junit"])
def test_a_disk_that_is_full(
    option: str,
    attncheck: Attncheck,
    machine: Machine,
    looked: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What fails while writing is said with the file's name, after the report; the old file is still there."""

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "report"
    file.write_text("old")
    monkeypatch.setattr("grader.core.files.os.fsync", full)
    ran = attncheck("grade", "there", option, str(file))
    assert ran.code == 2
    assert f"{file} cannot be written: No space left on device" in ran.err
    assert "ada" in ran.out
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def tried(status: Status, misconception: str | None = None) -> Report:
    """A report of one exercise."""
    exercise = ExerciseResult("softmax", status, 0.0, 4.0, (), misconception=misconception)
    return replace(a_report(), questions=(QuestionResult("Q3", Text("Why", "为何"), (), (exercise,)),))


def test_ones_own_progress_is_kept(
    attncheck: Attncheck, machine: Machine, progress_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict that changed is put down once; somebody else's is not. One's own is in the folder work, or here."""
    for folder in ("work", "."):
        monkeypatch.chdir(tmp_path)
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "answers.yaml").touch()
        attncheck("grade")
        assert machine.asked.path == Path(folder)
    for status in (Status.FAILED, Status.FAILED, Status.PASSED):
        machine.report = tried(status, "no-scaling" if status is Status.FAILED else None)
        attncheck("grade", "there")
        attncheck("grade", "theirs", "--learner", "bo")
    kept = [json.loads(line) for line in progress_file.read_text("utf-8").splitlines()]
    said = [(event["exercise"], event["status"]) for event in kept if "exercise" in event]
    assert said == [("softmax", "failed"), ("softmax", "passed")]


def test_a_file_of_progress_that_is_broken_costs_no_report(
    attncheck: Attncheck, machine: Machine, tmp_path: Path
) -> None:
    """It is said, and nothing in it is changed."""
    file = tmp_path / "progress"
    file.write_text("something else\n")
    machine.report = tried(Status.PASSED)
    ran = attncheck("grade", "there", "--state", str(file))
    assert ran.code == 0
    assert "softmax" in ran.out
    assert str(file) in ran.err
    assert file.read_text() == "something else\n"
