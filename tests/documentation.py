"""The pages about kinds, commands and JSON, made from what is beside the code.

Each check, quiz item, exporter and intake documents itself in the docstring of its module: a summary line, then
Markdown under the headings of its family. Commands are documented by click: help texts, options, and an epilog with
examples and exit codes. JSON is declared by dataclasses, whose docstrings describe each field. ``python -m
tests.documentation --write`` (``make docs``) writes all of it into ``docs/``, between two marks; what surrounds the
marks is written by hand. ``tests/test_documentation.py`` checks that nothing is missing or out of date.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

import click

from grader.classroom import intake
from grader.commands import cli, summaries
from grader.core.model import Text
from grader.course import items
from grader.grading import checks
from grader.grading.explaining import relations
from grader.instructor import export

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- written by `make docs`; edit the docstrings instead -->", "<!-- end -->"

Section: TypeAlias = tuple[str, str]


# ------------------------------------------------------------------------------------------ docstrings


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring in parts: its first line, and the text under each ``## heading``, in order."""

    summary: str
    sections: tuple[Section, ...]

    def __getitem__(self, heading: str) -> str:
        return dict(self.sections)[heading]


def read(docstring: str | None) -> Documentation:
    """The parts of a docstring; lines within fenced blocks are never headings."""
    summary, _, rest = inspect.cleandoc(docstring or "").partition("\n")
    sections: list[tuple[str, list[str]]] = [("", [])]
    fenced = False
    for line in rest.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            sections.append((line.removeprefix("## "), []))
        else:
            sections[-1][1].append(line)
    parts = [(heading, "\n".join(lines).strip()) for heading, lines in sections]
    return Documentation(summary, tuple(part for part in parts if part != ("", "")))


def bullets(text: str) -> dict[str, str]:
    """What a list of lines ``- `name`: what it is`` says of each name, up to the first empty line.

    Continued lines are indented. Raises ValueError for any other line.
    """
    found: dict[str, str] = {}
    name = ""
    for line in text.partition("\n\n")[0].splitlines():
        if line.startswith("- `"):
            name, _, said = line.removeprefix("- `").partition("`:")
            found[name] = said.strip()
        elif line.startswith("  ") and name:
            found[name] += " " + line.strip()
        else:
            raise ValueError(f"expected lines such as “- `name`: what it is”, found “{line}”")
    return found


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of ``language`` in ``text``."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line == f"```{language}":
            inside = True
            found.append([])
        elif line == "```":
            inside = False
        elif inside:
            found[-1].append(line)
    return ["\n".join(lines) + "\n" for lines in found]


# -------------------------------------------------------------------------------------------- families


@dataclass(frozen=True, slots=True)
class Family:
    """Modules of one folder that document themselves alike, and the page about them.

    ``headings`` are required, in this order. The section ``fields_under`` has a bullet for each of ``fields`` (and is
    there only if there are any). ``facts`` is a line that the module's own data gives.
    """

    name: str
    page: str
    kinds: Callable[[], Mapping[str, ModuleType]]
    headings: tuple[str, ...]
    fields_under: str
    fields: Callable[[ModuleType], list[tuple[str, str, str]]]
    facts: Callable[[ModuleType], str]
    overview: tuple[str, ...]
    row: Callable[[ModuleType], tuple[str, ...]]


def _check_row(module: Any) -> tuple[str, ...]:
    return (
        number(module.KIND.weight),
        "each" if module.KIND.every_case else "one",
        "yes" if module.KIND.reference else "no",
    )


def _relation_row(module: Any) -> tuple[str, ...]:
    return str(module.RANK), "other inputs" if hasattr(module, "others") else "the result"


def _check_facts(module: Any) -> str:
    cases = "every case" if module.KIND.every_case else "one case"
    how = "compares with the reference" if module.KIND.reference else "tests a property, without the reference"
    return f"Default weight {number(module.KIND.weight)}; by default on {cases}; {how}."


