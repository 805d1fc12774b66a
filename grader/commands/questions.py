"""``attncheck questions``: the list of questions, and the map of misconceptions."""

from __future__ import annotations

from typing import Any

import click

from grader.commands._console import width
from grader.commands._options import Call, Documented, shared
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import suggestion
from grader.learning import questions_view
from grader.learning.progress import QuestionProgress, progress_of
from grader.report.json import number

LISTED = "Learners", 20


#: The most cells of the table: no title is longer.
_WIDEST = 120


@click.command(cls=Documented)
@click.option("--group", metavar="GROUP", help="Only the questions of this group.")
@click.option("--map", "as_map", is_flag=True, help="Show misconceptions, with the items and exercises about each.")
@click.option("--markdown", is_flag=True, help="Write the map of the whole course as Markdown.")
@shared("json", "state", "lang", "course")
def questions(call: Call, group: str | None, as_map: bool, markdown: bool) -> None:
    """List the questions and your progress in each.

    Examples:
      questions                          all questions, with your progress
      questions --group position --json  one group, as data

    Exit codes:
      0  done
    """
    from grader.course import misconceptions  # only maps need it

    course = call.course()
    if markdown:
        click.echo(misconceptions.markdown(course, call.lang), nl=False)
        return
    groups = {name for name, title in course.groups if group and group.lower() in (name.lower(), title.of(call.lang))}
    chosen = [question for question in course.questions if group is None or question.group in groups]
    if group is not None and not chosen:
        said = Message("There is no group “{group}”. {hint}")
        raise UsageError(said.fill(group=group, hint=suggestion(group, [name for name, _ in course.groups])))
    if as_map:
        found = misconceptions.coverage_of(course, chosen)
        call.show(lambda: questions_view.map_json(found), lambda: questions_view.map_lines(found, call.lang))
        return
    progress = progress_of(course, call.read_events(course))
    call.show(
        lambda: [_as_json(progress.question(question.id)) for question in chosen],
        lambda: questions_view.lines(course, chosen, progress, call.lang, width(most=_WIDEST)),
    )


def _as_json(progress: QuestionProgress) -> dict[str, Any]:
    question = progress.question
    return {
        "id": question.id,
        "title": {"en": question.title.en, "zh": question.title.zh},
        "group": question.group,
        "points": number(question.points),
        "items": [item.id for item in question.items],
        "exercises": [exercise.name for exercise in question.exercises],
        "right": progress.right,
        "all": len(progress.standings),
    }
