"""Programs: what the sandbox runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from grader.core.model.recipes import Own
from grader.core.model.submission import SourceFile
from grader.core.model.text import ArrayType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    AnyArray: TypeAlias = NDArray[np.generic]

#: An argument of a step: a constant, an array, a reference to an earlier step, or a list of these.
Argument: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Ref:
    """The result of an earlier step of the same program."""

    step: int


@dataclass(frozen=True, slots=True)
class Array:
    """An array on its way in or out of the child.

    In: ``layout`` ``strided`` asks for a non-contiguous view of equal values, ``requires_grad`` for a
    torch leaf. Out: ``container`` says what the learner returned (``numpy``, ``torch`` or ``scalar``).
    """

    values: AnyArray
    container: Literal["", "numpy", "torch", "scalar"] = ""
    layout: Literal["plain", "strided"] = "plain"
    requires_grad: bool = False
    dtype: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A step whose result is a constant or a fresh array, for later steps to refer to."""

    value: Argument


@dataclass(frozen=True, slots=True)
class Call:
    """A step that calls ``target``: a top-level name of the submission, or an earlier result."""

    target: str | Ref
    args: tuple[Argument, ...] = ()
    kwargs: tuple[tuple[str, Argument], ...] = ()


@dataclass(frozen=True, slots=True)
class Apply:
    """A step that runs one of the helpers in ``sandbox/inside/helpers.py`` by name."""

    helper: str
    args: tuple[Argument, ...] = ()
    kwargs: tuple[tuple[str, Argument], ...] = ()


@dataclass(frozen=True, slots=True)
class LocatedOwn(Own):
    """``Own`` as a step of a program, with the ``module`` of the submission that defines the name."""

    module: str = ""


Step: TypeAlias = Value | Call | Apply | Own


@dataclass(frozen=True, slots=True)
class Probing:
    """Asks for the values of all expressions in the code, and for its results with other values in their place.

    ``landmarks`` are the values to substitute, each a tuple in order of time; ``fixed`` are pairs (probe, landmark)
    that are substituted in every run. There are at most ``reruns`` runs, for about ``cpu`` seconds. Only for public
    inputs.
    """

    landmarks: tuple[tuple[Any, ...], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    reruns: int = 0
    cpu: float = 0.5


@dataclass(frozen=True, slots=True)
class Program:
    """A short straight-line program for the child, which returns the results of the steps ``send``.

    ``module`` is the source file whose names it calls. Programs of one ``group`` (an exercise) share a time limit.
    The random generators are reset to ``seed`` before it runs. The inputs of a ``hidden`` program reach the child only
    after all other programs have been answered. With ``probing``, it returns only the answer to that.
    """

    module: str
    steps: tuple[Step, ...]
    send: tuple[int, ...]
    group: str = ""
    array_type: ArrayType = "torch"
    seed: int = 0
    hidden: bool = False
    probing: Probing | None = None


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """What a submission used in earlier jobs: seconds of CPU and wall time, bytes received, and dead processes.

    ``hidden``: its code has seen hidden inputs, so its later output could reveal them. ``slow``: its programs are sent
    one at a time, because some that were sent together took too long.
    """

    cpu: float = 0.0
    wall: float = 0.0
    received: int = 0
    deaths: int = 0
    hidden: bool = False
    slow: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """The programs that one submission runs at once. ``usage`` is that of its earlier jobs; its limits include it."""

    files: tuple[SourceFile, ...]
    programs: tuple[Program, ...]
    usage: ResourceUsage = ResourceUsage()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use: seconds (of CPU or wall-clock time) and bytes.

    ``result_bytes`` limits the results of one program, ``total_bytes`` everything that the grader receives: both the
    bytes sent, and what they take in memory. ``fresh_children`` limits how many processes may be replaced. The totals
    and ``fresh_children`` apply to all jobs of a submission together.
    """

    group_cpu: float = 2.0
    group_wall: float = 6.0
    import_cpu: float = 4.0
    import_wall: float = 10.0
    total_cpu: float = 20.0
    total_wall: float = 60.0
    memory: int = 1 << 30
    result_bytes: int = 16 << 20
    total_bytes: int = 64 << 20
    fresh_children: int = 40
