"""``check``, ``quiz`` and ``submit`` for notebooks: grades definitions from the cells that were run, in the sandbox.

The source comes from the notebook's history, never from the live object, and the code runs in a child of the sandbox,
so a check gives what grading the notebook gives. The sandbox stays open between checks.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.commands._find import learner_name
from grader.commands._language import language
from grader.commands._options import Call
from grader.commands.quiz import LineFrontEnd, converse
from grader.core.errors import AttncheckError
from grader.core.files import state
from grader.core.model import Message, Notice, Text
from grader.core.text import nearest
from grader.learning import log, quiz_view

if TYPE_CHECKING:
    from grader.classroom.inbox_view import PackedSubmission
    from grader.core.model import ArrayComparison, Course, Lang, Report
    from grader.learning.log import Event

_NOT_DEFINED = Message("No cell that was run defines {name}{near}. Run the cell that defines it, then check again.")
_NOTHING_DEFINED = Message(
    "No cell that was run defines an exercise of this course. Write, for example, a function softmax (Q3), run its "
    "cell, and check again."
)
_NO_EXERCISE = Message("This course has no exercise {name}{near}.")
_NO_NOTEBOOK = Message(
    "check() and submit() work in Jupyter and IPython. In a terminal, use `attncheck grade` and `attncheck submit`."
)
_CHANGED_SINCE = Message(
    "The cell that defines {name} was changed after its last run (cell {number}). Run it, then submit again."
)
_NOTHING_TO_SUBMIT = Message(
    "There is nothing to submit yet: no cell that was run defines an exercise, and no quiz item is answered."
)
_NO_TEXT = Message("{file} cannot be read: {reason}. Nothing was packed.")
#: The name of a notebook that nobody names.
_NOTEBOOK = "notebook.ipynb"
_FIRST_CHECK = Message("Checking… The first check in a notebook starts torch, which takes a few seconds.")
_CHECKING = Message("Checking… Your code runs in the sandbox.")
#: Seconds after which a check says that it is running.
_QUIET = 1.0

_CHANGED = Message(
    "The cell that defines {name} was changed after its last run. This check graded what was run (cell {number}). To "
    "grade the change, run the cell and check again."
)


class NotebookError(AttncheckError):
    """A check that cannot be done."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of ``check``; notebooks show it as a report with pictures, terminals as text."""

    report: Report
    course: Course
    lang: Lang
    pictures: tuple[ArrayComparison, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check that counts was passed."""
        return self.report.passed

    def __repr__(self) -> str:
        """The report as text."""
        from rich.console import Console  # loads rich

        from grader.report.terminal import render  # loads rich

        written = io.StringIO()
        console = Console(file=written, width=88, highlight=False, force_jupyter=False)
        render(self.report, self.course, self.lang, console, notebook=True)
        return written.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        from grader.report.html import render_part  # loads jinja2

        return render_part(self.report, self.course, self.lang, self.pictures)


def check(*names: str | Callable[..., object], lang: Lang | None = None) -> CheckResult:
    """Grades the exercises ``names`` as the cells of this notebook define them; by default all that are defined.

    Saves your progress, as ``attncheck grade`` does. Raises NotebookError outside a notebook, and if a name is no
    exercise or was not defined in a cell.
    """
    lang = lang or language(os.environ)
    cells = _cells()
    with _saying(_CHECKING if _grader.cache_info().currsize else _FIRST_CHECK, lang):
        grader = _grader()
        grader.follow(cells)
        wanted = _wanted(names, cells, grader.course, lang)
        return grader.check(cells, wanted, lang)


@contextlib.contextmanager
def _saying(text: Text, lang: Lang) -> Iterator[None]:
    """Shows ``text`` if the block takes longer than ``_QUIET``, and takes it away at its end."""
    publisher, shown = _shell().display_pub, list[str]()
    place = {"display_id": f"attncheck-{time.monotonic_ns()}"}

    def show(words: str) -> None:
        publisher.publish({"text/plain": words, "text/html": words}, transient=place, update=bool(shown))
        shown.append(words)

    timer = threading.Timer(_QUIET, show, (text.of(lang),))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown:
            show("")


def load_ipython_extension(shell: Any) -> None:
    """Adds the magics: ``%check softmax``, and ``%%check softmax`` for a cell that is run first, then checked."""
    shell.register_magic_function(functools.partial(_magic, shell), "line_cell", "check")


def _magic(shell: Any, line: str, cell: str | None = None) -> CheckResult | None:
    if cell is not None and not shell.run_cell(cell).success:
        return None  # the notebook has shown the error
    return check(*line.replace(",", " ").split())


def quiz(name: str | None = None, *, again: bool = False, lang: Lang | None = None) -> Any:
    """Asks the items of a question or group, a single item, or all: with widgets, or in text without ipywidgets.

    Saves your answers, as ``attncheck quiz`` does. Raises UsageError if ``name`` does not exist.
    """
    from grader.commands._console import page  # loads rich
    from grader.learning import quiz_session  # with the item kinds

    call = Call(lang or language(os.environ))
    course = call.course()
    chosen = quiz_session.choose(course, name)
    who, events = _learner(call, course)
    session = quiz_session.begin(course, who, call.lang, chosen, events, again=again)
    try:
        from grader.learning.quiz_widgets import QuizWidgets  # not everybody has ipywidgets
    except ModuleNotFoundError:
        written = page(call.lang)
        written.notebook = True
        session = converse(session, LineFrontEnd(_typed_line, echo=False), call)
        quiz_view.summary(written, quiz_session.summary(session))
        return None
    return QuizWidgets(session, lambda new: call.save(*new)).box


def submit(*, lang: Lang | None = None) -> PackedSubmission:
    """Packs the exercises that cells have defined, and the answers to graded items, as a zip in this folder.

    A zip that an earlier call wrote is replaced. Raises NotebookError if there is nothing to submit, or if a cell was
    changed after its last run, and UsageError if something cannot be read.
    """
    from grader.classroom.inbox_view import pack  # loads numpy
    from grader.submission import found_in_cells  # the parser
    from grader.submission.cells import bound
    from grader.submission.files import PACKED, RawFile

    call, cells, here = Call(lang or language(os.environ)), _cells(), Path.cwd()
    course, saved, found = call.course(), _saved_notebook(cells), bound(cells)
    defined = [exercise.name for question in course.questions for exercise in question.exercises]
    defined = [name for name in defined if name in found]
    who, events = _learner(call, course)
    if saved is not None and _grader.cache_info().currsize:
        for name, number in _grader().changed(saved, cells, defined):
            raise NotebookError(_CHANGED_SINCE.fill(name=name, number=number))
    name = saved.name if saved is not None else _NOTEBOOK
    raws = found_in_cells(cells, defined, here, name).raws if defined else ()
    answers = _answers(course, who, events)
    if answers:
        raws = (*raws, RawFile("answers.yaml", "answers", answers.encode()))
    if not raws:
        raise NotebookError(_NOTHING_TO_SUBMIT)
    return pack(here / f"{Path(name).stem}{PACKED}", raws, who, course, call.lang)


def _answers(course: Course, who: str, events: Sequence[Event]) -> str:
    """The text of an answers.yaml: the one in this folder, with what it lacks from the quiz; empty without answers."""
    from grader.learning import answers_file, quiz_session  # with the item kinds

    given = quiz_session.all_graded_answers(course, events)
    file = Path("answers.yaml")
    if not file.exists():
        return answers_file.new_answers_file(who, given) if given else ""
    try:
        there = answers_file.find(file.name, file.read_text("utf-8-sig"), who)
    except (OSError, UnicodeDecodeError) as error:
        raise NotebookError(_NO_TEXT.fill(file=file, reason=error)) from error
    return answers_file.merge(there, who, given)


def _learner(call: Call, course: Course) -> tuple[str, tuple[Event, ...]]:
    """The learner's name, which is asked for once, and the events so far."""
    events = call.read_events(course)
    asks = log.last_name(events) is None and not sys.stdin.isatty()  # in a terminal, ``learner_name`` asks
    typed = _typed(f"{quiz_view.ASK_NAME.of(call.lang)}: ") if asks else None
    who, named = learner_name(course, typed, events, call.lang)
    call.save(*named)
    return who, (*events, *named)


def _typed(prompt: str = "") -> str | None:
    """A line that somebody types; None if nobody can."""
    try:
        return input(prompt)
    except (EOFError, NotImplementedError):  # the latter by programs that run notebooks alone
        return None


def _typed_line() -> str:
    """A line that the notebook asks for, as its stdin cannot be read; nothing at the end."""
    line = _typed()
    return "" if line is None else f"{line}\n"


# ------------------------------------------------------------------------------------------ cells


def _shell() -> Any:
    """What runs the cells. Raises NotebookError outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        raise NotebookError(_NO_NOTEBOOK)
    return shell


def _cells() -> dict[int, str]:
    """What was run in this notebook, with the numbers of the runs."""
    return dict(enumerate(_shell().history_manager.input_hist_raw))


def _saved_notebook(cells: Mapping[int, str]) -> Path | None:
    """The file of this notebook. Jupyter says its name by a variable, VS Code by a name that it defines.

    Other programs do not, so it is the only file here that has every cell that was run.
    """
    from grader.submission import has_cells  # with the parser

    name = os.environ.get("JPY_SESSION_NAME") or _shell().user_ns.get("__vsc_ipynb_file__")
    if isinstance(name, str) and name.endswith(".ipynb"):
        return Path(name)
    found = [path for path in sorted(Path.cwd().glob("*.ipynb")) if has_cells(path, cells.values())]
    return found[0] if len(found) == 1 else None


def _wanted(
    names: tuple[str | Callable[..., object], ...], cells: Mapping[int, str], course: Course, lang: Lang
) -> tuple[str, ...]:
    """The names of the exercises to check."""
    from grader.submission.cells import bound  # with the parser, for the first check only

    found = bound(cells)
    exercises = [exercise.name for question in course.questions for exercise in question.exercises]
    if not names:
        defined = tuple(name for name in exercises if name in found)
        if not defined:
            raise NotebookError(_NOTHING_DEFINED)
        return defined
    asked = tuple(dict.fromkeys(each if isinstance(each, str) else getattr(each, "__name__", "?") for each in names))
    for name in asked:
        for text, known in ((_NO_EXERCISE, exercises), (_NOT_DEFINED, [*found])):
            if name not in known:
                near = nearest(name, known)
                hint = Message(" (did you mean {near}?)").fill(near=near) if near else Text("", "")
                raise NotebookError(text.fill(name=name, near=hint))
    return asked


# ------------------------------------------------------------------------------------------ grading


@functools.cache
def _grader() -> _Grader:
    """The one grader of this process: it starts at the first check and ends with the process."""
    grader = _Grader()
    atexit.register(grader.close)
    return grader


class _Grader:
    """Grades with one course, and with a sandbox that stays open."""

    def __init__(self) -> None:
        from grader.grading.checker import Checker, started_sandbox  # loads numpy

        sandbox = started_sandbox()  # torch is imported while the course is read
        self.course = Call().course()
        self._checker: Checker = Checker(self.course, sandbox)
        self._known: dict[int, float] = {}

    def follow(self, cells: Mapping[int, str]) -> None:
        """Remembers when each cell was first seen: a notebook saved after that may have been changed since."""
        now = time.time()
        self._known = {number: self._known.get(number, now) for number in cells}

    def changed(self, saved: Path, cells: Mapping[int, str], wanted: Iterable[str]) -> Iterator[tuple[str, int]]:
        """The exercises whose cell was changed and not run, as far as the saved notebook tells, with that cell."""
        from grader.submission import changed_since  # with the parser
        from grader.submission.cells import last_binding

        saved_at = (state(saved) or (0,))[0] / 1e9
        for name in wanted:
            number = last_binding(cells, name)
            seen = None if number is None else self._known.get(number)
            if number is not None and seen and saved_at > seen and changed_since(saved, cells, name):
                yield name, number

    def check(self, cells: Mapping[int, str], wanted: tuple[str, ...], lang: Lang) -> CheckResult:
        """Grades the exercises ``wanted`` as ``cells`` define them."""
        from grader.learning.progress import code_events, new_events
        from grader.submission import read_cells  # the parser

        call, saved = Call(lang), _saved_notebook(cells)
        who, _ = _learner(call, self.course)
        submission = read_cells(cells, wanted, who, Path.cwd(), saved.name if saved is not None else _NOTEBOOK)
        changed = self.changed(saved, cells, wanted) if saved is not None else ()
        stale = [Notice("", _CHANGED.fill(name=name, number=number), urgent=True) for name, number in changed]
        submission = replace(submission, notices=(*stale, *submission.notices))
        checked = self._checker.check(submission, wanted)
        coded = code_events(self.course, checked.report, log.now())
        call.save(*new_events(coded, call.read_events(self.course)))
        return CheckResult(replace(checked.report, not_attempted=()), self.course, lang, checked.pictures)

    def close(self) -> None:
        """Ends the sandbox."""
        self._checker.close()
