"""Answers in one's own words: which wait, which are alike, and what a person decides about them."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.classroom import batch
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import open_gradebook
from grader.commands import run as run_command
from grader.core.errors import UsageError
from grader.core.model import Item, Text
from grader.course.items.text import Spec
from grader.grading.inputs import Seed
from grader.instructor import rubric
from tests import tiny

ITEM = """\
  - id: Q1.why
    kind: text
    points: 3
    ask: {en: Why is twice x equal to x + x?, zh: 为什么两倍等于 x + x？}
    key_points:
      - {en: Twice means two of it., zh: 两倍就是两份。}
      - {en: Adding x to x makes two of it., zh: x 加 x 是两份。}
      - {en: So both are equal., zh: 所以两者相等。}
    answer: {en: Twice x is two of it and so is x plus x., zh: x 的两倍就是两份，x 加 x 也是两份，所以相等。}
exercises:
"""
ANSWERS = {
    "ann": "Twice x is two of it, and so is x plus x.",
    "ben": "twice X is two of it and so is x plus x",
    "cat": "Twice x is two of it and so is x plus x again.",
    "dan": "Because the computer says so.",
}
in_process = tiny.in_process


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a graded text item, and four answers to it."""
    folder = tmp_path_factory.mktemp("rubric")
    tiny.course(folder / "course")
    tiny.change(folder / "course", "exercises:\n", ITEM)
    for name, text in ANSWERS.items():
        (folder / "in" / name).mkdir(parents=True)
        answers = json.dumps({"format": 1, "learner": name, "answers": {"Q1.why": text}})
        (folder / "in" / name / "answers.yaml").write_text(answers)
    return folder


@pytest.fixture
def out(handed_in: Path, tmp_path: Path, in_process: None) -> Path:
    """The results of that class."""
    if not (handed_in / "out").exists():
        batch.run(BatchRequest(handed_in / "in", handed_in / "out", handed_in / "course", Seed.public()))
    shutil.copytree(handed_in / "out", tmp_path / "out")
    return tmp_path / "out"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command wrote, and its exit code."""

    code: int
    text: str


def run(*words: str, typed: str = "") -> Ran:
    """The command, with lines typed into it."""
    seen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(seen), contextlib.redirect_stderr(seen):
        patch.setattr("sys.stdin", io.StringIO(typed))
        code = run_command(["override", *words])
    seen.seek(0)
    return Ran(code, seen.read())


def given(out: Path) -> dict[str, tuple[float, str]]:
    """The points by hand, with their reasons."""
    with closing(open_gradebook(out)) as book:
        return {change.learner: (change.points, change.reason) for change in book.overrides()}


def test_similar_answers_stand_together(out: Path, handed_in: Path) -> None:
    """Equal ones are one wording; similar ones one group; and what a person needs to decide is beside them."""
    found = json.loads(run(str(out), "--pending", "--json", "--course", str(handed_in / "course")).text)["pending"]
    assert [[wording["learners"] for wording in each["answers"]] for each in found] == [
        [["ann", "ben"], ["cat"]],
        [["dan"]],
    ]
    assert [point["id"] for point in found[0]["key_points"]] == ["a", "b", "c"]
    shown = run(str(out), "--pending", "--course", str(handed_in / "course")).text
    assert "2× Twice x is two of it" in shown and "So both are equal." in shown


def test_one_decision_marks_a_group(out: Path, handed_in: Path) -> None:
    """With one share of the points for each key point; comments are offered again, and q keeps what was decided."""
    course = str(handed_in / "course")
    typed = "abz\nab\nGood, but say why.\n0\n1\n"
    shown = run(str(out), "--mark", "--author", "me", "--course", course, typed=typed)
    assert shown.code == 0, shown.text
    assert "has the key points a, b, c, and 0" in shown.text
    said = "key points a, b of a–c: Good, but say why."
    assert given(out) == {
        **dict.fromkeys(("ann", "ben", "cat"), (2.0, said)),
        "dan": (0.0, "key points none of a–c: Good, but say why."),
    }
    assert "No answers are waiting" in run(str(out), "--pending", "--course", course).text


def test_wordings_can_be_marked_one_by_one(out: Path, handed_in: Path) -> None:
    """Similar words can mean opposite things. What is skipped goes on waiting."""
    run(str(out), "--mark", "--author", "me", "--course", str(handed_in / "course"), typed="x\nabc\n\ns\nq\n")
    assert given(out) == dict.fromkeys(("ann", "ben"), (3.0, "key points a, b, c of a–c"))


def test_one_learner_by_key_points(out: Path, handed_in: Path) -> None:
    """Alone, or with everybody whose answer is alike."""
    course = ("--author", "me", "--course", str(handed_in / "course"))
    assert "No answer of {x} to Q1.why" in run(str(out), "{x}", "Q1.why", "--key-points", "c", *course).text
    assert "1 of 3 points for 1" in run(str(out), "dan", "Q1.why", "--key-points", "c", *course).text
    assert "3 of 3 points for 3" in run(str(out), "cat", "Q1.why", "--key-points", "abc", "--alike", *course).text
    assert {name: points for name, (points, _) in given(out).items()} == {"ann": 3, "ben": 3, "cat": 3, "dan": 1}
    for words, said in (
        (("dan", "Q1.why", "--key-points", "a"), "waiting to be marked"),
        (("dan", "Q1.why", "--comment", "hm"), "require --key-points"),
        (("dan", "Q1.why", "--key-points", "a", "--points", "1"), "decides the points"),
        (("--mark", "--json"), "no JSON"),
        (("dan", "--mark"), "for the whole class"),
    ):
        failed = run(str(out), *words, *course)
        assert (failed.code, said in failed.text) == (2, True), failed.text


def spec(points: int = 2) -> Item:
    """An item with so many key points."""
    return Item("Q1.why", "text", Text("Why?", "为什么？"), spec=Spec((Text("p", "p"),) * points, Text("a", "a")))


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        ({}, []),
        ({"a": "x ≠ y", "b": "X≠Y!", "c": "x = y"}, [["a", "b"], ["c"]]),
        ({"a": "查询只用一次", "b": "查询，只用一次。", "c": "键只用一次"}, [["a", "b"], ["c"]]),
        ({"a": "", "b": " "}, [["a", "b"]]),
        ({name: "same words" for name in "dcba"} | {"e": "other"}, [["a", "b", "c", "d"], ["e"]]),
    ],
)
def test_groups_depend_on_nothing_but_the_answers(answers: dict[str, str], groups: list[list[str]]) -> None:
    """In any order of learners; signs such as ≠ count as words, case and punctuation do not."""
    for order in (answers, dict(reversed(answers.items()))):
        assert [list(each.learners) for each in rubric.group_answers(spec(), order)] == groups


@pytest.mark.parametrize(("said", "points"), [("a", 0.5), ("AB", 1.0), ("a, b", 1.0), ("0", 0.0)])
def test_key_points_are_worth_the_same(said: str, points: float) -> None:
    """In every spelling."""
    assert rubric.score_decision(spec(), rubric.Decision(said))[0] == points


@pytest.mark.parametrize("said", ["", "c", "0a", "?"])
def test_unknown_key_points_are_refused(said: str) -> None:
    """With those there are."""
    with pytest.raises(UsageError, match="has the key points a, b, and 0"):
        rubric.score_decision(spec(), rubric.Decision(said))
    with pytest.raises(UsageError, match="no key points"):
        rubric.score_decision(spec(0), rubric.Decision("a"))
