"""What can be our fault or the user's, drawn as a tree.

    AttncheckError                 anything we raise on purpose
    ├── UsageError                 exit 2: the command was called in a way we cannot serve
    ├── StateError                 exit 2: the learner's own progress file cannot be read or written
    ├── GradebookError             exit 2: the gradebook in a folder of results cannot be used
    ├── SubmissionError            exit 3: this submission cannot be read
    ├── CourseError                exit 4: the bank (questions/, reference/, course.yaml) is at fault
    ├── SandboxError               exit 4: the sandbox failed in a way that is not the learner's doing
    │   ├── SandboxUnavailable     exit 4: this machine cannot confine learner code
    │   ├── SandboxKilled          exit 4: something outside killed the sandbox, usually for want of memory
    │   └── LibrariesChanged       exit 4: torch or NumPy changed or vanished while code was running
    └── CacheError                 exit 4: the cache folder cannot be used

What a *learner's code* does wrong is never an exception here: it is an Observation or an Outcome
(see ``model``). Every message says what was expected, what was found, where, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.core.model import Lang


class AttncheckError(Exception):
    """Base of everything raised on purpose. ``exit_code`` is what the command line returns."""

    exit_code = 4

    def of(self, lang: Lang) -> str:
        """The message in ``lang``, where it exists in that language; else in English."""
        return str(self)


class UsageError(AttncheckError):
    """The command line asks for something that does not exist or does not go together."""

    exit_code = 2


class StateError(AttncheckError):
    """The progress file cannot be used as it is. It is the learner's: nothing in it was changed."""

    exit_code = 2


class GradebookError(AttncheckError):
    """The gradebook cannot be opened or written. What was graded before is still in it."""

    exit_code = 2


class SubmissionError(AttncheckError):
    """A submission that cannot be read at all: nothing of it was executed and nothing was lost."""

    exit_code = 3


class CourseError(AttncheckError):
    """The bank is broken. The message names file, line, key, the value seen and what was expected."""


class SandboxError(AttncheckError):
    """The sandbox broke for a reason that is ours: never counted against a learner."""


class SandboxUnavailable(SandboxError):
    """This machine lacks a layer that confinement needs; ``attncheck doctor`` explains which."""


class SandboxKilled(SandboxError):
    """Something outside killed a process of the sandbox, twice: nothing can be said about this submission now.

    Nearly always the machine is short of memory. A batch tries the submission again on its own.
    """


class LibrariesChanged(SandboxError):
    """The installed libraries changed or vanished while they were in use: no result of code can be trusted.

    A batch stops. What was graded before stays; the same command continues.
    """


class CacheError(AttncheckError):
    """The cache folder cannot be created, or belongs to somebody else."""
