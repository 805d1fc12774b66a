"""The pages with quiz items: answers, drafts, and the review of items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from grader.core import marks
from grader.core.errors import AttncheckError, UsageError
from grader.core.model import Exercise, Item, Message, Question, Status, Text
from grader.core.typesetting.html_page import HtmlPage
from grader.course import items
from grader.learning import log, next_step, quiz_view, review, review_view
from grader.learning.drafts import Filled, MarkedPart
from grader.learning.entries import Entry, answer_text, described, given_answer, partner_field, shown_choices
from grader.learning.log import Rating
from grader.learning.quiz_session import ItemRecord, ReadingToConfirm, TypedAnswer, UnreadableAnswer, WrongAnswer
from grader.learning.review import Card
from grader.web.learner import ItemState, draft_of
from grader.web.visit import LearnerVisit, find_item

#: A field cannot have more values than there are choices; what goes beyond was not sent by a form of ours.
_MOST_VALUES = 50
#: The actions of an item's form besides an answer.
_COMMANDS = ("skip", "key")
_CHOOSE_POINTS = Message("Choose the points that your answer made, or only “None of these”.")
_SETTLED_MEANWHILE = Message(
    "This item was settled before you sent this answer, so it does not count. The answer is kept as a draft: you will "
    "find it in the form when you answer again."
)


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """What came of a form: the state of the item, what its form is filled with, and a message if nothing was judged."""

    state: ItemState
    filled: Filled
    say: Text | None = None


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The state of a review card: the ratings to choose from once it is settled, or the message about its rating."""

    name: str
    words: tuple[Rating, ...] = ()
    rated: Markup | None = None


# ------------------------------------------------------------------------------------------ answering


def item_page(visit: LearnerVisit) -> Response:
    """One item in its current state."""
    question, item = visit.item
    again = "again" in visit.request.query_params
    state = visit.learner.ask(item, visit.lang, again=again)
    filled = visit.learner.filled(item, visit.lang, again=again)
    return _item_page(visit, question, SentAnswer(state, filled), again=again)


def answer_item(visit: LearnerVisit) -> Response:
    """An answer to an item, or a command.

    A settled item gets a new attempt if the form was made for one, and if it has not been sent before.
    """
    question, item = visit.item
    attempts = visit.learner.attempts_at(item)
    again = visit.asked("again") == str(attempts)
    sent = _answered(visit, item, again=again)
    if visit.typed("do") == "skip" and sent.say is None:
        return RedirectResponse(_onward(visit, question, item), 303)
    again = again and visit.learner.attempts_at(item) == attempts
    return _item_page(visit, question, sent, again=again)


def _answered(visit: LearnerVisit, item: Item, *, again: bool) -> SentAnswer:
    """What comes of a form for ``item``. What was entered is kept, whatever comes of it."""
    learner, lang, command = visit.learner, visit.lang, visit.typed("do")
    asked = learner.ask(item, lang, again=again)
    comparing = bool(visit.form.get("comparing")) and bool(items.key_points(item))
    doubted = visit.sent("doubted") if command == "yes" else None
    entry = _entry(visit, asked, comparing, doubted)
    text = " ".join(entry["answer"]) or "0" if comparing else answer_text(asked.card.asked, entry)
    if text != (doubted or "").strip():  # it was changed since
        doubted = text if _was_read(visit, item, text) else None
    action: Any = command if command in _COMMANDS else TypedAnswer("yes" if doubted is not None else text)
    if action == TypedAnswer(""):
        return _kept(visit, item, SentAnswer(asked, Filled(entry), Message("Choose or write an answer first.")))
    attempts = learner.attempts_at(item)
    try:
        done = learner.answer(item, lang, action, doubted=doubted, comparing=comparing, again=again)
    except AttncheckError as error:
        return _kept(visit, item, SentAnswer(asked, Filled(entry), learner.told(error)))
    if comparing:
        return SentAnswer(done, Filled(entry), _CHOOSE_POINTS if done.card.compares else None)
    record = done.card.record
    if record.settled and learner.attempts_at(item) == attempts and text not in ("", *record.answers[-1:]):
        return _kept(visit, item, SentAnswer(done, Filled(entry), _SETTLED_MEANWHILE))
    return _kept(visit, item, SentAnswer(done, Filled(entry, _mark(done, doubted or text))))


def _entry(visit: LearnerVisit, asked: ItemState, comparing: bool, doubted: str | None) -> Entry:
    """What was entered: key points if ``comparing``, else the answer, or the ``doubted`` one that was confirmed."""
    if comparing:
        return {"answer": _values(visit, "answer")}
    entry = _entered(visit, asked.card.asked)
    return {"answer": (doubted,)} if doubted is not None and not any(entry.values()) else entry


def _entered(visit: LearnerVisit, asked: items.Prompt) -> Entry:
    """What the form holds of an answer to ``asked``, complete or not."""
    names = [partner_field(choice.id) for choice in asked.choices] if asked.form == "pairs" else ["answer"]
    return {name: _values(visit, name) for name in names}


