"""What running programs gave."""

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
    """The learner's code raised. ``during`` is ``import`` or ``call``; ``line`` is in ``file``."""

    type: str
    text: str
    file: str | None
    line: int | None
    during: Literal["import", "call"] = "call"
    bases: tuple[str, ...] = ()

    @property
    def out_of_memory(self) -> bool:
        """Whether Python, NumPy or torch ran out of memory. torch only says so in the message."""
        by_torch = self.type == "RuntimeError" and "DefaultCPUAllocator: can't allocate memory" in self.text
        return by_torch or "MemoryError" in (self.type, *self.bases)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """It used more than ``limit`` seconds (``clock``: cpu or wall)."""

    limit: float
    clock: Literal["cpu", "wall"]
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended: by a signal, or because the learner's code called exit."""

    signal: int | None
    code: int | None
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class TooBig:
    """The result has more than ``limit`` bytes."""

    limit: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The result is not a value that the contract allows. ``reason`` is a word of the protocol."""

    reason: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """The program did not run: the time of the submission (``budget``) or of its ``group``, the memory, or the
    children were used up; or its file, which had loaded before, did not load again (``load``).
    """

    reason: Literal["budget", "group", "memory", "children", "load"]


Observation: TypeAlias = Returned | Raised | TimedOut | Died | TooBig | Unreadable | NotRun

if TYPE_CHECKING:
    #: How grading reaches the sandbox: tests pass a function of their own.
    Observe: TypeAlias = Callable[[Job, Limits], "Observed"]


@dataclass(frozen=True, slots=True)
class MissingModule:
    """A module that a file imports at top level and that is not available. ``file`` is the label of the part."""

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
