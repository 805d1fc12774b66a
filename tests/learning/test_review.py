"""Reviews in, due dates out: FSRS, replayed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from grader.core.model import Status
from grader.learning.log import Event, Rating
from grader.learning.review import cards, queue, rating, replay, waiting
from tests.learner_logs import COURSE, START, at, code, reviewed, right, wrong


def test_a_replay_gives_the_same_again() -> None:
    """Chance has no part in it: many reviews, replayed, end at the same times."""
    ratings: list[Rating] = ["good", "again", "hard", "easy", "good", "good"]
    log = [reviewed(f"card {n % 7}", ratings[n * 5 % 6], n * 31) for n in range(200)]
    first = replay(log)
    assert first == replay(log) and len(first) == 7
    assert all(times in (28, 29) for _, times in first.values())


@pytest.mark.parametrize(
    ("ratings", "days"),
    [
        (["again"], 0),
        (["hard"], 0),
        (["good"], 2),
        (["easy"], 8),
        (["good", "good"], 11),
        (["good", "again"], 0),
        (["again", "good"], 1),
        (["easy"] * 6, 365),
    ],
)
def test_how_long_a_card_rests(ratings: list[Rating], days: int) -> None:
    """What was not known at once comes again the same day, what was known rests longer each time, a year at most."""
    now, log = START, []
    for each in ratings:
        log.append(replace(reviewed("card", each), at=now))
        due, _ = replay(log)["card"]
        now, before = due, now
    assert (now - before).days == days
    assert now > before


def test_a_clock_that_was_set_back_does_no_harm() -> None:
    """Events stand in the order of the file."""
    assert replay([reviewed("card", "good", 48), reviewed("card", "good", 0)])["card"][1] == 2


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((), []),
        ((wrong("Q3.what", settled=False),), []),
        ((right("Q3.what"),), ["Q3.what"]),
        ((code("scaled_scores"), code("Heads")), ["scaled_scores"]),  # a class is too much to write again
        ((code("scaled_scores", Status.FAILED),), []),
        ((right("Q9.gone"), reviewed("gone", "good")), []),
        ((right("Q3.what", 0), right("Q3.why", -1), wrong("Q3.sum", 2)), ["Q3.sum", "Q3.why", "Q3.what"]),
        ((code("softmax", hours=-2), code("softmax", Status.FAILED), right("Q3.what", -1)), ["softmax", "Q3.what"]),
        ((right("Q3.what"), right("Q3.why"), reviewed("Q3.why", "good")), ["Q3.why", "Q3.what"]),
        (
            (*map(right, ("Q3.what", "Q3.why")), reviewed("Q3.what", "good"), reviewed("Q3.why", "again")),
            ["Q3.why", "Q3.what"],
        ),
    ],
)
def test_order(events: tuple[Event, ...], expected: list[str]) -> None:
    """What has a time, by its time; then what is new, weak ones first, then the oldest."""
    assert [card.name for card in cards(COURSE, events)] == expected


def test_the_queue_has_what_is_due_then_what_is_new() -> None:
    """What rests is not in it."""
    events = (*map(right, ("Q3.what", "Q3.why", "Q3.sum")), reviewed("Q3.why", "good"), reviewed("Q3.sum", "easy"))
    found = cards(COURSE, events)
    assert [card.name for card in queue(found, at(1))] == ["Q3.what"]
    assert [card.name for card in queue(found, at(24 * 3))] == ["Q3.why", "Q3.what"]
    assert [(card.name, card.times) for card in found if card.times] == [("Q3.why", 1), ("Q3.sum", 1)]


def test_what_was_just_met_is_not_called_for() -> None:
    """The reminder leaves new cards alone for half a day; a review may ask them all the same."""
    found = cards(COURSE, (right("Q3.what"), right("Q3.why"), reviewed("Q3.why", "again")))
    assert waiting(found, at(1)) == 1
    assert waiting(found, at(13)) == 2
    assert len(queue(found, at(1))) == 2


@pytest.mark.parametrize(
    ("status", "tries", "helped", "word", "expected"),
    [
        (Status.PASSED, 1, False, None, "good"),
        (Status.PASSED, 1, False, "easy", "easy"),
        (Status.PASSED, 2, False, "easy", "hard"),
        (Status.PASSED, 1, True, "easy", "hard"),
        (Status.FAILED, 3, False, "good", "again"),
        (Status.MISSING, 1, False, None, "again"),
        (Status.RAISED, 1, False, None, "again"),
        (Status.PENDING, 1, False, None, "hard"),
        (Status.PENDING, 1, False, "good", "good"),
    ],
)
def test_rating(status: Status, tries: int, helped: bool, word: Rating | None, expected: Rating) -> None:
    """From the attempts; the learner's word counts only where it can."""
    assert rating(status, tries, helped=helped, word=word) == expected


def test_intervals_are_those_of_the_day_not_of_the_clock() -> None:
    """Reviewed an hour late or early, the interval is the same."""
    due = [replay([reviewed("x", "good"), reviewed("x", "good", 48 + late)])["x"][0] for late in (0, 1)]
    assert due[1] - due[0] == timedelta(hours=1)
