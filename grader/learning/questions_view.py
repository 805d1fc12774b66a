"""The list of questions and the map of misconceptions, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from grader.core.layout import WIDTH, cells, columns, indent, wrap
from grader.core.marks import plain
from grader.core.model import Course, Lang, Message, Question
from grader.core.text import COMMA, points

if TYPE_CHECKING:
    from grader.course.misconceptions import QuestionCoverage
    from grader.learning.progress import Progress

COLUMNS = (Message("id"), Message("title"), Message("group"), Message("points", "worth"))
_COUNTED = Message("correct: of graded items, practice items and exercises together.")
MAP_LINE = Message("{name}: {where}")


def lines(
    course: Course, questions: Sequence[Question], progress: Progress, lang: Lang, width: int = WIDTH
) -> Iterator[str]:
    """The lines of a table of ``questions``; with a column of progress once the learner has begun.

    Where titles would not fit beside it, the column of groups is left out; then they take several lines.
    """
    groups = {name: title.of(lang) for name, title in course.groups}
    titles = [plain(q.title.of(lang)) for q in questions]
    named = [groups.get(q.group, q.group) for q in questions]
    own = {known.question.id: known for known in progress.questions} if progress.begun else {}
    share = {name: f"{known.right}/{len(known.standings)}" for name, known in own.items() if known.begun}
    room = width - max((cells(q.id) for q in questions), default=0) - (21 if own else 12)  # for the other columns
    if max(map(cells, titles), default=0) > room - max(map(cells, named), default=0):
        named = [""] * len(named)
    heads = [text.of(lang) for text in (*COLUMNS, *([Message("correct", "count")] if own else []))]
    heads[2] = heads[2] if any(named) else ""
    rows = [heads]
    for question, title, group in zip(questions, titles, named, strict=True):
        first, *more = wrap(title, room)
        right = [share.get(question.id, "")] if own else []
        rows.append([question.id, first, group, points(question.points), *right])
        rows += [["", line, *[""] * (len(heads) - 2)] for line in more]
    yield from columns(rows, right=[3, 4])
    if own:
        yield from ("", *wrap(_COUNTED.of(lang), width))


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
