"""An answer in one's own words: the learner compares it with the key points."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from grader.core.model import Item, Misconception, Status, Text
from grader.core.page import Page
from grader.course.items.text import Confusion, Spec
from grader.learning import choice_widget, log, quiz_session, quiz_view, review
from grader.learning.log import Answered, Explained
from tests.helpers import WORDS, course, exercise, question

NOW = datetime(2026, 1, 2, tzinfo=UTC)
POINTS = (Text("Point one.", "第一点。"), Text("Point two.", "第二点。"))
SPEC = Spec(POINTS, Text("The model answer.", "参考答案全文。"), (Confusion("mixed-up"),))
WHY = Item("Q1.why", "text", Text("Why?", "为什么？"), use="practice", spec=SPEC, explain=WORDS)
NEXT = Item("Q1.next", "text", Text("And?", "然后？"), use="practice", spec=SPEC)
BELIEF = Misconception("mixed-up", Text("It is not the other.", "不是另一个。"), WORDS)
COURSE = course(question("Q1", exercise("half(x)"), items=[WHY, NEXT], misconceptions=[BELIEF]))
WRITTEN = "In my own four words"


def answered() -> quiz_session.StepResult:
    """The turn in which the item was answered."""
    session = quiz_session.begin(COURSE, "ada", "en", [WHY, NEXT])
    return quiz_session.step(session, quiz_session.TypedAnswer(WRITTEN), NOW)


def shown(feedback: quiz_session.Feedback, card: quiz_session.QuizCard) -> str:
    """What the page says."""
    console = Console(width=100, record=True, color_system=None, force_terminal=False)
    with console.capture() as seen:
        quiz_view.feedback(Page(console, "en"), feedback, card)
    return seen.get()


def test_the_points_are_asked_beside_the_learners_words() -> None:
    """With the model answer and what it is not to be confused with; nothing is judged and nobody marks it."""
    turn = answered()
    card = quiz_session.current(turn.session)
    assert card is not None and card.compares and card.asked.form == "many" and not card.record.settled
    assert [choice.text.en for choice in card.asked.choices] == ["Point one.", "Point two.", "None of these"]
    text = shown(turn.feedback, card)
    for said in (WRITTEN, "The model answer.", "Often confused: It is not the other."):
        assert said in text
    assert "instructor" not in text
    (event,) = turn.events
    assert isinstance(event, Answered) and event.status is Status.PENDING and event.misconception is None


@pytest.mark.parametrize(
    ("typed", "said"), [("1", ("a",)), ("2, 1", ("a", "b")), ("12", ("a", "b")), ("0", ()), (" 2 ", ("b",))]
)
def test_what_was_said_is_an_event_of_its_own(typed: str, said: tuple[str, ...]) -> None:
    """However the numbers are written; then the item is done, and the next one comes."""
    session = answered().session
    asked = quiz_session.current(session)
    assert asked is not None
    turn = quiz_session.step(session, quiz_session.read(typed, asked.asked), NOW)
    assert turn.events == (Explained(NOW, COURSE.public_id, "Q1.why", said, 2),)
    missing = tuple(point for at, point in zip("ab", POINTS, strict=True) if at not in said)
    assert turn.feedback == quiz_session.KeyPointsCompared(len(said), 2, missing)
    card = quiz_session.current(turn.session)
    assert card is not None and card.record.settled and not card.compares
    assert f"{len(said)} of 2" in shown(turn.feedback, card)
    following = quiz_session.current(quiz_session.step(turn.session, "next", NOW).session)
    assert following is not None and following.item is NEXT


@pytest.mark.parametrize("typed", ["3", "10", "a", "ab", "yes"])
def test_other_points_are_asked_again(typed: str) -> None:
    """Without an event: numbers that are not there, none beside some, and letters."""
    session = answered().session
    asked = quiz_session.current(session)
    assert asked is not None
    turn = quiz_session.step(session, quiz_session.read(typed, asked.asked), NOW)
    assert isinstance(turn.feedback, quiz_session.UnreadableAnswer) and turn.session.comparing and not turn.events


@pytest.mark.parametrize(("typed", "at"), [(":skip", 0), (":key", 0), (":back", 0), (":quit", 0)])
def test_commands_leave_the_points_open(typed: str, at: int) -> None:
    """The answer stays saved, and no event says anything about the points."""
    turn = quiz_session.step(answered().session, quiz_session.read(typed), NOW)
    assert turn.events == () and (turn.session.left or not turn.session.comparing)
    again = quiz_session.begin(COURSE, "ada", "en", [WHY, NEXT], answered().events)
    card = quiz_session.current(again)
    assert card is not None and card.item is NEXT and not card.compares


def test_the_answer_can_be_looked_at_without_answering() -> None:
    """Then there is nothing to compare."""
    turn = quiz_session.step(quiz_session.begin(COURSE, "ada", "en", [WHY]), "key", NOW)
    assert (
        not turn.session.comparing and isinstance(turn.feedback, quiz_session.Settled) and turn.feedback.words is None
    )


def test_keys_choose_the_points() -> None:
    """The picker that answers questions with several options gives what ``step`` reads, “none” included."""
    card = quiz_session.current(answered().session)
    assert card is not None
    for keys, said in (("1", ("a",)), ("21", ("a", "b")), ("0", ())):
        picked = choice_widget.begin(card.asked)
        for key in keys:
            picked = choice_widget.press(picked, key)
        typed = choice_widget.answer(picked)
        assert typed is not None
        (event,) = quiz_session.step(answered().session, quiz_session.TypedAnswer(typed), NOW).events
        assert isinstance(event, Explained) and event.said == said


def test_the_log_keeps_it(tmp_path: Path) -> None:
    """As one line that can be read again."""
    event = Explained(NOW, COURSE.public_id, "Q1.why", ("a",), 2)
    log.append(tmp_path / "log", *answered().events, event)
    assert log.read(tmp_path / "log", COURSE.public_id)[1] == event


@pytest.mark.parametrize(
    ("said", "word", "rating"),
    [(None, None, "hard"), (1.0, None, "good"), (0.5, None, "hard"), (0.0, None, "again"), (0.0, "easy", "easy")],
)
def test_the_review_goes_by_the_points(said: float | None, word: log.Rating | None, rating: str) -> None:
    """All: known. None: forgotten. The learner's own word comes first."""
    assert review.rating(Status.PENDING, 1, word=word, said=said) == rating


@pytest.mark.parametrize(("said", "weak"), [(("a", "b"), False), (("a",), True), ((), True)])
def test_incomplete_answers_are_reviewed_first(said: tuple[str, ...], weak: bool) -> None:
    """A new card is weak until all points were made."""
    later = NOW + timedelta(minutes=1)
    events = (*answered().events, Explained(later, COURSE.public_id, "Q1.why", said, 2))
    (card,) = review.cards(COURSE, events)
    assert (card.weak, card.seen) == (weak, later)
