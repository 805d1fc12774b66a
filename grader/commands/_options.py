"""Options and arguments that several commands share, and how their values are used."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from grader.commands import TABLES
from grader.commands._console import print_lines, say, write_json
from grader.commands._find import work_folder
from grader.commands._language import LANG, language
from grader.core.errors import StateError, UsageError
from grader.core.model import Course, Lang, Message
from grader.course import loader
from grader.grading import courses
from grader.learning import log
from grader.learning.answers_file import PLACEHOLDER
from grader.learning.log import Event

if TYPE_CHECKING:
    from grader.classroom.gradebook import Gradebook

F = TypeVar("F", bound=Callable[..., Any])

#: Types of options that take a path.
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

#: A table of a docstring, with its title, and a row of it.
_TABLE = re.compile(r"^(\w[\w -]+):\n((?:  .+\n?)+)", re.MULTILINE)
_ROW = re.compile(r"^  (.+?)  +(.+)$", re.MULTILINE)

READING = Message("Reading the course (slow the first time only).")
_ALONE = Message("The course is in one language, which is not the one asked for: its texts are shown as they are.")


def epilog(examples: Mapping[str, str], exits: Mapping[str, str], heading: str, codes: str) -> str:
    """The end of a command's help: examples, and exit codes."""
    colon = ":" if heading.isascii() else "："
    shown = "\n".join(f"  # {does}\n  attncheck {line}" for line, does in examples.items())
    ends = "\n".join(f"  {code}  {meaning}" for code, meaning in exits.items())
    return f"\b\n{heading}{colon}\n{shown}\n\n\b\n{codes}{colon}\n{ends}"


class Documented(click.Command):
    """A command whose docstring ends in tables: examples, exit codes, and perhaps what JSON it writes.

    Two spaces stand between the columns of a table. Examples are command lines without ``attncheck``. Exit codes are
    those of the command itself; 2 (wrong call), 4 (internal error) and 130 (interrupted) apply to all commands. With
    ``--json``, each way to call it has the type of what it writes, as ``module:name``. The help shows examples and exit
    codes; docs/cli.md and docs/json.md are made from these tables, too.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        docstring = cleandoc(self.help or "")
        self.help = docstring.partition(TABLES)[0]
        tables = {title: dict(_ROW.findall(rows)) for title, rows in _TABLE.findall(docstring)}
        self.examples, self.exits = tables["Examples"], tables["Exit codes"]
        self.outputs = tables.get("With --json", {})
        self.epilog = epilog(self.examples, self.exits, "Examples", "Exit codes")


# ------------------------------------------------------------------------------------------ language


def _remember(context: click.Context, parameter: click.Parameter, lang: Lang) -> Lang:
    """Save the language for error messages, which are printed outside the command."""
    context.meta[LANG] = lang
    return lang


def asked_before_command() -> Lang | None:
    """The language in ``attncheck --lang … COMMAND``; None without the option."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.find_root().params.get("lang")


def asked_language() -> Lang | None:
    """The language that the command line names for the output; None if it names none."""
    context = click.get_current_context(silent=True)
    if context is None or context.get_parameter_source("lang") is not click.core.ParameterSource.COMMANDLINE:
        return asked_before_command()
    return context.params.get("lang")


_in_either_language = functools.partial(click.option, "--lang", type=click.Choice(["en", "zh"]))
#: ``--lang``; the default is the one before the command, else that of the environment.
lang_option = _in_either_language(
    default=lambda: asked_before_command() or language(os.environ),
    callback=_remember,
    help="Language of the output (default: ATTNCHECK_LANG, else the locale).",
)

#: ``--lang`` for commands whose findings are for authors, in English.
errors_lang_option = _in_either_language(
    expose_value=False, help="Language of the help and of errors; findings are in English."
)


# -------------------------------------------------------------------------------------------- course


_course_option = functools.partial(click.option, "--course", "course_folder", type=PATH, metavar="DIR")


def load_course(folder: Path | None) -> Course:
    """The course in ``folder``; None means the default course. Tells a person at a terminal why it takes seconds."""

    def on_miss() -> None:
        if sys.stderr.isatty():
            context = click.get_current_context(silent=True)
            click.echo(READING.of(context.meta.get(LANG, "en") if context else "en"), err=True)

    return courses.load(loader.find(folder), on_miss)


#: ``-q``, repeatable.
questions_option = click.option(
    "-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question (repeatable)."
)

#: ``--learner`` for commands that show items before they are answered.
learner_option = click.option(
    "--learner", metavar="NAME", help="Whose numbers to show, where learners have different ones (default: yours)."
)


# ------------------------------------------------------------------------------------ results of a class


#: DIR, a folder that ``attncheck batch`` has written.
results_argument = click.argument("folder", metavar="DIR", type=PATH)


def seed_file_option(text: str) -> Callable[[F], F]:
    """``--seed-file`` with this help."""
    return click.option("--seed-file", type=PATH, metavar="F", help=text)


#: Options with a ``help`` of their own in each command: ``--roster``, ``--workers``, and ``--from``, one's own work.
roster_option = functools.partial(click.option, "--roster", type=PATH, metavar="CSV")
workers_option = functools.partial(click.option, "--workers", type=click.IntRange(min=1), metavar="N")
source_option = functools.partial(click.option, "--from", "source", type=PATH, metavar="PATH")


#: ``--seed-file`` for commands that repeat the grading of a results folder.
graded_seed_option = seed_file_option("The secret file that DIR was graded with (default: seed_file in course.yaml).")
#: ``--workers`` for commands that grade a class.
graders_option = workers_option(help="Grade N submissions at a time (default: one per CPU).")


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


# -------------------------------------------------------------------------------------------- output


#: ``--json``: data on stdout, everything else on stderr.
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON to stdout and messages to stderr.")

#: ``--html`` for commands whose page is an alternative to their text.
html_option = click.option("--html", type=FILE, metavar="F", help="Write an HTML page to F.")


# ------------------------------------------------------------------------------------------ the call


@dataclass(frozen=True, slots=True)
class Call:
    """The values of the options that commands share, and what they stand for."""

    lang: Lang = "en"
    course_folder: Path | None = None
    state_file: Path | None = None
    as_json: bool = False

    def course(self) -> Course:
        """The course of ``--course``; see ``load_course``. Says it if the course is not in the language asked for."""
        course = load_course(self.course_folder)
        if (asked := asked_language()) and asked not in course.languages:
            say(_ALONE, err=True)
        return course

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
        if asked_language():
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


#: The options that commands share. Defaults of ``--state`` and ``--course`` are those of ``learning.log.place`` and
#: ``loader.find``.
_SHARED = {
    "state": click.option(
        "--state",
        "state_file",
        type=FILE,
        metavar="F",
        help="Your progress file (default: ATTNCHECK_STATE, else a file in your data folder).",
    ),
    "json": json_option,
    "lang": lang_option,
    "errors-lang": errors_lang_option,
    "course": _course_option(
        help="A folder with questions/ and reference/ (default: ATTNCHECK_COURSE, else the bundled course)."
    ),
    "graded-course": _course_option(help="The course folder (default: the one used for grading)."),
    "exported-course": _course_option(
        help="The course folder (default: the one used for grading; else ATTNCHECK_COURSE, else the bundled course)."
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
