"""Compare the submissions of a class, read from the paths that its gradebook records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader import submission
from grader.classroom.gradebook import Gradebook, SubmissionRow
from grader.classroom.worker import Workers
from grader.core import bounded
from grader.core.errors import SubmissionError
from grader.core.model import Course, Part, SourceFile
from grader.course.starter import file_name, stub
from grader.instructor.analysis import similarity
from grader.instructor.analysis.similarity import CodeSample, ReducedSample, SimilarityResult

#: With fewer submissions, starting worker processes takes longer than it saves.
_MANY = 100


@dataclass(frozen=True, slots=True)
class ClassSimilarity:
    """The similarities in a class. ``people`` maps the key of each submission to its learners.

    ``left_out`` are the keys of submissions that cannot be read. ``read`` reads a submission again, by key, to show its
    code.
    """

    found: SimilarityResult
    people: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]
    read: Callable[[str], CodeSample | None]

    @property
    def who(self) -> dict[str, str]:
        """A display name for each submission, by key: its learners, or the key if it belongs to nobody."""
        return {key: ", ".join(names) or key for key, names in self.people.items()}


def compare_class(gradebook: Gradebook, course: Course, threshold: float | None = None) -> ClassSimilarity:
    """Compare the last submission of each learner or group, for the questions that were graded.

    ``threshold`` is the score, from 0 to 1, from which a pair is reported; None means ``similarity.THRESHOLD``.
    """
    asked = gradebook.recall("questions")
    row = list(_last(gradebook.submissions()))
    read = partial(_read, {one.key: (one.learners, gradebook.place(one)) for one in row if one.error is None})
    counting = [q for q in course.questions if not isinstance(asked, dict) or q.id in asked]
    exercises = [exercise.name for question in counting for exercise in question.exercises]
    reduced = _reduced(read, exercises, [one.key for one in row])
    readable = [one for one in reduced.values() if one is not None]
    return ClassSimilarity(
        found=similarity.compare(readable, _given(course), exercises, threshold or similarity.THRESHOLD),
        people={one.key: one.learners for one in row},
        left_out=tuple(key for key, one in reduced.items() if one is None),
        read=read,
    )


def _last(submissions: Sequence[SubmissionRow]) -> Iterator[SubmissionRow]:
    """The last attempt of each learner or group, and all submissions that belong to nobody."""
    last = {one.learners or (one.key,): one for one in sorted(submissions, key=lambda one: one.attempt)}
    return iter(last.values())


def _read(places: Mapping[str, tuple[tuple[str, ...], Path]], key: str) -> CodeSample | None:
    """The code of the submission ``key``; None if it cannot be read."""
    if key not in places:  # it could not be read when it was graded
        return None
    people, place = places[key]
    try:
        return CodeSample(key, people, submission.read(place).files)
    except SubmissionError:
        return None


def _reduced(
    read: Callable[[str], CodeSample | None], exercises: Sequence[str], keys: Sequence[str]
) -> dict[str, ReducedSample | None]:
    """All submissions in reduced form, by key. Reading takes most of the time, so a large class is read on all CPUs."""
    take = partial(_reduce, read, exercises)
    if len(keys) < _MANY:
        return dict(zip(keys, map(take, keys), strict=True))
    with Workers() as pool:
        return dict(zip(keys, pool.map(take, keys, chunksize=8), strict=True))


def _reduce(read: Callable[[str], CodeSample | None], exercises: Sequence[str], key: str) -> ReducedSample | None:
    one = read(key)
    if one is None:
        return None
    if similarity.is_small(one):
        return similarity.reduce_sample(one, exercises)
    try:
        return bounded.call(bounded.READING, similarity.reduce_sample, one, exercises)
    except bounded.Exceeded:
        return None


def _given(course: Course) -> list[SourceFile]:
    """The code that every learner was given: the references and the stubs."""
    written = [(file_name(question), stub(question, "en")) for question in course.questions if question.exercises]
    return [*course.reference, *(SourceFile(name, name, (Part(name, text),)) for name, text in written)]
