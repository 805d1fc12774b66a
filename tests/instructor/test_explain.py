"""One point, replayed: what is found, what is shown of it, and that a replay which ends otherwise is said to."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.classroom import batch
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import Override, open_gradebook
from grader.core.errors import UsageError
from grader.core.model import (
    Array,
    Died,
    Exercise,
    ExerciseResult,
    Item,
    Observed,
    Outcome,
    Own,
    Returned,
    Same,
    Status,
    Text,
    TimedOut,
    Verdict,
)
from grader.grading.inputs import Drawn, DrawnMade, Seed
from grader.instructor.explain import (
    ExplainRequest,
    Explanation,
    PointsByHand,
    RecordedPart,
    ShownValue,
    _agree,
    _inputs,
    _things,
    explain_code,
    explain_item,
    find_recorded_part,
    format_array,
)
from grader.sandbox import Sandbox
from tests import tiny
from tests.tiny import give, withdraw

NOW = datetime(2026, 11, 21, tzinfo=UTC)
in_process = tiny.in_process


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Course, class and results; graded once."""
    folder = tmp_path_factory.mktemp("replaying")
    tiny.course(folder / "course")
    (folder / "course/questions/case-names.yaml").write_text("basic: 基本\nlong: 很长\nsquare: 方阵\n", "utf-8")
    tiny.handed_in(folder / "in")
    (folder / "in" / "di.py").write_text("x = 1\n")
    (folder / "in" / "eve.py").write_text("def double(x):\n    return 3\n")
    return folder


@pytest.fixture
def out(place: Path, in_process: None) -> Path:
    """The results: Ada is right, Bo squares, Cy cannot be read, Di has written nothing, Eve returns 3."""
    if not (place / "out").exists():
        batch.run(BatchRequest(place / "in", place / "out", place / "course", Seed.public()))
    return place / "out"


def asked(out: Path, learner: str, check: str, **more: Any) -> ExplainRequest:
    """What an instructor asks."""
    return ExplainRequest(out, learner, check, **({"seed": Seed.public()} | more))


def explain(out: Path, learner: str, check: str, sandbox: Sandbox, **more: Any) -> Explanation:
    """The whole way."""
    seed = Seed.public()
    found = find_recorded_part(asked(out, learner, check, **more))
    if isinstance(found.part, Item):
        assert not isinstance(found.result, ExerciseResult)
        return explain_item(found, found.part, found.result)
    assert isinstance(found.result, ExerciseResult)
    return explain_code(found, found.part, found.result, seed, sandbox.observe)


@pytest.mark.parametrize(
    ("check", "where", "status"),
    [
        ("double", "double/values/basic", Status.FAILED),
        ("Double/values", "double/values/basic", Status.FAILED),
        ("double/values/long", "double/values/long", Status.FAILED),
        ("double/dtype/basic", "double/dtype/basic", Status.FAILED),
        ("double/values/很长", "double/values/long", Status.FAILED),
    ],
)
def test_which_point_is_meant(check: str, where: str, status: Status, out: Path, sandbox: Sandbox) -> None:
    """An exercise stands for its first failure, a check for its first failing case."""
    found = explain(out, "bo", check, sandbox)
    assert (found.check.en, found.status, found.replayed, found.agrees) == (where, status, status, True)
    assert found.check.zh == where.replace("basic", "基本").replace("long", "很长")


def test_a_hidden_case_in_full(out: Path, sandbox: Sandbox) -> None:
    """Inputs, right result, what came out, the first difference; what the learner is told is told apart."""
    found = explain(out, "bo", "double/values/long", sandbox)
    (x,), (right,), (mine,) = found.inputs, found.expected, found.actual
    assert (x.name.en, x.kind.en, right.kind.en, mine.kind.en) == (
        "x",
        "float32 (200,)",
        "float64 (200,)",
        "float32 (200,)",
    )
    assert found.difference is not None
    assert (found.difference.index, found.difference.size) == ((0,), 200)
    assert found.message == Text("the values are wrong", "结果的数值不对")
    assert found.told is not None
    assert found.told.en == "the values differ from the expected ones"
    assert found.misconception is not None
    assert (found.misconception.id, found.visibility, found.file, found.array_type) == (
        "squares",
        "hidden",
        "bo.py",
        "numpy",
    )
    assert found.graded.seed == "public"
    assert "seccomp" in found.graded.sandbox.layers
    assert (found.earned, found.changed, found.override) == (0, False, None)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ((Status.TIMED_OUT, "it computed"), (Status.TIMED_OUT, "it took"), True),
        ((Status.TIMED_OUT, "it computed"), (Status.FAILED, "it computed"), False),
        ((Status.FAILED, "here"), (Status.FAILED, "there"), False),
        ((Status.FAILED, "here"), (Status.FAILED, "here"), True),
    ],
)
def test_what_ends_the_same(before: tuple[Status, str], after: tuple[Status, str], same: bool) -> None:
    """Status and reason; only which of its clocks has stopped a loop does not count."""
    old, new = (
        Outcome("values", "basic", "public", Verdict(status, Text(said, said)), 0.0, 1.0)
        for status, said in (before, after)
    )
    assert _agree(new, old) is same


