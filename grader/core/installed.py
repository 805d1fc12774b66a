"""Distributions that are installed here: what they need, and which of them a course may let submissions import."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterator

from grader.core.errors import CourseError

#: What submissions may import in every course, besides the standard library.
ROOTS = ("torch", "numpy")
#: Distributions that learner code never gets: what grades it, and tools that load or test code.
NEVER = frozenset({"attncheck", "pytest", "hypothesis", "coverage", "pip", "setuptools", "pyseccomp"})


def distribution(name: str) -> str | None:
    """The distribution that ``name`` is, or that has a package of this name; None where it is not installed."""
    try:
        return _plain(importlib.metadata.distribution(name).metadata["Name"])
    except importlib.metadata.PackageNotFoundError:
        found = importlib.metadata.packages_distributions().get(name, ())
        return _plain(found[0]) if found else None


def distributions(allowed: tuple[str, ...], roots: tuple[str, ...] = ROOTS) -> tuple[str, ...]:
    """The distributions behind the packages that a course allows, besides ``roots`` and what these need.

    Raises CourseError where one of them is not installed, or needs what learner code must not have.
    """
    own = {_plain(each.metadata["Name"]) for each in closure(roots)} if allowed else set()
    found = []
    for name in allowed:
        behind = distribution(name)
        if behind is None:
            raise CourseError(
                f"course.yaml, packages: {name} is not installed in the Python that runs attncheck ({sys.executable}). "
                f"Install it there (pip install {name}), or take it out of the list."
            )
        needed = {_plain(each.metadata["Name"]) for each in closure((behind,))} - own
        if refused := sorted(needed & NEVER):
            raise CourseError(
                f"course.yaml, packages: {name} needs {', '.join(refused)}, which submissions may not import: it "
                "belongs to what grades or tests them. Take it out of the list."
            )
        found.append(behind)
    return tuple(found)


def _plain(name: str) -> str:
    """The name of a distribution as names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names: tuple[str, ...]) -> Iterator[importlib.metadata.Distribution]:
    """The distributions of these names and all that they need, as far as it is installed; each once."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = _plain(waiting.pop())
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
