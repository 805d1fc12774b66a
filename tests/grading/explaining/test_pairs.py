"""Voice 1, when two mistakes are at work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import Mistake, Observation, Status
from grader.grading.explaining import pairs
from grader.grading.explaining.evidence import Evidence
from grader.grading.explaining.mistakes import MistakeSignature
from tests.explaining import failure, gave, tried

RIGHT, WRONG = Status.PASSED, Status.FAILED
ONE, TWO, OTHER = [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 3.0, 2.0, 8.0]
GOOD = [0.0, 1.0, 0.5, 2.0]


def mistake(name: str, *results: list[float]) -> MistakeSignature:
    """A mistake with its result in each case."""
    return MistakeSignature(Mistake(name, (), ()), [gave(each) for each in results])


A = mistake("a", ONE, GOOD, TWO)
B = mistake("b", GOOD, TWO, ONE)


def seen(*results: tuple[list[float], Status]) -> list[Evidence]:
    """What code returned in each case."""
    return [tried(str(at), status, got=gave(values)) for at, (values, status) in enumerate(results)]


MIXED = seen((ONE, WRONG), (TWO, WRONG), (OTHER, WRONG))


@pytest.mark.parametrize(
    ("together", "expected"),
    [([gave(ONE), gave(TWO), gave(OTHER)], ("a", "b")), ([gave(ONE), gave(TWO), gave(TWO)], ()), (None, ())],
)
def test_two_at_once(together: list[tuple[Observation, ...]] | None, expected: tuple[str, ...]) -> None:
    """Both are named if the reference with both returns the same; not if their edits overlap."""
    asked = failure(
        *MIXED,
        known=(A, B),
        changed=[{0, 2}, {1, 2}],
        pair=lambda one, two, numbers: together and [together[at] for at in numbers],
    )
    assert pairs.both(asked) == expected


def test_several_pairs() -> None:
    """Of pairs that explain everything equally well, only what they share is named."""
    same = [gave(ONE), gave(TWO), gave(OTHER)]
    twin = mistake("twin", GOOD, TWO, OTHER)
    asked = failure(
        *MIXED,
        known=(A, B, twin),
        changed=[{0, 2}, {1, 2}, {1, 2}],
        pair=lambda one, two, numbers: [same[at] for at in numbers],
    )
    assert pairs.both(asked) == ("a",)


def test_pairs_that_cannot_explain_it_are_not_run() -> None:
    """A case that neither changes has to be right, and one that a single mistake changes has to be as it makes it."""
    asked: list[tuple[int, int]] = []

    def run(one: int, two: int, numbers: tuple[int, ...]) -> None:
        asked.append((one, two))

    other = mistake("other", OTHER, GOOD, GOOD)
    found = failure(*MIXED, known=(A, B, other), changed=[{0, 2}, {1, 2}, {0}], pair=run)
    assert pairs.both(found) == ()
    assert asked == [(0, 1)]


def test_a_mistake_that_another_undoes() -> None:
    """Most of what only one of the two changes must be wrong, or it was not made; a few may be right by chance."""
    same = [gave(ONE), gave(TWO), gave(OTHER)]
    for right, names in (([9.0, *GOOD[1:]], ("a", "b")), (OTHER[:3] + GOOD[3:], ())):
        evidence = [*MIXED[:2], tried("2", WRONG, got=gave(OTHER), expected=gave(right))]
        asked = failure(*evidence, known=(A, mistake("b", GOOD, TWO, right)), changed=[{0, 2}, {1, 2}])
        assert pairs.both(asked) == ()  # a learners' edition cannot run references
        assert pairs.both(replace(asked, pair=lambda one, two, numbers: [same[at] for at in numbers])) == names


def test_each_in_cases_of_its_own() -> None:
    """Two mistakes that explain the wrong cases between them, each at least two: first, that of the first case."""
    evidence = seen((ONE, WRONG), (TWO, WRONG), (GOOD, RIGHT), (ONE, WRONG), (TWO, WRONG))
    ones = mistake("ones", ONE, ONE, ONE, ONE, ONE)
    twos = mistake("twos", TWO, TWO, TWO, TWO, TWO)
    assert pairs.by_case(failure(*evidence, known=(twos, ones))) == ("ones", "twos")
    assert pairs.by_case(failure(*evidence, known=(ones, twos, mistake("twins", *[TWO] * 5)))) == ()
    assert pairs.by_case(failure(*evidence[:3], known=(ones, twos))) == ()


def test_results_that_anything_could_give() -> None:
    """Zeros agree with zeros: that is no reason to name a mistake."""
    zero = [0.0, 0.0, 0.0, 0.0]
    evidence = seen((zero, WRONG), (ONE, WRONG), (zero, WRONG), (ONE, WRONG))
    zeros, ones = mistake("zeros", *[zero] * 4), mistake("ones", *[ONE] * 4)
    assert pairs.by_case(failure(*evidence, known=(zeros, ones))) == ()


@pytest.mark.parametrize(("fresh", "named"), [([True, True], ("a", "b")), ([True, None], ()), ([], ())])
def test_results_that_say_little(fresh: list[bool | None], named: tuple[str, ...]) -> None:
    """Two mistakes that give the same counts are named if fresh inputs agree, too, and not all counts are alike."""
    known = (mistake("a", [2.0], [3.0], [4.0]), mistake("b", [4.0], [5.0], [1.0]))
    for counts, expected in (([6.0, 7.0, 8.0], named), ([6.0, 6.0, 6.0], ())):
        found = failure(*seen(*[([each], WRONG) for each in counts]), known=known, changed=[{0, 1, 2}] * 2)
        found = replace(found, pair=lambda *of, counts=counts: [gave([counts[at]]) for at in of[2]])  # type: ignore[misc]
        assert pairs.both(replace(found, rerun=lambda asked, files=None, reference=None: fresh)) == expected
