"""Grades a learner's own work again on every save, and says after a report what to do next."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from grader.commands._console import say, stdout, width
from grader.commands._find import find_exercise, present_files
from grader.commands._options import Call
from grader.core.layout import wrap
from grader.core.model import Course, ExerciseResult, Message, Report, Text
from grader.course import starter
from grader.learning import log, next_step, reference_view, watching
from grader.learning.answers_file import PLACEHOLDER
from grader.learning.log import Event
from grader.learning.progress import progress_of, watch_events
from grader.submission import read

_WRITE = Message("Write your code in {file}; saving it grades again.")
_NO_NAME = Message(
    "answers.yaml has no name yet, so this was graded with the numbers of “your-name”: write your name there."
)


def follow(call: Call, course: Course, path: Path, question: str | None = None) -> bool:
    """Grade ``path``, or only a question in it, on every save, until a key ends it; whether that key was n."""
    from grader.grading.context import public_context  # loads numpy
    from grader.grading.grade import grade  # loads numpy
    from grader.grading.selection import Selection  # loads numpy
    from grader.report.terminal import render_watch  # loads rich
    from grader.report.words import is_stub  # loads numpy
    from grader.sandbox import ZygoteSettings, open_sandbox  # loads numpy

    with open_sandbox(mode="auto", settings=ZygoteSettings(collapse=True)) as sandbox:
        sandbox.start()
        context = public_context(course, sandbox)
        selection = Selection((question,) if question is not None else ())

        def graded() -> Report:
            submission = read(path, call.learner_of(path, course))
            return grade(course, submission, sandbox.observe, selection=selection, context=context)

        session = watching.WatchSession(graded, lambda name: len(find_exercise(course, name)[1].hints))
        console = stdout()
        keys = sys.stdin.isatty() and sys.platform != "win32"
        events = call.read_events(course)
        for event in watching.events(path, keys):
            page = session.handle(event)
            if page is None:
                return True
            if isinstance(page, Text):
                say(page)
                continue
            new = watch_events(page, course, events, log.now())
            call.save(*new)
            events += new
            after: list[str] = []
            if page.report is not None:
                coded = any(isinstance(event, log.Coded) for event in new)
                if page.current is not None and is_stub(page.current):
                    after = wrap(_where_to_write(course, page.current, path).of(call.lang), width())
                after += after_grading(call, course, events, page.report, path, offers=coded)
            render_watch(page, course, call.lang, console, keys=keys, after=after)
    return False


def _where_to_write(course: Course, exercise: ExerciseResult, path: Path) -> Text:
    question, _ = find_exercise(course, exercise.name)
    return _WRITE.fill(file=(path / starter.file_name(question) if path.is_dir() else path).as_posix())


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
