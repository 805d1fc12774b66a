"""Every kind and command is documented and tested, and the generated pages are up to date."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Literal

import click
import pytest

from grader.core.model import Text
from grader.course.validate import CheckKind
from tests import documentation
from tests.documentation import FAMILIES_OF_KINDS, problems_of, problems_of_command

PAGES = documentation.pages()
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_pages_are_up_to_date(path: Path) -> None:
    """A page says what docstrings and commands say today."""
    assert PAGES[path] == path.read_text("utf-8"), "run `make docs`"


def test_every_kind_documents_itself_and_has_a_test() -> None:
    """Under the headings of its family, with each of its options; its test has its name."""
    assert list(documentation.problems()) == []


def test_every_command_documents_itself_and_has_a_test() -> None:
    """With a help text for each option, examples and exit codes."""
    found = [text for _, name, command in documentation.commands() for text in problems_of_command(name, command)]
    assert found == []


@dataclass(frozen=True)
class Undescribed:
    """A dataclass.

    - `other`: something
    """

    value: int


def test_json_that_is_not_described_is_found() -> None:
    """Each field needs its line, and each line its field."""
    with pytest.raises(ValueError, match=r"Undescribed describes \['other'\]; expected \['value'\]"):
        list(documentation.json_fields(Undescribed))


@pytest.mark.parametrize(("name", "command"), [each[1:] for each in documentation.commands()], ids=str)
def test_examples_of_commands_can_be_called(
    name: str, command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their options and arguments are those that the command has; nothing is run."""
    monkeypatch.chdir(tmp_path)
    Path("work").mkdir()
    lines = [line.strip() for line in (command.epilog or "").splitlines() if line.startswith("  attncheck ")]
    assert lines
    for line in lines:
        words = shlex.split(line.partition(" > ")[0].removeprefix(f"attncheck {name}"))
        assert command.make_context(name, words), line


GUIDE = (documentation.ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("heading", "family"),
    [
        ("### A check\n", "grader.grading.checks"),
        ("### A kind of quiz item\n", "grader.course.items"),
        ("### An exporter\n", "grader.instructor.export"),
        ("### An intake\n", "grader.classroom.intake"),
    ],
)
def test_the_guide_names_what_kinds_have(heading: str, family: str) -> None:
    """The functions that it asks for are those of every module of the family, by the same names."""
    part = GUIDE.partition(heading)[2].partition("\n#")[0]
    named = re.findall(r"`(\w+)\([a-z_, ]*\)`", part)
    folder = importlib.import_module(family)
    modules = [importlib.import_module(f"{family}.{each.name}") for each in pkgutil.iter_modules(folder.__path__)]
    modules = [module for module in modules if not module.__name__.rpartition(".")[2].startswith("_")]
    assert named and modules
    assert not [(module.__name__, name) for module in modules for name in named if not hasattr(module, name)]


# ------------------------------------------------------------------------------- what would be found

