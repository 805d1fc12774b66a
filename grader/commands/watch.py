"""``attncheck watch``: grade again on every save, and then open what is next, as ``attncheck`` alone does, too."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.commands import quiz, review, start
from grader.commands._console import print_lines, read_key, say, stdout, width
from grader.commands._find import find_exercise, present_files, work_folder
from grader.commands._options import Call, Documented, shared, work_argument
from grader.commands.grade import after_grading
from grader.core.layout import wrap
from grader.core.model import Course, ExerciseResult, Message, Report, Text
from grader.core.tables import table
from grader.course import starter
from grader.learning import log, next_step, watching
from grader.learning.next_step import NextStep
from grader.learning.progress import watch_events
from grader.submission import read

LISTED = "Learners", 60

_WRITE = Message("Write your code in {file}; saving it grades again.")
#: The most cards of one review.
_CARDS = 20


@click.command(cls=Documented)
@work_argument
@shared("state", "lang", "course")
def watch(call: Call, path: Path) -> None:
    """Grade again on every save.

    Shows what to fix first in PATH (default: the folder that you work in). Keys: n next, h hint, q quit. Once all code
    is correct, n opens what is next. Your progress is saved.

    Examples:
      watch work  grade again whenever a file in work is saved

    Exit codes:
      0  ended with q
      3  PATH cannot be read as a submission
    """
    course = call.course()
    if follow(call, course, path):
        go_on(call, course)


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


# ----------------------------------------------------------------------------------- step after step


def go_on(call: Call, course: Course) -> None:
    """Open one step after the other, until the learner quits or nothing is open.

    Between them, a key of the learner says so. A step left open ends it.
    """
    before: NextStep | None = None
    while True:
        events = call.read_events(course)
        progress, due, step = next_step.where(course, events, log.now(), present_files())
        print_lines(next_step.lines(progress, step, due, call.lang, others=before is None, width=width()))
        if step.kind == "done" or (before is not None and (before.kind, before.name) == (step.kind, step.name)):
            return
        if before is not None and before.kind != "code" and not _wanted():  # after code, n was pressed
            return
        before = step
        if not _open(call, course, step):
            return


def _wanted() -> bool:
    """Whether the learner presses the key that opens what is next, and not the one that quits."""
    say(Message("n: open it · q: quit"))
    return read_key(table(next_step.__file__, "keys.yaml")["between"]) == "next"


def _open(call: Call, course: Course, step: NextStep) -> bool:
    """Open a step; whether the learner went through it, and did not quit."""
    if step.question is None:
        return review.ask(call, course, _CARDS)
    question = step.question.question
    if step.kind == "quiz":
        return not quiz.ask(call, course, question.id).left
    folder = work_folder()
    start.write_files(call, course, (question,), folder)
    return follow(call, course, folder, question.id)
