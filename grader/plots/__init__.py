"""The course's pictures. One file each, found by walking this folder.

A picture's module has two pure halves, with the wall between them:

* ``calls(target)``: the programs that it wants run on one exercise, the reference's or the learner's;
* ``draw(seen)``: the figure that the returned values make, those of the reference first, then the learner's;

and the facts ``TITLE``, ``ABOUT`` (a sentence) and ``NEEDS``, the exercises that it calls: a learner's file
has one of them at least. Each program calls one exercise, so that its name may stand in any file.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from grader.calls import Target
from grader.figures import Axis, Figure, Floats, HeatMap, Scale
from grader.model import Program, Text

#: What each program of an exercise sent: arrays are plain NumPy arrays.
Values: TypeAlias = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one source returned: for every exercise that it has, the values of each program."""

    who: Literal["reference", "learner"]
    values: Mapping[str, Values]

    @property
    def name(self) -> Text:
        """How it is called in legends."""
        return REFERENCE if self.who == "reference" else YOURS

    def one(self, exercise: str) -> Any:
        """The only value of the only program of ``exercise``."""
        ((value,),) = self.values[exercise]
        return value


class Picture(Protocol):
    """The shape of a picture's module."""

    TITLE: Text
    ABOUT: Text
    NEEDS: tuple[str, ...]

    def calls(self, target: Target) -> tuple[Program, ...]:
        """The programs to run."""

    def draw(self, seen: tuple[Seen, ...]) -> Figure:
        """What they show."""


REFERENCE = Text("reference", "参考实现")
YOURS = Text("yours", "你的")
WHOSE = Text("{what}: {who}", "{what}：{who}")
#: The title of a panel that stands alone.
NONE = Text("", "")
QUERY = Text("query", "查询")
KEY = Text("key", "键")


@functools.cache
def kinds() -> Mapping[str, Picture]:
    """The pictures by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: cast("Picture", importlib.import_module(f"{__name__}.{name}")) for name in names})


def generator(seed: int = 0) -> np.random.Generator:
    """The random numbers of a picture: the same ones every time."""
    return np.random.Generator(np.random.PCG64(seed))


def normal(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    """Standard normal numbers."""
    return generator(seed).standard_normal(shape).astype(np.float32)


def titled(what: Text, each: Seen, seen: tuple[Seen, ...]) -> Text:
    """``what`` as the title of a panel, with whose it is where there are two sources."""
    return WHOSE.fill(what=what, who=each.name) if len(seen) > 1 else what


def weights_map(title: Text, values: Floats, names: tuple[str, ...], scale: Scale = "sequential") -> HeatMap:
    """A map of attention weights of the tokens ``names`` among each other."""
    return HeatMap(title, Axis(QUERY, names=names), Axis(KEY, names=names), values, scale, percent=True)
