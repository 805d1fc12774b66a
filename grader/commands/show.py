"""``attncheck show``: one question in full."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import width
from grader.commands._options import (
    ChineseHelp,
    course_option,
    documented,
    find_part,
    lang_option,
    learner_option,
    load_course,
    read_events,
    state_option,
)
from grader.core.errors import UsageError
from grader.core.model import Exercise, Item, Text
from grader.course import question_view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.core.model import Course, Lang, Question

_AN_ITEM = Text(
    "{name} is an item, and has no reference. 'attncheck show {question} --reference' shows those of its exercises.",
    "{name} 是一道小题，没有参考实现。`attncheck show {question} --reference` 显示这个问题各个练习的参考实现。",
)

_ONLY_WITH = Text(
    "--from requires --reference: it compares your code with the reference.",
    "--from 要和 --reference 一起用：它把你的代码和参考实现作比较。",
)


@documented(
    {
        "show Q5": "the prompt of Q5, and what there is to do",
        "show Q5 --full": "with all items, options and conventions",
        "show Q5.width": "one item, with its options",
        "show softmax": "one exercise, with its conventions",
        "show softmax --reference": "the reference, once your own code has passed",
        "show softmax --reference --from work": "the same, with what differs from yours",
    },
    {0: "done"},
    ChineseHelp(
        "显示一个问题、一道小题或一个练习。\n\n"
        "NAME 可以是问题（如 Q5）、小题（如 Q5.width），也可以是函数或类（如 softmax）。",
        {
            "--full": "显示所有小题和选项，以及全部约定。",
            "--from": "和 --reference 一起用：你自己的文件、文件夹、笔记本或 zip，比较它和参考实现的写法与开销。",
            "--reference": "显示参考实现，供你与自己的代码比较；要等这个问题的代码全部正确（由课程决定）。",
        },
        (
            "Q5 的题目，以及要做的事",
            "连同所有小题、选项和约定",
            "一道小题和它的选项",
            "一个练习和它的约定",
            "参考实现，自己的代码通过之后才能看",
            "同上，并说明和你的代码有什么不同",
        ),
    ),
)
@click.command()
@click.argument("name")
@click.option("--full", is_flag=True, help="Show all items, with their options, and all conventions.")
@click.option(
    "--reference",
    is_flag=True,
    help="Show the reference to compare your code with, once all code of the question has passed (the course decides).",
)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="With --reference: your own file, folder, notebook or zip, to compare its style and cost.",
)
@learner_option
@state_option
@lang_option
@course_option
def show(
    *,
    name: str,
    full: bool,
    reference: bool,
    source: Path | None,
    learner: str | None,
    state_file: Path | None,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Show a question, an item or an exercise.

    NAME is a question such as Q5, an item such as Q5.width, or a function or class such as softmax.
    """
    course = load_course(course_folder)
    question, part = find_part(course, name)
    if source is not None and not reference:
        raise UsageError(_ONLY_WITH)
    if reference:
        lines = _reference(course, question, part, state_file, lang)
        if source is not None:
            lines = [*lines, "", *_compared(course, question, part, source, lang)]
    elif part is None:
        view = question_view.lines if full else question_view.overview
        lines = view(question, course, learner, lang, width())
    elif isinstance(part, Exercise):
        lines = question_view.exercise_lines(question, part, lang, width())
    else:
        lines = question_view.item_lines(question, part, course, learner, lang, width())
    for line in lines:
        click.echo(line)


def _reference(
    course: Course, question: Question, part: Item | Exercise | None, state_file: Path | None, lang: Lang
) -> Iterable[str]:
    """The references of a question or of one exercise. Raises UsageError if they are not to be seen now."""
    from grader.learning import log, progress, reference_view  # not needed otherwise

    if isinstance(part, Item):
        raise UsageError(_AN_ITEM.fill(name=part.id, question=question.id))
    known = progress.progress_of(course, read_events(state_file, course))
    refused = reference_view.refusal(course, question, known, log.now())
    if refused is not None:
        raise UsageError(refused)
    return reference_view.lines(course, question, question.exercises if part is None else (part,), lang)


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
            found = checker.use(partial(costs.compare_costs, course, exercise, question, submission))
            yield f"{exercise.name}:"
            yield from beside.lines(found, lang)
            yield ""
    finally:
        checker.close()
