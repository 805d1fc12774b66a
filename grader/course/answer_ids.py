"""Matches the answers of a submission with the items of a course; letter case does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.core.model import Answer, Course, Submission


def matched(course: Course, submission: Submission) -> Submission:
    """``submission`` with answers under the ids of the course: ``q3.General`` is ``Q3.general``.

    Nothing changes if the course has several ids that differ in case alone. Different answers to one item are refused.
    """
    if not submission.answers:
        return submission
    return replace(submission, answers=tuple(_named(submission.answers, _ids(course))))


def _ids(course: Course) -> dict[str, str]:
    """The ids of the items of a course by how they are found: as they are, and folded if that is unique."""
    ids = [item.id for item in course.items]
    folded: dict[str, list[str]] = {}
    for name in ids:
        folded.setdefault(name.casefold(), []).append(name)
    return {fold: names[0] for fold, names in folded.items() if len(names) == 1} | {name: name for name in ids}


def _named(answers: Iterable[Answer], ids: dict[str, str]) -> Iterator[Answer]:
    from grader.submission.answers import combined  # the parser

    by_item: dict[str, list[Answer]] = {}
    for answer in answers:
        name = ids.get(answer.item) or ids.get(answer.item.casefold()) or answer.item
        by_item.setdefault(name, []).append(replace(answer, item=name))
    for same in by_item.values():
        yield same[0] if len(same) == 1 else combined(same)
