"""``attncheck progress``: what the learner knows."""

from __future__ import annotations

import click

from grader.commands._console import page, write_json
from grader.commands._find import find_question, present_files
from grader.commands._options import Call, Documented, shared
from grader.learning import log, progress_view, review
from grader.learning.progress import progress_of

LISTED = "Learners", 80


@click.command(cls=Documented)
@click.argument("question", required=False, metavar="[Q5]")
@shared("state", "json", "lang", "course")
def progress(call: Call, question: str | None) -> None:
    """Show what you know, question by question.

    Uses your quiz answers, your graded code and the hints you took, and names the misconceptions that are still
    open. With a question, shows its items and exercises one by one.

    Examples:
      progress     all questions
      progress Q5  Q5, item by item

    Exit codes:
      0  done
    """
    course = call.course()
    chosen = find_question(course, question) if question is not None else None
    events = log.read(log.place(call.state_file), course.public_id)
    standing = progress_of(course, events)
    due = review.waiting(review.cards(course, events), log.now())
    if call.as_json:
        whole = progress_view.as_json(standing, due)
        write_json(whole if chosen is None else progress_view.of_question(standing.question(chosen.id)))
    elif chosen is None:
        progress_view.overview(page(call.lang), standing, course, due, present_files())
    else:
        progress_view.detail(page(call.lang), standing, chosen.id)
