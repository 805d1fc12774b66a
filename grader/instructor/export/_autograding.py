"""The program that runs in Gradescope's container: it grades one submission and writes ``results.json``.

``run_autograder`` starts it as ``python -m grader.instructor.export._autograding ROOT``; ROOT is ``/autograder``.
``gradescope_autograder`` creates the zip.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from grader import __version__
from grader.classroom.gradebook import GradingRun, LearnerRow, SubmissionRow
from grader.classroom.marks import GradedSubmission, Marking, mark
from grader.core.errors import SandboxUnavailable, SubmissionError
from grader.core.files import write
from grader.core.model import Course, Lang, Message, Report
from grader.core.text import clean
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection
from grader.instructor.export.gradescope import encoded, results
from grader.sandbox import Sandbox, open_sandbox
from grader.submission import read

SETTINGS = "attncheck.json"

FAULT = Message("The autograder failed. This is not the fault of your submission; please tell your instructor.")
_NOT_READ = Message("`submission_metadata.json` was not read: {error}")
_UNCONFINED = Message(
    "This container cannot confine code, so nothing was run. The instructor can export the autograder again with "
    "--unsafe-no-sandbox."
)


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """Metadata of a submission, from Gradescope. Numbers are drawn for the first submitter's name."""

    learner: str = "learner"
    at: datetime | None = None
    extra_hours: float = 0.0
    attempt: int = 1
    key: str = "gradescope"


@dataclass(frozen=True, slots=True)
class AutogradingSettings:
    """The options with which the instructor exported the zip."""

    questions: tuple[str, ...]
    lang: Lang
    secret: bool
    unsafe: bool


def main(root: Path) -> None:
    """Grade the submission. Any failure is reported in results.json, with a traceback for instructors on stdout."""
    target = root / "results" / "results.json"
    lang: Lang = "en"
    try:
        settings = read_settings(root / "source" / SETTINGS)
        lang = settings.lang
        found = graded(root, settings)
    except Exception as error:
        print(traceback.format_exc())
        lines = [FAULT.of(lang)]
        if isinstance(error, SandboxUnavailable):
            lines.append(_UNCONFINED.of(lang))
        found = {"score": 0, "output": "\n".join(lines), "output_format": "text", "visibility": "visible", "tests": []}
        found["extra_data"] = {"attncheck": __version__, "fault": type(error).__name__}
    target.parent.mkdir(parents=True, exist_ok=True)
    write(target, encoded(found))


def prepare(root: Path) -> None:
    """Run the references while the container is built, and cache their results for all submissions."""
    settings = read_settings(root / "source" / SETTINGS)
    with _sandbox(settings) as sandbox:
        context = _context(root, settings, sandbox)
        context.prepare(_counting(context.course, settings))


def graded(root: Path, settings: AutogradingSettings) -> dict[str, Any]:
    """The results of the submission in ``root``."""
    facts = read_facts(root / "submission_metadata.json", settings.lang)
    folder = root / "submission"
    row = SubmissionRow(
        facts.key, str(folder), (facts.learner,), seed_name=facts.learner, at=facts.at, attempt=facts.attempt
    )
    report: Report | None = None
    with _sandbox(settings) as sandbox:
        sandbox.start()
        context = _context(root, settings, sandbox)
        counting = _counting(context.course, settings)
        selection = Selection(questions=tuple(counting), everything=True)
        try:
            submission = read(folder, facts.learner)
            report = grade(context.course, submission, sandbox.observe, selection=selection, context=context)
        except SubmissionError as error:
            row = replace(row, error=error.message)
    learner = LearnerRow(facts.learner, facts.learner, "", facts.extra_hours)
    work = GradedSubmission(row, ())
    if report is not None:
        how = (report.versions, report.layers, report.unsafe)
        run = GradingRun(datetime.now(UTC), report.seconds, report.seed, report.course_digest, *how)
        work = GradedSubmission(row, tuple((result, run) for result in report.questions))
    found = results(mark(learner, work, Marking(counting, context.course.rules)), report, context.course, settings.lang)
    return found | ({"execution_time": round(report.shown_seconds, 3)} if report else {})


def _sandbox(settings: AutogradingSettings) -> AbstractContextManager[Sandbox]:
    return open_sandbox(mode="auto" if settings.unsafe else "require")


def _context(root: Path, settings: AutogradingSettings, sandbox: Sandbox) -> GradingContext:
    """The course and its reference results. Those of a secret seed are cached where only this account can read."""
    seed = Seed.from_file(root / "source" / "seed") if settings.secret else Seed.public()
    loaded = courses.load(root / "source" / "course")
    sandbox.allow_packages(loaded.packages)
    return GradingContext(loaded, seed, reference_observer(sandbox.observe, seed, root / "attncheck-expected"))


def _counting(loaded: Course, settings: AutogradingSettings) -> dict[str, float]:
    """The questions that count, with their points."""
    return {q.id: q.points for q in loaded.questions if not settings.questions or q.id in settings.questions}


def read_settings(path: Path) -> AutogradingSettings:
    """The settings that ``gradescope_autograder`` wrote."""
    found = json.loads(path.read_text(encoding="utf-8"))
    lang: Lang = "zh" if found["lang"] == "zh" else "en"
    return AutogradingSettings(
        tuple(found["questions"]), lang, bool(found["secret_seed"]), bool(found["unsafe_no_sandbox"])
    )


def read_facts(path: Path, lang: Lang) -> SubmissionFacts:
    """The metadata in submission_metadata.json; fields that are missing or malformed get their defaults."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        print(f"attncheck: {_NOT_READ.fill(error=error).of(lang)}")
        return SubmissionFacts()
    data = _mapping(found)
    users = [_mapping(user) for user in _list(data.get("users"))]
    first = users[0] if users else {}
    due, own = (_time(_mapping(each.get("assignment")).get("due_date")) for each in (data, first))
    return SubmissionFacts(
        learner=clean(str(first.get("name") or ""), 60) or "learner",
        at=_time(data.get("created_at")),
        extra_hours=max(0.0, (own - due).total_seconds() / 3600) if own and due else 0.0,
        attempt=1 + len(_list(data.get("previous_submissions"))),
        key=f"gradescope-{clean(str(data.get('id') or '?'), 40)}",
    )


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _time(value: object) -> datetime | None:
    """A time with a zone, in ISO 8601; None for anything else."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


if __name__ == "__main__":
    (prepare if "--prepare" in sys.argv else main)(Path(sys.argv[1]))
