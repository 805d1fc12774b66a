"""What a learner submitted, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.core.model.text import Text


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of source that is executed as a unit: a whole ``.py`` file, or one notebook cell.

    ``label`` is what tracebacks and messages call it (``q05.py``, ``q05.ipynb cell 3``).
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source file, read but never run. ``module`` is the name that others import it by.

    ``is_package`` is true for ``__init__.py``. ``defines`` are top-level definitions with their
    lines, ``guarded`` those that only exist under ``if __name__ == "__main__":``. ``imports_torch`` is
    true if torch is imported anywhere in it. ``futures`` are the ``__future__`` features that apply to
    all parts.
    """

    path: str
    module: str
    parts: tuple[Part, ...]
    defines: tuple[tuple[str, int], ...] = ()
    imports_torch: bool = False
    is_package: bool = False
    guarded: tuple[tuple[str, int], ...] = ()
    futures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one item in ``answers.yaml``: plain data, with its line.

    ``problem`` says why it could not be read, and where; ``value`` is then what was written.
    """

    item: str
    value: Any
    line: int
    problem: Text | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the reader of a report should know. ``where`` is a path.

    An ``urgent`` notice is about something that could not be graded, and is shown first.
    """

    where: str
    text: Text
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """What a learner submitted, read but never run. ``answers`` is None without an answers file.

    ``broken`` are the code files (or cells) that could not be read, with the reasons. ``lost`` says why the answers
    file could not be read; ``answers`` is empty then. ``notices`` include both.
    """

    learner: str
    files: tuple[SourceFile, ...]
    answers: tuple[Answer, ...] | None = None
    notices: tuple[Notice, ...] = ()
    digest: str = ""
    origin: str = ""
    broken: tuple[Notice, ...] = ()
    lost: Notice | None = None
