"""Quiz item kinds: one file each, found by walking this folder.

A kind's module has

* ``Spec``, a frozen dataclass: what the kind adds to an item in the bank. Its fields are the YAML keys;
  keys it does not have are refused, and its annotations decide what values are accepted.
* ``faults(spec)``: what is wrong with a spec beyond its types, as ``Fault``s with paths below the item.
* ``judge(spec, value, context)``: what an answer is worth. ``value`` is plain data from ``answers.yaml``
  and may be anything, so nothing it holds is an exception. ``context`` says whose it is.

A spec with a field ``draw`` (name → choices) has numbers that differ from learner to learner; texts of the
item say ``{name}`` for them.

``misconception`` keys are checked for every kind alike (see ``grader.crosscheck``).
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import importlib
import pkgutil
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any

from grader.model import Status, Text


@dataclass(frozen=True, slots=True)
class Context:
    """Whose answer it is, to which item of which course."""

    course_id: str
    learner: str
    item: str


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


def drawn(spec: Any) -> Mapping[str, tuple[int | float, ...]]:
    """The numbers of an item that differ from learner to learner, with the choices for each."""
    choices: Mapping[str, tuple[int | float, ...]] = getattr(spec, "draw", {})
    return choices


def draw(spec: Any, context: Context) -> dict[str, int | float]:
    """This learner's numbers. Nothing about them is secret: they are for talking about one's own example."""
    learner = unicodedata.normalize("NFKC", context.learner).strip().casefold()
    found = {}
    for name, choices in drawn(spec).items():
        words = "\0".join((learner, context.item, name)).encode()
        digest = hmac.new(context.course_id.encode(), words, hashlib.sha256).digest()
        found[name] = choices[int.from_bytes(digest[:8], "big") % len(choices)]
    return found


def fill(text: Text, symbols: Mapping[str, object]) -> Text:
    """``text`` with ``{name}`` replaced for each of ``symbols``; other braces stay."""
    en, zh = text.en, text.zh
    for name, value in symbols.items():
        en, zh = en.replace(f"{{{name}}}", str(value)), zh.replace(f"{{{name}}}", str(value))
    return Text(en, zh)
