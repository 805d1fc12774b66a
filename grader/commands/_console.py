"""What commands write: messages, JSON, files, pages on consoles, and progress bars. rich is imported when needed."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.classroom.words import GRADED
from grader.commands._language import LANG
from grader.core import files, marks
from grader.core.errors import reported
from grader.core.layout import WIDTH, wrap
from grader.core.model import Lang, Message, Text
from grader.core.text import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

    from grader.classroom.batch import BatchProgress
    from grader.core.page import Page

WAITING_FOR = Message("waiting for {name}")


#: Texts are printed as they are, without the markup of rich.
_BARE: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}


def plain() -> bool:
    """Whether output is for a screen reader: ``attncheck --plain``, or ATTNCHECK_PLAIN."""
    context = click.get_current_context(silent=True)
    asked = context is not None and context.find_root().params.get("plain")
    return bool(asked or os.environ.get("ATTNCHECK_PLAIN"))


def in_person() -> bool:
    """Whether a person types the input and sees the output; a pipe only provides answers."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_keys() -> bool:
    """Whether single keys work: a person at a capable terminal, who needs no screen reader."""
    return in_person() and not plain() and os.environ.get("TERM", "dumb") != "dumb"


def read_key(keys: Mapping[str, str]) -> str:
    """What the next key among ``keys`` stands for; others do nothing. The end of the input is ^D."""
    while True:
        try:
            key = click.getchar()
        except EOFError:
            key = "\x04"
        if key.lower() in keys:
            return keys[key.lower()]


def stdout() -> Console:
    """A console on standard output: plain text if that is not a terminal, or if NO_COLOR is set."""
    from rich.console import Console  # loads rich

    if plain():
        from grader.core.page import PlainConsole  # loads rich

        return PlainConsole(file=sys.stdout, width=width(), force_terminal=False, force_jupyter=False, **_BARE)
    dumb = sys.stdout.isatty() and os.environ.get("TERM") in ("dumb", "unknown")  # rich assumes 80 columns for these
    columns, height = shutil.get_terminal_size() if dumb else (None, None)
    return Console(
        file=sys.stdout,
        width=columns,
        height=height,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        force_jupyter=False,  # in a notebook, text goes to stdout as well
        **_BARE,
    )


#: The smallest width that text is formatted for.
_NARROWEST = 40


def width(*, err: bool = False, most: int = WIDTH) -> int:
    """The width in cells for plain text: that of the terminal, at most ``most``; 80 if the stream is not a terminal.

    Prose is hard to read in lines of more than 80 characters; tables are not.
    """
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return WIDTH
    return min(most, max(_NARROWEST, shutil.get_terminal_size().columns))


def tell(text: Text, lang: Lang, *, err: bool = False) -> None:
    """Print a message: wrapped on a terminal, otherwise as it is, because programs may search it.

    On stderr (``err``), the name of the program precedes it.
    """
    message = f"attncheck: {text.of(lang)}" if err else text.of(lang)
    at_terminal = (sys.stderr if err else sys.stdout).isatty()
    click.echo("\n".join(wrap(message, width(err=err))) if at_terminal else marks.plain(message), err=err)


def page(lang: Lang) -> Page:
    """A page on standard output."""
    from grader.core.page import Page  # loads rich

    return Page(stdout(), lang)


WRITTEN = Message("written: {file}")
UNCONFINED = Message(
    "This code ran unconfined, because this machine has no working sandbox: run only code that you trust. "
    "`attncheck doctor` says why."
)


def say(text: Text, *, err: bool = False) -> None:
    """Print ``text`` in the language of this call. On stderr (``err``), the name of the program precedes it."""
    tell(text, click.get_current_context().meta[LANG], err=err)


def can_ask() -> bool:
    """Whether a person can answer a question: stdin is a terminal."""
    return sys.stdin.isatty()


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout."""
    for line in lines:
        click.echo(line)


def write_json(value: object) -> None:
    """Write ``value`` as JSON to stdout, in UTF-8 whatever the encoding of the terminal."""
    click.echo(files.readable_json(value, 2).encode())


def write_output(option: str, file: Path, data: str | bytes) -> None:
    """Write the ``file`` that ``option`` names. Raises UsageError if that fails."""
    said = Message("{file} cannot be written: {reason}; choose another place for {option}.")
    with reported(said, file=file, option=option):
        files.write(file, data)


# ------------------------------------------------------------------------------------------ progress bars


def _bar(*columns: ProgressColumn) -> Progress:
    """A bar on stderr, which disappears at the end."""
    from rich.console import Console  # loads rich
    from rich.progress import Progress  # loads rich

    return Progress(*columns, console=Console(stderr=True), transient=True)


def _column(field: str) -> ProgressColumn:
    """A column with a name of a submission or an exercise."""
    from rich.progress import TextColumn  # loads rich

    return TextColumn(f"{{task.{field}}}", markup=False, style="dim")


@contextmanager
def progress_bar(lang: Lang) -> Iterator[Callable[[BatchProgress], None]]:
    """A function that shows each step on stderr; it does nothing if stderr is not a terminal."""
    if not sys.stderr.isatty() or plain():
        yield lambda step: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # loads rich

    speed_column, waiting_column = TextColumn("{task.fields[rate]}"), _column("fields[waiting]")
    with _bar(BarColumn(), MofNCompleteColumn(), speed_column, TimeRemainingColumn(), waiting_column) as shown:
        task = shown.add_task(GRADED.of(lang), total=None, rate="", waiting="")

        def show(step: BatchProgress) -> None:
            speed = shown.tasks[0].speed
            waiting = WAITING_FOR.fill(name=clean(step.waiting[0], 40)).of(lang) if step.waiting else ""
            rate = f"{speed:.1f}/s" if speed else ""
            shown.update(task, completed=step.done, total=step.total, rate=rate, waiting=waiting)

        yield show


#: With fewer steps, grading is too short for a progress bar.
_MANY_STEPS = 12


@contextmanager
def grading_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A function to call with the name of each step of grading as it begins, its number, and how many there are.

    It shows a bar on stderr. It does nothing if stderr is not a terminal, or if there are only a few steps.
    """
    with ExitStack() as stack:
        bar: Progress | None = None

        def show(name: str, number: int, total: int) -> None:
            nonlocal bar
            if total < _MANY_STEPS:
                return
            if bar is None:
                from rich.progress import BarColumn  # loads rich

                bar = stack.enter_context(_bar(BarColumn(), _column("description")))
                bar.add_task("", total=None)
            bar.update(bar.task_ids[0], completed=number, total=total, description=clean(name, 40))

        yield show if sys.stderr.isatty() and not plain() else lambda name, number, total: None


@contextmanager
def step_bar(total: int, shown: bool = True) -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each of ``total`` steps as it begins, which shows it on stderr.

    It does nothing unless ``shown``, or if stderr is not a terminal.
    """
    if not (shown and sys.stderr.isatty()):
        yield lambda name: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn  # loads rich

    with _bar(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), _column("description")) as bar:
        task, begun = bar.add_task("", total=total), itertools.count()
        yield lambda name: bar.update(task, completed=next(begun), description=clean(name, 40))
