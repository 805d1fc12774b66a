"""Which answers of a submission were stored, and which cannot be read: what a receipt says about answers.

It says nothing about whether an answer is correct.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.model import Answer, Course, Item, Submission, Text
from grader.course import answer_ids, items
from grader.grading.missing import unassigned


@dataclass(frozen=True, slots=True)
class UnreadEntry:
    """An answer that cannot be read, with its line in the answers file, and why."""

    item: str
    line: int
    why: Text


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """The items whose answers were stored, and the answers that cannot be read, or that no item of the course gets."""

    items: tuple[str, ...] = ()
    unread: tuple[UnreadEntry, ...] = ()


def stored_answers(course: Course | None, submission: Submission) -> StoredAnswers:
    """The answers of ``submission`` to items of ``course``.

    Without a course, all ids count as items, and only what is not YAML is unread.
    """
    if course is not None:
        submission = answer_ids.matched(course, submission)
    known = {} if course is None else {item.id: item for question in course.questions for item in question.items}
    public_id = "" if course is None else course.public_id
    read, unread = [], []
    for answer in submission.answers or ():
        if answer.value is None or (course is not None and answer.item not in known):
            continue
        context = items.Context(public_id, submission.learner, answer.item)
        why = _why_unread(answer, known.get(answer.item), context)
        if why is None:
            read.append(answer.item)
        else:
            unread.append(UnreadEntry(answer.item, answer.line, why))
    for answer, why in unassigned(submission.answers or (), list(known)) if known else ():
        unread.append(UnreadEntry(answer.item, answer.line, why))
    return StoredAnswers(tuple(read), tuple(unread))


def _why_unread(answer: Answer, item: Item | None, context: items.Context) -> Text | None:
    """Why an answer cannot be read; None if it can be, as far as can be told without much computing time."""
    if answer.problem is not None or item is None:
        return answer.problem
    if not items.is_heavy(item):
        judged = items.judge(item, answer.value, context)
        return None if judged.readable else judged.message
    lines = items.read_lines(item, answer.value) if isinstance(answer.value, str) else ()
    return next((line.why for line in lines if line.why is not None), None)