def _values(visit: LearnerVisit, name: str) -> tuple[str, ...]:
    """The texts of a field, with line ends as in files. Values that are not text are ignored."""
    return tuple(value.replace("\r\n", "\n") for value in visit.all_typed(name)[:_MOST_VALUES])


def _was_read(visit: LearnerVisit, item: Item, text: str) -> bool:
    """Whether a doubtful ``text`` was shown while it was typed, exactly as it is read."""
    doubtful = items.doubtful(item, text) if _values(visit, "read") == (text,) else ()
    return bool(doubtful) and {*doubtful} <= {line.shown for line in items.read_lines(item, text)}


def _kept(visit: LearnerVisit, item: Item, sent: SentAnswer) -> SentAnswer:
    """``sent`` after its draft was saved; or removed, if the item is settled by what was sent."""
    name, seen, card = draft_of(item), visit.sent("draft"), sent.state.card
    if (card.record.settled or card.compares) and sent.say is None:
        visit.learner.drafts.settle(name, seen)
        return sent
    if visit.learner.drafts.read(name) is None and not any(map(any, sent.filled.entry.values())):
        return sent
    try:
        draft = visit.learner.keep(item, sent.filled.entry, seen, mark=sent.filled.mark)
    except UsageError:  # it is on the page, which does not say that a draft was saved
        return sent
    return replace(sent, filled=draft)


def _mark(state: ItemState, text: str) -> MarkedPart | None:
    """The part of a wrong or unreadable answer that is marked; None if none is."""
    lines = items.read_lines(state.card.item, text) if state.card.asked.form == "lines" else ()
    unread = next((MarkedPart(str(line.number), "unread") for line in lines if line.why is not None), None)
    match state.feedback:
        case WrongAnswer(place=str(place)):
            return MarkedPart(place, "wrong")
        case WrongAnswer():
            return MarkedPart("1", "wrong") if state.card.asked.form == "line" else unread
        case UnreadableAnswer():
            return MarkedPart("1", "unread") if state.card.asked.form == "line" else unread
    return None


def _onward(visit: LearnerVisit, question: Question, item: Item) -> str:
    """The next item of ``question`` that is not settled, else its code, else the map."""
    progress = visit.learner.progress().question(question.id)
    names = [standing.item.id for standing in progress.items]
    open_items = [standing.item.id for standing in next_step.open_items(progress) if standing.item.id != item.id]
    place = names.index(item.id)
    later = [name for name in open_items if names.index(name) > place] or open_items
    if later:
        return f"/items/{later[0]}"
    return f"/questions/{question.id}/code" if next_step.open_exercises(progress) else "/"


# ------------------------------------------------------------------------------------------ typing


def reading(visit: LearnerVisit) -> Response:
    """How the lines of an answer are interpreted while it is typed. Nothing is graded or saved."""
    _, item = visit.item
    text = visit.typed("answer") if visit.request.method == "POST" else visit.asked("answer")
    text = text.replace("\r\n", "\n")
    rowed = items.ask(item, items.Context("", "", item.id)).form == "lines"
    return visit.show("reading.html", text=text.strip(), lines=items.read_lines(item, text), rowed=rowed)


def save_draft(visit: LearnerVisit) -> Response:
    """Save what is being typed. The answer names the version that was saved, or says why nothing was.

    ``other`` says that another version is kept beside it, such as that of another window.
    """
    thing, fields = _drafted(visit)
    try:
        draft = visit.learner.keep(thing, fields, visit.sent("draft"), typed=True)
    except UsageError as error:
        return JSONResponse({"problem": visit.learner.told(error).of(visit.lang)}, 400)
    return JSONResponse({"version": draft.version, "other": draft.other is not None})


def _drafted(visit: LearnerVisit) -> tuple[Item | Question | Exercise, Entry]:
    """What a draft is of, and its fields. Raises HTTPException (404) for anything that the course does not have."""
    kind, name, course = visit.named("kind"), visit.named("name"), visit.learner.course
    if kind == "item":
        _, item = find_item(course, name)
        return item, _entered(visit, visit.learner.ask(item, visit.lang, again=True).card.asked)
    text = _values(visit, "code")[:1]
    if kind == "code" and (question := course.question(name)) is not None and text:
        return question, {"code": text}
    if kind == "memory" and (exercise := course.exercise(name)) is not None and text:
        return exercise[1], {"code": text}
    raise HTTPException(404)


# ------------------------------------------------------------------------------------------ review


def review_page(visit: LearnerVisit) -> Response:
    """All review cards with their due times."""
    cards, now, page = visit.learner.cards(), log.now(), HtmlPage(visit.lang)
    queue = review.queue(cards, now)
    review_view.opening(page, None, cards, queue, len(queue), now)
    listed = [(card, review_view.when(card.due, now)) for card in cards]
    return visit.show("review.html", said=page.html, cards=listed, first=_card_page(queue[0]) if queue else None)


def review_next(visit: LearnerVisit) -> Response:
    """Redirect to the card due after the one in ``after``, or to the list if there is none."""
    queue = review.queue(visit.learner.cards(), log.now())
    names, after = [card.name for card in queue], visit.asked("after")
    place = names.index(after) + 1 if after in names else 0
    return RedirectResponse(_card_page(queue[place]) if place < len(queue) else "/review", 303)


