"""Strange text, and the program's own."""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import pkgutil
import re
import string
from collections.abc import Iterator
from types import ModuleType

import pytest

import grader
from grader.core.errors import AttncheckError, UsageError
from grader.core.model import Message, Status, Text
from grader.core.text import STATUS, clean, points


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("plain", "plain"),
        ("中文，好", "中文，好"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]0;never ended", ""),
        ("\x9b2Jgone", "gone"),
        ("\x1bcreset", "reset"),
        ("\x1b[", ""),
        ("a\x00b\x7fc\x08d", "abcd"),
        ("left\u202eright\u2066x\u2069", "leftrightx"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tab\tand\u3000wide", "tab and wide"),
        ("two\r\nlines\u2028three", "two lines three"),
        ("\ud800lone", "lone"),
        ("[red]markup[/red]", "[red]markup[/red]"),
    ],
)
def test_clean(dirty: str, expected: str) -> None:
    """Only what can be seen is left, on one line."""
    assert clean(dirty) == expected


def test_clean_keeps_lines_where_asked() -> None:
    """Messages may have several lines; blank ones do not pile up."""
    assert clean("\n one\t\r\ntwo\x1b[1m\n\n\n\nthree\n", lines=True) == " one\ntwo\n\nthree"


def test_clean_has_a_limit() -> None:
    """Long text ends with an ellipsis at the limit."""
    assert clean("x" * 50, 10) == "x" * 9 + "…"
    assert clean("x" * 10, 10) == "x" * 10


@pytest.mark.parametrize(
    ("value", "expected"), [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.33"), (10, "10"), (0.0, "0"), (0.1 + 0.2, "0.3")]
)
def test_points(value: float, expected: str) -> None:
    """Points are written the way people write them."""
    assert points(value) == expected


def test_every_status_has_words() -> None:
    """Whatever becomes of a check can be said."""
    assert set(STATUS) == set(Status)


def _modules() -> Iterator[ModuleType]:
    """Every module of the program but the child's, which holds no sentences and needs torch."""
    for found in pkgutil.walk_packages(grader.__path__, "grader."):
        if not found.name.startswith(("grader.sandbox.inside", "grader.__main__")):
            yield importlib.import_module(found.name)


def _texts(name: str, value: object) -> Iterator[tuple[str, Text]]:
    if isinstance(value, Text):
        yield name, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts(f"{name}[{key}]", entry)
    elif isinstance(value, tuple):
        for at, entry in enumerate(value):
            yield from _texts(f"{name}[{at}]", entry)


def test_both_languages_name_the_same_values() -> None:
    """Every sentence of every module has the same places to fill in both languages, and neither is empty."""
    texts = {
        found: text
        for module in _modules()
        for name, value in vars(module).items()
        for found, text in _texts(f"{module.__name__}.{name}", value)
    }
    assert len(texts) > 300
    for name, text in texts.items():
        places = [{field for _, field, _, _ in string.Formatter().parse(said) if field} for said in (text.en, text.zh)]
        assert places[0] == places[1], name
        assert bool(text.en) == bool(text.zh), name


#: What shows text to people, by the last part of its name; their first argument is what they show.
SHOWING = {"echo", "secho", "print", "prompt", "confirm", "ClickException", "BadParameter"}
#: Words that are the same in both languages.
NAMES = re.compile(r"attncheck|en|zh")


def _one_language(source: str) -> list[str]:
    """The words that ``source`` shows to people, or puts into an error, without a Text."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in SHOWING or name in ERRORS:
                found += [text for text in _written(node.args[0]) if re.search(r"\w\w", NAMES.sub("", text))]
    return found


def _written(shown: ast.expr) -> Iterator[str]:
    """The strings written out in an expression, but for the arguments of functions that it calls."""
    if isinstance(shown, ast.Constant) and isinstance(shown.value, str):
        yield shown.value
    elif isinstance(shown, ast.BinOp | ast.JoinedStr | ast.IfExp):
        for part in ast.iter_child_nodes(shown):
            if isinstance(part, ast.expr):
                yield from _written(part)


#: The classes of errors that people see, by name: those of this module and their subclasses.
ERRORS = {"AttncheckError"}


def _errors(base: type[AttncheckError] = AttncheckError) -> Iterator[type[AttncheckError]]:
    yield base
    for sub in base.__subclasses__():
        yield from _errors(sub)


def test_no_message_exists_in_one_language_only() -> None:
    """What a module prints or raises for people is a Text, and so exists in both languages; never a string."""
    modules = list(_modules())
    ERRORS.update(each.__name__ for each in _errors() if each.__module__.startswith("grader."))
    assert len(ERRORS) > 12
    wrong = {module.__name__: _one_language(inspect.getsource(module)) for module in modules}
    assert {name: texts for name, texts in wrong.items() if texts} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("raise UsageError('no such file')", ["no such file"]),
        ("raise UsageError(f'{path} is missing')", [" is missing"]),
        ("raise UsageError(_MISSING.fill(path=path))", []),
        ("click.echo(f'attncheck: {text.of(lang)}')", []),
        ("click.echo(f'written: {path}', err=True)", ["written: "]),
        ("click.echo('a' if done else 'not done')", ["not done"]),
        ("click.echo('> ', nl=False)", []),
        ("raise ValueError('a mistake of ours')", []),
    ],
)
def test_what_the_search_for_one_language_finds(source: str, found: list[str]) -> None:
    """Strings in errors and in output, but not what a Text is filled with, and no errors of programmers."""
    ERRORS.add("UsageError")
    assert _one_language(source) == found


def test_errors_keep_both_languages_between_processes() -> None:
    """An error that a worker raises has both languages where it arrives."""
    arrived = pickle.loads(pickle.dumps(UsageError(Text("no", "不行"))))
    assert (str(arrived), arrived.of("en"), arrived.of("zh")) == ("no", "no", "不行")


ADVISED = Text("It is {what}.", "它是{what}。").with_advice(Text("Run {what}.", "运行 {what}。"))


@pytest.mark.parametrize(
    ("text", "terminal", "page"),
    [
        (ADVISED.fill(what="x"), ("It is x. Run x.", "它是x。运行 x。"), ("It is x.", "它是x。")),
        (
            Text("a;", "甲；").with_advice(Text("b;", "乙；"), after=Text("c", "丙")),
            ("a; b; c", "甲；乙；丙"),
            ("a; c", "甲；丙"),
        ),
        (
            Text("{file}: {why}!", "{file}：{why}！").fill(file="f", why=ADVISED.fill(what="x")),
            ("f: It is x. Run x.!", "f：它是x。运行 x。！"),
            ("f: It is x.!", "f：它是x。！"),
        ),
        (
            ADVISED.fill(what=Text("w", "甲").with_advice(Text("v", "乙"))),
            ("It is w v. Run w v.", "它是甲乙。运行 甲乙。"),
            ("It is w.", "它是甲。"),
        ),
        (Text("{a}", "{a}").fill(a="x"), ("x", "x"), ("x", "x")),
        (Message("Correct."), ("Correct.", Message("Correct.").zh), ("Correct.", Message("Correct.").zh)),
    ],
)
def test_pages_leave_out_advice(text: Text, terminal: tuple[str, str], page: tuple[str, str]) -> None:
    """A terminal shows all of a message, a page what is not advice; also where it is filled in, and in a worker."""
    for arrived in (text, pickle.loads(pickle.dumps(text)), UsageError(text).message):
        assert ((arrived.en, arrived.zh), (arrived.on_page.en, arrived.on_page.zh)) == (terminal, page)
        assert repr(arrived) == repr(Text(*terminal)) and arrived == Text(*terminal)
