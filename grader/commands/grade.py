"""``attncheck grade``: grade one submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from grader.commands._console import grading_bar, stdout, width
from grader.commands._options import (
    course_option,
    documented,
    json_option,
    lang_option,
    load_course,
    present_files,
    read_events,
    read_seed,
    save_events,
    state_option,
    write_json,
    write_output,
)
from grader.commands._words import UNCONFINED
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.learning import log, next_step, reference_view
from grader.learning.learner_events import code_events, new_events
from grader.learning.progress import progress_of
from grader.report.json import to_json

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
@click.option("-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question (repeatable).")
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
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="Draw hidden cases from this secret file; needs the sandbox.",
)
@click.option("--public-only", is_flag=True, help="Run only the public cases.")
@click.option("--require-sandbox", is_flag=True, help="Refuse to run code that this machine cannot confine.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Run the code unconfined; the results say so.")
@json_option
@click.option("--html", type=click.Path(path_type=Path), metavar="F", help="Write an HTML page with pictures to F.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="F", help="Write JUnit XML to F.")
@state_option
@lang_option
@course_option
def grade(
    *,
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
    """Grade a file, folder, notebook or zip.

    Shows what is correct, and what to fix first. Saves your own progress, unless --learner or --seed-file shows that it
    is someone else's work.
    """
    mode = _mode(seed_file is not None, require_sandbox, unsafe_no_sandbox)
    for file in filter(None, (html, junit)):
        _check_place(file)
    from grader.sandbox import open_sandbox  # loads numpy

    with open_sandbox(mode=mode) as sandbox:
        sandbox.start()  # the child imports torch while this process imports and reads what follows
        from grader.grading.code_grading import with_shared_budget  # beside the child, like the others
        from grader.grading.context import GradingContext  # loads numpy
        from grader.grading.grade import grade as grade_submission  # loads numpy
        from grader.grading.reference_results import reference_observer  # loads numpy
        from grader.grading.selection import Selection  # loads numpy
        from grader.submission import read  # beside the child, like the others

        seed = read_seed(number, seed_file)
        course = load_course(course_folder)
        sandbox.allow_packages(course.packages)
        submission = read(path, learner)
        selection = Selection(questions=questions, exercises=exercises, public_only=public_only)
        expect = reference_observer(sandbox.observe, seed, course=course)
        observe = with_shared_budget(sandbox.observe)
        with grading_bar() as progress:
            context = GradingContext(course, seed, expect, public_only, progress=progress)
            report = grade_submission(course, submission, observe, selection=selection, context=context)
        page = None
        if html is not None:
            # Pictures show what the code returns: if it was given secret inputs, it could return those.
            pictured = public_only or not seed.secret
            page = _page(report, course, submission, observe if pictured else None, expect, lang)
    _print(report, course, lang, as_json)
    if html is not None and page is not None:
        write_output("--html", html, page)
    if junit is not None:
        from grader.report.junit import to_junit  # an XML library that few runs need

        write_output("--junit", junit, to_junit(report, lang))
    if learner is None and seed_file is None:
        save_events(state_file, *new_events(code_events(course, report, log.now()), read_events(state_file, course)))
        if not as_json:
            events = read_events(state_file, course)
            for line in reference_view.offers(course, report, progress_of(course, events), log.now(), lang):
                click.echo(line)
            if report.passed:
                for line in next_step.after_passing(course, events, log.now(), present_files(), lang, width()):
                    click.echo(line)
    if report.unsafe and mode == "auto":
        click.echo(f"attncheck: {UNCONFINED.of(lang)}", err=True)
    click.get_current_context().exit(_code(report))


def _mode(secret: bool, require: bool, unsafe: bool) -> Literal["auto", "require", "plain"]:
    if unsafe and require:
        raise UsageError(
            Message("--require-sandbox and --unsafe-no-sandbox contradict each other: give only one of them.")
        )
    if unsafe and secret:
        raise UsageError(
            Message(
                "--unsafe-no-sandbox cannot be combined with --seed-file: unconfined code could read the seed. Leave "
                "one of them out; --seed N gives hidden cases that need not stay secret."
            )
        )
    if unsafe:
        return "plain"
    return "require" if secret or require else "auto"


def _print(report: Report, course: Course, lang: Lang, as_json: bool) -> None:
    if as_json:
        write_json(to_json(report, lang))
        return
    from grader.report.terminal import render  # loads rich

    render(report, course, lang, stdout())


def _page(
    report: Report, course: Course, submission: Submission, observe: Observe | None, expect: Observe, lang: Lang
) -> str:
    """The report as an HTML page; without ``observe`` it has no pictures."""
    from grader.grading.public_arrays import compare_public_cases  # loads numpy
    from grader.report.html import render  # loads jinja2

    return render(
        report, course, lang, compare_public_cases(course, submission, report, observe, expect) if observe else ()
    )


def _check_place(file: Path) -> None:
    """Raise UsageError for a file that cannot be written, before anything is graded."""
    if file.is_dir():
        raise UsageError(Message("{file} is a folder: name a file in it.").fill(file=file))
    if not file.parent.is_dir():
        raise UsageError(
            Message("{file} cannot be written: there is no folder {parent}; create it, or choose another.").fill(
                file=file, parent=file.parent
            )
        )


def _code(report: Report) -> int:
    if not report.complete:
        return INCOMPLETE
    return PASSED if report.passed else NOT_ALL_PASSED
