"""The command line as a whole: help, errors, exit codes, and what it costs to start."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import grader
from grader import commands
from grader.commands import _chinese, _options, cli, main, summaries
from grader.core.errors import AttncheckError, CourseError, SandboxUnavailable, SubmissionError, UsageError
from grader.core.layout import cells
from grader.core.marks import plain
from grader.core.text import same
from grader.instructor import export

Attncheck = Callable[..., object]


def _walk(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _walk(found, (*path, name))


COMMANDS = dict(_walk(cli))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help(path: tuple[str, ...], attncheck: Attncheck) -> None:
    """Commands and their options say what they are for, on 80 columns."""
    command = COMMANDS[path]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
    ran = attncheck(*path, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert command.help.split("\n")[0][:40] in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_help_style() -> None:
    """Summaries start with a verb in the imperative, and every sentence of a command's or an option's help ends."""
    for path, command in COMMANDS.items():
        summary = (command.help or "").split("\n")[0]
        assert summary[0].isupper() and summary.endswith("."), path
        assert not summary.split()[0].endswith("s") or summary.startswith("Tools"), path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert (parameter.help or "").rstrip(")").endswith("."), (path, parameter.name)


def test_the_list_of_commands_is_that_of_the_commands() -> None:
    """What ``attncheck --help`` reads from a command's module, which it does not import, is what its help says."""
    for summary in summaries():
        command = COMMANDS[summary.name,]
        assert summary.about("en") == command.get_short_help_str(200)
        assert summary.about("zh") == (_chinese.translated(command).help or "").partition("\n\n")[0]


def test_formats_are_in_both_languages() -> None:
    """The help of ``export`` says in both languages what each format is, in English as its documentation does."""
    for name in export.format_names():
        module = export.format_module(name)
        assert plain(module.ABOUT.en) == (module.__doc__ or "").partition("\n")[0]
        assert module.ABOUT.zh != module.ABOUT.en


@pytest.mark.parametrize("path", [(), *COMMANDS], ids=" ".join)
def test_help_in_chinese(path: tuple[str, ...], attncheck: Attncheck) -> None:
    """``--lang zh`` before or after the command; at most 100 cells wide; no English heading is left."""
    before, after = attncheck("--lang", "zh", *path, "--help"), attncheck(*path, "--lang", "zh", "--help")
    assert before == after and before.code == 0
    assert before.out.startswith("用法：attncheck") and "选项：" in before.out
    assert not re.search("Usage|Options|Commands|Examples|Exit codes|Show this|required", before.out)
    assert max(cells(line) for line in before.out.splitlines()) <= 100


def test_imports_inside_functions_say_why() -> None:
    """Commands import at the top of their module, except what is slow to load; a comment says what that is."""
    for file in sorted(Path(commands.__file__).parent.glob("*.py")):
        lines = file.read_text("utf-8").split("\n")
        functions = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.FunctionDef)]
        inside = {node for function in functions for node in ast.walk(function)}
        for node in inside:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                assert "  # " in lines[(node.end_lineno or 0) - 1], f"{file.name}:{node.lineno}: why not at the top?"


def test_help_names_every_command_in_full(attncheck: Attncheck) -> None:
    """The list of commands has no sentence that ends in dots."""
    ran = attncheck("--help")
    assert "..." not in ran.out.split("Learners:")[1]
    assert all(f"  {name} " in ran.out for (name, *_) in list(COMMANDS)[1:])


def test_version(attncheck: Attncheck) -> None:
    """It is the version of the package."""
    assert grader.__version__ in attncheck("--version").out


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        (["gard"], "Did you mean grade?"),
        (["xyzzy"], "There are: next, questions, show, start"),
        (["grade"], "You have no folder work yet"),
        (["grade", "--lang", "fr", "x"], "'en', 'zh'"),
        (["batch", "x"], "Missing option '--out'"),
    ],
)
def test_wrong_usage(args: list[str], fragment: str, attncheck: Attncheck) -> None:
    """What cannot be understood exits with 2 and names the way out, on stderr."""
    ran = attncheck(*args)
    assert (ran.code, ran.out) == (2, "")
    assert fragment in ran.err


