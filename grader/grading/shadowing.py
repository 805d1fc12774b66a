"""Leaves out submitted modules that would hide a library that submissions import."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from functools import cache

from grader.core.model import Course, Message, Notice, Submission
from grader.sandbox import policy

_HIDES = Message(
    "not used, because `import {name}` imports the library {name} in this course. If this is your own code, rename it, "
    "for example to my_{name}, and update its imports."
)


def without_shadows(submission: Submission, course: Course) -> Submission:
    """``submission`` without modules named like a package that ``course`` allows, or like one that torch needs.

    Each such module or folder gets one notice, at its first file.
    """
    shadows: dict[str, str] = {}
    for file in submission.files:
        top = file.module.partition(".")[0]
        if top not in shadows and _is_installed(top) and top in _importable(course.packages):
            shadows[top] = file.path
    if not shadows:
        return submission
    said = tuple(Notice(path, _HIDES.fill(name=name)) for name, path in shadows.items())
    files = tuple(file for file in submission.files if file.module.partition(".")[0] not in shadows)
    return replace(submission, files=files, broken=(*submission.broken, *said), notices=(*submission.notices, *said))


def _is_installed(name: str) -> bool:
    """Whether this process could import ``name``: a cheap test, which most submissions' modules fail."""
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # something in sys.modules without a spec
        return True


@cache
def _importable(packages: tuple[str, ...]) -> frozenset[str]:
    """The third-party modules that submissions can import."""
    return frozenset(entry.partition(".")[0] for entry in policy.packages(packages))
