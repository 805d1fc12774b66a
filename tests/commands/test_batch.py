"""``attncheck batch``: what is asked of the batch, and what is said of its result."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader.classroom import batch
from grader.classroom.batch import BatchProgress, BatchRequest, BatchSummary
from grader.classroom.class_folder import locked
from grader.classroom.enrolment import Enrolment
from grader.classroom.gradebook import LearnerRow, Override
from grader.classroom.marks import Mark
from grader.classroom.results import LATE, MarkSummary
from grader.commands import batch as classes
from grader.core.errors import SandboxUnavailable, UsageError
from grader.core.model import Course, Rules, Text
from grader.core.text import same
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed

Attncheck = Callable[..., object]


def row(learner: str, earned: float = 12.5, **changes: object) -> MarkSummary:
    """A line of the class table."""
    own = {field.name for field in fields(MarkSummary)}
    facts = {"file": f"{learner}.json"} | {name: value for name, value in changes.items() if name in own}
    of_mark = {"complete": True} | {name: value for name, value in changes.items() if name not in own}
    questions = (("Q5", earned, 25.0),)
    mark = Mark(LearnerRow(learner, learner), None, questions, **of_mark)  # type: ignore[arg-type]
    return MarkSummary(mark, **facts)  # type: ignore[arg-type]


GIVEN = (Override("", "Q5", 3.0, "", "", datetime.now(UTC)),)
ADA = row("ada", 25.0, passed=True)
BO = row("波", notes=("scaled_dot_product_attention: timed-out",) * 2)
CY = row("cy\x1b[2J", 3.0, complete=False)
DI = row("di", 0.0, complete=False, error=Text("q05.py: the file is empty\x1b[2J", "q05.py：文件是空的\x1b[2J"))
EVE = row("eve", 0.0, file=None, submitted=False)
FOX = row("fox", 5.0, late_seconds=7200.0, counts=False)
GUS = row("gus", notes=(LATE,))
FOLDERS = Enrolment((), (), kind="folders")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Replaces `batch.run` and records its request; ``rows`` and ``summary`` are its result."""
    seen: dict[str, object] = {"rows": [ADA], "summary": BatchSummary(FOLDERS, 1, 1, layers=("seccomp",))}

    def run(order: BatchRequest, progress: Callable[[BatchProgress], None]) -> BatchSummary:
        seen["order"] = order
        summary = seen["summary"]
        if isinstance(summary, Exception):
            raise summary
        assert isinstance(summary, BatchSummary)
        progress(BatchProgress(1, 2, "ada", ("bo\x1b[2J",)))
        progress(BatchProgress(2, 2, "bo"))
        return summary

    monkeypatch.setattr(batch, "run", run)
    monkeypatch.setattr(classes, "_results", lambda order, lang: seen["rows"])
    return seen


def test_asks_for_what_the_options_say(attncheck: Attncheck, asked: dict[str, object], tmp_path: Path) -> None:
    """Every option arrives where it belongs; the seed is public unless a file is named."""
    seed = tmp_path / "seed"
    seed.write_text("0123456789abcdef" * 4)
    words = "batch in --out out --workers 3 --course c --roster r.csv --intake moodle -q Q5 -q q6"
    attncheck(*words.split())
    assert asked["order"] == BatchRequest(
        Path("in"), Path("out"), Path("c"), Seed.public(), ("Q5", "q6"), "moodle", Path("r.csv"), 3
    )
    attncheck("batch", "in", "--out", "out", "--seed-file", str(seed))
    order = asked["order"]
    assert isinstance(order, BatchRequest)
    assert order.seed == Seed.from_file(seed)


