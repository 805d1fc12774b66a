"""What comes up again, and when: a replay of the reviews through FSRS. Pure, and the same at every replay.

Cards are the items that were answered and the functions that once passed; a first review makes a schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import fsrs

from grader.core.model import Course, Exercise, Item, Question, Status
from grader.learning.log import Answered, Coded, Event, Rating, Reviewed

# No fuzz: chance would move cards at every replay. One step: what was not known comes again the same day.
_SCHEDULER = fsrs.Scheduler(
    learning_steps=(timedelta(minutes=10),),
    relearning_steps=(timedelta(minutes=10),),
    maximum_interval=365,
    enable_fuzzing=False,
)
_REST = timedelta(hours=12)
#: By how much clocks of different machines may differ.
_AHEAD = timedelta(days=1)
#: No clock is later than this, and no calendar is at its end a year after.
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_RATINGS: dict[Rating, fsrs.Rating] = {
    "again": fsrs.Rating.Again,
    "hard": fsrs.Rating.Hard,
    "good": fsrs.Rating.Good,
    "easy": fsrs.Rating.Easy,
}


@dataclass(frozen=True, slots=True)
class Card:
    """Something to review. ``due`` is None while it is new; ``weak``: it was not right when it was last seen."""

    name: str
    question: Question
    thing: Item | Exercise
    due: datetime | None
    times: int
    seen: datetime
    weak: bool

    def is_due(self, now: datetime) -> bool:
        """Whether its time has come; a new card's has, and that of one which a wrong clock saw in the future."""
        return self.due is None or self.due <= now or self.seen > now + _AHEAD


def cards(course: Course, events: Sequence[Event]) -> tuple[Card, ...]:
    """Every card of the course that was seen: scheduled ones by their time, then new ones, weak ones first."""
    seen = _seen(course, events)
    schedule = replay(events)
    found = []
    for question in course.questions:
        for name, thing in _things(question):
            if name in seen:
                at, weak = seen[name]
                due, times = schedule.get(name, (None, 0))
                found.append(Card(name, question, thing, due, times, at, weak))
    return tuple(sorted(found, key=_place))


def queue(found: Sequence[Card], now: datetime) -> tuple[Card, ...]:
    """The cards to ask, in order: due first, then new."""
    return tuple(card for card in found if card.is_due(now))


def waiting(found: Sequence[Card], now: datetime) -> int:
    """How many cards to remind of: what was met for the first time just now can rest for a while."""
    return sum(card.due is not None or now - card.seen >= _REST for card in queue(found, now))


def replay(events: Sequence[Event]) -> dict[str, tuple[datetime, int]]:
    """When each card is due after its reviews, and how many these were."""
    cards: dict[str, fsrs.Card] = {}
    times: dict[str, int] = {}
    for event in events:
        if isinstance(event, Reviewed):
            card = cards.get(event.card) or fsrs.Card(card_id=1, due=event.at)
            cards[event.card], _ = _SCHEDULER.review_card(card, _RATINGS[event.rating], min(event.at, _LATEST))
            times[event.card] = times.get(event.card, 0) + 1
    return {name: (card.due, times[name]) for name, card in cards.items()}


def rating(status: Status, tries: int, *, helped: bool = False, word: Rating | None = None) -> Rating:
    """How well a card was known: right at once is good, right with help is hard, anything else comes again.

    The learner's own ``word`` counts where it was right at once, and where only a person can say what is right.
    """
    if status is Status.PENDING:
        return word or "hard"
    if status is not Status.PASSED:
        return "again"
    if tries > 1 or helped:
        return "hard"
    return word or "good"


def _things(question: Question) -> list[tuple[str, Item | Exercise]]:
    """What can be a card: classes are too much to write again from memory, and sealed items say nothing back."""
    return [
        *((item.id, item) for item in question.items if not item.sealed),
        *((exercise.name, exercise) for exercise in question.exercises if exercise.kind == "function"),
    ]


def _seen(course: Course, events: Sequence[Event]) -> dict[str, tuple[datetime, bool]]:
    """When each card was last seen, and whether it was weak then; code counts from the first time it passed."""
    found: dict[str, tuple[datetime, bool]] = {}
    for event in events:
        weak = isinstance(event, Answered | Coded) and event.status is not Status.PASSED
        if isinstance(event, Answered) and (event.settled or event.item in found):
            found[event.item] = event.at, weak
        elif isinstance(event, Coded) and (not weak or event.exercise in found):
            found[event.exercise] = event.at, weak
        elif isinstance(event, Reviewed):
            found[event.card] = event.at, event.rating == "again"
    return found


def _place(card: Card) -> tuple[bool, bool, datetime, str]:
    return (card.due is None, not card.weak and card.due is None, card.due or card.seen, card.name)