@pytest.mark.parametrize(
    ("error", "code", "fragment"),
    [
        (UsageError(same("no such thing")), 2, "attncheck: no such thing\n"),
        (SubmissionError(same("cannot\x1b[2J be read")), 3, "attncheck: cannot be read\n"),
        (
            CourseError(same("questions/q05.yaml:3: bad\nand more")),
            4,
            "attncheck: questions/q05.yaml:3: bad\nand more\n",
        ),
        (SandboxUnavailable(same("no seccomp")), 4, "no seccomp"),
        (AttncheckError(same("ours")), 4, "ours"),
        (ZeroDivisionError("by zero"), 4, "internal error (a bug in attncheck, not in the submission): Zero"),
        (KeyboardInterrupt(), 130, "attncheck: interrupted\n"),
    ],
)
def test_errors_become_messages(
    error: BaseException, code: int, fragment: str, attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong ends in one readable message without a traceback, and in its exit code."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(_options, "load_course", fail)
    ran = attncheck("questions")
    assert ran.code == code
    assert fragment in ran.err
    assert "Traceback" not in ran.err


def test_debugging_shows_the_traceback(attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ATTNCHECK_DEBUG a fault of ours can be traced."""
    monkeypatch.setenv("ATTNCHECK_DEBUG", "1")
    monkeypatch.setattr(_options, "load_course", lambda folder: 1 / 0)
    ran = attncheck("questions")
    assert ran.code == 4
    assert "Traceback" in ran.err


@pytest.mark.parametrize(("args", "code"), [(["--version"], 0), (["nonsense"], 2)])
def test_main_exits(args: list[str], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point ends the process with the code of the run, at once."""
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    main(args)
    assert codes == [code]


@pytest.mark.parametrize("door", [["cli.py"], ["-m", "grader"]])
def test_doors(door: list[str]) -> None:
    """Both doors of a checkout lead here, and nothing of the output is lost at the end."""
    root = Path(grader.__file__).parents[1]
    done = subprocess.run([sys.executable, *door, "--help"], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.startswith("Usage: attncheck")
    assert done.stdout.endswith(".\n")
    assert done.stderr == ""


@pytest.mark.parametrize("lines", [0, 1])
def test_a_closed_pipe_is_no_error(lines: int) -> None:
    """``attncheck … | head`` ends without a word about broken pipes, however much is left to write."""
    shell = f'"{sys.executable}" -m grader --help | head -{lines}'
    root = Path(grader.__file__).parents[1]
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, cwd=root, check=True)
    assert len(done.stdout.splitlines()) == lines
    assert done.stderr == ""


HEAVY = {"torch", "numpy", "pydantic", "rich", "yaml", "asyncio", "jinja2", "prompt_toolkit", "importlib.metadata"}


@pytest.mark.parametrize(
    ("calls", "heavy"),
    [
        ([["--version"], ["--help"]], HEAVY | {f"grader.commands.{path[0]}" for path in COMMANDS if path}),
        ([[*path, "--help"] for path in COMMANDS], HEAVY),
    ],
    ids=["program", "commands"],
)
def test_help_starts_light(calls: list[list[str]], heavy: set[str]) -> None:
    """Nothing heavy is imported on the way to the help of any command, and no command for the list of them."""
    script = f"""
import sys
from grader.commands import run
code = sum(map(run, {calls!r}))
heavy = {heavy!r} & set(sys.modules)
sys.exit(f"imported: {{heavy}}" if heavy or code else 0)
"""
    env = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "zh_TW", "LANG": "en_US"}, "zh"),
        ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"ATTNCHECK_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"ATTNCHECK_LANG": "zh-Hans"}, "zh"),
    ],
)
def test_language(environ: dict[str, str], expected: str) -> None:
    """Our own variable decides, then the locale in the order of POSIX, then English."""
    assert _options.language(environ) == expected


def test_unknown_language(attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """A language that we do not have is refused, not guessed."""
    monkeypatch.setenv("ATTNCHECK_LANG", "fr")
    ran = attncheck("questions")
    assert ran.code == 2
    assert "`ATTNCHECK_LANG` is “fr”; it can be `en` or `zh`." in ran.err
