"""Verbs for working on an exercise: a hint, a case to step through, a verdict at every save."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    course_option,
    documented,
    find_question,
    keep,
    lang_option,
    load_course,
    nearest,
    recall,
    state_option,
)
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.core.model import Course, Exercise, Lang, Observe, Question


@documented(
    {
        "hint Q5 -e scaled_dot_product_attention": "the next hint",
        "hint Q3 -e softmax --rung 1": "the first hint once more",
    },
    {0: "done"},
)
@click.command()
@click.argument("question")
@click.option("-e", "--exercise", "name", metavar="FUNCTION", help="Which exercise, where a question has several.")
@click.option("--rung", type=click.IntRange(1), metavar="N", help="This one (default: the next, as remembered).")
@state_option
@lang_option
@course_option
def hint(
    question: str,
    name: str | None,
    rung: int | None,
    state_file: Path | None,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Gives the next hint for an exercise.

    The first is a question to think about, the last is nearly the line. Hints cost practice points, never
    graded ones.
    """
    from grader.commands._console import stdout
    from grader.core.page import Page
    from grader.learning import log as state
    from grader.learning.progress import hints_taken
    from grader.learning.progress_view import hint as show

    course = load_course(course_folder)
    exercise = _exercise(find_question(course, question), name)
    rungs = len(exercise.hints)
    if not rungs:
        raise UsageError(f"{exercise.name} has no hints; 'attncheck show {question}' says what it has to do.")
    if rung is not None and rung > rungs:
        raise UsageError(f"{exercise.name} has {rungs} hints; --rung goes from 1 to {rungs}.")
    taken = hints_taken(recall(state_file, course), exercise.name)
    shown = rung or min(taken + 1, rungs)
    if shown > taken:
        keep(state_file, state.Hinted(state.now(), course.public_id, exercise.name, shown))
    show(Page(stdout(), lang), exercise, shown, max(taken, shown), no_more=rung is None and taken >= rungs)


def _exercise(question: Question, name: str | None) -> Exercise:
    names = [exercise.name for exercise in question.exercises]
    if not names:
        raise UsageError(f"{question.id} has no exercises.")
    if name is None and len(names) > 1:
        raise UsageError(f"{question.id} has several exercises; choose one with -e: {', '.join(names)}.")
    found = next((e for e in question.exercises if name is None or e.name.lower() == name.lower()), None)
    if found is None:
        raise UsageError(f"{question.id} has no exercise “{name}”.{nearest(name or '', names)}")
    return found


@documented(
    {
        "debug q05.py -e scaled_dot_product_attention --case 'by hand'": "write a script to step through",
    },
    {0: "done", 3: "PATH cannot be read as a submission"},
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("-e", "--exercise", "name", required=True, metavar="FUNCTION", help="The exercise.")
@click.option("--case", "case_name", required=True, metavar="NAME", help="A public case (“attncheck show” names them).")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    metavar="F",
    help="Where to write (default: debug_….py; - for stdout).",
)
@course_option
def debug(path: Path, name: str, case_name: str, target: Path | None, course_folder: Path | None) -> None:
    """Writes a script that runs one public case.

    It runs the code in PATH on the inputs of the case, and compares; made to step through.
    """
    from grader.core.files import create
    from grader.sandbox import open_sandbox

    course = load_course(course_folder)
    question, exercise = _find(course, name)
    with open_sandbox(mode="auto") as sandbox:
        sandbox.allow(course.packages)
        sandbox.start()
        text = _script(course, question, exercise, case_name, path, sandbox.observe)
    if target is not None and str(target) == "-":
        click.echo(text, nl=False)
        return
    place = target or Path("debug_" + "_".join([exercise.name, *case_name.split()]) + ".py")
    create(place, text)
    click.echo(f"{place}: run it with python, or step through it with python -m pdb {place}")


def _find(course: Course, name: str) -> tuple[Question, Exercise]:
    found = course.exercise(name)
    if found is None:
        raise UsageError(
            f"There is no exercise “{name}”.{nearest(name, [e.name for q in course.questions for e in q.exercises])}"
        )
    return found


def _script(
    course: Course, question: Question, exercise: Exercise, case_name: str, path: Path, observe: Observe
) -> str:
    from grader.core.errors import SubmissionError
    from grader.core.model import Returned
    from grader.grading import debug_script
    from grader.grading.grade import Memo, source_of
    from grader.grading.inputs import Seed
    from grader.grading.reference_results import expecting
    from grader.submission import read

    case = debug_script.public_case(exercise, case_name)
    file = source_of(exercise.name, question, read(path))
    if file is None:
        raise SubmissionError(f"{path} does not define {exercise.name}; 'attncheck start {question.id}' writes a stub.")
    memo = Memo(course, Seed.public(), expecting(observe, Seed.public(), course=course))
    pairs = zip(memo.entries(exercise), memo.expected(exercise), strict=True)
    seen = next((e for entry, e in pairs if entry.case is case and entry.spec.kind == "values"), ())
    if not seen or not isinstance(seen[0], Returned):
        raise UsageError(f"the case {case_name!r} has no expected values to compare with; choose another.")
    drawn = next(entry.drawn for entry in memo.entries(exercise) if entry.case is case)
    return debug_script.script(exercise, case, drawn, seen[0].values[0], file, path)


@documented(
    {
        "watch work": "grade again whenever a file in work is saved",
    },
    {0: "ended with q", 3: "PATH cannot be read as a submission"},
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@state_option
@lang_option
@course_option
def watch(path: Path, state_file: Path | None, lang: Lang, course_folder: Path | None) -> None:
    """Grades again at every save.

    Shows what to mend first in PATH. Keys: n next, h hint, q quit. New verdicts and hints are kept.
    """
    import sys

    from grader.commands._console import stdout
    from grader.grading.grade import Memo, grade
    from grader.grading.inputs import Seed
    from grader.grading.reference_results import expecting
    from grader.learning import log as state
    from grader.learning import watch as watching
    from grader.learning.learner_events import watch_events
    from grader.report.terminal import render_watch
    from grader.sandbox import Settings, open_sandbox
    from grader.submission import read

    with open_sandbox(mode="auto", settings=Settings(collapse=True)) as sandbox:
        sandbox.start()
        course = load_course(course_folder)
        sandbox.allow(course.packages)
        memo = Memo(course, Seed.public(), expecting(sandbox.observe, Seed.public(), course=course))
        session = watching.WatchSession(
            lambda: grade(course, read(path), sandbox.observe, memo=memo),
            lambda name: len(_find(course, name)[1].hints),
        )
        console = stdout()
        keys = sys.stdin.isatty() and sys.platform != "win32"
        log = recall(state_file, course)
        for event in watching.events(path, keys):
            page = session.handle(event)
            render_watch(page, course, lang, console, keys=keys)
            events = watch_events(page, course, log, state.now())
            keep(state_file, *events)
            log += events
