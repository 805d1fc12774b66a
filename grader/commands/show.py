"""``attncheck show``: one question in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from grader.commands._console import page, print_lines, width
from grader.commands._find import find_exercises, find_part
from grader.commands._options import Call, Documented, learner_option, shared, source_option
from grader.core.errors import UsageError
from grader.core.model import Course, Exercise, Lang, Message, Question
from grader.course import question_view
from grader.learning import log

LISTED = "Learners", 30


@click.command(cls=Documented)
@click.argument("name")
@click.option("--full", is_flag=True, help="Show all items, with their options, and all conventions.")
@click.option(
    "--reference",
    is_flag=True,
    help="Show the reference to compare your code with, once all code of the question has passed (the course decides).",
)
@click.option("--tests", is_flag=True, help="Write the public cases of the code as tests, to read or to run.")
@source_option(help="With --reference: your own file, folder, notebook or zip, to compare its style and cost.")
@learner_option
@shared("state", "lang", "course")
def show(
    call: Call, *, name: str, full: bool, reference: bool, tests: bool, source: Path | None, learner: str | None
) -> None:
    """Show a question, an item or an exercise.

    NAME is a question such as Q5, an item such as Q5.width, or a function or class such as softmax.

    Examples:
      show Q5                               the prompt of Q5, and what there is to do
      show Q5 --full                        with all items, options and conventions
      show Q5.width                         one item, with its options
      show softmax                          one exercise, with its conventions
      show Q5 --tests > test_q05.py         its public cases as tests, with inputs and expected results
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
    if reference or tests:
        question, exercises = find_exercises(course, name)
        if reference:
            _show_reference(course, question, exercises, call)
        if tests or source is not None:
            lines = _run(course, question, exercises, source, call.lang)
    elif part is None:
        lines = (question_view.lines if full else question_view.overview)(question, view)
    elif isinstance(part, Exercise):
        lines = question_view.exercise_lines(question, part, view)
    else:
        lines = question_view.item_lines(question, part, view)
    print_lines(lines)


def _show_reference(course: Course, question: Question, exercises: tuple[Exercise, ...], call: Call) -> None:
    """Write the references of exercises of a question. Raises UsageError if they are not to be seen now."""
    from grader.learning import progress, reference_view  # not needed otherwise

    own = progress.progress_of(course, call.read_events(course))
    if (refused := reference_view.refusal(course, question, own, log.now())) is not None:
        raise UsageError(refused)
    reference_view.show(page(call.lang), course, question, exercises)


def _run(
    course: Course, question: Question, exercises: Sequence[Exercise], source: Path | None, lang: Lang
) -> Iterable[str]:
    """What the code at ``source`` and the references look like and cost; without it, the public cases as tests."""
    from grader.grading import costs, debug_script  # loads numpy
    from grader.grading.checker import Checker  # as above
    from grader.report import beside  # as above
    from grader.submission import read  # not needed otherwise

    with closing(Checker(course)) as checker:
        if source is None:
            yield from checker.use(partial(debug_script.public_tests, course, question, exercises, lang)).splitlines()
            return
        submission = read(source)
        for exercise in exercises:
            costs_there = checker.use(partial(costs.compare_costs, course, exercise, question, submission))
            yield from ("", f"{exercise.name}:", *beside.lines(costs_there, lang))
