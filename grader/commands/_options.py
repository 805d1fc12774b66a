"""Options and arguments that several commands share, and how their values are used."""

from __future__ import annotations

import functools
import getpass
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from grader.commands import LANG, TABLES
from grader.commands._console import tell
from grader.commands._language import language
from grader.core import files
from grader.core.errors import StateError, UsageError
from grader.core.model import Course, Exercise, Item, Lang, Message, Question, Text
from grader.core.text import name_list, suggestion
from grader.course import loader
from grader.grading import courses
from grader.learning import log
from grader.learning.answers_file import PLACEHOLDER
from grader.learning.log import Event

if TYPE_CHECKING:
    from grader.classroom.gradebook import Gradebook
    from grader.grading.inputs import Seed

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=click.Command)

#: Types of options that take a path.
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

#: A table of a docstring, with its title, and a row of it.
_TABLE = re.compile(r"^(\w[\w -]+):\n((?:  .+\n?)+)", re.MULTILINE)
_ROW = re.compile(r"^  (.+?)  +(.+)$", re.MULTILINE)

READING = Message("Reading the course (slow the first time only).")
WRITTEN = Message("written: {file}")
UNCONFINED = Message(
    "This code ran unconfined, because this machine has no working sandbox: run only code that you trust. "
    "`attncheck doctor` says why."
)


def epilog(examples: Mapping[str, str], exits: Mapping[str, str], heading: str, codes: str) -> str:
    """The end of a command's help: examples, and exit codes."""
    colon = ":" if heading.isascii() else "："
    shown = "\n".join(f"  # {does}\n  attncheck {line}" for line, does in examples.items())
    ends = "\n".join(f"  {code}  {meaning}" for code, meaning in exits.items())
    return f"\b\n{heading}{colon}\n{shown}\n\n\b\n{codes}{colon}\n{ends}"


def documented(command: C) -> C:
    """A decorator for a command whose docstring ends in tables: examples, exit codes, and perhaps what JSON it writes.

    Two spaces stand between the columns of a table. Examples are command lines without ``attncheck``. Exit codes are
    those of the command itself; 2 (wrong call), 4 (internal error) and 130 (interrupted) apply to all commands. With
    ``--json``, each way to call it has the type of what it writes, as ``module:name``. The help shows examples and exit
    codes; docs/cli.md and docs/json.md are made from these tables, too.
    """
    docstring = cleandoc(command.help or "")
    command.help = docstring.partition(TABLES)[0]
    tables = {title: dict(_ROW.findall(rows)) for title, rows in _TABLE.findall(docstring)}
    examples, exits = tables["Examples"], tables["Exit codes"]
    command.epilog = epilog(examples, exits, "Examples", "Exit codes")
    vars(command).update(examples=examples, exits=exits, outputs=tables.get("With --json", {}))
    return command


# ------------------------------------------------------------------------------------------ language


def _remember(context: click.Context, parameter: click.Parameter, lang: Lang) -> Lang:
    """Save the language for error messages, which are printed outside the command."""
    context.meta[LANG] = lang
    return lang


def default_language() -> Lang:
    """The language without ``--lang`` after the command: the one before it, else that of the environment."""
    return asked_before_command() or language(os.environ)