def _export_fields(module: Any) -> list[tuple[str, str, str]]:
    known = {field.name: field for field in dataclasses.fields(export.ExportOptions)}
    hints = typing.get_type_hints(export.ExportOptions, _names())
    return [(export.flag(name), kind(hints[name]), default(known[name])) for name in sorted(module.OPTIONS)]


def _names() -> dict[str, Any]:
    """What the annotations of ``export.ExportOptions`` name for type checkers alone."""
    from datetime import datetime

    from grader.core.model import Lang

    return {**vars(export), "Lang": Lang, "datetime": datetime}


FAMILIES_OF_KINDS: tuple[Family, ...] = (
    Family(
        name="check",
        page="docs/checks.md",
        kinds=typing.cast("Callable[[], Mapping[str, ModuleType]]", checks.kinds),
        headings=("What it checks", "Why it matters", "Example", "Source"),
        fields_under="Options",
        fields=lambda module: declared(module.KIND.options),
        facts=_check_facts,
        overview=("weight", "cases", "reference"),
        row=_check_row,
    ),
    Family(
        name="relation",
        page="docs/relations.md",
        kinds=typing.cast("Callable[[], Mapping[str, ModuleType]]", relations.kinds),
        headings=("What it says", "Example"),
        fields_under="",
        fields=lambda module: [],
        facts=lambda module: "",
        overview=("rank", "looks at"),
        row=_relation_row,
    ),
    Family(
        name="item",
        page="docs/items.md",
        kinds=items.kinds,
        headings=("What it asks", "Example", "Answer", "Points"),
        fields_under="Keys",
        fields=lambda module: declared(module.Spec),
        facts=lambda module: "",
        overview=(),
        row=lambda module: (),
    ),
    Family(
        name="export",
        page="docs/exports.md",
        kinds=lambda: {name: export.format_module(name) for name in export.format_names()},
        headings=("What it writes", "How to use it"),
        fields_under="Options",
        fields=_export_fields,
        facts=lambda module: f"Made from a {module.SOURCE}.",
        overview=("made from a",),
        row=lambda module: (module.SOURCE,),
    ),
    Family(
        name="intake",
        page="docs/intakes.md",
        kinds=intake.kinds,
        headings=("What it reads", "Example"),
        fields_under="",
        fields=lambda module: [],
        facts=lambda module: "",
        overview=(),
        row=lambda module: (),
    ),
)


def declared(options: type[Any]) -> list[tuple[str, str, str]]:
    """(key in YAML, type in words, default) for each field of a dataclass; a field ``is_`` is the key ``is``."""
    hints = typing.get_type_hints(options)
    return [
        (field.name.removesuffix("_"), kind(hints[field.name]), default(field)) for field in dataclasses.fields(options)
    ]


