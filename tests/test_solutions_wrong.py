"""The wrong sample solutions fail the checks that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.model import ArrayType, ExerciseResult, Status
from grader.grading.failures import TAMPERED
from grader.submission import read
from tests.solving import SEEDS, WRONG, Bench, caught_by, name, some


def assert_caught(path: Path, found: ExerciseResult) -> None:
    """The solution fails at least what it says, its author is told something in both languages, and is not accused."""
    failed = {o.check for o in found.outcomes if o.verdict.applies and o.status is not Status.PASSED}
    assert caught_by(path) <= failed
    assert found.status is not Status.PASSED
    assert found.earned < found.possible
    assert found.message is not None
    assert found.message.en
    assert found.message.zh
    assert not [o for o in found.outcomes if o.verdict.message == TAMPERED]


@pytest.mark.parametrize("path", some(WRONG))
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
