"""Finds uses of forbidden library names in the syntax trees of a submission. Nothing is run.

The search follows the definition of the exercise to the definitions that it mentions, and so on, across all files.
These do not count: a comparison with the library under ``if __name__ == "__main__"``, an unused import, an annotation,
a function of the learner's own with the same name. What a syntax tree does not show (names built at run time, methods
of tensors) is blocked in the child; see ``sandbox/inside/forbidding.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.core import bounded
from grader.core.model import Message, SourceFile, Text
from grader.grading.outline import Outline, reached

_USES = Message("{file}, line {line} uses {name}, which this exercise forbids")

TOO_COSTLY = Message(
    "your files are too large to check for library functions that this exercise forbids; submit only your own code"
)


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a forbidden name, with its file and line."""

    name: str
    file: str
    line: int

    def text(self) -> Text:
        """The message for the learner."""
        return _USES.fill(file=self.file, line=self.line, name=self.name)


def first_use(exercise: str, forbidden: tuple[str, ...], file: SourceFile, files: tuple[SourceFile, ...]) -> Use | None:
    """The first use of a name in ``forbidden`` that the definition of ``exercise`` in ``file`` leads to.

    Large files are searched in a process with limits. Raises ``bounded.Exceeded`` if they are exceeded.
    """
    if sum(len(part.text) for each in (*files, file) for part in each.parts) <= bounded.SMALL:
        return _first_use(exercise, forbidden, file, files)
    return bounded.call(bounded.READING, _first_use, exercise, forbidden, file, files)


def _first_use(
    exercise: str, forbidden: tuple[str, ...], file: SourceFile, files: tuple[SourceFile, ...]
) -> Use | None:
    for outline, mention in reached(exercise, file, files):
        if (found := _forbidden(mention.dotted, forbidden, outline)) is not None:
            return Use(found, mention.label, mention.line)
    return None


def _forbidden(dotted: str, forbidden: tuple[str, ...], outline: Outline) -> str | None:
    """The forbidden name that ``dotted`` refers to (same library, same last part), or None."""
    for name in forbidden:
        library, last = name.partition(".")[0], name.rpartition(".")[2]
        if dotted.startswith(f"{library}.") and dotted.endswith(f".{last}"):
            return name
        if dotted == last and library in outline.stars:
            return name
    return None
