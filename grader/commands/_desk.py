"""The desk: opens what is next, and then what is next after it, until the learner quits or nothing is open."""

from __future__ import annotations

from grader.commands import _own_work, quiz, review, start
from grader.commands._console import print_lines, read_key, say, width
from grader.commands._find import present_files, work_folder
from grader.commands._options import Call
from grader.core.model import Course, Message
from grader.core.tables import table
from grader.learning import next_step
from grader.learning.log import now
from grader.learning.next_step import NextStep
from grader.learning.progress import progress_of
from grader.learning.review import cards, waiting

#: The most cards of one review.
_CARDS = 20


def go_on(call: Call, course: Course) -> None:
    """Open one step after the other; between them, a key of the learner says so. A step left open ends it."""
    before: NextStep | None = None
    while True:
        events = call.read_events(course)
        progress, due = progress_of(course, events), waiting(cards(course, events), now())
        step = next_step.next_step(progress, due, present_files())
        print_lines(next_step.lines(progress, step, due, call.lang, others=before is None, width=width()))
        if step.kind == "done" or (before is not None and (before.kind, before.name) == (step.kind, step.name)):
            return
        if before is not None and before.kind != "code" and not _wanted():  # after code, n was pressed
            return
        before = step
        if not _open(call, course, step):
            return


def _wanted() -> bool:
    """Whether the learner presses the key that opens what is next, and not the one that quits."""
    say(Message("n: open it · q: quit"))
    return read_key(table(next_step.__file__, "keys.yaml")["between"]) == "next"


def _open(call: Call, course: Course, step: NextStep) -> bool:
    """Open a step; whether the learner went through it, and did not quit."""
    if step.question is None:
        return review.ask(call, course, _CARDS)
    question = step.question.question
    if step.kind == "quiz":
        return not quiz.ask(call, course, question.id).left
    folder = work_folder()
    start.write_files(call, course, (question,), folder)
    return _own_work.follow(call, course, folder, question.id)
