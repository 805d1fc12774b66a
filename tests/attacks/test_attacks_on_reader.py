"""What one learner sends to a class server makes nobody else wait, and takes nobody's room or folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.cases import parameters
from tests.attacks.reader import CASES, Case


@pytest.mark.parametrize("case", parameters(CASES))
def test_attack(case: Case, tmp_path: Path) -> None:
    """It fails, and the other learner goes on as before."""
    case.attempt(tmp_path)
