"""Installed distributions: their dependencies, and which of them a course may let submissions import."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterator

from grader.core.errors import CourseError
from grader.core.model import Message

#: What submissions may import in every course, in addition to the standard library.
ROOTS = ("torch", "numpy")
#: Distributions that learner code may never import: the grader, and tools that test, build or load code.
NEVER = frozenset({"attncheck", "pytest", "hypothesis", "coverage", "pip", "setuptools", "pyseccomp"})


def distribution(name: str) -> str | None:
    """The normalized name of the distribution ``name``, or of one with a package ``name``; None if not installed."""
    try:
        return _normalized(importlib.metadata.distribution(name).metadata["Name"])
    except importlib.metadata.PackageNotFoundError:
        found = importlib.metadata.packages_distributions().get(name, ())
        return _normalized(found[0]) if found else None


_NOT_INSTALLED = Message(
    "course.yaml, packages: {name} is not installed in the Python that runs attncheck ({python})."
).with_advice(Message("Install it there (pip install {name}), or remove it from the list."))
_NEEDS_REFUSED = Message(
    "course.yaml, packages: {name} needs {refused}, which submissions may not import: it is used to grade or test "
    "them. Remove it from the list."
)


def distributions(allowed: tuple[str, ...], roots: tuple[str, ...] = ROOTS) -> tuple[str, ...]:
    """The distributions of the ``allowed`` packages of a course, in addition to ``roots`` and their dependencies.

    Raises CourseError if one is not installed, or depends on a distribution in ``NEVER``.
    """
    own = {_normalized(each.metadata["Name"]) for each in closure(roots)} if allowed else set()
    found = []
    for name in allowed:
        behind = distribution(name)
        if behind is None:
            raise CourseError(_NOT_INSTALLED.fill(name=name, python=sys.executable))
        needed = {_normalized(each.metadata["Name"]) for each in closure((behind,))} - own
        if refused := sorted(needed & NEVER):
            raise CourseError(_NEEDS_REFUSED.fill(name=name, refused=", ".join(refused)))
        found.append(behind)
    return tuple(found)


def _normalized(name: str) -> str:
    """The name of a distribution in the normalized form of PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names: tuple[str, ...]) -> Iterator[importlib.metadata.Distribution]:
    """Yields the distributions of these names and their installed dependencies, each once."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = _normalized(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # required for another platform, or by an extra
        yield distribution
        for requirement in distribution.requires or ():
            if "extra ==" not in requirement:
                match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement)
                waiting += [match[0]] if match else []
