from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import CheckSpec, Died, NotRun, Observation, Raised, Status, TimedOut, TooBig, Unreadable
from grader.grading.checks import cases_for, kinds
from tests.helpers import array, case, exercise, returned, seen

TROUBLES: list[tuple[Observation, Status]] = [
    (Raised("IndexError", "out of range", "q05.py", 3), Status.RAISED),
    (Raised("KeyError", "3", "q05.py", 1, "import"), Status.RAISED),
    (TimedOut(2.0, "cpu"), Status.TIMED_OUT),
    (TimedOut(6.0, "wall", "import"), Status.TIMED_OUT),
    (Died(11, None), Status.DIED),
    (Died(None, 3, "import"), Status.DIED),
    (TooBig(1 << 20), Status.FAILED),
    (Unreadable("type", ("module",)), Status.FAILED),
    (NotRun("budget"), Status.SKIPPED),
]


@pytest.mark.parametrize(("trouble", "status"), TROUBLES, ids=[type(t).__name__ for t, _ in TROUBLES])
def test_every_check_takes_every_trouble(trouble: Observation, status: Status) -> None:
    """Whatever happened instead of a result has its own status, and words in both languages."""
    assert kinds()
    for kind, check in kinds().items():
        fine = returned([array([1.0])] if kind == "gradients" else array([1.0]))
        verdict = check.judge(seen(kind, [trouble], (fine, fine) if check.REFERENCE else ()))
        other = kind == "raises" and isinstance(trouble, Raised) and trouble.during == "call"
        assert verdict.status is (Status.FAILED if other else status), kind  # not the exception that was asked for
        assert verdict.applies, kind
        assert verdict.message is not None, kind
        assert verdict.message.en and verdict.message.zh, kind


@pytest.mark.parametrize("trouble", [trouble for trouble, _ in TROUBLES], ids=lambda trouble: type(trouble).__name__)
def test_a_failed_reference_costs_nobody_a_point(trouble: Observation) -> None:
    """Whatever became of the learner's call, nothing is marked that cannot be compared."""
    comparing = {kind: check for kind, check in kinds().items() if check.REFERENCE}
    assert comparing
    for kind, check in comparing.items():
        for got in ([returned(array([1.0]))], [Died(11, None)]):
            verdict = check.judge(seen(kind, got, [trouble]))
            assert verdict.status is Status.UNMARKED, kind
            assert verdict.message is not None, kind
            assert "the course's own reference failed" in verdict.message.en, kind


@pytest.mark.parametrize("kind", sorted(set(kinds()) - {"raises", "registered_parameters"}))
def test_too_few_observations_are_our_mistake(kind: str) -> None:
    """A check that gets less than it asked for says so, and marks nothing."""
    with pytest.raises(ValueError, match=r"ask|gradients"):
        kinds()[kind].judge(seen(kind, []))


BASIC, OTHER, ROWS, BAD = (
    case("basic"),
    case("other"),
    replace(case("rows"), only=("fully_masked_rows",)),
    replace(case("bad"), raises="ValueError"),
)
EXERCISE = exercise("attend(x)", BASIC, OTHER, ROWS, BAD)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (CheckSpec("values", 4.0), ["basic", "other"]),
        (CheckSpec("values", 4.0, ("rows",)), ["rows"]),
        (CheckSpec("gradients", 1.0), ["basic"]),
        (CheckSpec("gradients", 1.0, ("other", "basic")), ["basic", "other"]),
        (CheckSpec("fully_masked_rows", 1.0), ["basic", "other", "rows"]),
        (CheckSpec("raises", 1.0), ["bad"]),
    ],
)
def test_the_cases_of_a_check(spec: CheckSpec, names: list[str]) -> None:
    """Those that it names, those that name it, else its own choice; in the order of the exercise."""
    assert [each.name for each in cases_for(spec, EXERCISE)] == names


def test_a_check_of_one_case_takes_its_own() -> None:
    """Cases that name a check come before the first general one."""
    own = replace(EXERCISE, cases=(BASIC, replace(ROWS, only=("dtype",)), BAD))
    assert [each.name for each in cases_for(CheckSpec("dtype", 1.0), own)] == ["rows"]
