"""The Chinese catalogue ``grader/locale/zh.po``, held against the program's texts.

``make messages`` (``python -m tests.catalogue --write``) adds new messages without their Chinese, removes those that
nothing says any more, and compiles ``zh.mo``, which the program reads. Texts are the literals of ``Message("…")`` and
``Message("…", "context")``, those of ``_("…")`` in templates, the help of the commands, and the
notes of pictures.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from babel.messages import mofile, pofile
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir

from grader.commands import cli
from grader.commands._chinese import help_texts
from grader.report.figures import kinds

ROOT = Path(__file__).parents[1]
GRADER = ROOT / "grader"
PO = GRADER / "locale" / "zh.po"
MO = PO.with_suffix(".mo")
#: The first argument is the text; of two, the second is its context.
KEYWORDS = {name: {1: (1,), 2: (1, (2, "c"))} for name in ("Message", "_")}
#: What is read where.
METHODS = [("**.py", "python"), ("web/templates/**.html", "jinja2"), ("learning/**.html", "jinja2")]
METHODS += [("report/templates/**.xml", "jinja2"), ("**/templates/**.txt", "jinja2")]
HEADER = """\
# The Chinese texts of attncheck. Each is written, not translated word by word: see CONTRIBUTING.md.
# `make messages` keeps this file in step with the program."""


def texts(known: Catalog) -> Iterator[tuple[str, str, str]]:
    """Every text of the program: where it is, the English, and its context ("" for none)."""
    for file, _, text, _, context in extract_from_dir(GRADER, METHODS, keywords=KEYWORDS):
        assert isinstance(text, str)
        yield f"grader/{file}", text, context or ""
    for name, picture in kinds.kinds().items():
        yield f"grader/report/figures/kinds/{name}.py", kinds.note_text(picture.__doc__), ""
    for command in commands(cli):
        name = command.name or ""
        for text in filter(None, help_texts(command)):
            yield "help", text, name if known.get(text, name) else ""


def commands(command: click.Command) -> Iterator[click.Command]:
    """``command`` and those below it."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner)


def read() -> Catalog:
    """The catalogue as it is."""
    with PO.open("rb") as file:
        return pofile.read_po(file, locale="zh_CN")


def current() -> Catalog:
    """The catalogue as it should be: every text of the program once, with the Chinese that there is."""
    known = read()
    made = Catalog(locale="zh_CN", header_comment=HEADER, project="attncheck", fuzzy=False)
    for place, text, context in texts(known):
        entry = known.get(text, context or None)
        made.add(text, entry.string if entry else "", [(place, None)], context=context or None)
    return made


def as_po(catalog: Catalog) -> bytes:
    """The text of ``catalog``, without dates, which would differ each time."""
    out = io.BytesIO()
    pofile.write_po(out, catalog, width=120, omit_header=True, sort_by_file=True, include_lineno=False)
    head = f'{HEADER}\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: zh_CN\\n"\n\n'
    return head.encode() + out.getvalue()


class _Undated(Catalog):
    """A catalogue whose header is the same each time: no date, no version, and no rule for plurals.

    gettext would run such a rule as Python.
    """

    mime_headers = [("Content-Type", "text/plain; charset=UTF-8")]  # noqa: RUF012 – a property of the base class


def as_mo(catalog: Catalog) -> bytes:
    """``catalog`` compiled."""
    plain = _Undated(locale=None, fuzzy=False)
    for entry in filter(lambda entry: entry.id, catalog):
        plain.add(entry.id, entry.string, context=entry.context)
    out = io.BytesIO()
    mofile.write_mo(out, plain)
    return out.getvalue()


def main() -> None:
    """Write both files if asked to, and list what has no Chinese."""
    if sys.argv[1:] == ["--write"]:
        PO.write_bytes(as_po(current()))
        MO.write_bytes(as_mo(read()))
    for entry in read():
        if entry.id and not entry.string:
            print(f"no Chinese: {entry.locations[0][0] if entry.locations else '?'}: {entry.id!r}")


if __name__ == "__main__":
    main()
