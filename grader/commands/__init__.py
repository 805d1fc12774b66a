"""The command line: parse, call, print, exit code. One module per command, imported when it runs.

The module of a command has its name, and a constant ``LISTED``: the heading that it stands under in ``attncheck
--help``, and its rank there. That and the first sentence of its docstring are read from the source, because importing
all commands takes longer than a short command. The help of a command imports its module; therefore these modules import
numpy, pydantic, rich, other slow libraries, and modules that load them inside functions.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import os
import pkgutil
import signal
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

import grader
from grader.commands._language import LANG, language_of_call
from grader.core import catalogue, resources
from grader.core.errors import AttncheckError, UsageError
from grader.core.model import Lang, Message, Text
from grader.core.text import clean, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

INTERRUPTED = 130
#: What separates the help of a command in its docstring from the tables below it (see ``Documented``).
TABLES = "\n\nExamples:\n"
#: stdout was closed (broken pipe); same exit code as click and rich.
PIPE_CLOSED = 1

#: The headings of ``attncheck --help``, in order.
_READERS = {"Learners": "学生", "Instructors": "教师", "Authors": "出题人", "Everyone": "所有人"}
#: For an interruption before or after grading; during grading, the command reports how far it got.
_STOPPED_BATCH = Message("interrupted. All results so far are saved: run the same command to continue.")
_BUG = Message(
    "internal error (a bug in attncheck, not in the submission): {error}\n(line {line} of {file}; run the command "
    "again with `ATTNCHECK_DEBUG=1` to see the traceback, and please report it)"
)


@dataclass(frozen=True, slots=True)
class Summary:
    """A command as ``attncheck --help`` lists it, under the heading ``readers``."""

    name: str
    help: str
    readers: str
    rank: int

    def about(self, lang: Lang) -> str:
        """The first sentence of its help."""
        said = _help_in_chinese().in_chinese(self.help, self.name) if lang == "zh" else self.help
        return str(said).partition("\n\n")[0]


@functools.cache
def names() -> frozenset[str]:
    """The names of all commands."""
    return frozenset(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


@functools.cache
def summaries() -> tuple[Summary, ...]:
    """All commands in the order of ``attncheck --help``. Raises AttributeError if one lacks ``LISTED``."""
    headings = list(_READERS)
    return tuple(sorted(map(_summary, names()), key=lambda summary: (headings.index(summary.readers), summary.rank)))


def _summary(name: str) -> Summary:
    spec = find_spec(f"{__name__}.{name}")
    assert spec is not None and spec.origin is not None
    module = ast.parse(Path(spec.origin).read_bytes())
    [command] = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name]
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "LISTED":
            readers, rank = ast.literal_eval(node.value)
            return Summary(name, (ast.get_docstring(command) or "").partition(TABLES)[0], readers, rank)
    raise AttributeError(f"{spec.name} has no LISTED")


class _Commands(click.Group):
    """A group that imports the module of a command when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [summary.name for summary in summaries()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in names():
            return None
        command = getattr(import_module(f"grader.commands.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        if ctx.meta.get(LANG) != "zh":
            return command
        translated = _help_in_chinese().translated(command)
        assert isinstance(translated, click.Command)
        return translated

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Save the language of the call; ``--lang`` sets it again when the command is parsed."""
        ctx.meta[LANG] = language_of_call(args)
        if ctx.meta[LANG] == "zh":
            ctx.formatter_class = _help_in_chinese().Formatter
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> int:
        """Run the command; an AttncheckError becomes a message in the command's language and an exit code."""
        try:
            return int(super().invoke(ctx) or 0)
        except AttncheckError as error:
            _complain(error.message, ctx.meta[LANG])
            return error.exit_code

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in names() and not args[0].startswith("-"):
            hint = suggestion(args[0], [summary.name for summary in summaries()])
            raise UsageError(Message("There is no command “{name}”. {hint}").fill(name=args[0], hint=hint))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        lang: Lang = ctx.meta.get(LANG, "en")
        for readers, in_chinese in _READERS.items():
            with formatter.section(in_chinese if lang == "zh" else readers):
                listed = [summary for summary in summaries() if summary.readers == readers]
                formatter.write_dl([(summary.name, summary.about(lang)) for summary in listed])

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(LANG) != "zh":
            super().format_help_text(ctx, formatter)
            return
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(catalogue.chinese(cleandoc(self.help or "")))


@click.command(
    cls=_Commands,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(grader.__version__, prog_name="attncheck")
@click.option(
    "--lang", type=click.Choice(["en", "zh"]), help="Language of the output (default: ATTNCHECK_LANG, else the locale)."
)
@click.option(
    "--plain",
    is_flag=True,
    help="For screen readers: no colours, columns, marks or single keys (default: ATTNCHECK_PLAIN).",
)
@click.pass_context
def cli(context: click.Context, lang: Lang | None, plain: bool) -> None:
    """Grade answers and code about attention, and say what to fix first.

    Without a command, it opens what is next, one step after the other; in a script, it only says it.

    \b
    attncheck questions       list the questions
    attncheck start Q5        create q05.py and answers.yaml to start from
    attncheck grade q05.py    grade it, in a sandbox if the machine has one
    """
    if context.invoked_subcommand is None:
        import_module("grader.commands.next").overview(lang)


def _help_in_chinese() -> ModuleType:
    """The module with the Chinese help, imported only if it is needed."""
    return import_module("grader.commands._chinese")


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit code.

    The process ends without the shutdown of the interpreter, which would take a sixth of the time of a short command.
    Nothing is left to clean up.
    """
    resources.collect_rarely()
    _open_streams()
    _stop_when_asked()
    try:
        code = run(argv)
        code = _flushed() or code
    except KeyboardInterrupt:  # a second one, while the first was being reported
        code = INTERRUPTED
    os._exit(code)


def _open_streams() -> None:
    """Open closed standard streams as the null device, so that no other file gets their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _stop_when_asked() -> None:
    """Handle SIGTERM and SIGHUP like Ctrl-C."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(number, signal.default_int_handler)


def _flushed() -> int:
    """Flush stdout and stderr. A broken pipe is ignored; a full disk is reported."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            pass
        except OSError as error:
            code = code or _failed(error, language_of_call(sys.argv[1:]))
    return code


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; every error becomes one readable message on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    args = sys.argv[1:] if argv is None else list(argv)
    try:
        return int(cli.main(args=args, prog_name="attncheck", standalone_mode=False) or 0)
    except click.ClickException as error:
        _refuse(error, language_of_call(args))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain(_STOPPED_BATCH if args[:1] == ["batch"] else Message("interrupted"), language_of_call(args))
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except Exception as error:
        return _failed(error, language_of_call(args))


def _failed(error: Exception, lang: Lang) -> int:
    """Report a shortage of disk space or memory, or else a bug in attncheck. Returns the exit code."""
    lacking = resources.shortage(error)
    if lacking is not None:
        _complain(lacking, lang)
        return AttncheckError.exit_code
    import traceback  # needed only after a crash

    if os.environ.get("ATTNCHECK_DEBUG"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = {"line": last.lineno, "file": os.path.basename(last.filename)}
    _complain(_BUG.fill(error=f"{type(error).__name__}: {error}", **place), lang)
    return AttncheckError.exit_code


def _refuse(error: click.ClickException, lang: Lang) -> None:
    """Report a usage error. Its text is cleaned, because arguments may be file names that a shell expanded."""
    output = StringIO()
    if lang == "zh" and isinstance(error, click.UsageError):
        output.write(_help_in_chinese().usage_error(error))
    else:
        error.show(output)
    with contextlib.suppress(OSError):
        click.echo(_fitted(clean(output.getvalue(), 4000, lines=True)), err=True)


def _complain(message: Text, lang: Lang) -> None:
    with contextlib.suppress(OSError):  # stderr may be closed
        click.echo(_fitted(f"attncheck: {clean(message.of(lang), 4000, lines=True)}"), err=True)


def _fitted(text: str) -> str:
    """``text`` wrapped for a terminal; unchanged for a file or a program, which may search it."""
    if not sys.stderr.isatty():
        return text
    from grader.commands._console import width  # needed only for errors
    from grader.core.layout import wrap  # as above

    return "\n".join(wrap(text, width(err=True)))