CHECK = FAMILIES_OF_KINDS[0]
DOCSTRING = """The first line.

## What it checks

Something.

## Why it matters

It does.

## Options

- `of`: a name
  that goes on.
- `is`: a number.

More about both.

## Example

```yaml
## no heading
```

## Source

A paper.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """Those of a check of a later day."""

    of: str | None = None
    is_: float = 1.0


def check(docstring: str | None, name: str = "grader.grading.checks.values") -> ModuleType:
    """A module with this docstring, whose test is that of another one."""
    module = ModuleType(name, docstring)
    module.KIND = CheckKind(Text("later", "以后"), Options, every_case=True)  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize(
    ("docstring", "problem"),
    [
        (None, "a docstring begins with a line that says what the kind is"),
        ("The first line.", "has the sections []"),
        (DOCSTRING.replace("## Source", "## Sources"), "'Sources']; expected"),
        (DOCSTRING.replace("It does.", ""), "nothing stands under “Why it matters”"),
        (DOCSTRING.replace("`of`", "`off`"), "Options describes ['is', 'off']; expected ['is', 'of']"),
        (DOCSTRING.replace("- `is`: a number.\n", ""), "Options describes ['of']; expected ['is', 'of']"),
        (DOCSTRING.replace("- `of`", "of"), "Options: expected lines such as"),
    ],
)
def test_what_is_missing_is_named(docstring: str | None, problem: str) -> None:
    """One thing is wrong, and it is found."""
    assert list(problems_of(CHECK, "values", check(DOCSTRING))) == []
    assert any(problem in text for text in problems_of(CHECK, "values", check(docstring)))


def test_a_kind_without_a_test_is_named() -> None:
    """With the file that is expected."""
    replaces, *_ = problems_of(CHECK, "read", check(DOCSTRING, "grader.grading.checks.read"))
    assert "would replace the function read" in replaces
    (problem,) = problems_of(CHECK, "novel", check(DOCSTRING, "grader.grading.checks.novel"))
    assert problem == "has no test; expected tests/grading/checks/test_novel.py"


def test_a_command_without_documentation_is_named() -> None:
    """Its help text, examples, exit codes, the help of its options, and its test."""

    @click.command()
    @click.option("--loud", is_flag=True)
    def shout(loud: bool) -> None: ...

    found = list(problems_of_command("shout", shout))
    expected = (
        "no help text",
        "“Examples:”",
        "“Exit codes:”",
        "“attncheck shout”",
        "--loud has no help",
        "no test calls",
    )
    for part in expected:
        assert any(part in text for text in found), part


@dataclass(frozen=True, slots=True)
class Wrong:
    """Nested."""

    answer: str
    from_: int


@dataclass(frozen=True, slots=True)
class Various:
    """One field of every sort."""

    text: Text
    pair: tuple[str, int]
    wrong: tuple[Wrong, ...] = ()
    growth: Literal["linear", "quadratic"] = "linear"
    draw: Mapping[str, tuple[int | float, ...]] = field(default_factory=dict)
    least: float | None = None
    loud: bool = False


def test_options_come_from_the_dataclass() -> None:
    """Types in the words of YAML, and defaults; the docstring says what they are for."""

    assert documentation.declared(Various) == [
        ("text", "`{en, zh}`", "required"),
        ("pair", "[text, integer]", "required"),
        ("wrong", "list of `{answer, from}`", "none"),
        ("growth", "`linear` or `quadratic`", "`linear`"),
        ("draw", "mapping, name: list of integer or number", "none"),
        ("least", "number", "none"),
        ("loud", "true or false", "`false`"),
    ]
    assert documentation.bullets("- `of`: a name\n  that goes on.\n\nMore.") == {"of": "a name that goes on."}


def test_a_page_keeps_what_is_written_by_hand() -> None:
    """Before and after the marks; a page without them is refused."""
    page = f"# Title\n\n{documentation.BEGIN}\nold\n{documentation.END}\nafter\n"
    assert documentation.filled(page, "new") == page.replace("\nold\n", "\n\nnew\n\n")
    with pytest.raises(ValueError, match="expected the lines"):
        documentation.filled("# Title\n", "new")


def test_functions_that_the_architecture_names_exist() -> None:
    """Every `module.function` in ARCHITECTURE.md is defined in a module, or a class, of that name."""
    named = set(re.findall(r"`(\w+)\.(\w+)`", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")))
    places: set[tuple[str, str]] = set()
    for path in (ROOT / "grader").rglob("*.py"):
        module = path.parent.name if path.name == "__init__.py" else path.stem
        for node in ast.walk(ast.parse(path.read_bytes())):
            owner, body = (node.name, node.body) if isinstance(node, ast.ClassDef) else (module, [node])
            places |= {(owner, each.name) for each in body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
            if isinstance(node, ast.ImportFrom):
                places |= {(module, alias.asname or alias.name) for alias in node.names}
    assert len(named) > 20
    assert {each for each in named if each[1] not in ("py", "yaml", "toml")} - places == set()
