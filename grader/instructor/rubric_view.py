"""Answers to mark by hand, as lines of text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.core.layout import indent
from grader.core.model import Message
from grader.core.text import clean, points
from grader.course import items

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.core.model import Lang
    from grader.instructor.rubric import AnswerGroup, PendingAnswers, UnreadAnswer

_HEAD = Message("{item}, {points} points, answers: {count}")
_SAMPLE = Message("Sample answer: {answer}")
_WORDING = Message("{count}× {text}")
_COMMENTS = Message("Comments so far:")
_UNREAD = Message("Could not be read; give points with 'attncheck override DIR LEARNER ITEM --points P --reason TEXT':")
_UNREAD_ITEM = Message("{item}, {learner}, worth {points}: {text}")
NOTHING_WAITS = Message("No answers are waiting to be marked.")
WHICH = Message("Which key points does it make? (letters; 0: none, x: one wording at a time, s: skip, q: quit)")
COMMENT = Message("Comment (text, a number from above, or nothing)")
DONE = Message("{item}: {points} of {possible} points for {count}.")


def group_lines(found: AnswerGroup, comments: Sequence[str], lang: Lang) -> Iterator[str]:
    """A group with its question, the key points, all wordings, and earlier comments."""
    item = found.item
    yield _HEAD.fill(item=item.id, points=points(item.points), count=len(found.learners)).of(lang)
    yield indent(item.ask.of(lang), 2)
    yield indent(_SAMPLE.fill(answer=items.key(item, items.Context("", "", item.id))).of(lang), 2)
    for point in items.key_points(item):
        yield indent(f"{point.id}  {point.text.of(lang)}", 4)
    for wording in found.wordings:
        text = clean(wording.text, 2000, lines=True)
        yield indent(_WORDING.fill(count=len(wording.learners), text=text).of(lang), 2)
    if comments:
        yield indent(_COMMENTS.of(lang), 2)
        for number, comment in enumerate(comments, 1):
            yield indent(f"{number}  {clean(comment)}", 4)


def waiting_lines(found: PendingAnswers, lang: Lang) -> Iterator[str]:
    """All groups and answers that could not be read, or a sentence if there are none."""
    if not found.groups and not found.unread:
        yield NOTHING_WAITS.of(lang)
    for at, group in enumerate(found.groups):
        if at:
            yield ""
        yield from group_lines(group, found.comments.get(group.item.id, ()), lang)
    if found.groups and found.unread:
        yield ""
    yield from unread_lines(found.unread, lang)


def unread_lines(unread: Sequence[UnreadAnswer], lang: Lang) -> Iterator[str]:
    """The answers that could not be read: whose, what was written, and why."""
    if unread:
        yield indent(_UNREAD.of(lang), 0)
    for each in unread:
        text = clean(each.text, 2000, lines=True)
        named = {"item": each.item, "learner": clean(each.learner), "points": points(each.possible)}
        yield indent(_UNREAD_ITEM.fill(**named, text=text).of(lang), 2)
        yield indent(clean(each.why.of(lang), 600, lines=True), 4)


def waiting_json(found: PendingAnswers, lang: Lang) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "format": 1,
        "pending": [
            {
                "item": group.item.id,
                "points": group.item.points,
                "key_points": [{"id": each.id, "text": each.text.of(lang)} for each in items.key_points(group.item)],
                "answers": [
                    {"text": clean(each.text, 2000, lines=True), "learners": [clean(name) for name in each.learners]}
                    for each in group.wordings
                ],
                "comments": [clean(each) for each in found.comments.get(group.item.id, ())],
            }
            for group in found.groups
        ],
        "unread": [
            {
                "item": each.item,
                "points": each.possible,
                "learner": clean(each.learner),
                "text": clean(each.text, 2000, lines=True),
                "message": clean(each.why.of(lang), 2000, lines=True),
            }
            for each in found.unread
        ],
    }
