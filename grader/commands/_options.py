"""Options that several verbs share, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.commands import LANG
from grader.core import suggest
from grader.core.errors import StateError, UsageError

if TYPE_CHECKING:
    from grader.core.model import Course, Lang, Question
    from grader.grading.inputs import Seed
    from grader.learning.log import Event

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=click.Command)


def documented(examples: Mapping[str, str], exits: Mapping[int, str]) -> Callable[[C], C]:
    """Ends the help of a command with examples and its exit codes.

    ``examples`` maps command lines, without ``attncheck``, to what they do. ``exits`` has the codes that are the
    command's own; 2 (wrong call), 4 (our fault) and 130 (interrupted) are every command's. docs/cli.md is made from it.
    """

    def add(command: C) -> C:
        shown = "\n".join(f"  # {does}\n  attncheck {line}" for line, does in examples.items())
        codes = "\n".join(f"  {code}  {meaning}" for code, meaning in exits.items())
        command.epilog = f"\b\nExamples:\n{shown}\n\n\b\nExit codes:\n{codes}"
        return command

    return add


def language(environ: Mapping[str, str]) -> Lang:
    """The language that the environment asks for: ATTNCHECK_LANG, else the locale, else English."""
    own = environ.get("ATTNCHECK_LANG")
    if own:
        if own[:2].lower() not in ("en", "zh"):
            raise UsageError(f"ATTNCHECK_LANG is “{own}”; it can be en or zh.")
        return "zh" if own[:2].lower() == "zh" else "en"
    locale = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    return "zh" if locale[:2].lower() == "zh" else "en"


def _remember(context: click.Context, parameter: click.Parameter, lang: Lang) -> Lang:
    """Notes the language for errors, which are told outside the verb."""
    context.meta[LANG] = lang
    return lang


def lang_option(command: F) -> F:
    """``--lang``, with the default that the environment gives."""
    return click.option(
        "--lang",
        type=click.Choice(["en", "zh"]),
        default=lambda: language(os.environ),
        callback=_remember,
        help="Language of what is written (default: ATTNCHECK_LANG, else the locale).",
    )(command)


def language_of(context: click.Context, log: Sequence[Event], lang: Lang) -> Lang:
    """The language of a conversation: what ``--lang`` says, else as last time, else the default."""
    from grader.learning.log import Spoke

    if context.get_parameter_source("lang") is not click.core.ParameterSource.DEFAULT:
        return lang
    return next((event.lang for event in reversed(log) if isinstance(event, Spoke)), lang)


def graded_course_option(command: F) -> F:
    """``--course`` for what looks at results: they know what they were graded with."""
    return _course("The course folder (default: the one that it was graded with).")(command)


def course_option(command: F) -> F:
    """``--course``, a folder; ``grader.course.loader.find`` knows what stands for it when it is left out."""
    said = "A folder with questions/ and reference/ (default: ATTNCHECK_COURSE, else the bundled course)."
    return _course(said)(command)


def _course(said: str) -> Callable[[F], F]:
    return click.option("--course", "course_folder", type=click.Path(path_type=Path), metavar="DIR", help=said)


def json_option(command: F) -> F:
    """``--json``: data on stdout, everything else on stderr."""
    return click.option("--json", "as_json", is_flag=True, help="Write JSON to stdout, anything else to stderr.")(
        command
    )


def state_option(command: F) -> F:
    """``--state``, the learner's own file; ``grader.learning.log.place`` has the default."""
    return click.option(
        "--state",
        "state_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="F",
        help="Where your progress is kept (default: ATTNCHECK_STATE, else your data folder).",
    )(command)


def recall(file: Path | None, course: Course) -> tuple[Event, ...]:
    """What is kept of ``course``, for verbs that can do without: a file that cannot be read is said."""
    from grader.learning import log as state

    try:
        return state.read(state.place(file), course.public_id)
    except StateError as error:
        click.echo(f"attncheck: {error}", err=True)
        return ()


def keep(file: Path | None, *events: Event) -> None:
    """Adds ``events`` to the learner's file (as ``--state`` names it); a failure is said, and work goes on."""
    from grader.learning import log as state

    try:
        state.append(state.place(file), *events)
    except StateError as error:
        click.echo(f"attncheck: {error}", err=True)


def load_course(folder: Path | None) -> Course:
    """The course in ``folder``, else the bundled one."""
    from grader.course import loader as course
    from grader.grading import courses

    return courses.load(course.find(folder))


def load_whole_course(folder: Path | None) -> Course:
    """The course in ``folder``, which is no learners' edition."""
    from grader.course import loader as course

    return course.whole(load_course(folder))


def find_question(course: Course, name: str) -> Question:
    """The question that ``name`` means: ``Q5``, ``q05`` or ``5``."""
    number = name.lower().removeprefix("q").lstrip("0")
    found = course.question(name) or course.question(f"Q{number}")
    if found is None:
        raise UsageError(f"There is no question “{name}”.{nearest(name, [q.id for q in course.questions])}")
    return found


def nearest(name: str, names: list[str]) -> str:
    """A sentence that says what ``name`` may have been meant to be."""
    return f" {suggest.hint(name, names)}"


def read_seed(number: int | None, file: Path | None) -> Seed:
    """The seed that ``--seed`` or ``--seed-file`` gives, else the public one."""
    from grader.grading.inputs import Seed

    if number is not None and file is not None:
        raise UsageError("--seed and --seed-file exclude each other: give the one or the other.")
    if file is not None:
        return Seed.from_file(file)
    return Seed.public() if number is None else Seed.number(number)


def write_json(value: object) -> None:
    """``value`` as JSON on stdout: UTF-8 whatever the terminal is set to."""
    from grader.core.files import readable

    click.echo(readable(value, 2).encode())
