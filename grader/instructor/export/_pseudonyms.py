"""A gradebook without names, for research and demonstrations.

Each name is replaced by a keyed digest of the learner's id. The key is created once and stays in the gradebook, so that
exports of one gradebook are consistent, exports of different gradebooks cannot be joined, and only someone with the
gradebook can identify the learners. Everything that learners wrote or chose is left out (names, answers, messages that
quote them, files), and so are submission times, sections, extra time, and comments of instructors.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from grader.classroom.gradebook import LearnerRow
from grader.classroom.marks import GradedSubmission, Mark
from grader.classroom.results import Book
from grader.core.model import ExerciseResult, ItemResult, Message, QuestionResult, Verdict

_KEY = "pseudonyms"
#: The value for all times that are left out.
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def pseudonymized(book: Book) -> Book:
    """``book`` without names. The first call creates the key and saves it in the gradebook."""
    known = book.gradebook.fact(_KEY, str)
    if known is None:
        known = secrets.token_hex(32)
        book.gradebook.remember(_KEY, known)
    key = known.encode()
    return _Masked(book.gradebook, book.course, book.versions, book.points, key)


def pseudonym(key: bytes, what: str, name: str) -> str:
    """The pseudonym of ``name``, a function of the arguments. ``what`` separates learners from submissions."""
    return "p" + hmac.new(key, f"{what}\0{name}".encode(), hashlib.sha256).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class _Masked(Book):
    key: bytes

    def learners(self) -> Sequence[LearnerRow]:
        """Ordered by pseudonym, which reveals nothing about names."""
        return sorted(Book.learners(self), key=lambda learner: pseudonym(self.key, "learner", learner.id))

    def marks(self) -> Iterator[Mark]:
        return (self._mask(mark) for mark in Book.marks(self))

    def unmatched(self) -> Iterator[Mark]:
        return iter(sorted((self._mask(mark) for mark in Book.unmatched(self)), key=lambda mark: mark.learner.id))

    def _mask(self, mark: Mark) -> Mark:
        name = pseudonym(self.key, "learner", mark.learner.id)
        return replace(
            mark,
            learner=LearnerRow(name, name),
            work=None if mark.work is None else self._work(mark.work),
            late_seconds=0.0,
            overridden=tuple(
                replace(override, learner=name, reason="", author="", at=NO_TIME) for override in mark.overridden
            ),
        )

    def _work(self, work: GradedSubmission) -> GradedSubmission:
        row = replace(
            work.row,
            key=pseudonym(self.key, "submission", work.row.key),
            path="",
            learners=tuple(sorted(pseudonym(self.key, "learner", name) for name in work.row.learners)),
            digest="",
            seed_name="",
            signed=None,
            at=None,
            error=None if work.row.error is None else Message("it could not be graded"),
        )
        return GradedSubmission(
            row, tuple((_silent(result), replace(run, at=NO_TIME, seconds=0.0)) for result, run in work.results)
        )


def _silent(result: QuestionResult) -> QuestionResult:
    """A result without anything that could quote its learner; only the fields listed here are kept."""
    return QuestionResult(
        result.id,
        result.title,
        tuple(
            ItemResult(item.id, item.kind, item.status, item.earned, item.possible, misconception=item.misconception)
            for item in result.items
        ),
        tuple(
            ExerciseResult(
                exercise.name,
                exercise.status,
                exercise.earned,
                exercise.possible,
                tuple(replace(outcome, verdict=_bare(outcome.verdict)) for outcome in exercise.outcomes),
                misconception=exercise.misconception,
                array_type=exercise.array_type,
            )
            for exercise in result.exercises
        ),
    )


def _bare(verdict: Verdict) -> Verdict:
    return Verdict(
        verdict.status,
        misconception=verdict.misconception,
        applies=verdict.applies,
        final=verdict.final,
        broken=verdict.broken,
    )
