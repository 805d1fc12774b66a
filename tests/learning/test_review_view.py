"""What people see of a review."""

from __future__ import annotations

from datetime import timedelta

import pytest
from rich.cells import cell_len

from grader.core.model import Exercise, Lang
from grader.learning import review_view
from grader.learning.log import Event, Rating
from grader.learning.review import cards, queue
from tests.helpers import flat
from tests.learner_logs import COURSE, START, at, code, reviewed, right
from tests.learning.test_progress_view import drawn

SEEN: tuple[Event, ...] = (right("Q3.what"), right("Q3.why"), code("softmax"))
EVENTS: tuple[Event, ...] = (*SEEN, reviewed("Q3.why", "easy"), reviewed("Q3.what", "again"))


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (-5, "now", "到期"),
        (0, "now", "到期"),
        (5, "in 1 min", "1 分钟后"),
        (600, "in 10 min", "10 分钟后"),
        (7000, "in 2 h", "2 小时后"),
        (86400 * 8, "in 8 d", "8 天后"),
    ],
)
def test_when(seconds: float, en: str, zh: str) -> None:
    """In the largest unit that fits."""
    said = review_view.when(START + timedelta(seconds=seconds), START)
    assert (said.en, said.zh) == (en, zh)


def test_new_cards_have_no_time() -> None:
    """They are due whenever there is a review."""
    assert review_view.when(None, START).en == "new"


def test_a_list() -> None:
    """A table; where there are no cards, what makes some."""
    text = drawn(lambda page: review_view.listing(page, cards(COURSE, EVENTS), at(1)))
    assert [line.split() for line in text.splitlines()] == [
        ["due", "card", "title", "reviewed"],
        ["now", "Q3.what", "Why", "scale?", "1"],
        ["in", "8", "d", "Q3.why", "Why", "scale?", "1"],
        ["new", "softmax", "Why", "scale?", "0"],
    ]
    assert "nothing to review yet" in drawn(lambda page: review_view.listing(page, (), START))


def test_as_data() -> None:
    """The same for programs."""
    found = review_view.as_json(cards(COURSE, EVENTS), at(1))
    assert found[0] == {
        "card": "Q3.what",
        "kind": "item",
        "question": "Q3",
        "state": "due",
        "due": "2026-03-01T12:10:00Z",
        "times": 1,
    }
    assert [(card["state"], card["kind"], card["due"] is None) for card in found[1:]] == [
        ("later", "item", False),
        ("new", "exercise", True),
    ]


@pytest.mark.parametrize(
    ("events", "count", "said"),
    [
        ((), 5, "There is nothing to review yet."),
        (EVENTS, 5, "To review: 1 due, 1 new"),
        (EVENTS, 1, "To review: 1 due, 1 new; 1 of them now (--limit)"),
        ((right("Q3.why"), reviewed("Q3.why", "easy")), 5, "Nothing is due now. The next card is Q3.why, due in 8 d."),
    ],
)
def test_opening(events: tuple[Event, ...], count: int, said: str) -> None:
    """How much there is to do."""
    found = cards(COURSE, events)
    text = drawn(lambda page: review_view.opening(page, None, found, queue(found, at(1)), count, at(1)))
    assert flat(text).startswith(said)
    named = flat(drawn(lambda page: review_view.opening(page, "Ada", found, queue(found, at(1)), count, at(1))))
    assert named.startswith("Ada · To review") == said.startswith("To review")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_task_says_what_not_how(lang: Lang) -> None:
    """Signature, summary and result stand there; it fits a narrow terminal."""
    card = next(card for card in cards(COURSE, EVENTS) if isinstance(card.thing, Exercise))
    text = drawn(lambda page: review_view.task(page, card, 2, 7), lang, width=40)
    assert "2/7" in text and "softmax(q, k)" in text and "(n, n)" in text
    assert max(map(cell_len, text.splitlines())) <= 40


@pytest.mark.parametrize(
    ("ratings", "left", "said"),
    [
        ([], 2, "Reviewed: 0 Left: 2. Continue with `attncheck review`."),
        (["good", "again", "good"], 0, "Reviewed: 3 (2 known, 1 to review again soon)"),
    ],
)
def test_end(ratings: list[Rating], left: int, said: str) -> None:
    """How it went, and what is left."""
    assert flat(drawn(lambda page: review_view.summary(page, ratings, left))).endswith(said)
