"""Answers to mark by hand: collected from a gradebook, grouped by similarity, marked by key points."""

from __future__ import annotations

import contextlib
import hashlib
import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

from grader.classroom.gradebook import Gradebook, Override
from grader.classroom.results import Book, write_files
from grader.classroom.text_view import text_lines
from grader.core.errors import UsageError
from grader.core.model import Item, Lang, Message, Status, Text
from grader.core.score import tidy
from grader.core.serialize import Shown, ShownText, Unrounded, Written
from grader.core.text import clean, suggestion
from grader.course import items
from grader.instructor.overrides import open_for_changes
from grader.report.words import NOT_READABLE

#: The fact with earlier comments, by item.
_COMMENTS = "comments"
#: The number of latest comments on an item that are offered again.
MOST_COMMENTS = 9
#: Answers are similar if they share at least this part of their words.
_ALIKE = 0.8
#: The most characters of an answer that are compared.
_COMPARED = 2000

ShownAnswer: TypeAlias = Annotated[str, Written(partial(clean, limit=2000, lines=True))]


@dataclass(frozen=True, slots=True)
class Wording:
    """An answer.

    - `text`: one wording of it
    - `learners`: the ids of all who gave it, but for case, spaces and punctuation
    """

    text: ShownAnswer
    learners: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Similar answers to one item; the most frequent wording comes first.

    ``number`` is its place among the groups of the item, from 1, and ``of`` the number of groups: marked answers count,
    so both stay while an item is being marked.
    """

    item: Item
    wordings: tuple[Wording, ...]
    number: int = 0
    of: int = 0

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners who gave one of these answers."""
        return tuple(name for wording in self.wordings for name in wording.learners)

    def split(self) -> tuple[AnswerGroup, ...]:
        """A group for each wording."""
        return tuple(AnswerGroup(self.item, (wording,)) for wording in self.wordings)


def group_answers(item: Item, answers: Mapping[str, str]) -> tuple[AnswerGroup, ...]:
    """Group ``answers`` (by learner), the largest group first. Equal answers always give equal groups.

    A wording joins the first group whose most frequent wording is similar: it has the same words in any order, except
    for a fifth of them. This says nothing about meaning, so a person has to see all wordings of a group.
    """
    same: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for learner, text in sorted(answers.items()):
        same.setdefault(_words(text), []).append((learner, text))
    found: list[tuple[frozenset[str], list[Wording]]] = []
    for words, given in sorted(same.items(), key=lambda each: (-len(each[1]), each[0])):
        wording = Wording(given[0][1], tuple(learner for learner, _ in given))
        bag = frozenset(words)
        near = next((wordings for leader, wordings in found if _overlap(leader, bag) >= _ALIKE), None)
        if near is None:
            found.append((bag, [wording]))
        else:
            near.append(wording)
    groups = [AnswerGroup(item, tuple(wordings)) for _, wordings in found]
    return tuple(sorted(groups, key=lambda each: -len(each.learners)))


def wording_id(text: str) -> str:
    """An id for use in a form. Wordings that count as equal have the same id."""
    return hashlib.sha256("\0".join(_words(text)).encode()).hexdigest()[:24]


