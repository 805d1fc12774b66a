"""``attncheck hint``: the next hint for an exercise."""

from __future__ import annotations

import click

from grader.commands._console import page
from grader.commands._find import find_one_exercise
from grader.commands._options import Call, Documented, shared
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.learning import log, progress_view
from grader.learning.progress import hints_shown, hints_taken, last_misconception

LISTED = "Learners", 100


@click.command(cls=Documented)
@click.argument("question", metavar="NAME")
@click.option("-e", "--exercise", "name", metavar="FUNCTION", help="Which exercise, if the question has several.")
@click.option("--rung", type=click.IntRange(1), metavar="N", help="Hint number N (default: the next one).")
@shared("state", "lang", "course")
def hint(call: Call, question: str, name: str | None, rung: int | None) -> None:
    """Show the next hint for an exercise.

    NAME is a function or class such as softmax, or a question such as Q5 (with -e, if it has several exercises).

    The first hint is a question to think about, after one about the misconception that your code showed last; the last
    one is almost the line of code. Hints cost practice points, never graded ones.

    Examples:
      hint softmax           the next hint
      hint Q5                the same, for a question with one exercise
      hint softmax --rung 1  the first hint once more

    Exit codes:
      0  done
    """
    course = call.course()
    asked, exercise = find_one_exercise(course, name or question)
    rungs = len(exercise.hints)
    if not rungs:
        said = Message("{exercise} has no hints; `attncheck show {question}` says what to write.")
        raise UsageError(said.fill(exercise=exercise.name, question=asked.id))
    if rung is not None and rung > rungs:
        said = Message("{exercise} has {rungs} hints; --rung takes a number from 1 to {rungs}.")
        raise UsageError(said.fill(exercise=exercise.name, rungs=rungs))
    events = call.read_events(course)
    taken, before = hints_taken(events, exercise.name), hints_shown(events, exercise.name)
    left = [number for number in range(1, rungs + 1) if number not in before]
    shown = rung or next(iter(left), rungs)
    if shown not in before:
        call.save(log.Hinted(log.now(), course.public_id, exercise.name, shown))
    belief = asked.misconception(last_misconception(events, exercise.name))
    ask = belief.ask if belief is not None and not before else None
    progress_view.hint(page(call.lang), exercise, shown, max(taken, shown), no_more=rung is None and not left, ask=ask)
