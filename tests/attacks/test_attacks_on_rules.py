"""Nobody gains anything around the rules of a course."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.model import Course
from tests.attacks.cases import parameters
from tests.attacks.rules import CASES, Case


@pytest.mark.parametrize("case", parameters(CASES))
def test_attack(case: Case, course: Course, tmp_path: Path) -> None:
    """It gains nothing."""
    assert case.attempt(tmp_path, course) == 0
