"""Explains why an exercise is missing from a submission."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.core.model import Course, Message, Notice, Question, Submission, Text
from grader.core.suggest import nearest

#: A file and a line in it.
_Place = tuple[str, int]

#: How many names of a submission are compared with a missing one; each comparison takes some microseconds.
_COMPARED = 300
_NOWHERE = Message("{name} is not defined in the submission")
_UNREAD = Message("{name} was not found, because {path} could not be read: {problem}")
_MISSPELT = Message(
    "{name} is not defined in the submission. Is it {near}, on line {line} of {path}? If so, rename it to {name}."
)
_GUARDED = Message(
    '{name} is defined only under `if __name__ == "__main__":` (line {line} of {path}), and that block does not run '
    "when the file is graded. Move the definition to the top level, without indentation."
)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The parts of a submission that may be a missing exercise.

    ``guarded`` are definitions under ``if __name__ == "__main__":``, ``others`` are names that the course does not ask
    for, ``broken`` are files that could not be read.
    """

    guarded: Mapping[str, _Place]
    others: Mapping[str, _Place]
    broken: tuple[Notice, ...]

    @classmethod
    def of(cls, submission: Submission, course: Course) -> Leftovers:
        """The leftovers of ``submission``."""
        asked = {exercise.name for question in course.questions for exercise in question.exercises}
        guarded: dict[str, _Place] = {}
        for file in submission.files:
            for name, line in file.guarded:
                guarded.setdefault(name, (file.path, line))
        others = {
            name: (file.path, line) for file in submission.files for name, line in file.defines if name not in asked
        }
        return cls(guarded, others, submission.broken)

    def why(self, name: str, question: Question, course: Course) -> Text | None:
        """Why ``name`` is missing: it is under a main block or misspelled, or its file could not be read; else None."""
        if name in self.guarded:
            path, line = self.guarded[name]
            return _GUARDED.fill(name=name, path=path, line=line)
        if self.others and (near := _nearest(name, tuple(self.others)[:_COMPARED])):
            path, line = self.others[near]
            return _MISSPELT.fill(name=name, near=near, path=path, line=line)
        others = [each for each in course.questions if each is not question] if self.broken else []
        suspects = [broken for broken in self.broken if not any(is_named_after(broken.where, q) for q in others)]
        for broken in sorted(suspects, key=lambda each: not is_named_after(each.where, question))[:1]:
            return _UNREAD.fill(name=name, path=broken.where, problem=broken.text)
        return None


@functools.lru_cache(4096)
def _nearest(name: str, others: tuple[str, ...]) -> str | None:
    """The most similar of ``others``, if any. Cached, because in a class the same names recur."""
    return nearest(name, others, cutoff=0.8)


def not_defined(name: str) -> Text:
    """The message if the submission defines nothing like ``name``."""
    return _NOWHERE.fill(name=name)


def is_named_after(path: str, question: Question) -> bool:
    """Whether a file is named after ``question``: ``q05.py``, ``Q5.py``, ``q5_anything.ipynb``."""
    match = re.match(r"q_?0*(\d+)(?!\d)", path.rpartition("/")[2], re.IGNORECASE)
    return match is not None and f"q{match[1]}" == question.id.lower()