def test_a_point_that_was_earned(out: Path, sandbox: Sandbox) -> None:
    """Is explained like one that was lost; nothing differs."""
    found = explain(out, "ada", "double", sandbox)
    assert (found.status, found.difference, found.told) == (Status.PASSED, None, None)
    assert found.earned > 0
    assert found.expected[0].text == found.actual[0].text


@pytest.mark.parametrize(("learner", "status"), [("di", Status.MISSING), ("eve", Status.FAILED)])
def test_other_ends(learner: str, status: Status, out: Path, sandbox: Sandbox) -> None:
    """Code that is not there, or that returns something else."""
    found = explain(out, learner, "double", sandbox)
    assert (found.replayed, found.agrees, found.difference) == (status, True, None)
    assert bool(found.actual) == (status is Status.FAILED)
    assert found.inputs


def test_an_item(out: Path, sandbox: Sandbox) -> None:
    """What was asked, with the choices; what is right; what was answered."""
    found = explain(out, "ada", "q1.A", sandbox)
    assert (found.check.en, found.status, found.agrees) == ("Q1.a", Status.FAILED, True)
    assert found.ask == Text("Twice 2?", "2 的两倍？")
    assert sorted((thing.name.en, thing.kind.en) for thing in found.inputs) == [("a", "4"), ("b", "5")]
    assert [thing.kind.en for thing in found.actual] == ["b"]
    assert "4" in found.expected[0].kind.en
    assert found.misconception is not None
    none = explain(out, "bo", "Q1.a", sandbox)
    assert (none.status, none.actual) == (Status.MISSING, ())


def test_a_replay_that_ends_otherwise(out: Path) -> None:
    """Is said: here the machine gives up on what it could do before."""
    found = find_recorded_part(asked(out, "ada", "double"))

    def gone(job: Any, limits: Any) -> Observed:
        reference = job.files == found.course.reference
        answer = Returned((Array(np.zeros(3), "torch", dtype="float64"),)) if reference else TimedOut(2.0, "cpu")
        return Observed((answer,) * len(job.programs), (), unsafe=False)

    assert isinstance(found.part, Exercise)
    assert isinstance(found.result, ExerciseResult)
    explained = explain_code(found, found.part, found.result, Seed.number(77), gone)
    assert (explained.status, explained.replayed, explained.agrees) == (Status.PASSED, Status.TIMED_OUT, False)
    assert "used more than 2 s of CPU time" in explained.actual[0].kind.en


