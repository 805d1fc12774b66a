"""Nobody gains anything around the rules of a course."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.model import Course
from grader.course import loader
from grader.grading import courses
from tests.attacks.rules import CASES, Case


@pytest.fixture(scope="module")
def course() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_attack(case: Case, course: Course, tmp_path: Path) -> None:
    """It gains nothing."""
    assert case.attempt(tmp_path, course) == 0


def test_every_case_can_be_told_from_others() -> None:
    """Every case has a unique name and says what it tries."""
    assert len({case.stem for case in CASES}) == len(CASES)
    assert all(case.tries for case in CASES)
