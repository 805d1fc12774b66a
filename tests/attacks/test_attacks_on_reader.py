"""What one learner sends to a class server makes nobody else wait, and takes nobody's room or folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.reader import CASES, Case


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_attack(case: Case, tmp_path: Path) -> None:
    """It fails, and the other learner goes on as before."""
    case.attempt(tmp_path)


def test_every_case_can_be_told_from_others() -> None:
    """Every case has a unique name and says what it tries."""
    assert len({case.stem for case in CASES}) == len(CASES)
    assert all(case.tries for case in CASES)
