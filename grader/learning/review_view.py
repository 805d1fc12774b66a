"""The text of a review: what is due, a function to write again, and the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.core.layout import cells, columns, wrap
from grader.core.model import Exercise, Item, Message, Status, Text
from grader.core.text import LONGEST_NAME, PARENTHESIZED, RESULT, clean
from grader.course.starter import points_of
from grader.learning import quiz_view
from grader.learning.progress_view import HINT
from grader.learning.review_session import Feedback, HintShown, Outcome, Rated, SubmittedCode

if TYPE_CHECKING:
    from grader.core.page import Page
    from grader.learning.log import Rating
    from grader.learning.quiz_session import QuizCard
    from grader.learning.review import Card

# ---------------------------------------------------------------------------------------------- texts

_EMPTY = Message(
    "There is nothing to review yet. Cards come from quiz items you answered and functions that passed."
).with_advice(Message("The commands for them are `attncheck quiz`, `attncheck grade` and `attncheck watch`."))
_NOTHING_DUE = Message("Nothing is due now. The next card is {card}, due {when}.")
_COLUMNS = (Message("due"), Message("card"), Message("title"), Message("reviewed"))
#: The most cells of all columns but those of the card and its title.
_OTHER_COLUMNS = 26
_UNITS = ((86400, "d", "天"), (3600, "h", "小时"), (60, "min", "分钟"))

_HOW = Message("Enter: grade {file}, or type another path · h: hint · n: skip · :lang: 中文 · q: quit")
FILL_IN = Message("Created {file}: write your code there, then press Enter again.")

KNOWN: dict[Rating, Text] = {
    "good": Message("known"),
    "easy": Message("easy"),
    "hard": Message("with help or effort"),
    "again": Message("to review again soon"),
}
_OF_THEM = Message("{count} {how}")

# ----------------------------------------------------------------------------------------------- lists


def when(due: datetime | None, now: datetime) -> Text:
    """The time until ``due`` in its largest unit (days, hours or minutes); None means a new card."""
    if due is None:
        return Message("new")
    seconds = (due - now).total_seconds()
    if seconds <= 0:
        return Message("now")
    size, en, zh = next((unit for unit in _UNITS if seconds >= unit[0]), _UNITS[-1])
    number = max(1, round(seconds / size))
    return Message("in {time}").fill(time=Text(f"{number} {en}", f"{number} {zh}"))


def listing(page: Page, cards: Sequence[Card], now: datetime) -> None:
    """A table of all cards with their due times."""
    if not cards:
        page.lines(page.say(_EMPTY))
        return
    rows = [[page.say(head) for head in _COLUMNS]]
    room = max(page.width - max(cells(card.name) for card in cards) - _OTHER_COLUMNS, 10)
    for card in cards:
        title = (card.thing.title if isinstance(card.thing, Item) else None) or card.question.title
        first, *more = wrap(page.say(title), room)
        rows.append([page.say(when(card.due, now)), card.name, first + (" …" if more else ""), str(card.times)])
    for line in columns(rows, right=[3]):
        page.lines(line)


def as_json(cards: Sequence[Card], now: datetime) -> list[dict[str, Any]]:
    """The cards as JSON data (docs/json.md)."""
    return [
        {
            "card": card.name,
            "kind": "item" if isinstance(card.thing, Item) else "exercise",
            "question": card.question.id,
            "state": "new" if card.due is None else "due" if card.is_due(now) else "later",
            "due": None if card.due is None else card.due.isoformat().replace("+00:00", "Z"),
            "times": card.times,
        }
        for card in cards
    ]


def opening(
    page: Page, learner: str | None, cards: Sequence[Card], queue: Sequence[Card], count: int, now: datetime
) -> None:
    """How many cards are due and new for ``learner``; ``count`` of ``queue`` are asked now."""
    if not cards:
        page.lines(page.say(_EMPTY))
    elif not queue:
        page.lines(page.say(_NOTHING_DUE, card=cards[0].name, when=when(cards[0].due, now)))
    else:
        new = sum(card.due is None for card in queue)
        parts = [page.say(Message("To review: {due} due, {new} new"), due=len(queue) - new, new=new)]
        if count < len(queue):
            parts.append(page.say(Message("{count} of them now (--limit)"), count=count))
        text = page.clauses(parts)
        page.lines(f"{clean(learner, LONGEST_NAME)} · {text}" if learner else text, style="bold")


# ------------------------------------------------------------------------------------------------ code


def task(page: Page, card: Card, number: int, total: int) -> None:
    """A function to write again: what it has to do, not how to do it."""
    exercise = card.thing
    assert isinstance(exercise, Exercise)
    page.blank()
    page.rule()
    left = [(f"{number}/{total}  ", "bold cyan"), (f"{card.question.id}  {exercise.name}", "bold")]
    page.row(left, page.say(points_of(exercise.points)), style="dim")
    page.blank()
    page.lines(page.say(Message("Write this again from memory:")))
    page.lines(exercise.signature, indent=2, style="bold")
    page.lines(page.say(exercise.summary), indent=2)
    page.lines(page.say(RESULT, result=exercise.result), indent=2)
    page.blank()


def rating_prompt(outcome: Outcome) -> Text:
    """What the learner can type once a card is done. Only where it decides something, a rating of their own."""
    text = Message("n or Enter: continue · q: quit")
    if outcome.status is Status.PENDING:
        text = Message("How well did you know it? Enter: with effort · g: well · e: easily · a: not at all · q: quit")
    elif outcome.status is Status.PASSED and outcome.tries == 1 and not outcome.helped:
        text = Message("Enter: good · e: easy · q: quit")
    return Message("f: follow-up question · {more}").fill(more=text) if outcome.follow else text


def feedback(page: Page, given: Feedback, asked: QuizCard | None, file: str) -> None:
    """The feedback on what was typed at the item ``asked``, at a function (to write in ``file``), or as a rating."""
    match given:
        case Rated(rating, due, at):
            rated(page, rating, due, at)
        case HintShown(exercise, 0):
            page.lines(page.say(Message("There are no more hints.")), style="dim")
        case HintShown(exercise, rung):
            page.lines(page.say(HINT, name=exercise.name, rung=rung, rungs=len(exercise.hints)))
            page.lines(page.say(exercise.hints[rung - 1]), indent=2)
        case "try again":
            page.lines(page.say(Message("Fix it and press Enter again, or n to see it again soon.")), style="dim")
        case "how":
            code_prompt(page, file)
        case None | SubmittedCode():
            pass
        case _ if asked is not None:
            quiz_view.feedback(page, given, asked)


def rated(page: Page, rating: Rating, due: datetime, now: datetime) -> None:
    """How well a card was known, and when it is due next."""
    texts = [page.say(KNOWN[rating]), page.say(Message("next review: {when}"), when=when(due, now))]
    page.lines(page.clauses(texts), indent=2, style="dim")


def code_prompt(page: Page, file: str) -> None:
    """What the learner can type at a function."""
    page.lines(page.say(_HOW, file=file), style="dim")


# ----------------------------------------------------------------------------------------------- the end


def summary(page: Page, ratings: Sequence[Rating], left: int) -> None:
    """How many cards were known how well, and how many are left."""
    page.blank()
    page.rule()
    counts = Counter(ratings)
    counted = [page.say(_OF_THEM, how=text, count=counts[name]) for name, text in KNOWN.items() if counts[name]]
    more = page.listed(counted)
    head = page.say(Message("Reviewed: {count}"), count=len(ratings))
    page.lines(page.say(PARENTHESIZED, what=head, more=more) if more else head, style="bold")
    if left:
        page.lines(page.say(Message("Left: {left}. Continue with `attncheck review`."), left=left))
