"""A review as a pure state machine: ``step(review, action, now)`` returns the next state, feedback and events.

Items are asked as in a quiz (``session``), functions are written again from memory. A card that is done waits for the
learner's own rating, which ``review.rating`` takes into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from grader.core.model import Course, Exercise, Item, Lang, Report, Status
from grader.learning import quiz_session
from grader.learning.log import Event, Hinted, Rating, Reviewed, Spoke
from grader.learning.progress import NOT_GRADED, code_events, hints_taken
from grader.learning.quiz_session import Action, TypedAnswer, UnknownCommand
from grader.learning.review import Card, rating, replay

_RATINGS: dict[str, Rating] = {"e": "easy", "g": "good", "h": "hard", "a": "again"}
_STOP = ("q", ":q", ":quit")
_FOLLOW = ("f", ":follow")
_HINT = ("hint", "提示")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a card went: the arguments of ``review.rating``. ``follow``: a follow-up item is offered."""

    card: str
    status: Status
    tries: int
    helped: bool = False
    share: float | None = None
    follow: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """The state of a review: the card at index ``at`` has been asked since ``since``.

    ``quiz`` is the session of an item; ``tries`` and ``hints`` count those of a function. ``outcome`` is that of a
    card that waits for its rating. ``left`` is true once the learner has stopped. For ``confirms``, see
    ``quiz_session.Session``.
    """

    course: Course
    learner: str
    lang: Lang
    log: tuple[Event, ...]
    cards: tuple[Card, ...]
    since: datetime
    confirms: bool = False
    at: int = 0
    ratings: tuple[Rating, ...] = ()
    quiz: quiz_session.Session | None = None
    tries: int = 0
    hints: int = 0
    outcome: Outcome | None = None
    left: bool = False

    @property
    def card(self) -> Card | None:
        """The card that is asked; None when the review is over."""
        return None if self.left or self.at >= len(self.cards) else self.cards[self.at]


@dataclass(frozen=True, slots=True)
class Rated:
    """A card was rated at time ``at``; ``due`` is when it comes next."""

    rating: Rating
    due: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class HintShown:
    """The hint number ``rung`` of an exercise; 0 if there are none left."""

    exercise: Exercise
    rung: int


@dataclass(frozen=True, slots=True)
class SubmittedCode:
    """The learner has typed the path of their code (empty: the suggested one). ``graded`` continues."""

    path: str


#: ``how``: the action means nothing here; ``try again``: the code did not pass.
Feedback: TypeAlias = quiz_session.Feedback | Rated | HintShown | SubmittedCode | Literal["how", "try again"] | None


@dataclass(frozen=True, slots=True)
class Turn:
    """The next state, feedback, the events to save before showing it, and whether to show the card (again)."""

    review: Review
    feedback: Feedback = None
    events: tuple[Event, ...] = ()
    fresh: bool = False


def begin(
    course: Course, learner: str, lang: Lang, cards: Sequence[Card], log: Sequence[Event], now: datetime
) -> Review:
    """A review of ``cards`` in order."""
    return _at_card(Review(course, learner, lang, tuple(log), tuple(cards), now), 0, now)


def step(review: Review, action: Action, now: datetime) -> Turn:
    """The result of ``action`` at time ``now``; where a card waits for its rating, any line is a ``TypedAnswer``."""
    if review.outcome is not None:
        return _rate(review, review.outcome, action, now)
    return _ask(review, review.quiz, action, now) if review.quiz is not None else _write(review, action, now)


def graded(review: Review, report: Report, now: datetime) -> Turn:
    """The result of grading the submitted code."""
    review, events = _saved(review, *code_events(review.course, report, now))
    result = report.questions[0].exercises[0]
    if result.status in NOT_GRADED:
        return Turn(review, None, events)
    review = replace(review, tries=review.tries + 1)
    if result.status is not Status.PASSED:
        return Turn(review, "try again", events)
    outcome = Outcome(result.name, result.status, review.tries, helped=review.hints > 0)
    return Turn(replace(review, outcome=outcome), None, events)


def _at_card(review: Review, index: int, now: datetime) -> Review:
    """The review at the beginning of the card with this index."""
    review = replace(review, at=index, since=now, quiz=None, tries=0, hints=0, outcome=None)
    if review.card is None or not isinstance(review.card.thing, Item):
        return review
    chosen = [review.card.thing]
    quiz = quiz_session.begin(review.course, review.learner, review.lang, chosen, review.log, again=True)
    return replace(review, quiz=replace(quiz, confirms=review.confirms))


