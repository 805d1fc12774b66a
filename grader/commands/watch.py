"""``attncheck watch``: grade again on every save."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.commands._console import stdout, width
from grader.commands._options import Call, documented, find_exercise, present_files, say, shared
from grader.core.model import Course, ExerciseResult, Message, Text
from grader.learning import hints, log, next_step, reference_view, watching
from grader.learning.progress import progress_of, watch_events
from grader.submission import read

ABOUT = Message("Grade again on every save.")
READERS = "Learners"
RANK = 60


@documented(
    {"watch work": "grade again whenever a file in work is saved"},
    {0: "ended with q", 3: "PATH cannot be read as a submission"},
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@shared("state", "lang", "course")
def watch(call: Call, path: Path) -> None:
    """Grade again on every save.

    Shows what to fix first in PATH. Keys: n next, h hint, q quit. Your progress is saved.
    """
    from grader.grading.context import GradingContext  # loads numpy
    from grader.grading.grade import grade  # loads numpy
    from grader.grading.inputs import Seed  # loads numpy
    from grader.grading.reference_results import reference_observer  # loads numpy
    from grader.report.terminal import render_watch  # loads rich
    from grader.sandbox import ZygoteSettings, open_sandbox  # loads numpy

    with open_sandbox(mode="auto", settings=ZygoteSettings(collapse=True)) as sandbox:
        sandbox.start()
        course = call.course()
        sandbox.allow_packages(course.packages)
        expect = reference_observer(sandbox.observe, Seed.public(), course=course)
        context = GradingContext(course, Seed.public(), expect)
        session = watching.WatchSession(
            lambda: grade(course, read(path), sandbox.observe, context=context), lambda result: _hints(course, result)
        )
        console = stdout()
        keys = sys.stdin.isatty() and sys.platform != "win32"
        events = call.read_events(course)
        for event in watching.events(path, keys):
            page = session.handle(event)
            if isinstance(page, Text):
                say(page)
                continue
            new = watch_events(page, course, events, log.now())
            call.save(*new)
            events += new
            after: list[str] = []
            if page.report is not None and any(isinstance(event, log.Coded) for event in new):
                after += reference_view.offers(course, page.report, progress_of(course, events), log.now(), call.lang)
            if page.report is not None and page.report.passed:
                after += next_step.after_passing(course, events, log.now(), present_files(), call.lang, width())
            render_watch(page, course, call.lang, console, keys=keys, after=after)


def _hints(course: Course, result: ExerciseResult) -> tuple[int, ...]:
    question, exercise = find_exercise(course, result.name)
    return hints.order(exercise, hints.about(question, result.misconception, result))