def test_points_given_by_hand_and_changed_questions(out: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    """Both are told; a replay goes by what is there now."""
    given = Override("bo", "double", 3.0, "nearly", "Prof. Invented", NOW)
    with closing(open_gradebook(out)) as book:
        give(book, given)
    course = tiny.course(tmp_path / "course")
    tiny.change(course, "checks: [values, dtype]", "checks: [dtype, values]")
    found = explain(out, "bo", "double/values/long", sandbox, course_folder=course)
    shown = PointsByHand(3.0, "Prof. Invented", "nearly")
    assert (found.override, found.changed, found.agrees) == (shown, True, True)
    tiny.change(course, "name: long", "name: longer")
    with pytest.raises(UsageError, match="double/values/long is no longer in the course"):
        explain(out, "bo", "double/values/long", sandbox, course_folder=course)
    with closing(open_gradebook(out)) as book:
        withdraw(book, "bo", "double")


@pytest.mark.parametrize(
    ("learner", "check", "more", "said"),
    [
        ("bob", "double", {}, "There is no learner “bob”.*Did you mean bo"),
        ("bo", "doubel", {}, "graded item “doubel”; expected a name, or EXERCISE/CHECK/CASE, of one of: double, Q1.a"),
        ("bo", "double/valeus", {}, "no check “valeus”; available: double/values/basic, double/values/long"),
        ("bo", "double/values/none", {}, "no check “values/none”"),
        ("bo", "Q1.a/x", {}, "Q1.a is an item, which has no checks"),
        ("cy", "double", {}, "cy.py of cy could not be graded: cy.py: line 1"),
        ("bo", "double", {"attempt": 2}, "bo has no attempt 2; available: 1"),
        ("bo", "double", {"seed": Seed.number(3)}, "leave out `--seed-file"),
    ],
)
def test_what_is_refused(
    learner: str, check: str, more: dict[str, Any], said: str, out: Path, sandbox: Sandbox
) -> None:
    """With what there is instead."""
    with pytest.raises(UsageError, match=said):
        explain(out, learner, check, sandbox, **more)


@pytest.mark.parametrize("seed", [Seed.public(), Seed.number(3)])
def test_answers_do_not_need_the_seed(seed: Seed, out: Path, sandbox: Sandbox) -> None:
    """No seed decides what an answer earns: whoever asks about one does not have to name the right one."""
    found = explain(out, "ada", "Q1.a", sandbox, seed=seed)
    assert (found.check.en, found.agrees, found.changed) == ("Q1.a", True, False)


def test_what_is_not_there(out: Path, place: Path) -> None:
    """Nothing handed in, not graded as it is now, or files that are not those that were graded."""
    with closing(open_gradebook(out)) as book:
        before, versions = book.submissions(), book.recall("versions")
        book.save_collection([row for row in before if row.key != "di.py"])
        with pytest.raises(UsageError, match="di has no submission"):
            find_recorded_part(asked(out, "di", "double"))
        book.save_collection(before)
        book.remember("versions", {"Q1": "another"})
        with pytest.raises(UsageError, match="Q1 of bo is not graded in this version"):
            find_recorded_part(asked(out, "bo", "double"))
        book.remember("versions", versions)
    code = place / "in" / "eve.py"
    text = code.read_text()
    code.write_text("def double(x):\n    return 4\n")
    with pytest.raises(UsageError, match=r"eve.py is missing or has changed since it was graded"):
        find_recorded_part(asked(out, "eve", "double"))
    code.write_text(text)


def test_one_of_several_attempts(out: Path) -> None:
    """The one that counts, or the one that is named."""
    with closing(open_gradebook(out)) as book:
        before = book.submissions()
        ada, bo = (next(each for each in before if each.key == key) for key in ("ada", "bo.py"))
        book.save_collection([ada, replace(bo, learners=("ada",), attempt=2)])
        assert find_recorded_part(asked(out, "ada", "double")).key == "bo.py"
        found = find_recorded_part(asked(out, "ada", "double", attempt=1))
        assert isinstance(found, RecordedPart)
        assert found.key == "ada"
        book.save_collection(before)


# ---------------------------------------------------------------------------------------------- showing


@pytest.mark.parametrize("shape", [(), (0,), (64,), (8, 8), (1000,), (40, 40), (2, 3, 4, 5), (2,) * 8, (30,) * 4])
def test_arrays_are_bounded(shape: tuple[int, ...]) -> None:
    """Small ones in full, of large ones the corners."""
    text = format_array(np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape))
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines()), default=0) <= 80
    assert ("..." in text or "…" in text) == (np.prod(shape) > 64)


def test_everything_that_can_go_in_has_words() -> None:
    """Arrays, numbers, the same array again, what helpers make; at larger sizes once more."""
    x = np.ones((2, 2), np.float32)
    args = (
        ("x", x),
        ("y", Same("x")),
        ("f", DrawnMade("attend", (("width", 3),))),
        ("g", Own("mine")),
        ("n", 3),
        ("pair", [x, x]),
        ("s", "z" * 900),
    )
    small = Drawn((("x", x),), (), ())
    things = list(_inputs(Drawn(args, (("d_model", 8),), (("w", x),), (small,))))
    assert [(thing.name.en, thing.kind.en[:30]) for thing in things] == [
        ("d_model", "8"),
        ("w", "float32 (2, 2)"),
        ("x", "float32 (2, 2)"),
        ("y", "the same as x"),
        ("f", "made by attend"),
        ("g", "the submission's own mine"),
        ("n", "3"),
        ("pair", "(float32 (2, 2), float32 (2, 2"),
        ("s", "z" * 30),
        ("x, larger", "float32 (2, 2)"),
    ]
    assert len(things[8].kind.en) == 600
    assert things[4].text == "{'width': 3}"


def test_what_came_out_has_words() -> None:
    """Values by run, and what happened where there are none."""
    seen = (Returned((Array(np.ones(2), "torch", dtype="float64"), None)), Died(9, None))
    assert [(thing.name.en, thing.kind.en) for thing in _things(seen)] == [
        ("run 1", "float64 (2,)"),
        ("run 1", "None"),
        ("run 2", "the program crashed: memory or time limit exceeded"),
    ]
    assert list(_things((Returned((True,)),))) == [ShownValue(Text("result", "结果"), Text("True", "True"))]
