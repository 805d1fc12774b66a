"""What a learner writes costs the grader's own process a bounded amount of work, and gets a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.model import Course
from tests.attacks.cases import parameters
from tests.attacks.grader import CASES, Case


@pytest.mark.parametrize("case", parameters(CASES))
def test_attack(case: Case, course: Course, tmp_path: Path) -> None:
    """The work is within the bound of its place; it is counted, not timed."""
    assert case.attempt(tmp_path, course) <= case.bound
