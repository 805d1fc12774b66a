"""The wrong sample solutions fail the checks that they name."""

from __future__ import annotations

import pytest

from grader.core.model import ArrayType, ExerciseResult, Status, Unreadable
from grader.grading.failures import verdict
from tests.samples import Sample
from tests.solving import SEEDS, WRONG, Bench, name, some


def assert_caught(sample: Sample, found: ExerciseResult) -> None:
    """The solution fails at least what it says, its author is told something in both languages, and is not accused."""
    failed = {o.check for o in found.outcomes if o.verdict.applies and o.status is not Status.PASSED}
    assert sample.caught_by <= failed
    assert found.status is not Status.PASSED
    assert found.earned < found.possible
    assert found.message is not None
    assert found.message.en
    assert found.message.zh
    tampered = verdict(Unreadable("protocol"), public=True).message
    assert not [o for o in found.outcomes if o.verdict.message == tampered]


@pytest.mark.parametrize("sample", some(WRONG))
def test_wrong_solutions_fail_what_they_say(sample: Sample, bench: Bench) -> None:
    """Wrong values are wrong in either library; anything else must not slip through in the other one."""
    (file,) = sample.submission.files
    spoken: ArrayType = "torch" if file.imports_torch else "numpy"
    only = spoken if "values" in sample.caught_by else None
    assert_caught(sample, bench.grade(sample.exercise, sample.submission, "public", only))


@pytest.mark.prove
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sample", WRONG, ids=name)
def test_wrong_solutions_fail_with_every_seed(sample: Sample, seed: str, bench: Bench) -> None:
    """In every form in which they are tried."""
    assert_caught(sample, bench.grade(sample.exercise, sample.submission, seed))