def asked_before_command() -> Lang | None:
    """The language in ``attncheck --lang … COMMAND``; None without the option."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.find_root().params.get("lang")


#: ``--lang``; the default comes from the environment.
lang_option = click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    default=default_language,
    callback=_remember,
    help="Language of the output (default: ATTNCHECK_LANG, else the locale).",
)

#: ``--lang`` for commands whose findings are for authors, in English.
errors_lang_option = click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    expose_value=False,
    help="Language of the help and of errors; findings are in English.",
)


def say(text: Text, *, err: bool = False) -> None:
    """Print ``text`` in the language of this call. On stderr (``err``), the name of the program precedes it."""
    tell(text, click.get_current_context().meta[LANG], err=err)


# -------------------------------------------------------------------------------------------- course


def _course_option(text: str) -> Callable[[F], F]:
    return click.option("--course", "course_folder", type=PATH, metavar="DIR", help=text)


#: ``--course``, a folder; ``loader.find`` supplies the default.
course_option = _course_option(
    "A folder with questions/ and reference/ (default: ATTNCHECK_COURSE, else the bundled course)."
)


def load_course(folder: Path | None) -> Course:
    """The course in ``folder``; None means the default course. Tells a person at a terminal why it takes seconds."""

    def on_miss() -> None:
        if sys.stderr.isatty():
            context = click.get_current_context(silent=True)
            click.echo(READING.of(context.meta.get(LANG, "en") if context else "en"), err=True)

    return courses.load(loader.find(folder), on_miss)


def find_question(course: Course, name: str) -> Question:
    """The question called ``name``: ``Q5``, ``q05`` or ``5``. Raises UsageError if there is none."""
    number = name.lower().removeprefix("q").lstrip("0")
    question = course.question(name) or course.question(f"Q{number}")
    if question is None:
        said = Message("There is no question “{name}”. {hint}")
        raise UsageError(said.fill(name=name, hint=suggestion(name, [q.id for q in course.questions])))
    return question


def find_exercise(course: Course, name: str) -> tuple[Question, Exercise]:
    """The exercise called ``name``, with its question. Raises UsageError if there is none."""
    match = course.exercise(name)
    if match is None:
        names = [exercise.name for question in course.questions for exercise in question.exercises]
        raise UsageError(Message("There is no exercise “{name}”. {hint}").fill(name=name, hint=suggestion(name, names)))
    return match


def find_part(course: Course, name: str) -> tuple[Question, Item | Exercise | None]:
    """Find a question, item or exercise, ignoring case. Returns its question, and the part (None for a question).

    Raises UsageError with a suggestion if there is none.
    """
    number = name.lower().removeprefix("q").lstrip("0")
    for question in course.questions:
        if question.id.lower() in (name.lower(), f"q{number}"):
            return question, None
        parts: dict[str, Item | Exercise] = {item.id.lower(): item for item in question.items}
        parts |= {exercise.name.lower(): exercise for exercise in question.exercises}
        if name.lower() in parts:
            return question, parts[name.lower()]
    names = [question.id for question in course.questions]
    names += [item.id for question in course.questions for item in question.items]
    names += [exercise.name for question in course.questions for exercise in question.exercises]
    hint = suggestion(name, names, [question.id for question in course.questions])
    text = Message("There is no question, item or exercise “{name}”. {hint}")
    raise UsageError(text.fill(name=name, hint=hint))


_IS_ITEM = Message(
    "{item} is a quiz item and has no code; `attncheck quiz {item}` asks it, and helps after a wrong answer."
)
_NO_EXERCISES = Message("{question} has no exercises; `attncheck quiz {question}` asks its quiz items.")
_SEVERAL = Message("{question} has several exercises; choose one: {names}.")


def find_one_exercise(course: Course, name: str) -> tuple[Question, Exercise]:
    """Find an exercise by its name, or by that of a question with only one exercise.

    Raises UsageError, with what to do, if there is none or more than one.
    """
    question, part = find_part(course, name)
    names = [exercise.name for exercise in question.exercises]
    if part is None:
        if len(names) == 1:
            return question, question.exercises[0]
        text = _SEVERAL if names else _NO_EXERCISES
        raise UsageError(text.fill(question=question.id, names=name_list(names)))
    if not isinstance(part, Exercise):
        raise UsageError(_IS_ITEM.fill(item=part.id))
    return question, part


#: ``-q``, repeatable.
questions_option = click.option(
    "-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question (repeatable)."
)

#: ``--learner`` for commands that show items before they are answered.
learner_option = click.option(
    "--learner", metavar="NAME", help="Whose numbers to show, where each learner gets different ones."
)


# ------------------------------------------------------------------------------------ results of a class


#: DIR, a folder that ``attncheck batch`` has written.
results_argument = click.argument("folder", metavar="DIR", type=PATH)


def seed_file_option(text: str) -> Callable[[F], F]:
    """``--seed-file`` with this help."""
    return click.option("--seed-file", type=PATH, metavar="F", help=text)


def roster_option(text: str) -> Callable[[F], F]:
    """``--roster`` with this help."""
    return click.option("--roster", type=PATH, metavar="CSV", help=text)


def workers_option(text: str) -> Callable[[F], F]:
    """``--workers`` with this help."""
    return click.option("--workers", type=click.IntRange(min=1), metavar="N", help=text)


def source_option(text: str) -> Callable[[F], F]:
    """``--from``, the learner's own work, with this help."""
    return click.option("--from", "source", type=PATH, metavar="PATH", help=text)


