"""A learner's own code in a picture: what it gives is shown, what cannot be shown truly is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.errors import CourseError, SubmissionError, UsageError
from grader.core.model import Array, Course, Observed, Raised, TimedOut
from grader.course import loader
from grader.grading import courses
from grader.report.figures import run
from grader.report.figures.kinds import SourceResults, kinds
from grader.report.figures.run import LearnerValues, mismatch
from grader.sandbox import Sandbox
from tests.helpers import answering, submission

SOLUTIONS = Path(__file__).parents[2] / "solutions"
VARIANCE = kinds()["variance"]
RIGHT = "import numpy as np\ndef scaled_scores(q, k):\n    return q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5\n"


@pytest.fixture(scope="module")
def course() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


@pytest.fixture(scope="module")
def variance(course: Course, sandbox: Sandbox) -> SourceResults:
    """What the reference gives."""
    return run.reference(course, VARIANCE, sandbox.observe)


def mine(course: Course, sandbox: Sandbox, beside: SourceResults, text: str) -> LearnerValues:
    """What a file with ``text`` gives."""
    return run.learner(course, VARIANCE, submission(q03=text), sandbox.observe, beside)


def test_right_code_shows_what_the_reference_shows(course: Course, sandbox: Sandbox, variance: SourceResults) -> None:
    """In NumPy as in torch."""
    found = mine(course, sandbox, variance, RIGHT)
    assert found.seen is not None
    assert (found.seen.who, found.remarks, found.absent, found.unsafe) == ("learner", (), (), False)
    for got, wanted in zip(found.seen.values["scaled_scores"][0], variance.values["scaled_scores"][0], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def scaled_scores(q, k):\n    raise ValueError('no')\n", "ValueError"),
        ("def scaled_scores(q, k):\n    return q\n", "the result has shape (64, 2); expected (64, 64)"),
        ("def scaled_scores(q, k):\n    return 'scores'\n", "expected an array of numbers"),
        ("def scaled_scores(q, k):\n    return q @ k.T > 0\n", "expected an array of numbers"),
    ],
)
def test_what_cannot_be_shown(course: Course, sandbox: Sandbox, variance: SourceResults, text: str, said: str) -> None:
    """Is not shown, and said with the reason."""
    found = mine(course, sandbox, variance, text)
    assert found.seen is None
    (remark,) = found.remarks
    assert (remark.name, remark.file, remark.lost) == ("scaled_scores", "q03.py", True)
    assert said in remark.text.en
    assert remark.text.zh


def test_holes_are_said(course: Course, sandbox: Sandbox, variance: SourceResults) -> None:
    """NaN where the reference has numbers is shown as it is."""
    found = mine(course, sandbox, variance, RIGHT.replace("** 0.5", "** 0.5 * float('nan')"))
    assert found.seen is not None
    (remark,) = found.remarks
    assert not remark.lost
    assert "NaN" in remark.text.en


def test_a_file_without_the_names(course: Course, sandbox: Sandbox, variance: SourceResults) -> None:
    """Says what the picture needs, what was found, and how to begin."""
    with pytest.raises(SubmissionError, match=r"needs scaled_scores; found: softmax\. `attncheck start Q3`"):
        mine(course, sandbox, variance, "def softmax(x): return x\n")


def test_a_file_with_some_of_the_names(course: Course, sandbox: Sandbox) -> None:
    """Shows these; the others are named."""
    picture = kinds()["masks"]
    beside = run.reference(course, picture, sandbox.observe)
    text = (SOLUTIONS / "causal_mask" / "right").glob("*.py")
    found = run.learner(course, picture, submission(q20=next(text).read_text("utf-8")), sandbox.observe, beside)
    assert found.seen is not None
    assert set(found.seen.values) == {"causal_mask"}
    assert found.absent == ("padding_mask", "causal_attention")
    assert picture.draw((beside, found.seen)).rows


def test_a_course_without_the_exercise(course: Course) -> None:
    """Another course has other pictures, if any."""
    empty = Course(course.title, "x", (), (), (), (), "", "")
    with pytest.raises(UsageError, match="no exercise for this picture; it draws scaled_scores"):
        run.exercises(empty, VARIANCE)


def test_a_reference_that_fails(course: Course) -> None:
    """Is the course's fault."""
    with pytest.raises(CourseError, match="the course's own scaled_scores cannot be drawn"):
        run.reference(course, VARIANCE, answering(lambda program: Raised("ValueError", "no", None, None)))


def test_code_that_was_run_without_a_wall_is_stamped(course: Course, variance: SourceResults) -> None:
    """Whatever became of it."""

    def observe(job: Any, limits: Any) -> Observed:
        return Observed(tuple(TimedOut(1.0, "cpu") for _ in job.programs), (), True)

    assert run.learner(course, VARIANCE, submission(q03=RIGHT), observe, variance).unsafe


ONE = np.zeros((2, 3))


@pytest.mark.parametrize(
    ("wanted", "value", "said"),
    [
        (ONE, Array(ONE), None),
        (ONE, Array(ONE.astype("f")), None),
        (ONE, None, "no gradient"),
        (ONE, Array(ONE > 0), "array of numbers"),
        (ONE > 0, Array(ONE), "array of booleans"),
        (ONE, Array(ONE.T), "shape (3, 2); expected (2, 3)"),
        (np.float64(1.0), 2.0, None),
        (1.5, 2, None),
        (1.5, Array(np.array(2.0)), None),
        (1.5, "x", "array of numbers"),
        (True, False, None),
        (True, 1, "expected"),
        ([ONE, 1.0], [Array(ONE), 1.0], None),
        ([ONE, 1.0], [Array(ONE.T), 1.0], "shape"),
        ([ONE], [], "expected 1 values"),
        ([ONE], None, "no gradient"),
        ({"a": 1.0}, {"a": 2.0}, None),
        ({"a": 1.0}, {"b": 2.0}, "expected"),
        ({"a": 1.0}, 3, "expected"),
        ({"work": 5, "exits": False}, {"work": 3, "exits": False}, None),
        ({"work": 5, "exits": False}, {"work": 0, "exits": False}, "counted in torch only"),
        ({"work": 5, "exits": False}, {"work": 5, "exits": True}, "counted in torch only"),
        (None, "anything", None),
    ],
)
def test_what_fits(wanted: object, value: object, said: str | None) -> None:
    """Kinds and sizes are those of the reference, or it is said in both languages why not."""
    found = mismatch(np.asarray(wanted) if isinstance(wanted, np.floating) else wanted, value)
    assert (found is None) == (said is None)
    if found is not None and said is not None:
        assert said in found.en
        assert found.zh