def test_what_course_yaml_names_is_the_default(
    attncheck: Attncheck, asked: dict[str, object], course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Roster and seed file; the options come first."""
    for name in ("class.csv", "SEED"):
        (tmp_path / name).write_text("0123456789abcdef" * 4)
    own = replace(course, folder=str(tmp_path), roster="class.csv", seed_file="SEED")
    monkeypatch.setattr(courses, "load", lambda folder, *_: own)
    attncheck("batch", "in", "--out", "out")
    first = asked["order"]
    other = tmp_path / "other"
    other.write_text("fedcba9876543210" * 4)
    attncheck("batch", "in", "--out", "out", "--roster", "r.csv", "--seed-file", str(other))
    second = asked["order"]
    assert isinstance(first, BatchRequest) and isinstance(second, BatchRequest)
    assert (first.roster, first.seed) == (tmp_path / "class.csv", Seed.from_file(tmp_path / "SEED"))
    assert (second.roster, second.seed) == (Path("r.csv"), Seed.from_file(other))


@pytest.mark.parametrize(
    ("scheduler", "secret", "said"),
    [
        ("tcp://10.0.0.1:8786", True, True),
        ("10.0.0.1:8786", True, True),
        ("tls://10.0.0.1:8786", True, False),
        ("tcp://127.0.0.1:8786", True, False),
        ("tcp://10.0.0.1:8786", False, False),
    ],
)
def test_a_seed_that_others_could_read(
    scheduler: str, secret: bool, said: bool, attncheck: Attncheck, asked: dict[str, object], tmp_path: Path
) -> None:
    """A secret seed that would travel unencrypted causes a warning; nothing else does."""
    seed = tmp_path / "seed"
    seed.write_text("0123456789abcdef" * 4)
    ran = attncheck("batch", "in", "--out", "out", "--scheduler", scheduler, *(["--seed-file", str(seed)] * secret))
    order = asked["order"]
    assert isinstance(order, BatchRequest)
    assert order.scheduler == scheduler
    assert ("unencrypted" in ran.err) == said  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rows", "summary", "code"),
    [
        ([ADA, BO, EVE, FOX], BatchSummary(FOLDERS, 3, 3), 0),
        ([ADA, CY], BatchSummary(FOLDERS, 2, 2), 5),
        ([ADA], BatchSummary(FOLDERS, 2, 1, refused=(("di", Text("empty", "空")),)), 5),
        ([], SandboxUnavailable(same("none")), 4),
    ],
)
def test_exit_codes(
    rows: list[MarkSummary], summary: object, code: int, attncheck: Attncheck, asked: dict[str, object]
) -> None:
    """0 when all could be graded, whatever the points; 5 when some could not; 4 when nothing may be run."""
    asked |= {"rows": rows, "summary": summary}
    assert attncheck("batch", "in", "--out", "out").code == code  # type: ignore[attr-defined]


LISTS = {"unknown": ("Zoë",), "ambiguous": ("Kim\x1b[2J",), "missing": ("eve",), "twice": ("fox",)}
NAMED = {"misnamed": (("ada", "Ada\x1b[2J"),), "respelt": (("bo", "Bo Bø"),)}
LEFTOVERS = tuple(f"f{n}" for n in range(25))
ENROLMENT = Enrolment((), (), **LISTS, **NAMED, listed=True, kind="canvas", leftovers=LEFTOVERS)
SUMMARY = BatchSummary(ENROLMENT, 5, 3, 1, (("di", Text("x", "无")),))


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        (
            "en",
            [
                "learner      points  status",
                "ada        25 of 25  all correct",
                "波       12.5 of 25  graded; scaled_dot_product_attention: timed-out; sc",
                "cy          3 of 25  partly graded",
                "di                –  not gradable, see below",
                "eve               –  no submission",
                "fox         5 of 25  graded; submitted 2 h late; another attempt counts",
                "di: q05.py: the file is empty\n",
                "No submission from: eve\n",
                "the submission: Zoë. Add",
                "for the id in the roster: ada (“Ada”). Check",
                "counted as wrong: bo (“Bo Bø”). Ask",
                "These names match more than one person on the roster",
                "Kim",
                "of the same attempt number: fox\n",
                "f18, f19 and 5 more\n",
                "4 of 5 submissions graded. In out: class.csv",
                "1 of them were graded earlier.",
            ],
        ),
        (
            "zh",
            [
                "学生       得分  状态",
                "ada     25 / 25  全部正确",
                "gus   12.5 / 25  已评分；课程平台标为迟交",
                "没有提交：eve",
                "di：q05.py：文件是空的\n",
                "名单里的编号抽取的：ada（“Ada”）。请",
                "作答会判错：bo（“Bo Bø”）。请",
                "5 份提交中已评分 4 份。out 中有",
            ],
        ),
    ],
)
def test_for_people(lang: str, fragments: list[str], attncheck: Attncheck, asked: dict[str, object]) -> None:
    """A table on 80 columns, then what an instructor should look at, then where the results are."""
    asked |= {"rows": [ADA, BO, CY, DI, EVE, FOX, GUS], "summary": SUMMARY}
    ran = attncheck("batch", "in", "--out", "out", "--lang", lang)
    out = ran.out  # type: ignore[attr-defined]
    joined = out.replace("\n", " " if lang == "en" else "")
    for fragment in fragments:
        assert fragment in out or fragment in joined
    assert max(map(cell_len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert ran.err == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        ("en", ["Due 2026-12-01 00:00+08:00 (", "costs 10 %.", "treated as on time: 3 (late according"]),
        ("zh", ["截止时间：2026-12-01 00:00+08:00（", "按准时计的提交：3 份（其中课程平台标为迟交的：1 份）"]),
    ],
)
def test_what_was_decided(lang: str, fragments: list[str], attncheck: Attncheck, asked: dict[str, object]) -> None:
    """Where something is due, the rules are said, and whose times are not known."""
    rules = Rules(due="2026-12-01T00:00:00+08:00", late_percent=10)
    asked["summary"] = BatchSummary(FOLDERS, 3, 3, rules=rules, timeless=3, said_late=1)
    out = attncheck("batch", "in", "--out", "out", "--lang", lang).out  # type: ignore[attr-defined]
    for fragment in fragments:
        assert fragment in out.replace("\n", " " if lang == "en" else "")
    assert json.loads(attncheck("batch", "in", "--out", "out", "--json").out)["rules"]["late_percent"] == 10  # type: ignore[attr-defined]
    asked["summary"] = BatchSummary(FOLDERS, 3, 3, timeless=3)
    assert "on time" not in attncheck("batch", "in", "--out", "out", "--lang", "en").out  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "drawn for that name: bob (“ada”). Check whether"), ("zh", "按那个名字抽取的：bob（“ada”）。请核对")],
)
def test_misnamed_without_a_roster(lang: str, said: str, attncheck: Attncheck, asked: dict[str, object]) -> None:
    """It is not spoken of a roster that knows better."""
    asked["summary"] = BatchSummary(Enrolment((), (), misnamed=(("bob", "ada"),)), 2, 2)
    out = attncheck("batch", "in", "--out", "out", "--lang", lang).out  # type: ignore[attr-defined]
    assert said in out.replace("\n", " " if lang == "en" else "")


def test_docs_know_every_key(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """The example in docs/json.md has the keys of the output, in its order."""
    docs = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8").partition("## Batches")[2]
    example = json.loads(docs.partition("```json")[2].partition("```")[0])
    data = json.loads(attncheck("batch", "in", "--out", "out", "--json").out)  # type: ignore[attr-defined]
    for written, shown in ((data, example), (data["learners"][0], example["learners"][0])):
        assert list(shown) == list(written)
    assert set(example["rules"]) == set(data["rules"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            row(
                "dot",
                3.0,
                complete=False,
                error=Text("q05.py: the file is empty", "q05.py：文件是空的"),
                overridden=GIVEN,
            ),
            "3 of 25  not gradable",
        ),
        (row("eli", 3.0, file=None, submitted=False, overridden=GIVEN), "3 of 25  no submission"),
    ],
)
def test_points_by_hand(line: MarkSummary, said: str, attncheck: Attncheck, asked: dict[str, object]) -> None:
    """Are shown where nothing could be graded."""
    asked["rows"] = [line]
    assert said in attncheck("batch", "in", "--out", "out").out  # type: ignore[attr-defined]


def test_files_are_written_under_the_lock(tmp_path: Path) -> None:
    """Where another process has it, its half-written files are its own."""
    order = BatchRequest(tmp_path / "in", tmp_path, tmp_path, Seed.public())
    with locked(tmp_path), pytest.raises(UsageError, match="Another attncheck"):
        classes._results(order, "en")


def test_a_large_class(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """Is not poured over the terminal."""
    asked |= {"rows": [row(f"x{n}") for n in range(100)], "summary": BatchSummary(FOLDERS, 100, 100)}
    out = attncheck("batch", "in", "--out", "out").out  # type: ignore[attr-defined]
    assert "… and 40 more in class.csv" in out
    assert len(re.findall(r"^x\d+ ", out, re.MULTILINE)) == 60


def test_for_programs(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """The same as data."""
    asked |= {"rows": [ADA, DI, FOX], "summary": SUMMARY}
    data = json.loads(attncheck("batch", "in", "--out", "out", "--json").out)  # type: ignore[attr-defined]
    assert (data["format"], data["out"], data["intake"], data["layers"]) == (1, "out", "canvas", [])
    assert (data["submissions"], data["graded"], data["kept"]) == (5, 3, 1)
    assert (data["missing"], data["unknown"], data["twice"]) == (["eve"], ["Zoë"], ["fox"])
    assert (data["misnamed"], data["respelt"]) == ({"ada": "Ada"}, {"bo": "Bo Bø"})
    ada, di, fox = data["learners"]
    assert ada == {
        "learner": "ada",
        "name": "ada",
        "earned": 25,
        "possible": 25,
        "complete": True,
        "passed": True,
        "counts": True,
        "late_by_seconds": None,
        "error": None,
        "notes": [],
        "unread": [],
        "file": "ada.json",
    }
    assert "\x1b" not in di["error"]
    assert (fox["late_by_seconds"], fox["counts"]) == (7200, False)


def test_progress_where_a_person_watches(
    attncheck: Attncheck, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal a bar moves, on stderr, and nothing of it is on stdout."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = attncheck("batch", "in", "--out", "out", "--json")
    assert json.loads(ran.out)["graded"] == 1  # type: ignore[attr-defined]
    assert "bo\x1b[2J" not in ran.err  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("steps", "lang", "said"),
    [
        ([BatchProgress(1, 9, "ada"), BatchProgress(2, 9, "bo")], "en", "after 2 of 9 submissions"),
        ([], "en", "before the first submission"),
        ([BatchProgress(2, 9, "bo")], "zh", "9 份提交中已评完 2 份"),
    ],
)
def test_interrupted(
    steps: list[BatchProgress], lang: str, said: str, attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how far it got, and that the same command goes on where it was."""

    def run(order: BatchRequest, progress: Callable[[BatchProgress], None]) -> BatchSummary:
        for step in steps:
            progress(step)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "run", run)
    ran = attncheck("batch", "in", "--out", "out", "--lang", lang)
    assert ran.code == 130  # type: ignore[attr-defined]
    assert said in ran.err  # type: ignore[attr-defined]
    assert {"en": "run the same command to continue", "zh": "再次运行同一条命令"}[lang] in ran.err  # type: ignore[attr-defined]


