"""The verb that grades one submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from grader.commands._options import (
    course_option,
    documented,
    json_option,
    keep,
    lang_option,
    load_course,
    read_seed,
    recall,
    state_option,
    write_json,
)
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.core.model import Course, Lang, Observe, Report, Submission

PASSED, NOT_ALL_PASSED, INCOMPLETE = 0, 1, 4


@documented(
    {
        "grade work": "grade everything in the folder work",
        "grade q05.py -e softmax": "grade one exercise of a file",
        "grade work --json > report.json": "the report as data",
    },
    {0: "everything passed", 1: "graded, and not everything passed", 3: "PATH cannot be read as a submission"},
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question; repeatable.")
@click.option(
    "-e", "--exercise", "exercises", multiple=True, metavar="NAME", help="Only this function or class; repeatable."
)
@click.option("--learner", metavar="NAME", help="Whose it is (default: as answers.yaml or the path says).")
@click.option("--seed", "number", type=click.IntRange(min=0), metavar="N", help="Hidden cases from this number.")
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="Hidden cases from this secret file; needs the sandbox.",
)
@click.option("--public-only", is_flag=True, help="Only the public cases.")
@click.option("--require-sandbox", is_flag=True, help="Refuse to run code that this machine cannot confine.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Run the code unconfined; stamped into the results.")
@json_option
@click.option("--html", type=click.Path(path_type=Path), metavar="F", help="Write a page with pictures to this file.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="F", help="Write JUnit XML to this file.")
@state_option
@lang_option
@course_option
def grade(
    path: Path,
    questions: tuple[str, ...],
    exercises: tuple[str, ...],
    learner: str | None,
    number: int | None,
    seed_file: Path | None,
    public_only: bool,
    require_sandbox: bool,
    unsafe_no_sandbox: bool,
    as_json: bool,
    html: Path | None,
    junit: Path | None,
    state_file: Path | None,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Grades a file, folder, notebook or zip.

    Says what is right, and of everything else what to mend first. Your own progress is kept, unless
    --learner or --seed-file says that it is somebody else's work.
    """
    mode = _mode(seed_file is not None, require_sandbox, unsafe_no_sandbox)
    for file in filter(None, (html, junit)):
        _can_be_written(file)
    from grader.sandbox import open_sandbox

    with open_sandbox(mode=mode) as sandbox:
        sandbox.start()  # torch is imported beside the reading below
        from grader.grading.budget import with_shared_budget
        from grader.grading.grade import Memo, Selection
        from grader.grading.grade import grade as grade_submission
        from grader.grading.reference_results import expecting
        from grader.submission import read

        seed = read_seed(number, seed_file)
        course = load_course(course_folder)
        sandbox.allow(course.packages)
        submission = read(path, learner)
        selection = Selection(questions=questions, exercises=exercises, public_only=public_only)
        expect = expecting(sandbox.observe, seed, course=course)
        memo = Memo(course, seed, expect, public_only)
        observe = with_shared_budget(sandbox.observe)
        report = grade_submission(course, submission, observe, selection=selection, memo=memo)
        page = None
        if html is not None:
            # Pictures show what the code returns. Once it has been given secret inputs, that could be these.
            pictured = public_only or not seed.secret
            page = _page(report, course, submission, observe if pictured else None, expect, lang)
    _write(report, course, lang, as_json)
    if html is not None and page is not None:
        _put(html, page)
    if junit is not None:
        from grader.report.junit import to_junit

        _put(junit, to_junit(report, lang))
    if learner is None and seed_file is None:
        _keep(report, course, state_file)
    if report.unsafe and mode == "auto":
        from grader.commands._words import UNCONFINED

        click.echo(f"attncheck: {UNCONFINED.of(lang)}", err=True)
    click.get_current_context().exit(_code(report))


def _mode(secret: bool, require: bool, unsafe: bool) -> Literal["auto", "require", "plain"]:
    if unsafe and require:
        raise UsageError("--require-sandbox and --unsafe-no-sandbox contradict each other: give the one or the other.")
    if unsafe and secret:
        raise UsageError(
            "--unsafe-no-sandbox does not go with --seed-file: unconfined code could read the seed. "
            "Leave one of them out; --seed N gives hidden cases that need not stay secret."
        )
    if unsafe:
        return "plain"
    return "require" if secret or require else "auto"


def _write(report: Report, course: Course, lang: Lang, as_json: bool) -> None:
    if as_json:
        from grader.report.json import to_json

        write_json(to_json(report, lang))
        return
    from grader.commands._console import stdout
    from grader.report.terminal import render

    render(report, course, lang, stdout())


def _keep(report: Report, course: Course, state_file: Path | None) -> None:
    from grader.learning import log
    from grader.learning.learner_events import code_events, new_events

    keep(state_file, *new_events(code_events(course, report, log.now()), recall(state_file, course)))


def _page(
    report: Report, course: Course, submission: Submission, observe: Observe | None, expect: Observe, lang: Lang
) -> str:
    """The report as a page; without ``observe`` it has no pictures."""
    from grader.grading.public_arrays import shown
    from grader.report.html import render

    return render(report, course, lang, shown(course, submission, report, observe, expect) if observe else ())


def _can_be_written(file: Path) -> None:
    """Refuses what will not work before anything is graded."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder: name a file in it.")
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written: there is no folder {file.parent}; make it, or choose another.")


def _put(file: Path, text: str) -> None:
    from grader.core.files import write

    try:
        write(file, text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}; choose another place.") from error


def _code(report: Report) -> int:
    if not report.complete:
        return INCOMPLETE
    return PASSED if report.passed else NOT_ALL_PASSED
