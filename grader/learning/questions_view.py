"""The list of questions and the map of misconceptions, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from grader.core.layout import WIDTH, cells, columns, indent, shorten
from grader.core.marks import plain
from grader.core.model import Course, Lang, Message, Question
from grader.core.text import COMMA, points

if TYPE_CHECKING:
    from grader.course.misconceptions import QuestionCoverage
    from grader.learning.progress import Progress

COLUMNS = (Message("id"), Message("title"), Message("group"), Message("points", "worth"))
CORRECT = Message("correct", "count")
MAP_LINE = Message("{name}: {where}")


def lines(
    course: Course, questions: Sequence[Question], progress: Progress, lang: Lang, width: int = WIDTH
) -> Iterator[str]:
    """The lines of a table of ``questions``; with a column of progress once the learner has begun.

    Where it is narrow, the column of groups is left out.
    """
    groups = {name: title.of(lang) for name, title in course.groups}
    named = [groups.get(q.group, q.group) if width >= _GROUPS_FROM else "" for q in questions]
    own = {known.question.id: known for known in progress.questions} if progress.begun else {}
    share = {name: f"{known.right}/{len(known.standings)}" for name, known in own.items() if known.begun}
    title_width = width - (27 if own else 18) - max(map(cells, named), default=0)
    heads = [text.of(lang) for text in (*COLUMNS, *([CORRECT] if own else []))]
    heads[2] = heads[2] if any(named) else ""
    rows = [
        (q.id, shorten(plain(q.title.of(lang)), title_width), group, points(q.points))
        for q, group in zip(questions, named, strict=True)
    ]
    shares = [[share.get(q.id, "")] if own else [] for q in questions]
    yield from columns([heads, *([*row, *more] for row, more in zip(rows, shares, strict=True))], right=[3, 4])


#: From this width on, the table has a column of groups.
_GROUPS_FROM = 70


def map_lines(places: Sequence[QuestionCoverage], lang: Lang) -> Iterator[str]:
    """The lines of the map: the exercises and misconceptions of each question, with the items about them."""
    comma, nothing = COMMA.of(lang), Message("nothing yet").of(lang)
    for place in places:
        yield f"{place.question.id}  {plain(place.question.title.of(lang))}"
        for name, items in place.exercises:
            yield indent(MAP_LINE.fill(name=name, where=comma.join(items) or nothing).of(lang), 2)
        for belief in place.beliefs:
            where = comma.join((*belief.items, *belief.exercises)) or nothing
            yield indent(MAP_LINE.fill(name=belief.misconception.id, where=where).of(lang), 4)


def map_json(places: Sequence[QuestionCoverage]) -> list[dict[str, Any]]:
    """The map as JSON values."""
    return [
        {
            "id": place.question.id,
            "misconceptions": [
                {"id": belief.misconception.id, "items": belief.items, "exercises": belief.exercises}
                for belief in place.beliefs
            ],
            "exercises": [{"name": name, "items": items} for name, items in place.exercises],
        }
        for place in places
    ]
