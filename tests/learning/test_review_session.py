"""Reviews as values: what each action leads to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from grader.core.model import ExerciseResult, QuestionResult, Report, Status, Text
from grader.learning import review_session
from grader.learning.quiz_session import Action, TypedAnswer, UnknownCommand
from grader.learning.review import cards
from grader.learning.review_session import HintShown, Rated, Review, SubmittedCode
from tests.learner_logs import COURSE, code, right

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def begun(*names: str) -> Review:
    """A review of items that were answered, or functions that passed."""
    log = [right(name) if "." in name else code(name) for name in names]
    return review_session.begin(COURSE, "ada", "en", cards(COURSE, log), log, NOW)


def after(review: Review, actions: Sequence[Action]) -> review_session.Turn:
    """The last turn of several."""
    turn = review_session.Turn(review)
    for action in actions:
        turn = review_session.step(turn.review, action, NOW)
    return turn


def report(status: Status) -> Report:
    """A report on softmax."""
    result = ExerciseResult("softmax", status, 0, 4, ())
    question = QuestionResult("Q3", Text("Why scale?", "为什么？"), (), (result,))
    return Report("ada", COURSE.title, "digest", "public", (question,), (), True, (), 0.1)


@pytest.mark.parametrize(
    ("actions", "feedback"),
    [
        (["help"], "how"),
        ([UnknownCommand("hint")], HintShown),
        ([TypedAnswer(" mine.py ")], SubmittedCode("mine.py")),
        (["skip"], None),
        (["lang"], None),
    ],
)
def test_at_a_function(actions: list[Action], feedback: object) -> None:
    """Commands say what they do, and code is not graded here."""
    found = after(begun("softmax"), actions).feedback
    assert found == feedback or type(found) is feedback


@pytest.mark.parametrize(
    ("statuses", "typed", "rating"),
    [
        ([Status.PASSED], "", "good"),
        ([Status.PASSED], "e", "easy"),
        ([Status.FAILED, Status.PASSED], "e", "hard"),
        ([Status.UNMARKED, Status.PASSED], "", "good"),
    ],
)
def test_the_rating_of_a_function(statuses: list[Status], typed: str, rating: str) -> None:
    """The learner's own rating counts after the first attempt that was graded, and the review ends with it."""
    review = begun("softmax")
    for status in statuses:
        assert review.outcome is None
        review = review_session.graded(review, report(status), NOW).review
    turn = review_session.step(review, TypedAnswer(typed), NOW)
    assert isinstance(turn.feedback, Rated) and turn.feedback.rating == rating
    assert turn.review.card is None and turn.review.ratings == (rating,) and not turn.review.left


def test_stopping() -> None:
    """A card is rated before the review stops; a function that nobody tried to write is not."""
    turn = after(begun("Q3.sum", "Q3.what"), [TypedAnswer("a"), "quit"])
    assert turn.review.left and len(turn.review.ratings) == 1
    turn = after(begun("softmax"), ["quit"])
    assert turn.review.left and not turn.review.ratings
