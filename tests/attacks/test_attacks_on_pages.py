"""What is sent to the pages of a class gains nothing, stops nothing, and is seen by nobody who should not see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.cases import parameters
from tests.attacks.pages import CASES, Case, Room
from tests.web.test_site import Classroom, classroom, made

__all__ = ["classroom", "made"]  # fixtures


@pytest.mark.parametrize("case", parameters(CASES))
def test_attack(case: Case, classroom: Classroom, tmp_path: Path) -> None:
    """It fails."""
    case.attempt(Room(classroom, tmp_path))
