"""The sample solutions: right ones get all points, whatever the seed; wrong ones fail the checks they name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from grader import course as courses
from grader.grade import Memo, Selection, grade
from grader.inputs import Seed
from grader.model import ArrayType, Course, ExerciseResult, Status
from grader.sandbox import Sandbox
from grader.sandbox.remember import remembering
from grader.submission import read
from tests.helpers import Observe

FOLDER = Path(__file__).parent / "solutions"
RIGHT = sorted(FOLDER.glob("*/right/*.py"))
WRONG = sorted(FOLDER.glob("*/wrong/*.py"))
SEEDS = {"public": Seed.public(), "1": Seed.number(1), "2": Seed.number(2)}


def name(path: Path) -> str:
    """How a solution is called in the output of pytest."""
    return f"{path.parts[-3]}/{path.stem}"


@pytest.fixture(scope="module")
def course() -> Course:
    """The bundled course."""
    return courses.load(courses.find(None))


@dataclass(frozen=True, slots=True)
class Bench:
    """Grades solutions with one memo for each seed and choice of array types: references run once."""

    course: Course
    observe: Observe
    expect: Observe
    memos: dict[tuple[str, ArrayType | None], Memo] = field(default_factory=dict)

    def grade(self, path: Path, seed: str, only: ArrayType | None = None) -> ExerciseResult:
        """The exercise that the solution's folder is named after; in one array type, or in those of the bank."""
        if (seed, only) not in self.memos:
            self.memos[seed, only] = Memo(self.speaking(only), SEEDS[seed], self.expect)
        memo, selection = self.memos[seed, only], Selection(exercises=(path.parts[-3],))
        report = grade(memo.course, read(path), self.observe, selection=selection, memo=memo)
        ((found,),) = (question.exercises for question in report.questions)
        return found

    def speaking(self, only: ArrayType | None) -> Course:
        """The course, with exercises in one array type."""
        if only is None:
            return self.course
        questions = [
            replace(q, exercises=tuple(replace(e, array_types=(only,)) for e in q.exercises))
            for q in self.course.questions
        ]
        return replace(self.course, questions=tuple(questions))


@pytest.fixture(scope="module")
def bench(course: Course, sandbox: Sandbox) -> Bench:
    """The bundled course in the real sandbox."""
    memory: dict[str, bytes] = {}
    return Bench(course, sandbox.observe, remembering(sandbox.observe, memory.get, memory.__setitem__))


def caught_by(path: Path) -> set[str]:
    """The checks that a wrong solution says it fails."""
    said = re.search(r"^caught-by: *(.+)$", path.read_text("utf-8"), re.MULTILINE)
    assert said, f"{path} has no line 'caught-by: CHECK, …'"
    return set(re.split(r",\s*", said[1].strip()))


def test_every_exercise_has_solutions(course: Course) -> None:
    """Several right and wrong ones each, and none for an exercise that does not exist."""
    exercises = {exercise.name for question in course.questions for exercise in question.exercises}
    for paths in (RIGHT, WRONG):
        assert {path.parts[-3] for path in paths} == exercises


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("path", RIGHT, ids=name)
def test_right_solutions_get_all_points(path: Path, seed: str, bench: Bench) -> None:
    """However they are written, on whatever inputs."""
    found = bench.grade(path, seed)
    lost = [(o.check, o.case, o.verdict.message) for o in found.outcomes if o.verdict.applies and o.earned < o.possible]
    assert not lost
    assert found.status is Status.PASSED
    (_, exercise) = bench.course.exercise(found.name) or (None, None)
    assert exercise is not None
    assert found.earned == found.possible == exercise.points


def assert_caught(path: Path, found: ExerciseResult) -> None:
    """The solution fails at least what it says, and its author is told something in both languages."""
    failed = {o.check for o in found.outcomes if o.verdict.applies and o.status is not Status.PASSED}
    assert caught_by(path) <= failed
    assert found.status is not Status.PASSED
    assert found.earned < found.possible
    assert found.message is not None
    assert found.message.en
    assert found.message.zh


@pytest.mark.parametrize("path", WRONG, ids=name)
def test_wrong_solutions_fail_what_they_say(path: Path, bench: Bench) -> None:
    """Wrong values are wrong in either library; anything else must not slip through in the other one."""
    (file,) = read(path).files
    spoken: ArrayType = "torch" if file.imports_torch else "numpy"
    assert_caught(path, bench.grade(path, "public", spoken if "values" in caught_by(path) else None))


@pytest.mark.prove
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("path", WRONG, ids=name)
def test_wrong_solutions_fail_with_every_seed(path: Path, seed: str, bench: Bench) -> None:
    """In every form in which they are tried."""
    assert_caught(path, bench.grade(path, seed))
