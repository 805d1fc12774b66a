"""Which texts of misconceptions somebody has compared with the mistakes that they are said of.

One misconception may stand for several mistakes, and a text that fits one of them may be false for another. Two people
read each such pair, and note it in ``questions/readings.yaml``: question, misconception, key of the pair, initials. The
key changes with the edits and with the text, so a pair that was changed has to be read again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.core import yaml_positions
from grader.core.errors import CourseError
from grader.core.marks import bare
from grader.core.model import Course, Exercise, Misconception, Mistake, Question

FILE = "readings.yaml"
#: How many people have to read a pair.
READERS = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """A mistake, and the misconception whose text is said of it and of others; ``readers`` have compared them."""

    question: str
    exercise: str
    misconception: Misconception
    mistake: Mistake
    readers: tuple[str, ...]

    @property
    def key(self) -> str:
        """Changes with the edits and with the text."""
        return _key(self.exercise, self.misconception, self.mistake)

    @property
    def is_read(self) -> bool:
        """Whether enough people have read it."""
        return len(set(self.readers)) >= READERS


def pairs(course: Course) -> Iterator[Pair]:
    """Every pair of a misconception that several mistakes of the course stand for."""
    mistakes = [found for question in course.questions for found in _mistakes(question)]
    count = Counter(mistake.misconception for _, _, mistake in mistakes)
    noted = _noted(Path(course.folder) / "questions" / FILE)
    for question, exercise, mistake in mistakes:
        believed = question.misconception(mistake.misconception)
        if count[mistake.misconception] > 1 and believed is not None:
            key = _key(exercise.name, believed, mistake)
            readers = noted.get((question.id, believed.id, key), ())
            yield Pair(question.id, exercise.name, believed, mistake, readers)


def _mistakes(question: Question) -> Iterator[tuple[Question, Exercise, Mistake]]:
    for exercise in question.exercises:
        yield from ((question, exercise, mistake) for mistake in exercise.mistakes)


def _key(exercise: str, misconception: Misconception, mistake: Mistake) -> str:
    read = (exercise, mistake.edits, bare(misconception.truth.en), bare(misconception.truth.zh))
    return "k" + hashlib.sha256(repr(read).encode()).hexdigest()[:7]  # a letter first, or YAML could read a number


def _noted(path: Path) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """The readers by question, misconception and key. Raises CourseError if the file is damaged."""
    if not path.is_file():
        return {}
    read = yaml_positions.parse(path.read_text("utf-8"), f"questions/{FILE}", CourseError).value
    return {
        (question, misconception, key): tuple(map(str, readers))
        for question, by_misconception in read.items()
        for misconception, by_key in by_misconception.items()
        for key, readers in by_key.items()
    }