def signed_by(author: str | None) -> str:
    """``author``, by default the login name. Raises UsageError if the system does not know that."""
    try:
        return author or getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError(Message("This system does not know your login name: give --author NAME.")) from error


#: ``--seed-file`` for commands that repeat the grading of a results folder.
graded_seed_option = seed_file_option("The secret file that DIR was graded with (default: seed_file in course.yaml).")
#: ``--workers`` for commands that grade a class.
graders_option = workers_option("Grade N submissions at a time (default: one per CPU).")


def read_seed(number: int | None, file: Path | None) -> Seed:
    """The seed of ``--seed`` or ``--seed-file``; with neither, the public one."""
    from grader.grading.inputs import Seed  # loads numpy

    if number is not None and file is not None:
        raise UsageError(Message("--seed and --seed-file cannot be combined: give only one of them."))
    if file is not None:
        return Seed.from_file(file)
    return Seed.public() if number is None else Seed.number(number)


def graded_seed(folder: Path, file: Path | None, course_folder: Path | None) -> Seed:
    """The seed that the results in ``folder`` were graded with; ``file`` overrides the one of the course."""
    from grader.instructor.regrade import seed_of  # loads numpy

    return seed_of(folder, course_folder) if file is None else read_seed(None, file)


def present_files() -> list[str]:
    """The paths of the learner's files, in the current folder and in the folder work."""
    return [path.as_posix() for folder in (Path(), Path("work")) for path in sorted(folder.glob("[qQ]*.py"))]


def started(folder: Path) -> bool:
    """Whether a learner works in ``folder``: it has answers, or the file of a question."""
    return (folder / "answers.yaml").is_file() or any(folder.glob("[qQ][0-9][0-9].*"))


def work_folder() -> Path:
    """The folder that the learner works in: this one if it has files of theirs, else the folder work."""
    return Path() if started(Path()) else Path("work")


