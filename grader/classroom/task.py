"""The tasks that a batch sends to workers, and their results: plain data that any executor can transfer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.encoding import EncodedResult
from grader.core.model import Text
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.submission import FoundFiles

if TYPE_CHECKING:
    from grader.core.model import Observe


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What all tasks of a batch share. ``private`` is the folder for data derived from a secret seed.

    ``libraries``, if not empty, is the digest of the libraries that all submissions must run with; see ``Sandbox``.
    """

    course_folder: str
    seed: Seed
    private: str
    libraries: str = ""

    def reference_observer(self, observe: Observe) -> Observe:
        """``observe`` for references; see ``grader.grading.reference_results``."""
        return reference_observer(observe, self.seed, Path(self.private))


@dataclass(frozen=True, slots=True)
class GradingTask:
    """One submission and the questions that still have to be graded in it.

    Numbers in quiz items are drawn for ``seed_name``. ``digest`` identifies the files: if they have changed since, the
    task is refused. ``files`` is what ``grader.submission.read_files`` returned for ``path``, for workers on
    machines that cannot read it.
    """

    key: str
    path: str
    seed_name: str
    questions: tuple[str, ...]
    files: tuple[FoundFiles, str] | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of one ``GradingTask``. If ``error`` is set, it is the reason why the submission could not be graded.

    ``results``, ``answers`` and ``notices`` are as the gradebook stores them.
    """

    key: str
    results: tuple[EncodedResult, ...] = ()
    answers: str = "{}"
    notices: str = "[]"
    versions: tuple[tuple[str, str], ...] = ()
    layers: tuple[str, ...] = ()
    unsafe: bool = False
    seconds: float = 0.0
    error: Text | None = None
