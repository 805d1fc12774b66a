"""The solutions of a class, read where its gradebook says that they are, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader import submission
from grader.classroom.analysis import similarity
from grader.classroom.analysis.similarity import Handed, Reduced, Similar
from grader.classroom.gradebook import Filed, Gradebook
from grader.classroom.worker import Workers
from grader.core import bounded
from grader.core.errors import SubmissionError
from grader.core.model import Course, Part, SourceFile
from grader.course.starter import file_name, stub

#: With fewer submissions, starting processes would take longer than reading.
_MANY = 100


@dataclass(frozen=True, slots=True)
class Compared:
    """What is alike in a class. ``people`` are whose each submission is, by its key; ``left_out`` cannot be read.

    ``read`` gives a submission once more, for those who show it.
    """

    found: Similar
    people: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]
    read: Callable[[str], Handed | None]

    @property
    def who(self) -> dict[str, str]:
        """What each submission is called: by its people, or by its key where it belongs to nobody."""
        return {key: ", ".join(names) or key for key, names in self.people.items()}


def compared(gradebook: Gradebook, course: Course, threshold: float | None = None) -> Compared:
    """Compares the last submission of everybody in the questions that were graded."""
    asked = gradebook.recall("questions")
    filed = list(_last(gradebook.submissions()))
    read = partial(_read, {one.key: (one.learners, gradebook.place(one)) for one in filed if one.error is None})
    counting = [q for q in course.questions if not isinstance(asked, dict) or q.id in asked]
    exercises = [exercise.name for question in counting for exercise in question.exercises]
    reduced = _reduced(read, exercises, [one.key for one in filed])
    readable = [one for one in reduced.values() if one is not None]
    return Compared(
        found=similarity.compare(readable, _given(course), exercises, threshold or similarity.THRESHOLD),
        people={one.key: one.learners for one in filed},
        left_out=tuple(key for key, one in reduced.items() if one is None),
        read=read,
    )


def _last(submissions: Sequence[Filed]) -> Iterator[Filed]:
    """The last attempt of each learner or group, and everything that belongs to nobody."""
    last = {one.learners or (one.key,): one for one in sorted(submissions, key=lambda one: one.attempt)}
    return iter(last.values())


def _read(places: Mapping[str, tuple[tuple[str, ...], Path]], key: str) -> Handed | None:
    """A submission as it was handed in; None where it cannot be read."""
    if key not in places:  # what could not be read then need not have a place
        return None
    people, place = places[key]
    try:
        return Handed(key, people, submission.read(place).files)
    except SubmissionError:
        return None


def _reduced(
    read: Callable[[str], Handed | None], exercises: Sequence[str], keys: Sequence[str]
) -> dict[str, Reduced | None]:
    """All submissions as numbers. Reading takes most of the time, so that a large class is read by every processor."""
    take = partial(_reduce, read, exercises)
    if len(keys) < _MANY:
        return dict(zip(keys, map(take, keys), strict=True))
    with Workers() as pool:
        return dict(zip(keys, pool.map(take, keys, chunksize=8), strict=True))


def _reduce(read: Callable[[str], Handed | None], exercises: Sequence[str], key: str) -> Reduced | None:
    one = read(key)
    if one is None:
        return None
    if similarity.is_small(one):
        return similarity.reduced(one, exercises)
    try:
        return bounded.call(bounded.READING, similarity.reduced, one, exercises)
    except bounded.Exceeded:
        return None


def _given(course: Course) -> list[SourceFile]:
    """The code that every learner can read: the references and the stubs."""
    written = [(file_name(question), stub(question, "en")) for question in course.questions if question.exercises]
    return [*course.reference, *(SourceFile(name, name, (Part(name, text),)) for name, text in written)]