def _or_work(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path:
    """``path``, else the folder that the learner works in. Raises UsageError if there is none yet."""
    folder = path or work_folder()
    if path is None and not folder.is_dir():
        raise UsageError(Message("You have no folder {folder} yet: `attncheck start` creates it.").fill(folder=folder))
    return folder


#: PATH, a learner's own work; by default the folder that they work in.
work_argument = click.argument(
    "path", required=False, type=click.Path(path_type=Path), metavar="[PATH]", callback=_or_work
)


def can_ask() -> bool:
    """Whether a person can answer a question: stdin is a terminal."""
    return sys.stdin.isatty()


# -------------------------------------------------------------------------------------------- output


#: ``--json``: data on stdout, everything else on stderr.
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON to stdout and messages to stderr.")

#: ``--html`` for commands whose page is an alternative to their text.
html_option = click.option("--html", type=FILE, metavar="F", help="Write an HTML page to F.")


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout."""
    for line in lines:
        click.echo(line)


def write_json(value: object) -> None:
    """Write ``value`` as JSON to stdout, in UTF-8 whatever the encoding of the terminal."""
    click.echo(files.readable_json(value, 2).encode())


def write_output(option: str, file: Path, data: str | bytes) -> None:
    """Write the ``file`` that ``option`` names. Raises UsageError if that fails."""
    try:
        files.write(file, data)
    except OSError as error:
        said = Message("{file} cannot be written: {reason}; choose another place for {option}.")
        raise UsageError(said.fill(file=file, reason=error.strerror, option=option)) from error


# --------------------------------------------------------------------------------- the learner's progress


#: ``--state``, the learner's progress file; ``learning.log.place`` supplies the default.
state_option = click.option(
    "--state",
    "state_file",
    type=FILE,
    metavar="F",
    help="Your progress file (default: ATTNCHECK_STATE, else a file in your data folder).",
)


# ------------------------------------------------------------------------------------------ the call


@dataclass(frozen=True, slots=True)
class Call:
    """The values of the options that commands share, and what they stand for."""

    lang: Lang = "en"
    course_folder: Path | None = None
    state_file: Path | None = None
    as_json: bool = False

    def course(self) -> Course:
        """The course of ``--course``; see ``load_course``."""
        return load_course(self.course_folder)

    def whole_course(self) -> Course:
        """The course of ``--course``. Raises UsageError for a learners' edition, which lacks the answer keys."""
        return loader.full_course(self.course())

    def graded_course(self, gradebook: Gradebook) -> Course:
        """The course of ``--course``, else the one that ``gradebook`` was graded with, if it still exists."""
        graded_with = gradebook.recall("course")
        if self.course_folder is None and isinstance(graded_with, str) and Path(graded_with).is_dir():
            return replace(self, course_folder=Path(graded_with)).whole_course()
        return self.whole_course()

    def show(self, data: Callable[[], object], lines: Callable[[], Iterable[str]]) -> None:
        """Write ``data`` with ``--json``, else ``lines``. Only what is written is made."""
        if self.as_json:
            write_json(data())
        else:
            print_lines(lines())

    def language(self, events: Sequence[Event]) -> Lang:
        """The language of a conversation: ``--lang``, else the one used last time, else the default."""
        context = click.get_current_context()
        given = context.get_parameter_source("lang") is not click.core.ParameterSource.DEFAULT
        if given or asked_before_command():
            return self.lang
        return next((event.lang for event in reversed(events) if isinstance(event, log.Spoke)), self.lang)

    def read_events(self, course: Course) -> tuple[Event, ...]:
        """The learner's events in ``course``. If the file cannot be read, prints a warning and returns none."""
        return log.of_last(self.read_all_events(course))

    def read_all_events(self, course: Course) -> tuple[Event, ...]:
        """Like ``read_events``, for all learners in the file."""
        try:
            return log.read_all(log.place(self.state_file), course.public_id)
        except StateError as error:
            say(error.message, err=True)
            return ()

    def learner_of(self, path: Path, course: Course) -> str | None:
        """The name used last, if the answers.yaml at ``path`` has none yet; None leaves the name to the submission."""
        from grader.submission import learner_named  # few commands need it

        return log.last_name(self.read_events(course)) if learner_named(path) == PLACEHOLDER else None

    def save(self, *events: Event) -> None:
        """Append ``events`` to the progress file (``--state``). A failure only prints a warning."""
        try:
            log.append(log.place(self.state_file), *events)
        except StateError as error:
            say(error.message, err=True)


#: The options that commands share. ``--json``: data on stdout, everything else on stderr.
_SHARED = {
    "state": state_option,
    "json": json_option,
    "lang": lang_option,
    "course": course_option,
    "graded-course": _course_option("The course folder (default: the one used for grading)."),
    "exported-course": _course_option(
        "The course folder (default: the one used for grading; else ATTNCHECK_COURSE, else the bundled course)."
    ),
}


def collected(kind: type) -> Callable[[F], F]:
    """A decorator that passes the options named like the fields of a dataclass to the command as one ``kind``."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(*values: Any, **named: Any) -> None:
            given = {field.name: named.pop(field.name) for field in fields(kind) if field.name in named}
            function(*values, kind(**given), **named)

        return command

    return cast("Callable[[F], F]", add)


def shared(*names: str) -> Callable[[F], F]:
    """A decorator that adds shared options in this order, and passes them to the command as a ``Call``."""

    def add(function: F) -> F:
        command = collected(Call)(function)
        for name in reversed(names):
            command = _SHARED[name](command)
        return command

    return add
