"""The kinds of checks, one module each, found by walking this folder.

A check's module has two pure functions, with the sandbox between them:

* ``calls(target, drawn, spec)`` returns the programs to run, for a learner and (if ``REFERENCE`` is true) for the
  reference;
* ``judge(seen)`` evaluates the observations and returns a ``Verdict``;

and two constants: ``KIND``, a ``CheckKind``, and ``SECRETS``: every message that ``judge`` may give for a hidden case
(``grader/grading/verdicts.py`` lets few others pass).

``judge`` is asked if all programs returned, unless its kind is about ``failures``, too. It may raise ``Failed``.

A check that measures (work, memory) has a third function, ``signature(got, drawn, spec)``: the part of the observations
that is equal for all equivalent programs. One that says different things if it alone fails has ``alone(verdict)``.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from grader.core.model import ArrayType, Case, CheckSpec, Exercise, Observation, Program, Returned, Text, Verdict
from grader.course import validate
from grader.course.validate import CheckKind as CheckKind
from grader.course.validate import CheckModule
from grader.grading.inputs import Drawn
from grader.grading.programs import Target

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """Everything that a check judges. ``expected`` is empty for checks that do not use the reference."""

    exercise: Exercise
    case: Case
    spec: CheckSpec
    drawn: Drawn
    got: tuple[Observation, ...]
    expected: tuple[Observation, ...]
    array_type: ArrayType


class Failed(Exception):
    """What fails a check at once: a result that it need not look at any further; ``text`` says why."""

    def __init__(self, text: Text) -> None:
        self.text = text


def sent(observations: tuple[Observation, ...]) -> tuple[tuple[Any, ...], ...]:
    """What the programs that returned sent back."""
    return tuple(seen.values for seen in observations if isinstance(seen, Returned))


class Check(CheckModule, Protocol):
    """The shape of a check's module."""

    SECRETS: tuple[Text, ...]

    def calls(self, target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
        """The programs to run."""

    def judge(self, seen: JudgeInput) -> Verdict:
        """The verdict on their observations."""


@functools.cache
def kinds() -> Mapping[str, Check]:
    """The checks by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: cast("Check", importlib.import_module(f"{__name__}.{name}")) for name in names})


def read(spec: CheckSpec, options: type[T]) -> T:
    """The ``Options`` of a check: the keys that the bank sets, and defaults for the rest."""
    given = dict(spec.options)
    keys = {field.name: field.name.removesuffix("_") for field in fields(options)}
    return options(**{name: given[key] for name, key in keys.items() if key in given})


def cases_for(spec: CheckSpec, exercise: Exercise) -> tuple[Case, ...]:
    """The cases that ``spec`` is judged on; see ``validate.cases_for``."""
    return validate.cases_for(spec, exercise, kinds())


def signature(spec: CheckSpec, drawn: Drawn, got: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """The part of ``got`` that equivalent programs share: all of it, unless the kind says otherwise."""
    own = getattr(kinds()[spec.kind], "signature", None)
    return got if own is None else cast("tuple[Observation, ...]", own(got, drawn, spec))
