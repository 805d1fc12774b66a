"""Answers to mark by hand, as lines of text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.core.layout import indent
from grader.core.model import Message, Text
from grader.core.serialize import Unrounded
from grader.core.text import clean, cleaned, points
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


@dataclass(frozen=True, slots=True)
class KeyPointJson:
    """A key point of an item.

    - `id`: its letter
    - `text`: what an answer has to say
    """

    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class WordingJson:
    """An answer.

    - `text`: one wording of it
    - `learners`: the ids of all who gave it, but for case, spaces and punctuation
    """

    text: str
    learners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupJson:
    """Similar answers to an item.

    - `item`: its id
    - `points`: what it is worth
    - `key_points`: of the item
    - `answers`: the most frequent first
    - `comments`: those given with points for this item so far
    """

    item: str
    points: Unrounded
    key_points: tuple[KeyPointJson, ...]
    answers: tuple[WordingJson, ...]
    comments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnreadJson:
    """An answer that could not be read.

    - `item`: its id
    - `points`: what it is worth
    - `learner`: the id of the learner
    - `text`: what was written
    - `message`: why it could not be read
    """

    item: str
    points: Unrounded
    learner: str
    text: str
    message: Text


@dataclass(frozen=True, slots=True)
class WaitingJson:
    """Answers that wait for a person.

    - `format`: 1
    - `pending`: groups of answers to mark by hand
    - `unread`: answers that could not be read
    """

    format: int
    pending: tuple[GroupJson, ...]
    unread: tuple[UnreadJson, ...]


def waiting_json(waiting: PendingAnswers) -> WaitingJson:
    """All groups and answers that could not be read, as data for ``serialize.to_json``."""
    return WaitingJson(
        1,
        tuple(_group_json(group, waiting.comments.get(group.item.id, ())) for group in waiting.groups),
        tuple(
            UnreadJson(
                answer.item,
                Unrounded(answer.possible),
                clean(answer.learner),
                clean(answer.text, 2000, lines=True),
                cleaned(answer.why, 2000, lines=True),
            )
            for answer in waiting.unread
        ),
    )


def _group_json(group: AnswerGroup, comments: Sequence[str]) -> GroupJson:
    key_points = tuple(KeyPointJson(point.id, point.text) for point in items.key_points(group.item))
    answers = tuple(
        WordingJson(clean(wording.text, 2000, lines=True), tuple(map(clean, wording.learners)))
        for wording in group.wordings
    )
    return GroupJson(group.item.id, Unrounded(group.item.points), key_points, answers, tuple(map(clean, comments)))
