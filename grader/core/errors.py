"""The exceptions that attncheck raises on purpose.

    AttncheckError                 base of all
    ├── UsageError                 exit 2: the command line is invalid
    ├── StateError                 exit 2: the learner's progress file cannot be read or written
    ├── GradebookError             exit 2: the gradebook of a results folder cannot be used
    ├── SubmissionError            exit 3: the submission cannot be read
    ├── CourseError                exit 4: the bank (questions/, reference/, course.yaml) is broken
    ├── SandboxError               exit 4: the sandbox failed, and not because of the learner's code
    │   ├── SandboxUnavailable     exit 4: this machine cannot confine learner code
    │   ├── SandboxKilled          exit 4: the sandbox was killed from outside, usually for lack of memory
    │   └── LibrariesChanged       exit 4: torch or NumPy changed or vanished while code was running
    └── CacheError                 exit 4: the cache folder cannot be used

Mistakes in a *learner's code* are never exceptions: they are Observations and Outcomes (``grader.core.model``).
Every message says what was expected, what was found, where, and what to do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from grader.core.marks import plain
from grader.core.model import Lang, Text


class AttncheckError(Exception):
    """Base of all exceptions raised on purpose. ``exit_code`` is what the command line returns.

    The message is a ``Text``, so it exists in both languages. The exception can be pickled.
    """

    exit_code = 4

    def __init__(self, message: Text) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        """The message in English, as tracebacks show it."""
        return plain(self.message.en)

    def _render_traceback_(self) -> list[str]:
        """What notebooks show: the message alone."""
        return [f"attncheck: {self}"]

    def of(self, lang: Lang) -> str:
        """The message in ``lang``."""
        return self.message.of(lang)


class UsageError(AttncheckError):
    """Something was asked for that does not exist, or that cannot be combined.

    ``field`` is the field of a form, or the parameter of a function, that has to be changed; empty if there is none.
    """

    exit_code = 2

    def __init__(self, message: Text, field: str = "") -> None:
        super().__init__(message)
        self.args = (message, field)  # so that it can be pickled with both
        self.field = field


@contextlib.contextmanager
def reported(message: Text, **values: object) -> Iterator[None]:
    """Raises an OSError of the block as a UsageError with this message, whose ``reason`` is that of the system."""
    try:
        yield
    except OSError as error:
        raise UsageError(message.fill(reason=error.strerror, **values)) from error


class StateError(AttncheckError):
    """The progress file cannot be used. Nothing in it was changed."""

    exit_code = 2


class GradebookError(AttncheckError):
    """The gradebook cannot be opened or written. Earlier results are still in it."""

    exit_code = 2


class SubmissionError(AttncheckError):
    """The submission cannot be read at all. None of it was executed."""

    exit_code = 3


class CourseError(AttncheckError):
    """The bank is broken. The message names the file, line, key, the value found and what was expected."""


class SandboxError(AttncheckError):
    """The sandbox failed. This is never counted against a learner."""


class SandboxUnavailable(SandboxError):
    """This machine lacks a layer that the sandbox needs; ``attncheck doctor`` says which."""


class SandboxKilled(SandboxError):
    """A process of the sandbox was killed twice from outside, so the submission could not be graded.

    The usual cause is lack of memory. A batch retries the submission.
    """


class LibrariesChanged(SandboxError):
    """The installed libraries changed or vanished while they were in use: no result of code can be trusted.

    A batch stops; earlier results are kept, and running the same command again continues it.
    """


class CacheError(AttncheckError):
    """The cache folder cannot be created, belongs to someone else, or is writable by others."""
