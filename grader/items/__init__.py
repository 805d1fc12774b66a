"""Quiz item kinds: one file each, found by walking this folder.

A kind's module has

* ``Spec``, a frozen dataclass: what the kind adds to an item in the bank. Its fields are the YAML keys;
  keys it does not have are refused, and its annotations decide what values are accepted.
* ``faults(spec)``: what is wrong with a spec beyond its types, as ``Fault``s with paths below the item.
* ``judge(spec, value)``: what an answer is worth. ``value`` is plain data from ``answers.yaml`` and may
  be anything, so nothing it holds is an exception.

``misconception`` keys are checked for every kind alike (see ``grader.crosscheck``).
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType

from grader.model import Status, Text


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of an answer. ``fraction`` of the points is earned.

    A wrong answer with a ``misconception`` needs no ``message``: the report says what is true instead.
    """

    status: Status
    fraction: float
    message: Text | None = None
    misconception: str | None = None


@functools.cache
def kinds() -> Mapping[str, ModuleType]:
    """The modules of this folder by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return MappingProxyType({name: importlib.import_module(f"{__name__}.{name}") for name in names})