def kind(hint: Any) -> str:
    """A type as an author of YAML would call it."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return kind(inner[0])
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(kind(each) for each in inner if each is not type(None)))
    if origin is Literal:
        return " or ".join(f"`{each}`" for each in inner)
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return f"list of {kind(inner[0])}"
        return "[" + ", ".join(map(kind, inner)) + "]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"mapping, name: {kind(inner[1])}"
    if hint is not Text and dataclasses.is_dataclass(hint):
        return "`{" + ", ".join(field.name.removesuffix("_") for field in dataclasses.fields(hint)) + "}`"
    known = {bool: "true or false", int: "integer", float: "number", str: "text", Path: "path"}
    return known.get(hint) or {Text: "`{en, zh}`"}.get(hint) or str(hint)


def default(field: dataclasses.Field[Any]) -> str:
    """The default of a field as YAML would have it; "required" where there is none."""
    if field.default_factory is not dataclasses.MISSING:
        return "none"
    value = field.default
    if value is dataclasses.MISSING:
        return "required"
    if value is None or value in ((), ""):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(map(str, value)) + "]`"
    return f"`{number(value)}`" if isinstance(value, float) else f"`{value}`"


def number(value: float) -> str:
    """A number without a superfluous ``.0``."""
    return f"{value:g}"


def problems() -> Iterator[str]:
    """What is missing of the documentation and the tests of each kind."""
    for family in FAMILIES_OF_KINDS:
        for name, module in family.kinds().items():
            yield from (f"{module.__name__}: {text}" for text in problems_of(family, name, module))


def _functions(package: str) -> frozenset[str]:
    """The names of the functions and classes that a package itself defines."""
    source = inspect.getsource(importlib.import_module(package))
    return frozenset(node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef))


def problems_of(family: Family, name: str, module: ModuleType) -> Iterator[str]:
    """What is missing of the documentation and the tests of one kind."""
    if (own := module.__name__.rpartition(".")[2]) in _functions(module.__name__.rpartition(".")[0]):
        yield f"importing it would replace the function {own} of its package; expected another name"
    found = read(module.__doc__)
    if not found.summary:
        yield "a docstring begins with a line that says what the kind is"
    expected, fields = list(family.headings), [key for key, *_ in family.fields(module)]
    if fields:
        after = expected.index("Example") if "Example" in expected else 1
        expected.insert(after, family.fields_under)
    if [heading for heading, _ in found.sections] != expected:
        yield f"has the sections {[heading for heading, _ in found.sections]}; expected {expected}"
        return
    yield from (f"nothing stands under “{heading}”" for heading, text in found.sections if not text)
    if fields:
        try:
            described = bullets(found[family.fields_under])
        except ValueError as error:
            yield f"{family.fields_under}: {error}"
            return
        if set(described) != set(fields):
            yield f"{family.fields_under} describes {sorted(described)}; expected {sorted(fields)}"
    if not test_file(module).exists():
        yield f"has no test; expected {test_file(module).relative_to(ROOT)}"


def test_file(module: ModuleType) -> Path:
    """Where the tests of a module of ``grader/`` are."""
    *folders, name = module.__name__.split(".")[1:]
    return ROOT.joinpath("tests", *folders, f"test_{name}.py")


def family_page(family: Family) -> str:
    """An overview of all kinds, then each with its sections."""
    found = {name: (module, read(module.__doc__)) for name, module in family.kinds().items()}
    lines = [f"| {family.name} | | {''.join(f'{title} | ' for title in family.overview)}".rstrip()]
    lines.append("|---|---|" + "---|" * len(family.overview))
    for name, (module, said) in found.items():
        lines.append(f"| [{name}](#{name}) | {' | '.join((cell(said.summary), *family.row(module)))} |")
    parts = ["\n".join(lines)]
    for name, (module, said) in found.items():
        parts.append(f"## {name}\n\n{said.summary}")
        parts += [family.facts(module)] if family.facts(module) else []
        for heading, text in said.sections:
            shown = _table(family, module, text) if heading == family.fields_under else text
            parts.append(f"### {heading}\n\n{shown}")
    return "\n\n".join(parts)


def _table(family: Family, module: ModuleType, text: str) -> str:
    described, separator = bullets(text), "\n\n"
    rows = ["| | type | default | |", "|---|---|---|---|"]
    for key, type_, value in family.fields(module):
        rows.append(f"| `{key}` | {cell(type_)} | {cell(value)} | {cell(described.get(key, ''))} |")
    return "\n".join(rows) + f"\n\n{text.partition(separator)[2]}".rstrip()


def cell(text: str) -> str:
    """``text`` in a cell of a table."""
    return text.replace("|", "\\|")


# -------------------------------------------------------------------------------------------- commands

#: What an epilog has, so that it is shown by ``--help`` and on the page alike.
EXAMPLES, EXITS = "Examples:", "Exit codes:"


def commands() -> Iterator[tuple[str, str, click.Command]]:
    """(for whom, name such as ``bank check``, command), groups left out."""
    context = click.Context(cli)
    for summary in summaries():
        command = cli.get_command(context, summary.name)
        assert command is not None, summary.name
        if isinstance(command, click.Group):
            for inner, below in sorted(command.commands.items()):
                yield summary.readers, f"{summary.name} {inner}", below
        else:
            yield summary.readers, summary.name, command


def problems_of_command(name: str, command: click.Command) -> Iterator[str]:
    """What is missing of the documentation and the tests of one command."""
    if not command.help:
        yield f"{name} has no help text"
    for title in (EXAMPLES, EXITS):
        if title not in (command.epilog or ""):
            yield f"{name} has no “{title}”; see `Documented` in grader/commands/_options.py"
    if f"attncheck {name}" not in (command.epilog or ""):
        yield f"no example of {name} calls “attncheck {name}”"
    yield from (
        f"{name} {max(option.opts, key=len)} has no help text"
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    )
    if tuple(name.split()) not in called():
        yield f"no test calls {name}"


@functools.cache
def called() -> frozenset[tuple[str, ...]]:
    """The one or two words that a call or list in a test begins with: ``attncheck("bank", "check")``, ``["grade"]``."""
    found: set[tuple[str, ...]] = set()
    texts = [path.read_bytes() for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    for text in texts:
        if b"run([" not in text and b"attncheck(" not in text:
            continue  # parsing all of them takes seconds
        for node in ast.walk(ast.parse(text)):
            parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.List) else []
            words = [part.value for part in parts[:2] if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            found |= {tuple(words[:count]) for count in (1, 2)}
    return frozenset(found)


def commands_page() -> str:
    """A table of all commands, then each with its usage, options, examples and exit codes."""
    table = ["| for | command | does | `--json` |", "|---|---|---|---|"]
    parts = []
    for readers, name, command in commands():
        link = f"[{name}](#attncheck-{name.replace(' ', '-')})"
        does = inspect.cleandoc(command.help or "").partition("\n")[0]
        table.append(f"| {readers} | {link} | {cell(does)} | {'yes' if _has_json(command) else ''} |")
        parts.append(_command(name, command))
    return "\n\n".join(["\n".join(table), *parts])


def _has_json(command: click.Command) -> bool:
    return any("--json" in parameter.opts for parameter in command.params)


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"attncheck {name}")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"## attncheck {name}", f"`{usage}`", _unwrapped(command.help or "")]
    records = [
        record
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context))
    ]
    rows = [f"| `{cell(names)}` | {cell(said)} |" for names, said in records if "--help" not in names]
    if rows:
        parts.append("\n".join(["| option | |", "|---|---|", *rows]))
    parts.append(_unwrapped(command.epilog or ""))
    return "\n\n".join(part for part in parts if part)


def _unwrapped(text: str) -> str:
    """Paragraphs of a help text as Markdown; one after ``\\b``, whose lines click keeps, is a heading and a block."""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if not paragraph.startswith("\b\n"):
            parts.append(" ".join(paragraph.split("\n")))
            continue
        lines = paragraph.removeprefix("\b\n").split("\n")
        if lines[0].endswith(":"):
            parts.append(lines.pop(0))
        parts.append("```\n" + inspect.cleandoc("\n" + "\n".join(lines)) + "\n```")
    return "\n\n".join(parts)


# ------------------------------------------------------------------------------------------------ JSON


@dataclass(frozen=True, slots=True)
class Output:
    """What a command writes with ``--json``: a dataclass, or (if ``several``) a list of them."""

    call: str
    kind: Any
    several: bool


def outputs() -> Iterator[Output]:
    """What all commands write, in the order of the commands."""
    for _, _, command in commands():
        for call, place in getattr(command, "outputs", {}).items():
            module, _, name = place.partition(":")
            declared_type = getattr(importlib.import_module(module), name)
            inner = _inside(declared_type)
            yield Output(call, inner, inner is not declared_type)


def _inside(hint: Any) -> Any:
    """The type in a tuple or list, among the values of a mapping, or besides None; what a conversion makes of it."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        function = parts[1].function
        function = function.func if isinstance(function, functools.partial) else function
        return _inside(typing.get_type_hints(function)["return"])
    if origin in (typing.Union, types.UnionType):
        return _inside(next(part for part in parts if part is not type(None)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _inside(parts[1])
    if origin in (tuple, list):
        return _inside(parts[0])
    return hint


def json_kind(hint: Any) -> str:
    """A type as the JSON that it becomes."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        function = parts[1].function
        function = function.func if isinstance(function, functools.partial) else function
        return json_kind(typing.get_type_hints(function)["return"])
    if origin in (typing.Union, types.UnionType):
        named = [json_kind(part) for part in parts if part is not type(None)]
        return " or ".join(dict.fromkeys([*named, "null"] if type(None) in parts else named))
    if origin is Literal:
        return " or ".join(f'`"{part}"`' for part in parts)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "object"
    if origin in (tuple, list):
        return "list"
    if isinstance(hint, type) and issubclass(hint, bool):
        return "true or false"
    if isinstance(hint, type) and issubclass(hint, int | float):
        return "number"
    if dataclasses.is_dataclass(hint) and hint is not Text:
        return "object"
    return "text"


def json_fields(kind: Any, prefix: str = "", seen: dict[Any, str] | None = None) -> Iterator[tuple[str, str, str]]:
    """(key, type, meaning) of all fields of what a dataclass becomes, those of inner ones after it.

    ``seen`` has the dataclasses that are described already, and where. Raises ValueError if the docstring of a
    dataclass does not describe each of its fields.
    """
    seen = {} if seen is None else seen
    described = bullets(_list_of_fields(kind))
    fields = {field.name: field.name.removesuffix("_") for field in dataclasses.fields(kind)}
    if list(described) != list(fields.values()):
        raise ValueError(f"{kind.__name__} describes {list(described)}; expected {list(fields.values())}")
    hints = typing.get_type_hints(kind, include_extras=True)
    for name, key in fields.items():
        inner, shown = _inside(hints[name]), json_kind(hints[name])
        place = f"{prefix}{key}{'[]' if shown.startswith('list') else ''}"
        again = f" (as in `{seen[inner]}`)" if inner in seen else ""
        yield prefix + key, shown, described[key] + again
        if dataclasses.is_dataclass(inner) and inner is not Text and inner not in seen:
            seen[inner] = place
            yield from json_fields(inner, f"{place}.", seen)


def _list_of_fields(kind: Any) -> str:
    text = inspect.cleandoc(kind.__doc__ or "")
    return text[text.index("- `") :] if "- `" in text else ""


def json_page() -> str:
    """What each command writes: a sentence, and a table of keys."""
    parts = []
    for output in outputs():
        intro = inspect.cleandoc(output.kind.__doc__ or "").partition("\n- `")[0].strip()
        parts.append(f"### attncheck {output.call} --json\n\n{'A list; each entry: ' * output.several}{intro}")
        rows = [f"| `{key}` | {cell(type_)} | {cell(meaning)} |" for key, type_, meaning in json_fields(output.kind)]
        parts.append("\n".join(["| key | type | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


# ----------------------------------------------------------------------------------------------- pages


def pages() -> dict[Path, str]:
    """The pages as they should be."""
    made = {ROOT / family.page: family_page(family) for family in FAMILIES_OF_KINDS}
    made[ROOT / "docs/cli.md"] = commands_page()
    made[ROOT / "docs/json.md"] = json_page()
    return {path: filled(path.read_text("utf-8"), text) for path, text in made.items()}


def filled(page: str, text: str) -> str:
    """``page`` with ``text`` between the two marks. Raises ValueError where one is missing."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"expected the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


if __name__ == "__main__":
    for path, text in pages().items():
        if "--write" in sys.argv:
            path.write_text(text, "utf-8")
        else:
            print(text)
