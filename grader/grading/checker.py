"""A checker that stays open: one course and one sandbox, for programs that grade repeatedly."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from grader.core.errors import LibrariesChanged
from grader.core.model import ArrayComparison, Course, Observe, Report, Submission
from grader.grading.code_grading import with_shared_budget
from grader.grading.context import public_context
from grader.grading.grade import grade
from grader.grading.public_arrays import compare_public_cases
from grader.grading.selection import Selection
from grader.sandbox import Sandbox, ZygoteSettings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CheckedSubmission:
    """A report, and the arrays of its public cases to draw."""

    report: Report
    pictures: tuple[ArrayComparison, ...]


def started_sandbox() -> Sandbox:
    """A sandbox that has begun to import torch in the background."""
    made = Sandbox("auto", ZygoteSettings(collapse=True))
    made.start()
    return made


class Checker:
    """Grades submissions one at a time, with public seeds. The sandbox starts at once, and ends with ``close``."""

    def __init__(self, course: Course, sandbox: Sandbox | None = None) -> None:
        """``sandbox`` may already have been started; the checker closes it."""
        self.course = course
        self._sandbox = sandbox or started_sandbox()
        self._context = public_context(course, self._sandbox)
        self._alone = threading.Lock()

    def check(self, submission: Submission, exercises: tuple[str, ...]) -> CheckedSubmission:
        """Grades these exercises. Callers in other threads wait."""

        def checked(observe: Observe, observe_reference: Observe) -> CheckedSubmission:
            shared, selection = with_shared_budget(observe), Selection(exercises=exercises)
            report = grade(self.course, submission, shared, selection=selection, context=self._context)
            arrays = compare_public_cases(self.course, submission, report, shared, observe_reference)
            return CheckedSubmission(report, arrays)

        return self.use(checked)

    def use(self, work: Callable[[Observe, Observe], T]) -> T:
        """Calls ``work(observe, observe_reference)`` while nothing else uses the sandbox; returns its result."""
        with self._alone:
            try:
                return work(self._sandbox.observe, self._context.observe_reference)
            except LibrariesChanged:  # for example, by `%pip install`
                self._sandbox.close()
                return work(self._sandbox.observe, self._context.observe_reference)

    def close(self) -> None:
        """Ends the sandbox."""
        self._sandbox.close()
