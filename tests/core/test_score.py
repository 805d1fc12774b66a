from __future__ import annotations

from itertools import pairwise, product

import pytest

from grader.core.model import CheckSpec, Outcome, Status, Verdict
from grader.core.score import Judged, limited, outcomes, overall, practice, tidy
from tests.helpers import case

PASSED, FAILED, UNMARKED = Verdict(Status.PASSED), Verdict(Status.FAILED), Verdict(Status.UNMARKED)
AWAY = Verdict(Status.SKIPPED, applies=False)
VALUES, GRADIENTS, DTYPE = CheckSpec("values", 4.0), CheckSpec("gradients", 1.0), CheckSpec("dtype", 1.0)
A, B, C = case("a"), case("b", public=False), case("c")


def judged(*verdicts: Verdict) -> list[Judged]:
    """Values on three cases, gradients on two, dtype on one."""
    places = [(VALUES, A), (VALUES, B), (VALUES, C), (GRADIENTS, A), (GRADIENTS, B), (DTYPE, A)]
    return [(spec, one, verdict) for (spec, one), verdict in zip(places, verdicts, strict=True)]


def sums(found: tuple[Outcome, ...]) -> tuple[float, float]:
    """Points earned and possible."""
    return tidy(sum(o.earned for o in found)), tidy(sum(o.possible for o in found))


def test_weights_spread_evenly_over_cases() -> None:
    """4 : 1 : 1 of 7 points, each divided by the cases of the check."""
    found = outcomes(7, judged(*[PASSED] * 6))
    assert [o.possible for o in found] == pytest.approx([14 / 9] * 3 + [7 / 12] * 2 + [7 / 6])
    assert [(o.check, o.case, o.visibility) for o in found[:2]] == [
        ("values", "a", "public"),
        ("values", "b", "hidden"),
    ]


@pytest.mark.parametrize("points", [1, 4, 7, 10, 0.7])
def test_points_sum_exactly(points: float) -> None:
    """Full points are full points, and whatever is lost is lost of the same whole."""
    for verdicts in product((PASSED, FAILED, AWAY), repeat=6):
        found = outcomes(points, judged(*verdicts))
        earned, possible = sums(found)
        if any(v.applies for v in verdicts):
            assert possible == points
            assert (earned == points) == (FAILED not in verdicts)
        else:
            assert (earned, possible) == (0, 0)


def test_what_does_not_apply_gives_its_weight_away() -> None:
    """First to the other cases of the check, then to the other checks."""
    found = outcomes(6, judged(PASSED, AWAY, PASSED, AWAY, AWAY, PASSED))
    assert [o.possible for o in found] == pytest.approx([2.4, 0, 2.4, 0, 0, 1.2])


def test_only_passing_earns() -> None:
    """Every other status is worth nothing."""
    for status in Status:
        (found,) = outcomes(4, [(VALUES, A, Verdict(status))])
        assert found.earned == (4 if status is Status.PASSED else 0)


def test_our_fault_leaves_both_sums() -> None:
    """The rest keeps its own shares: nobody gains by it."""
    whole = outcomes(6, judged(*[PASSED] * 6))
    found = outcomes(6, judged(UNMARKED, PASSED, FAILED, PASSED, UNMARKED, PASSED))
    assert [o.possible for o in found] == [0, *[o.possible for o in whole[1:4]], 0, whole[5].possible]
    assert sums(found)[0] < sums(found)[1] < 6


def test_the_same_kind_twice_is_two_checks() -> None:
    """With other cases or options a kind can stand twice, each with its own weight."""
    wide = CheckSpec("values", 1.0, options=(("rtol", 0.1),))
    found = outcomes(5, [(VALUES, A, PASSED), (VALUES, B, PASSED), (wide, A, PASSED)])
    assert [o.possible for o in found] == [2, 2, 1]


def test_nothing_judged_is_worth_nothing() -> None:
    """An exercise of which nothing could be asked."""
    assert outcomes(4, []) == ()
    assert overall(()) is Status.SKIPPED


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([Status.PASSED, Status.PASSED], Status.PASSED),
        ([Status.PASSED, Status.FAILED, Status.DIED], Status.FAILED),
        ([Status.UNMARKED, Status.TIMED_OUT], Status.TIMED_OUT),
        ([Status.PASSED, Status.UNMARKED], Status.UNMARKED),
        ([Status.UNMARKED], Status.UNMARKED),
        ([Status.MISSING], Status.MISSING),
    ],
)
def test_an_exercise_has_the_status_of_its_first_failure(statuses: list[Status], expected: Status) -> None:
    """It passes when everything did; what could not be graded does not hide a failure."""
    found = outcomes(4, [(VALUES, A, Verdict(status)) for status in statuses])
    assert overall(found) is expected


def test_what_does_not_apply_does_not_count() -> None:
    """Neither among others nor alone."""
    assert overall(outcomes(4, [(VALUES, A, PASSED), (GRADIENTS, A, AWAY)])) is Status.PASSED
    assert overall(outcomes(4, [(GRADIENTS, A, AWAY)])) is Status.SKIPPED


def test_more_passed_is_never_worth_less() -> None:
    """Mending one thing cannot cost points."""
    steps = [judged(*[PASSED] * n, *[FAILED] * (6 - n)) for n in range(7)]
    assert all(sums(outcomes(7, a))[0] < sums(outcomes(7, b))[0] for a, b in pairwise(steps))


def test_wrong_results_cost_half() -> None:
    """What is earned is reduced in proportion; less than half stays as it is."""
    most = outcomes(7, judged(FAILED, *[PASSED] * 5))
    found = limited(most)
    assert sums(found) == (3.5, 7)
    assert [o.earned > 0 for o in found] == [o.status is Status.PASSED for o in found]
    little = outcomes(7, judged(FAILED, FAILED, FAILED, FAILED, FAILED, PASSED))
    assert limited(little) == little
    assert limited(()) == ()


@pytest.mark.parametrize(
    ("fraction", "attempt", "hints", "expected"),
    [
        (1.0, 1, 0, 1.0),
        (1.0, 2, 0, 0.5),
        (1.0, 3, 0, 0.25),
        (0.5, 2, 0, 0.25),
        (0.0, 1, 3, 0.0),
        (1.0, 1, 1, 0.8),
        (1.0, 1, 2, 0.64),
        (1.0, 2, 1, 0.4),
    ],
)
def test_practice_points(fraction: float, attempt: int, hints: int, expected: float) -> None:
    """Half as much at each further try, a fifth less for each hint."""
    assert practice(fraction, attempt=attempt, hints=hints) == expected
