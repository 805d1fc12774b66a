"""The pictures of the course. Each is a file in this folder, found automatically.

The module of a picture has two pure functions:

* ``calls(target)``: the programs to run on one exercise, of the reference or of the learner;
* ``draw(seen)``: the figure for the returned values, those of the reference first, then the learner's;

and the constants ``TITLE``, ``ABOUT`` (a sentence), ``NEEDS``, the exercises that it calls, and ``SHOWN_WITH``, those
whose questions show it. Its docstring ends in the ``note`` of the figure. A learner's file must define at least one of
those that it needs. Each program calls one exercise, so exercises may be in different files.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Program, Text
from grader.grading.programs import Target
from grader.report.figures.figure import Figure, Floats, HeatMap, Panel, PlotAxis

#: What each program of an exercise returned, with NumPy arrays.
Values: TypeAlias = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class SourceResults:
    """What one source returned: for each of its exercises, the values of each program."""

    who: Literal["reference", "learner"]
    values: Mapping[str, Values]

    @property
    def name(self) -> Text:
        """Its name in legends."""
        return REFERENCE if self.who == "reference" else YOURS

    def one(self, exercise: str) -> Any:
        """The only value of the only program of ``exercise``."""
        ((value,),) = self.values[exercise]
        return value


class Picture(Protocol):
    """The interface of a picture's module."""

    TITLE: Text
    ABOUT: Text
    NEEDS: tuple[str, ...]
    SHOWN_WITH: tuple[str, ...]

    def calls(self, target: Target) -> tuple[Program, ...]:
        """The programs to run."""

    def draw(self, seen: tuple[SourceResults, ...]) -> Figure:
        """The figure for the values of each source."""


REFERENCE = Message("reference")
YOURS = Message("yours", "legend")
#: The title of a panel that stands alone.
NONE = Text("", "")
QUERY = Message("query")
KEY = Message("key")


@functools.cache
def kinds() -> Mapping[str, Picture]:
    """The pictures by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: cast("Picture", importlib.import_module(f"{__name__}.{name}")) for name in names})


def generator(seed: int = 0) -> np.random.Generator:
    """A random generator that gives the same numbers every time."""
    return np.random.Generator(np.random.PCG64(seed))


def normal(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    """Standard normal numbers."""
    return generator(seed).standard_normal(shape).astype(np.float32)


def label(what: Text, each: SourceResults, seen: tuple[SourceResults, ...]) -> Text:
    """``what``, followed by the name of the source if there are two."""
    return Message("{what}: {who}").fill(what=what, who=each.name) if len(seen) > 1 else what


def note(docstring: str | None, **values: object) -> Text:
    """The note of a figure: the docstring of its module below the first line, with ``values`` filled in."""
    said = Message(note_text(docstring))
    return said.fill(**values) if values else said


def note_text(docstring: str | None) -> str:
    """The English of ``note``, which ``make messages`` reads, too."""
    return " ".join((docstring or "").partition("\n\n")[2].split())


def weights_map(title: Text, values: Floats, names: Text) -> HeatMap:
    """A heat map of attention weights between the tokens ``names``."""
    return HeatMap(title, PlotAxis(QUERY, names=names), PlotAxis(KEY, names=names), values, percent=True)


def beside(
    seen: tuple[SourceResults, ...], exercise: str, what: Text, draw: Callable[[Text, SourceResults], Panel]
) -> tuple[Panel | None, ...]:
    """A panel of ``what`` for each source, with the name of the source if there are two.

    The place of a source without ``exercise`` stays empty; if no source has it, there are no panels.
    """
    if not any(exercise in each.values for each in seen):
        return ()
    return tuple(draw(label(what, each, seen), each) if exercise in each.values else None for each in seen)


def in_rows(groups: Iterable[tuple[Panel | None, ...]], width: int = 2) -> tuple[tuple[Panel | None, ...], ...]:
    """Arranges groups of panels in rows of at most ``width`` panels, without splitting a group."""
    rows: list[tuple[Panel | None, ...]] = []
    for group in filter(None, groups):
        if rows and len(rows[-1]) + len(group) <= width:
            rows[-1] += group
        else:
            rows.append(group)
    return tuple(rows)
