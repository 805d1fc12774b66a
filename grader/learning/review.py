"""Spaced repetition: which cards are due when, by replaying the logged reviews through FSRS. Pure and deterministic.

Cards are the items that were answered and the functions that passed once; a card is scheduled by its first review.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import fsrs

from grader.core.model import Course, Exercise, Item, Question, Status
from grader.learning.log import Answered, Coded, Event, Explained, Rating, Reviewed

# No fuzzing, which would move cards at every replay. One step: a forgotten card comes back the same day.
_SCHEDULER = fsrs.Scheduler(
    learning_steps=(timedelta(minutes=10),),
    relearning_steps=(timedelta(minutes=10),),
    maximum_interval=365,
    enable_fuzzing=False,
)
_REST = timedelta(hours=12)
#: By how much the clocks of a learner's machines may differ.
_AHEAD = timedelta(days=1)
#: Later timestamps count as this one, so that adding the longest interval cannot overflow a datetime.
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Card:
    """An item or exercise to review.

    ``due`` is None while it is new; ``times`` counts its reviews; ``seen`` is when it was last seen, and ``weak`` says
    that it was incorrect then.
    """

    name: str
    question: Question
    thing: Item | Exercise
    due: datetime | None
    times: int
    seen: datetime
    weak: bool

    def is_due(self, now: datetime) -> bool:
        """Whether to ask it now. New cards are due, and so are cards that a wrong clock dated in the future."""
        return self.due is None or self.due <= now or self.seen > now + _AHEAD


def cards(course: Course, events: Sequence[Event]) -> tuple[Card, ...]:
    """All cards of the course that were seen: scheduled ones by due time, then new ones, weak ones first."""
    seen = _seen(course, events)
    schedule = replay(events)
    seen_cards = []
    for question in course.questions:
        for name, thing in _things(question):
            if name in seen:
                when, weak = seen[name]
                due, times = schedule.get(name, (None, 0))
                seen_cards.append(Card(name, question, thing, due, times, when, weak))
    return tuple(sorted(seen_cards, key=_place))


def queue(found: Sequence[Card], now: datetime) -> tuple[Card, ...]:
    """The cards to ask now, in order: due ones first, then new ones."""
    return tuple(card for card in found if card.is_due(now))


def waiting(found: Sequence[Card], now: datetime) -> int:
    """How many due cards to remind the learner of; new cards seen in the last twelve hours are left out."""
    return sum(card.due is not None or now - card.seen >= _REST for card in queue(found, now))


def replay(events: Sequence[Event]) -> dict[str, tuple[datetime, int]]:
    """For each reviewed card, when it is due and how often it was reviewed."""
    cards: dict[str, fsrs.Card] = {}
    times: dict[str, int] = {}
    for event in events:
        if isinstance(event, Reviewed):
            card = cards.get(event.card) or fsrs.Card(card_id=1, due=event.at)
            how = fsrs.Rating[event.rating.capitalize()]
            cards[event.card], _ = _SCHEDULER.review_card(card, how, min(event.at, _LATEST))
            times[event.card] = times.get(event.card, 0) + 1
    return {name: (card.due, times[name]) for name, card in cards.items()}


def rating(
    status: Status, tries: int, *, helped: bool = False, word: Rating | None = None, said: float | None = None
) -> Rating:
    """How well a card was known: correct at once is "good", correct with help "hard", anything else "again".

    An answer that is not graded automatically goes by the share of its key points that the learner ``said``. Their own
    ``word`` counts if it was correct at once, or is not graded automatically.
    """
    if status is Status.PENDING:
        return word or ("hard" if said is None or 0 < said < 1 else "good" if said else "again")
    if status is not Status.PASSED:
        return "again"
    return "hard" if tries > 1 or helped else word or "good"


def _things(question: Question) -> list[tuple[str, Item | Exercise]]:
    """What can be a card. Classes are too long to write from memory, and sealed items give no feedback."""
    return [
        *((item.id, item) for item in question.items if not item.sealed),
        *((exercise.name, exercise) for exercise in question.exercises if exercise.kind == "function"),
    ]


def _seen(course: Course, events: Sequence[Event]) -> dict[str, tuple[datetime, bool]]:
    """When each card was last seen, and whether it was weak then. An exercise counts from its first pass on."""
    last_seen: dict[str, tuple[datetime, bool]] = {}
    for event in events:
        weak = isinstance(event, Answered | Coded) and event.status is not Status.PASSED
        if isinstance(event, Answered) and (event.settled or event.item in last_seen):
            last_seen[event.item] = event.at, weak
        elif isinstance(event, Explained) and event.item in last_seen:
            last_seen[event.item] = event.at, len(event.said) < event.points
        elif isinstance(event, Coded) and (not weak or event.exercise in last_seen):
            last_seen[event.exercise] = event.at, weak
        elif isinstance(event, Reviewed):
            last_seen[event.card] = event.at, event.rating == "again"
    return last_seen


def _place(card: Card) -> tuple[bool, bool, datetime, str]:
    return (card.due is None, not card.weak and card.due is None, card.due or card.seen, card.name)
