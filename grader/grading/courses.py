"""Courses as everybody loads them: read by ``grader.course.loader``, with the kinds of check in ``checks/``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.model import Course
from grader.course import loader

if TYPE_CHECKING:
    from grader.course.validate import CheckKinds


def load(folder: Path) -> Course:
    """The course in ``folder`` (see ``loader.find``). Raises CourseError with what is wrong with it."""
    return loader.load(folder, _checks)


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a question file, for editors."""
    return loader.schema(_checks())


def _checks() -> CheckKinds:
    # The checks import NumPy, which a course from the cache does not need.
    from grader.grading import checks

    return checks.kinds()