@pytest.mark.parametrize(("lang", "said"), [("en", "run the same command to continue"), ("zh", "再次运行同一条命令")])
def test_interrupted_before_and_after_grading(
    lang: str, said: str, attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so while the command is imported and the course is read, too."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loader, "find", stop)
    ran = attncheck("batch", "in", "--out", "out", "--lang", lang)
    assert ran.code == 130 and said in ran.err  # type: ignore[attr-defined]
    monkeypatch.setattr("grader.commands.import_module", stop)
    ran = attncheck("batch", "in", "--out", "out", f"--lang={lang}")
    assert ran.code == 130 and said in ran.err  # type: ignore[attr-defined]


def test_learners_who_are_called_alike(attncheck: Attncheck, asked: dict[str, object]) -> None:
    """Ids are whole in JSON and below the table; in the table they are shortened, and none like another."""
    names = ["n" * 150 + end for end in ("a", "b")]
    asked["rows"] = [row(name, error=Text("none", "无")) for name in names]
    table = attncheck("batch", "in", "--out", "out").out  # type: ignore[attr-defined]
    first, second = [line.split()[0] for line in table.splitlines()[1:3]]
    assert first != second and len(first) == len(second) == 30
    assert all(f"{name}:" in table.replace("\n", "") for name in names)
    data = json.loads(attncheck("batch", "in", "--out", "out", "--json").out)  # type: ignore[attr-defined]
    assert [one["learner"] for one in data["learners"]] == names