def _card_page(card: Card) -> str:
    return f"/review/{'items' if isinstance(card.thing, Item) else 'exercises'}/{card.name}"


def review_item(visit: LearnerVisit) -> Response:
    """An item in a review."""
    question, item = visit.item
    state = visit.learner.ask_for_review(item, visit.lang)
    filled = visit.learner.filled(item, visit.lang, again=True, from_memory=True)
    return _item_page(visit, question, SentAnswer(state, filled), ReviewState(item.id))


def review_answer(visit: LearnerVisit) -> Response:
    """An answer in a review, or the learner's own rating."""
    question, item = visit.item
    learner, lang = visit.learner, visit.lang
    if visit.typed("do") == "rate":
        rating = learner.rate_done(item.id, chosen_rating(visit))
        sent = SentAnswer(learner.ask(item, lang), Filled({}))
        return _item_page(visit, question, sent, rated(visit, item.id, rating))
    sent = _answered(visit, item, again=True)
    if sent.say is not None:
        state = sent.state if sent.state.card.compares else learner.ask_for_review(item, lang)
        return _item_page(visit, question, replace(sent, state=state), ReviewState(item.id))
    if visit.typed("do") == "skip":
        return RedirectResponse(f"/review/next?after={item.id}", 303)
    card = sent.state.card
    settled = card.record.settled and not card.compares
    words = _words_for(card.record) if settled else ()
    rating = learner.rate_done(item.id, None) if settled and not words else None
    return _item_page(visit, question, sent, replace(rated(visit, item.id, rating), words=words))


def rated(visit: LearnerVisit, name: str, rating: Rating | None) -> ReviewState:
    """The state of a card that may just have been rated."""
    if rating is None:
        return ReviewState(name)
    page, now = HtmlPage(visit.lang), log.now()
    due = next((card.due for card in visit.learner.cards() if card.name == name and card.due), now)
    review_view.rated(page, rating, due, now)
    return ReviewState(name, rated=page.html)


def chosen_rating(visit: LearnerVisit) -> Rating | None:
    """The rating of the form that a learner chose; None if there is none."""
    return next((name for name in review_view.KNOWN if name == visit.typed("word")), None)


def _words_for(record: ItemRecord) -> tuple[Rating, ...]:
    """The ratings that learners can choose for a settled item: those that `review.rating` takes into account."""
    if record.status is Status.PENDING:
        return ("hard", "good", "easy", "again")
    return ("good", "easy") if record.status is Status.PASSED and record.tries == 1 else ()


# ------------------------------------------------------------------------------------------ the page


def _item_page(
    visit: LearnerVisit, question: Question, sent: SentAnswer, review: ReviewState | None = None, again: bool = False
) -> Response:
    state, lang = sent.state, visit.lang
    card, item, filled = state.card, state.card.item, sent.filled
    settled = card.record.settled and not card.compares
    action = f"/review/items/{item.id}" if review else f"/items/{item.id}"
    if again:
        action += f"?again={visit.learner.attempts_at(item)}"
    given = None
    if settled or card.compares:
        given = given_answer(item, items.ask(item, card.context), state.session.record(item.id), lang)
    reads = items.takes_formulas(item) and card.asked.form in ("line", "lines")
    return visit.show(
        "item.html",
        question=question,
        card=card,
        known=visit.learner.progress().question(question.id),
        asked=marks.lines(card.ask.of(lang).strip()),
        worth=quiz_view.worth(item),
        how="" if settled else _how(visit, state),
        said=_feedback(visit, sent, settled),
        reads=f"/items/{item.id}/reading" if reads else "",
        doubted=state.session.doubted if isinstance(state.feedback, ReadingToConfirm) else None,
        offer=state.session.offer,
        onward=_onward(visit, question, item),
        settled=settled,
        given=given,
        filled=filled,
        choices=shown_choices(card.asked, filled.entry, lang),
        other="\n".join(described(card.asked, filled.other, lang)) if filled.other else "",
        by_hand=item.kind == "text",
        read=items.read_lines(item, answer_text(card.asked, filled.entry)) if reads else (),
        review=review,
        action=action,
        ratings=review_view.KNOWN,
    )


def _how(visit: LearnerVisit, state: ItemState) -> Markup:
    """How to answer an item; while there is no feedback, what the next attempt is worth."""
    page = HtmlPage(visit.lang)
    quiz_view.how_in_fields(page, state.card, said=state.feedback is not None)
    return page.html


def _feedback(visit: LearnerVisit, sent: SentAnswer, settled: bool) -> Markup:
    """What is said about an answer."""
    page, state, card = HtmlPage(visit.lang), sent.state, sent.state.card
    if sent.say is not None:
        page.lines(sent.say.of(visit.lang), lead="?", style="magenta")
    if state.feedback is not None and (sent.say is None or settled):
        quiz_view.feedback(page, quiz_view.beside_answer(state.feedback, card), card, buttons=True)
    if settled and card.item.sealed and (later := visit.learner.about_results()) is not None:
        page.lines(later.of(visit.lang), indent=2, style="dim")
    return page.html
