"""``attncheck grade``: grade one submission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from grader.commands._console import UNCONFINED, grading_bar, print_lines, say, stdout, width, write_json, write_output
from grader.commands._find import present_files, read_seed
from grader.commands._options import (
    PATH,
    Call,
    Documented,
    collected,
    json_option,
    questions_option,
    seed_file_option,
    shared,
    work_argument,
)
from grader.core.errors import UsageError
from grader.core.layout import wrap
from grader.core.model import Course, Message, Report
from grader.learning import log, next_step, reference_view
from grader.learning.answers_file import PLACEHOLDER
from grader.learning.log import Event
from grader.learning.progress import code_events, new_events, progress_of
from grader.report.json import to_json

LISTED = "Learners", 50

PASSED, NOT_ALL_PASSED, INCOMPLETE = 0, 1, 4

_NO_NAME = Message(
    "answers.yaml has no name yet, so this was graded with the numbers of “your-name”: write your name there."
)


@dataclass(frozen=True, slots=True)
class _Request:
    """What to grade, how, and what to write: the options of the command."""

    path: Path
    questions: tuple[str, ...]
    exercises: tuple[str, ...]
    learner: str | None
    number: int | None
    seed_file: Path | None
    public_only: bool
    require_sandbox: bool
    unsafe_no_sandbox: bool
    html: Path | None
    junit: Path | None

    @property
    def own(self) -> bool:
        """Whether it is the learner's own work: nothing says that it is someone else's."""
        return self.learner is None and self.seed_file is None


@click.command(cls=Documented)
@work_argument
@questions_option
@click.option(
    "-e",
    "--exercise",
    "exercises",
    multiple=True,
    metavar="NAME",
    help="Only this function, class or item (repeatable).",
)
@click.option(
    "--learner", metavar="NAME", help="Whose work it is (default: the name in answers.yaml, else one from the path)."
)
@click.option("--seed", "number", type=click.IntRange(min=0), metavar="N", help="Draw hidden cases from this number.")
@seed_file_option("Draw hidden cases from this secret file; needs the sandbox.")
@click.option("--public-only", is_flag=True, help="Run only the public cases.")
@click.option("--require-sandbox", is_flag=True, help="Refuse to run code that this machine cannot confine.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Run the code unconfined; the results say so.")
@json_option
@click.option("--html", type=PATH, metavar="F", help="Write an HTML page with pictures to F.")
@click.option("--junit", type=PATH, metavar="F", help="Write JUnit XML to F.")
@shared("state", "lang", "course")
@collected(_Request)
def grade(call: Call, request: _Request) -> None:
    """Grade a file, folder, notebook or zip.

    Shows what is correct, and what to fix first. Saves your own progress, unless --learner or --seed-file shows that it
    is someone else's work.

    Examples:
      grade                            grade everything in the folder that you work in
      grade work                       grade everything in the folder work
      grade q05.py -e softmax          grade one exercise of a file
      grade work --json > report.json  the report as data

    Exit codes:
      0  everything passed
      1  graded, and not everything passed
      3  PATH cannot be read as a submission
    """
    mode = _mode(request)
    for file in filter(None, (request.html, request.junit)):
        _check_place(file)
    course, report, page = _graded(call, request, mode)
    if call.as_json:
        write_json(to_json(report, call.lang))
    else:
        from grader.report.terminal import render  # loads rich

        render(report, course, call.lang, stdout())
    if request.html is not None:
        write_output("--html", request.html, page)
    if request.junit is not None:
        from grader.report.junit import to_junit  # loads jinja2

        write_output("--junit", request.junit, to_junit(report, call.lang))
    if request.own:
        call.save(*new_events(code_events(course, report, log.now()), call.read_events(course)))
        if not call.as_json:
            print_lines(after_grading(call, course, call.read_events(course), report, request.path))
    if report.unsafe and mode == "auto":
        say(UNCONFINED, err=True)
    click.get_current_context().exit(_code(report))


def _mode(request: _Request) -> Literal["auto", "require", "plain"]:
    """How to confine the code. Raises UsageError for options that exclude each other."""
    secret = request.seed_file is not None
    if request.unsafe_no_sandbox and request.require_sandbox:
        said = Message("--require-sandbox and --unsafe-no-sandbox contradict each other: give only one of them.")
        raise UsageError(said)
    if request.unsafe_no_sandbox and secret:
        said = Message(
            "--unsafe-no-sandbox cannot be combined with --seed-file: unconfined code could read the seed. Leave one "
            "of them out; --seed N gives hidden cases that need not stay secret."
        )
        raise UsageError(said)
    if request.unsafe_no_sandbox:
        return "plain"
    return "require" if secret or request.require_sandbox else "auto"


def _graded(call: Call, request: _Request, mode: Literal["auto", "require", "plain"]) -> tuple[Course, Report, str]:
    """The course, the report on the submission, and, with ``--html``, its page (else empty)."""
    from grader.sandbox import open_sandbox  # loads numpy

    with open_sandbox(mode=mode) as sandbox:
        sandbox.start()  # the child imports torch while this process imports and reads what follows
        from grader.grading.code_grading import with_shared_budget  # beside the child, like the others
        from grader.grading.context import GradingContext  # loads numpy
        from grader.grading.grade import grade as grade_submission  # loads numpy
        from grader.grading.reference_results import reference_observer  # loads numpy
        from grader.grading.selection import Selection  # loads numpy
        from grader.submission import read  # beside the child, like the others

        seed = read_seed(request.number, request.seed_file)
        course = call.course()
        sandbox.allow_packages(course.packages)
        submission = read(request.path, request.learner or call.learner_of(request.path, course))
        selection = Selection(request.questions, request.exercises, public_only=request.public_only)
        expect = reference_observer(sandbox.observe, seed, course=course)
        observe = with_shared_budget(sandbox.observe)
        with grading_bar() as progress:
            context = GradingContext(course, seed, expect, request.public_only, progress=progress)
            report = grade_submission(course, submission, observe, selection=selection, context=context)
        if request.html is None:
            return course, report, ""
        from grader.grading.public_arrays import compare_public_cases  # loads numpy
        from grader.report.html import render  # loads jinja2

        # Pictures show what the code returns: if it was given secret inputs, it could return those.
        pictured = request.public_only or not seed.secret
        pictures = compare_public_cases(course, submission, report, observe, expect) if pictured else ()
        return course, report, render(report, course, call.lang, pictures)


def _check_place(file: Path) -> None:
    """Raise UsageError for a file that cannot be written, before anything is graded."""
    if file.is_dir():
        raise UsageError(Message("{file} is a folder: name a file in it.").fill(file=file))
    if not file.parent.is_dir():
        said = Message("{file} cannot be written: there is no folder {parent}; create it, or choose another.")
        raise UsageError(said.fill(file=file, parent=file.parent))


def _code(report: Report) -> int:
    if not report.complete:
        return INCOMPLETE
    return PASSED if report.passed else NOT_ALL_PASSED


def after_grading(
    call: Call, course: Course, events: Sequence[Event], report: Report, path: Path, *, offers: bool = True
) -> list[str]:
    """A word about a missing name; with ``offers``, what the learner may see now; what to do if all code passed."""
    shown = wrap(_NO_NAME.of(call.lang), width()) if report.learner == PLACEHOLDER else []
    if offers:
        offered = reference_view.offers(course, report, progress_of(course, events), log.now(), call.lang)
        shown += (line for each in offered for line in wrap(each, width()))
    folder = path if path.is_dir() else path.parent
    answers = (folder / "answers.yaml").as_posix()
    passed = report.code_passed
    step = next_step.after_passing(course, events, log.now(), report, present_files(), answers) if passed else None
    if step is not None:
        said, commands = step
        shown += [*wrap(said.of(call.lang), width()), *(f"  {command}" for command in commands)]
    return shown
