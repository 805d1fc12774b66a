"""``attncheck show``: one question in full."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

from grader.commands._console import page, print_lines, width
from grader.commands._find import find_part
from grader.commands._options import Call, Documented, learner_option, shared, source_option
from grader.core.errors import UsageError
from grader.core.model import Course, Exercise, Item, Lang, Message, Question
from grader.course import question_view
from grader.learning import log

LISTED = "Learners", 30

_AN_ITEM = Message(
    "{name} is an item, and has no reference. `attncheck show {question} --reference` shows those of its exercises."
)


@click.command(cls=Documented)
@click.argument("name")
@click.option("--full", is_flag=True, help="Show all items, with their options, and all conventions.")
@click.option(
    "--reference",
    is_flag=True,
    help="Show the reference to compare your code with, once all code of the question has passed (the course decides).",
)
@source_option(help="With --reference: your own file, folder, notebook or zip, to compare its style and cost.")
@learner_option
@shared("state", "lang", "course")
def show(call: Call, *, name: str, full: bool, reference: bool, source: Path | None, learner: str | None) -> None:
    """Show a question, an item or an exercise.

    NAME is a question such as Q5, an item such as Q5.width, or a function or class such as softmax.

    Examples:
      show Q5                               the prompt of Q5, and what there is to do
      show Q5 --full                        with all items, options and conventions
      show Q5.width                         one item, with its options
      show softmax                          one exercise, with its conventions
      show softmax --reference              the reference, once your own code has passed
      show softmax --reference --from work  the same, with what differs from yours

    Exit codes:
      0  done
    """
    course = call.course()
    question, part = find_part(course, name)
    whose = learner or log.last_name(call.read_all_events(course))
    view = question_view.View(course.public_id, whose, call.lang, width())
    if source is not None and not reference:
        raise UsageError(Message("--from requires --reference: it compares your code with the reference."))
    lines: Iterable[str] = ()
    if reference:
        _show_reference(course, question, part, call)
        if source is not None:
            lines = ["", *_compared(course, question, part, source, call.lang)]
    elif part is None:
        lines = (question_view.lines if full else question_view.overview)(question, view)
    elif isinstance(part, Exercise):
        lines = question_view.exercise_lines(question, part, view)
    else:
        lines = question_view.item_lines(question, part, view)
    print_lines(lines)


def _show_reference(course: Course, question: Question, part: Item | Exercise | None, call: Call) -> None:
    """Write the references of a question or of one exercise. Raises UsageError if they are not to be seen now."""
    from grader.learning import progress, reference_view  # not needed otherwise

    if isinstance(part, Item):
        raise UsageError(_AN_ITEM.fill(name=part.id, question=question.id))
    own = progress.progress_of(course, call.read_events(course))
    refused = reference_view.refusal(course, question, own, log.now())
    if refused is not None:
        raise UsageError(refused)
    shown = question.exercises if part is None else (part,)
    reference_view.show(page(call.lang), course, question, shown)


def _compared(
    course: Course, question: Question, part: Item | Exercise | None, source: Path, lang: Lang
) -> Iterable[str]:
    """What the code at ``source`` and the references look like and cost."""
    from grader.grading import costs  # loads numpy
    from grader.grading.checker import Checker  # as above
    from grader.report import beside  # as above
    from grader.submission import read  # not needed otherwise

    submission = read(source)
    checker = Checker(course)
    try:
        for exercise in question.exercises if not isinstance(part, Exercise) else (part,):
            costs_there = checker.use(partial(costs.compare_costs, course, exercise, question, submission))
            yield f"{exercise.name}:"
            yield from beside.lines(costs_there, lang)
            yield ""
    finally:
        checker.close()