def _saved(review: Review, *events: Event) -> tuple[Review, tuple[Event, ...]]:
    return replace(review, log=(*review.log, *events)), events


def _ask(review: Review, quiz: quiz_session.Session, action: Action, now: datetime) -> Turn:
    """The result of an action at an item."""
    card = quiz_session.current(quiz)
    assert card is not None
    turn = quiz_session.step(quiz, action, now)
    quiz, feedback = turn.session, turn.feedback
    review, events = _saved(replace(review, quiz=quiz, lang=quiz.lang), *turn.events)
    if not quiz.comparing and (isinstance(feedback, quiz_session.Settled) or card.compares):
        share = feedback.said / feedback.points if isinstance(feedback, quiz_session.KeyPointsCompared) else None
        record = quiz.record(card.item.id)
        outcome = Outcome(card.item.id, record.status, record.tries, share=share, follow=quiz.offer is not None)
        return Turn(replace(review, outcome=outcome), feedback, events)
    if quiz.over:
        return Turn(_after(review, quiz, now), feedback, events, fresh=True)
    translated = isinstance(feedback, quiz_session.Navigation) and feedback.why == "lang"
    return Turn(review, feedback, events, fresh=translated or (quiz.comparing and not card.compares))


def _after(review: Review, quiz: quiz_session.Session, now: datetime) -> Review:
    """The review at the next item of ``quiz``, else at the next card."""
    if quiz.left:
        return replace(review, left=True)
    return _at_card(review, review.at + 1, now) if quiz.over else replace(review, quiz=quiz, outcome=None)


def _rate(review: Review, outcome: Outcome, action: Action, now: datetime) -> Turn:
    """Rates a card, with the learner's own rating where it counts, and goes on."""
    typed = action.text.strip().lower() if isinstance(action, TypedAnswer) else _STOP[0]
    own = _RATINGS.get(typed[:1])
    how = rating(outcome.status, outcome.tries, helped=outcome.helped, word=own, said=outcome.share)
    turn = _save_rating(review, outcome.card, how, now)
    if typed in _STOP:
        return replace(turn, review=replace(turn.review, left=True))
    if review.quiz is None:
        return replace(turn, review=_at_card(turn.review, review.at + 1, now))
    follows = outcome.follow and typed in _FOLLOW
    quiz = quiz_session.step(review.quiz, "follow" if follows else "next", now).session
    return replace(turn, review=_after(turn.review, quiz, now))


def _save_rating(review: Review, card: str, how: Rating, now: datetime) -> Turn:
    review, events = _saved(review, Reviewed(now, review.course.public_id, card, how))
    review = replace(review, ratings=(*review.ratings, how))
    due, _ = replay(review.log)[card]
    return Turn(review, Rated(how, due, now), events, fresh=True)


def _write(review: Review, action: Action, now: datetime) -> Turn:
    """The result of an action at a function. Hints and repeated tries lower its rating."""
    card = review.card
    assert card is not None and isinstance(card.thing, Exercise)
    match action:
        case "lang":
            lang: Lang = "en" if review.lang == "zh" else "zh"
            review, events = _saved(replace(review, lang=lang), Spoke(now, review.course.public_id, lang))
            return Turn(review, None, events, fresh=True)
        case "skip" | "next" | "quit":
            turn = _save_rating(review, card.name, "again", now) if review.tries else Turn(review, fresh=True)
            left = action == "quit"
            after = replace(turn.review, left=True) if left else _at_card(turn.review, review.at + 1, now)
            return replace(turn, review=after)
        case UnknownCommand(word) if word.lower() in _HINT:
            return _hint(review, card.thing, now)
        case TypedAnswer(text):
            return Turn(review, SubmittedCode(text.strip()))
    return Turn(review, "how")


def _hint(review: Review, exercise: Exercise, now: datetime) -> Turn:
    """Shows the next hint after those of this review; one that was never shown before is saved."""
    rung = review.hints + 1 if review.hints < len(exercise.hints) else 0
    events: tuple[Event, ...] = ()
    if rung > hints_taken(review.log, exercise.name):
        review, events = _saved(review, Hinted(now, review.course.public_id, exercise.name, rung))
    return Turn(replace(review, hints=max(review.hints, rung)), HintShown(exercise, rung), events)