def _words(text: str) -> tuple[str, ...]:
    """The words of ``text``, in lower case; each Chinese character counts as one."""
    plain = unicodedata.normalize("NFKC", text[:_COMPARED]).casefold()
    return tuple(re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+|[<>=+\-−≠]", plain))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


# --------------------------------------------------------------------------------------------- a gradebook


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a group: the ids of the key points that the answers make ("ac", or "0"), and a comment."""

    points: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class PendingAnswers:
    """The groups of answers to mark, earlier comments by item, and answers that could not be read."""

    groups: tuple[AnswerGroup, ...]
    comments: Mapping[str, Sequence[str]]
    unread: tuple[UnreadAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadAnswer:
    """An answer that could not be read.

    - `item`: its id
    - `points`: what it is worth
    - `learner`: the id of the learner
    - `text`: what was written
    - `message`: why it could not be read
    """

    item: str
    points: Unrounded
    learner: Shown
    text: ShownAnswer
    message: ShownText


def score_decision(item: Item, decision: Decision) -> tuple[float, str]:
    """The points for ``item`` and the reason that is saved with them. Raises UsageError for unknown key points."""
    known = [point.id for point in items.key_points(item)]
    if not known:
        text = Message("{item} has no key points.").with_advice(Message("Give --points P with --reason TEXT."))
        raise UsageError(text.fill(item=item.id))
    made = set(re.sub(r"[\s,，、]", "", decision.points).casefold())
    if not made or not (made <= set(known) or made == {"0"}):
        text = Message("{item} has the key points {known}, and 0 means none; found “{seen}”.")
        listed = Text(", ".join(known), "、".join(known))
        raise UsageError(text.fill(item=item.id, known=listed, seen=decision.points), field="point")
    made -= {"0"}
    said = f"key points {', '.join(sorted(made)) or 'none'} of {known[0]}–{known[-1]}"
    reason = f"{said}: {decision.comment.strip()}" if decision.comment.strip() else said
    return tidy(item.points * len(made) / len(known)), reason


def pending_answers(book: Book) -> PendingAnswers:
    """The answers to mark in ``book``: in work that counts, without an override.

    Those are answers to items with key points, and answers that could not be read.
    """
    known = {item.id: item for item in book.course.items if items.key_points(item)}
    done = {(change.learner, change.part) for change in book.gradebook.overrides()}
    answers: dict[str, dict[str, str]] = {}
    unread: list[UnreadAnswer] = []
    for mark in book.marks():
        if not mark.counts or mark.work is None:
            continue
        texts = book.gradebook.answers(mark.work.row)
        for result in (result for question, _ in mark.work.results for result in question.items):
            text = _text(texts.get(result.id))
            if result.id in known and result.status is Status.PENDING:
                answers.setdefault(result.id, {})[mark.learner.id] = text
            elif result.unread and (mark.learner.id, result.id) not in done:
                why = result.message or NOT_READABLE
                unread.append(UnreadAnswer(result.id, Unrounded(result.possible), mark.learner.id, text, why))
    groups: list[AnswerGroup] = []
    for name in (name for name in known if name in answers):
        grouped = group_answers(known[name], answers[name])
        left = (replace(_without(each, done), number=at, of=len(grouped)) for at, each in enumerate(grouped, 1))
        groups += (each for each in left if each.wordings)
    order = {item.id: at for at, item in enumerate(book.course.items)}
    unread.sort(key=lambda each: (order.get(each.item, len(order)), each.learner))
    return PendingAnswers(tuple(groups), _comments(book.gradebook), tuple(unread))


def _without(group: AnswerGroup, done: Container[tuple[str, str]]) -> AnswerGroup:
    """The group without the answers that are ``done``, by (learner, item)."""
    left = [
        Wording(each.text, tuple(name for name in each.learners if (name, group.item.id) not in done))
        for each in group.wordings
    ]
    return AnswerGroup(group.item, tuple(each for each in left if each.learners))


def _text(answer: object) -> str:
    return "\n".join(map(str, answer)) if isinstance(answer, (list, tuple)) else str(answer)


def _comments(book: Gradebook) -> dict[str, tuple[str, ...]]:
    return book.table(_COMMENTS, tuple[str, ...])


@contextlib.contextmanager
def marking(
    folder: Path, course_folder: Path | None, author: str, lang: Lang, timeout: float = 0.0
) -> Iterator[tuple[PendingAnswers, Callable[[AnswerGroup, Decision, datetime], int]]]:
    """Yields the answers to mark in the gradebook of ``folder``, and a function that saves a decision about a group.

    It returns the number of the save, for ``overrides.undo_save``.

    Each decision is saved at once; the result files are updated at the end, even after an error. Waits up to
    ``timeout`` seconds for the lock on the folder.
    """
    with open_for_changes(folder, course_folder, timeout) as (gradebook, course):
        book = Book.of(gradebook, course)

        def decide(chosen: AnswerGroup, decision: Decision, at: datetime) -> int:
            earned, reason = score_decision(chosen.item, decision)
            part = chosen.item.id
            given = {(who, part): Override(who, part, earned, reason, author, at) for who in chosen.learners}
            number = gradebook.change_overrides(given, author, at)
            _keep(gradebook, part, decision.comment.strip())
            return number

        try:
            yield pending_answers(book), decide
        finally:
            write_files(book, folder, lang)


def _keep(book: Gradebook, item: str, comment: str) -> None:
    """Save ``comment`` as the latest one on ``item``."""
    if comment:
        known = _comments(book)
        others = [each for each in known.get(item, ()) if each != comment]
        book.remember(_COMMENTS, known | {item: [comment, *others][:MOST_COMMENTS]})


def find_group(found: PendingAnswers, learner: str, part: str, *, alike: bool) -> AnswerGroup:
    """The answer of ``learner`` to ``part`` as a group; with ``alike``, the whole group of similar answers.

    Raises UsageError if no such answer is waiting.
    """
    mine = [each for each in found.groups if each.item.id.casefold() == part.casefold()]
    for each in mine:
        for wording in each.wordings:
            if learner in wording.learners:
                return each if alike else AnswerGroup(each.item, (Wording(wording.text, (learner,)),))
    who = [name for each in mine for name in each.learners]
    if not who:
        said = Message("No answers to “{part}” are waiting to be marked.").with_advice(
            Message("`attncheck override DIR --pending` lists those that are.")
        )
        raise UsageError(said.fill(part=part))
    text = Message("No answer of {learner} to {part} is waiting to be marked. {hint}")
    raise UsageError(text.fill(learner=learner, part=part, hint=suggestion(learner, who, most=8)))


# ----------------------------------------------------------- answers that wait, for people and as JSON

NOTHING_WAITS = Message("No answers are waiting to be marked.")
WHICH = Message("Which key points does it make? (letters; 0: none, x: one wording at a time, s: skip, q: quit)")
COMMENT = Message("Comment (text, a number from above, or nothing)")
DONE = Message("{item}: {points} of {possible} points for {count}.")


def group_lines(found: AnswerGroup, comments: Sequence[str], lang: Lang) -> Sequence[str]:
    """A group with its question, the key points, all wordings, and earlier comments."""
    return text_lines(__file__, "group.txt", lang, group=found, comments=comments, items=items)


def waiting_lines(found: PendingAnswers, lang: Lang) -> Sequence[str]:
    """All groups and answers that could not be read, or a sentence if there are none."""
    return text_lines(__file__, "waiting.txt", lang, found=found, items=items)


def unread_lines(unread: Sequence[UnreadAnswer], lang: Lang) -> Sequence[str]:
    """The answers that could not be read: whose, what was written, and why."""
    return text_lines(__file__, "unread.txt", lang, unread=unread)


@dataclass(frozen=True, slots=True)
class KeyPointJson:
    """A key point of an item.

    - `id`: its letter
    - `text`: what an answer has to say
    """

    id: str
    text: Text


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
    answers: tuple[Wording, ...]
    comments: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class WaitingJson:
    """Answers that wait for a person.

    - `format`: 1
    - `pending`: groups of answers to mark by hand
    - `unread`: answers that could not be read
    """

    format: int
    pending: tuple[GroupJson, ...]
    unread: tuple[UnreadAnswer, ...]


def waiting_json(waiting: PendingAnswers) -> WaitingJson:
    """All groups and answers that could not be read, as data for ``serialize.to_json``."""
    groups = tuple(_group_json(group, waiting.comments.get(group.item.id, ())) for group in waiting.groups)
    return WaitingJson(1, groups, waiting.unread)


def _group_json(group: AnswerGroup, comments: Sequence[str]) -> GroupJson:
    key_points = tuple(KeyPointJson(point.id, point.text) for point in items.key_points(group.item))
    return GroupJson(group.item.id, Unrounded(group.item.points), key_points, group.wordings, tuple(comments))
