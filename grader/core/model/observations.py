"""The observed results of programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from grader.core.model.programs import Job, Limits, ResourceUsage

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Returned:
    """The program ran. These are the values of its ``send`` steps, in order."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Raised:
    """The learner's code raised an exception of class ``type``; ``bases`` are its built-in base classes.

    ``file`` and ``line`` are the last place in the submission; None if there is none.
    """

    type: str
    text: str
    file: str | None
    line: int | None
    during: Literal["import", "call"] = "call"
    bases: tuple[str, ...] = ()

    @property
    def out_of_memory(self) -> bool:
        """Whether Python, NumPy or torch ran out of memory; torch says so only in the message."""
        by_torch = self.type == "RuntimeError" and "DefaultCPUAllocator: can't allocate memory" in self.text
        return by_torch or "MemoryError" in (self.type, *self.bases)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The program used more than ``limit`` seconds on ``clock``."""

    limit: float
    clock: Literal["cpu", "wall"]
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended: killed by ``signal``, or with exit ``code`` because the learner's code called exit."""

    signal: int | None
    code: int | None
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class TooBig:
    """The result has more than ``limit`` bytes."""

    limit: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The result is not a value that the contract allows. ``reason`` is a keyword of the protocol: ``dtype``, …."""

    reason: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """The program did not run, because something was used up: the time of the submission (``budget``) or of the
    ``group``, the ``memory``, or the number of ``children``; or because its file failed to load again (``load``).
    """

    reason: Literal["budget", "group", "memory", "children", "load"]


Observation: TypeAlias = Returned | Raised | TimedOut | Died | TooBig | Unreadable | NotRun

if TYPE_CHECKING:
    #: The sandbox as grading sees it. Tests pass other functions.
    Observe: TypeAlias = Callable[[Job, Limits], "Observed"]


@dataclass(frozen=True, slots=True)
class MissingModule:
    """A module that is not available, and where it is imported at top level: ``file`` is the label of the part."""

    module: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Observed:
    """One observation per program, with the layers of isolation that were used.

    ``usage`` includes this job, and is passed to the submission's next one; None if nothing was metered. ``absent`` are
    the modules that were not found while files were loaded, before the child had any hidden input. ``printed`` is the
    raw output of each program; empty for hidden programs, and for all once the code has seen hidden inputs.
    """

    observations: tuple[Observation, ...]
    layers: tuple[str, ...]
    unsafe: bool
    versions: tuple[tuple[str, str], ...] = ()
    cpu_seconds: float = 0.0
    usage: ResourceUsage | None = None
    absent: tuple[MissingModule, ...] = ()
    printed: tuple[str, ...] = ()
