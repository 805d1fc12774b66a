"""``attncheck review``: spaced repetition of items and exercises."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from grader.commands._console import UNCONFINED, has_keys, in_person, page, read_key, say, stdout, write_json
from grader.commands._find import learner_name
from grader.commands._options import Call, Documented, shared
from grader.commands.quiz import FrontEnd, front_end, typed_line
from grader.core.errors import SubmissionError, UsageError
from grader.core.files import create
from grader.core.model import Course, Exercise
from grader.core.tables import table
from grader.core.text import clean, clean_marked
from grader.course.starter import stub
from grader.learning import log, quiz_session, quiz_view, review_session, review_view
from grader.learning.drafts import SavedText
from grader.learning.review import Card, cards, queue
from grader.learning.review_session import Review, SubmittedCode, Turn
from grader.submission import file_text, read

#: At a function, the keys of other places are words.
_WORDS = {"n": ":skip", "h": ":hint", "q": ":quit"}

LISTED = "Learners", 90


@click.command(cls=Documented)
@click.option("--list", "listed", is_flag=True, help="Only list what is due, and when.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="At most N cards.")
@shared("state", "json", "lang", "course")
def review(call: Call, listed: bool, limit: int) -> None:
    """Review what is due.

    Asks items as in the quiz and has you rewrite functions from memory: first what is due (scheduled by FSRS), then
    what is new since the last review. Correct at once, correct with help, or wrong: that decides when a card comes
    back. --json lists the cards, like --list.

    Examples:
      review         ask what is due
      review --list  only show what is due, and when

    Exit codes:
      0  done
    """
    course = call.course()
    if not (call.as_json or listed):
        ask(call, course, limit)
        return
    events = log.read(log.place(call.state_file), course.public_id)
    seen, now = cards(course, events), log.now()
    if call.as_json:
        write_json(review_view.as_json(seen, now))
    else:
        review_view.listing(page(call.language(events)), seen, now)


def ask(call: Call, course: Course, limit: int) -> bool:
    """Ask at most ``limit`` cards; whether the learner did not quit before the last one."""
    place = log.place(call.state_file)
    everything = log.read_all(place, course.public_id)
    events, now = log.of_last(everything), log.now()
    seen, lang = cards(course, events), call.language(events)
    to_ask = queue(seen, now)
    review_view.opening(page(lang), log.last_name(events), seen, to_ask, limit, now)
    if not to_ask:
        return True
    learner, named = learner_name(course, None, everything, lang)
    call.save(*named)
    front = front_end(SavedText.of(course, place, learner))
    begun = review_session.begin(course, learner, lang, to_ask[:limit], (*events, *named), now)
    done = _converse(replace(begun, confirms=front.confirms), front, call)
    left = queue(cards(course, done.log), log.now())
    review_view.summary(page(done.lang), done.ratings, len(left))
    return not done.left


def _converse(review: Review, front: FrontEnd, call: Call) -> Review:
    """Ask until the review is over. Events are saved before feedback is shown."""
    fresh = True
    while (card := review.card) is not None:
        file = Path(f"{card.name}_{review.since.astimezone():%Y-%m-%d}.py")
        asked = quiz_session.current(review.quiz) if review.quiz is not None else None
        if fresh and asked is not None:
            shown = replace(asked, number=review.at + 1, total=len(review.cards))
            quiz_view.card(page(review.lang), shown, keys=front.keys)
        elif fresh:
            review_view.task(page(review.lang), card, review.at + 1, len(review.cards))
            review_view.code_prompt(page(review.lang), str(file))
        action = front.ask(asked, review.lang) if asked is not None and review.outcome is None else _typed(review)
        turn = review_session.step(review, action, log.now())
        if isinstance(turn.feedback, SubmittedCode):
            turn = _submitted(turn.review, card, turn.feedback.path, file)
        call.save(*turn.events)
        review, fresh = turn.review, turn.fresh
        review_view.feedback(page(review.lang), turn.feedback, asked, str(file))
    return review


# ------------------------------------------------------------------------------------------ typing


def _typed(review: Review) -> quiz_session.Action:
    """What is typed at a function or as a rating; the end of the input quits."""
    if review.outcome is not None:
        if not in_person():
            return quiz_session.TypedAnswer("")
        shown = page(review.lang)
        shown.lines(shown.say(review_view.rating_prompt(review.outcome)), style="dim")
        if has_keys():
            return quiz_session.TypedAnswer(read_key(table(log.__file__, "keys.yaml")["rated"]))
    line = typed_line(sys.stdin.readline, echo=not in_person())
    if line is None:
        return "quit"
    if review.outcome is not None:
        return quiz_session.TypedAnswer(line)
    return quiz_session.read(_WORDS.get(line.strip().lower(), line))


# ---------------------------------------------------------------------------------------- grading code


def _submitted(review: Review, card: Card, path: str, file: Path) -> Turn:
    """Grade the code at ``path``, by default ``file``, which is created with a stub if it does not exist."""
    shown = page(review.lang)
    try:
        if not path and _has_stub(review, card, file):
            shown.lines(shown.say(review_view.FILL_IN, file=clean(str(file), 200)))
            return Turn(review)
        return _graded(review, card, Path(path or file))
    except (SubmissionError, UsageError, OSError) as error:
        shown.lines(clean_marked(str(error), 1200, lines=True), style="yellow")
        return Turn(review)


def _has_stub(review: Review, card: Card, file: Path) -> bool:
    """Whether ``file`` has nothing to grade yet. If it does not exist, creates it with a stub."""
    assert isinstance(card.thing, Exercise)
    text = stub(replace(card.question, exercises=(card.thing,)), review.lang)
    if not file.exists():
        create(file, text)
        return True
    return file_text(file) == text


def _graded(review: Review, card: Card, path: Path) -> Turn:
    """Grade ``path`` and show the report."""
    from grader.grading.context import public_context  # loads numpy
    from grader.grading.grade import grade  # loads numpy
    from grader.grading.selection import Selection  # loads numpy
    from grader.report.terminal import render  # loads rich
    from grader.sandbox import open_sandbox  # loads numpy

    course = review.course
    submission = read(path, review.learner)
    with open_sandbox(mode="auto") as sandbox:
        context, selection = public_context(course, sandbox), Selection(exercises=(card.name,))
        report = grade(course, submission, sandbox.observe, selection=selection, context=context)
    render(replace(report, not_attempted=()), course, review.lang, stdout())
    if report.unsafe:
        say(UNCONFINED, err=True)
    return review_session.graded(review, report, log.now())
