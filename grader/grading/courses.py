"""Loads courses with the kinds of check in ``checks/``. Use this instead of ``grader.course.loader``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.model import Course
from grader.course import loader

if TYPE_CHECKING:
    from grader.course.validate import CheckKinds


def load(folder: Path, on_miss: Callable[[], None] = lambda: None) -> Course:
    """The course in ``folder`` (see ``loader.find``). Raises CourseError if it has errors.

    ``on_miss`` is called if the course is not in the cache, before the seconds that reading it takes.
    """
    return loader.load(folder, _checks, on_miss)


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a question file, for editors."""
    return loader.schema(_checks())


def _checks() -> CheckKinds:
    # The checks import NumPy, which takes long; a course from the cache does not need them.
    from grader.grading import checks

    return checks.kinds()
