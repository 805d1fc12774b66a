"""The command line: parse, call, print, exit code. One module per family of verbs, imported when needed.

Nothing heavy is imported here or at the top of a family's module: ``attncheck --help`` costs Python,
click, and little else.
"""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

import grader
from grader.core.errors import AttncheckError
from grader.core.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130
#: Under this name the context of a command holds the language in which it speaks.
LANG = "grader.lang"
#: Whoever was to read what is written has gone: how click and rich end, too.
UNREAD = 1

#: For whom, and which module has the verb.
FAMILIES: dict[str, dict[str, str]] = {
    "Learners": {
        "questions": "questions",
        "show": "questions",
        "start": "questions",
        "grade": "grade",
        "watch": "practice",
        "quiz": "quiz",
        "progress": "progress",
        "review": "progress",
        "hint": "practice",
        "debug": "practice",
        "plot": "plot",
        "submit": "submit",
    },
    "Instructors": {
        "inbox": "submit",
        "batch": "batch",
        "regrade": "regrade",
        "explain": "regrade",
        "override": "regrade",
        "forget": "regrade",
        "export": "export",
        "stats": "stats",
        "similar": "stats",
    },
    "Authors": {"bank": "bank"},
    "Everyone": {"doctor": "doctor"},
}
_MODULES = {verb: module for verbs in FAMILIES.values() for verb, module in verbs.items()}


class _Verbs(click.Group):
    """A group that imports the module of a verb when the verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        command = getattr(import_module(f"grader.commands.{_MODULES[cmd_name]}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> int:
        """Runs the verb; one of our own errors becomes a message in its language, and an exit code."""
        try:
            return int(super().invoke(ctx) or 0)
        except AttncheckError as error:
            _complain(error.of(ctx.meta.get(LANG, "en")))
            return error.exit_code

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _MODULES and not args[0].startswith("-"):
            near = nearest(args[0], _MODULES)
            hint = f"did you mean “{near}”?" if near else f"there are {', '.join(_MODULES)}."
            raise click.UsageError(f"No command “{args[0]}”: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - max(map(len, _MODULES))
        for family, verbs in FAMILIES.items():
            commands = [(verb, self.get_command(ctx, verb)) for verb in verbs]
            with formatter.section(family):
                formatter.write_dl([(verb, c.get_short_help_str(room)) for verb, c in commands if c is not None])


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(grader.__version__, prog_name="attncheck")
def cli() -> None:
    """Grades answers and code about attention, and says what to mend first.

    \b
    attncheck questions       what there is to do
    attncheck start Q5        writes q05.py and answers.yaml to begin with
    attncheck grade q05.py    grades it, in a sandbox where the machine has one
    """


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process with its exit code.

    Taking every module apart again would cost a short command a sixth of its time, and nothing is left to
    clean up, so the process just ends.
    """
    _open_streams()
    _stop_when_asked()
    try:
        code = run(argv)
        code = _flushed() or code
    except KeyboardInterrupt:  # once more, while the first was being told
        code = INTERRUPTED
    os._exit(code)


def _open_streams() -> None:
    """Gives standard streams that are closed a place to go, so that no file of ours takes their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _stop_when_asked() -> None:
    """Makes a request to end, and a terminal that goes away, as orderly an end as Ctrl-C."""
    import signal

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores one of them
            signal.signal(number, signal.default_int_handler)


def _flushed() -> int:
    """Writes what still waits to be written. A reader that has gone is none of our business, a full disk is."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            pass
        except OSError as error:
            code = code or _failed(error)
    return code


def run(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; every error becomes one readable message on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        return int(cli.main(args=argv, prog_name="attncheck", standalone_mode=False) or 0)
    except click.ClickException as error:
        _refuse(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return UNREAD
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Says what the machine lacks, or that this is a bug."""
    from grader.core import resources

    lacking = resources.lacks(error)
    if lacking is None:
        return _our_bug(error)
    _complain(lacking)
    return AttncheckError.exit_code


def _our_bug(error: Exception) -> int:
    import traceback

    if os.environ.get("ATTNCHECK_DEBUG"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    _complain(
        f"a fault of attncheck itself, not of the submission: {type(error).__name__}: {error}\n"
        f"(line {last.lineno} of {os.path.basename(last.filename)}; run it again with ATTNCHECK_DEBUG=1 "
        "to see the whole traceback, and please report it)"
    )
    return AttncheckError.exit_code


def _refuse(error: click.ClickException) -> None:
    """Says what is wrong with a command line; its words may be names that a shell has found in somebody's folder."""
    from io import StringIO

    from grader.core.text import clean

    said = StringIO()
    error.show(said)
    with contextlib.suppress(OSError):
        click.echo(clean(said.getvalue(), 4000, lines=True), err=True)


def _complain(message: str) -> None:
    from grader.core.text import clean

    with contextlib.suppress(OSError):  # nobody may be there to be told
        click.echo(f"attncheck: {clean(message, 4000, lines=True)}", err=True)
