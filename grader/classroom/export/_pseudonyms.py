"""A gradebook with nobody's name in it, for research and for showing around.

Every learner is called by a keyed digest of their id. The key is made once and stays in the gradebook: exports of one
gradebook agree, those of different ones cannot be joined, and who has the gradebook can tell who is who. Left out is
whatever learners wrote or chose (names, answers, messages that quote them, files), when they handed in, sections,
extra time, and what instructors wrote about them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from grader.classroom.gradebook import Enrolled, Gradebook
from grader.classroom.marks import Mark, Work
from grader.classroom.results import Book
from grader.core.model import QuestionResult, Text, Verdict

_KEY = "pseudonyms"
#: Stands for every time that is left out.
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def masked(book: Book) -> Book:
    """``book`` as it may be shown. The first time, its key is made and kept."""
    known = book.gradebook.fact(_KEY, str)
    if known is None:
        known = secrets.token_hex(32)
        book.gradebook.remember(_KEY, known)
    key = known.encode()
    return _Masked(_Reordered(book.gradebook, key), book.course, book.versions, book.points, key)


def pseudonym(key: bytes, what: str, name: str) -> str:
    """A name that says nothing, the same every time."""
    return "p" + hmac.new(key, f"{what}\0{name}".encode(), hashlib.sha256).hexdigest()[:12]


class _Reordered(Gradebook):
    """The gradebook, its learners in an order that does not tell the alphabet."""

    def __init__(self, book: Gradebook, key: bytes) -> None:
        super().__init__(book._connection, book.path)
        self._key = key

    def learners(self) -> tuple[Enrolled, ...]:
        return tuple(sorted(super().learners(), key=lambda one: pseudonym(self._key, "learner", one.id)))


@dataclass(frozen=True, slots=True)
class _Masked(Book):
    key: bytes

    def marks(self) -> Iterator[Mark]:
        return (self._mask(mark) for mark in Book.marks(self))

    def unmatched(self) -> Iterator[Mark]:
        return iter(sorted((self._mask(mark) for mark in Book.unmatched(self)), key=lambda mark: mark.learner.id))

    def _mask(self, mark: Mark) -> Mark:
        name = pseudonym(self.key, "learner", mark.learner.id)
        return replace(
            mark,
            learner=Enrolled(name, name),
            work=None if mark.work is None else self._work(mark.work),
            late_seconds=0.0,
            overridden=tuple(replace(o, learner=name, reason="", author="", at=NO_TIME) for o in mark.overridden),
        )

    def _work(self, work: Work) -> Work:
        filed = replace(
            work.filed,
            key=pseudonym(self.key, "submission", work.filed.key),
            path="",
            learners=tuple(sorted(pseudonym(self.key, "learner", name) for name in work.filed.learners)),
            digest="",
            draws="",
            at=None,
            error=None if work.filed.error is None else Text("it could not be graded", "无法评分"),
        )
        return Work(
            filed, tuple((_silent(result), replace(run, at=NO_TIME, seconds=0.0)) for result, run in work.results)
        )


def _silent(result: QuestionResult) -> QuestionResult:
    """A result without any words but the course's own."""
    return replace(
        result,
        items=tuple(replace(item, message=None) for item in result.items),
        exercises=tuple(
            replace(
                exercise,
                message=None,
                file=None,
                remarks=(),
                outcomes=tuple(replace(outcome, verdict=_bare(outcome.verdict)) for outcome in exercise.outcomes),
            )
            for exercise in result.exercises
        ),
    )


def _bare(verdict: Verdict) -> Verdict:
    return replace(verdict, message=None, difference=None, remark=None)
