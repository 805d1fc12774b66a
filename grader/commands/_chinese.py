"""The help of commands in Chinese.

The catalogue has it by the English text, and by the name of the command where commands say the same differently. This
module turns a command into one that prints it, and formats it for a terminal, because click counts characters instead
of cells and breaks lines only at spaces.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping

import click

from grader.commands._options import epilog
from grader.core import catalogue
from grader.core.layout import cells, indent, pad, wrap

#: Texts of click itself.
_CLICK: Mapping[str, str] = {
    "Options": "选项",
    "Commands": "命令",
    "Show this message and exit.": "显示帮助。",
}
_REQUIRED = ("[required]", "[必填]")
_WIDEST_TERM = 30
_GAP = 2


class Formatter(click.HelpFormatter):
    """Formats Chinese: characters are two cells wide, and lines may break between any two of them."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Like click, with a Chinese word for “Usage”."""
        super().write_usage(prog, args, "用法：" if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        """A heading of a section."""
        self.write(f"{' ' * self.current_indent}{_CLICK.get(heading, heading)}：\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs. The lines of a paragraph that starts with ``\\b`` are kept."""
        shown = []
        for paragraph in text.split("\n\n"):
            kept = paragraph.removeprefix("\b\n")
            if kept != paragraph:
                shown.append("\n".join(" " * self.current_indent + line for line in kept.split("\n")))
            else:
                shown.append(indent(kept, self.current_indent, self.width))
        self.write("\n\n".join(shown) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = _WIDEST_TERM, col_spacing: int = _GAP) -> None:
        """Write terms with their descriptions."""
        table = [(term, _in_chinese(said).replace(*_REQUIRED)) for term, said in rows]
        column = min(max(cells(term) for term, _ in table), col_max) + col_spacing
        left = " " * self.current_indent
        for term, said in table:
            first, *more = wrap(said, max(self.width - len(left) - column, 10))
            if cells(term) + col_spacing <= column:
                self.write(f"{left}{pad(term, column)}{first}\n")
            else:
                self.write(f"{left}{term}\n{left}{' ' * column}{first}\n")
            for line in more:
                self.write(f"{left}{' ' * column}{line}\n")


class _Context(click.Context):
    formatter_class = Formatter


def in_chinese(command: click.Command) -> click.Command:
    """``command`` with its Chinese help."""
    changed = copy.copy(command)
    changed.context_class = _Context
    changed.help = _in_chinese(command.help or "", command.name)
    changed.params = [_option(parameter, command.name) for parameter in command.params]
    if isinstance(changed, click.Group):
        changed.commands = {name: in_chinese(inner) for name, inner in changed.commands.items()}
    if command.epilog:
        examples = {line: _in_chinese(does, command.name) for line, does in vars(command)["examples"].items()}
        exits = {code: _in_chinese(meaning, command.name) for code, meaning in vars(command)["exits"].items()}
        changed.epilog = epilog(examples, exits, "例子", "退出码")
    return changed


def help_texts(command: click.Command) -> Iterator[str]:
    """Every English text in the help of ``command``, without those of commands below it."""
    yield command.help or ""
    yield from (option.help or "" for option in command.params if isinstance(option, click.Option))
    yield from vars(command).get("examples", {}).values()
    yield from vars(command).get("exits", {}).values()


def _in_chinese(english: str, command: str | None = None) -> str:
    """The Chinese that only ``command`` has for ``english``, or else the one for all commands."""
    own = catalogue.chinese(english, command or "")
    return own if own != english else _CLICK.get(english) or catalogue.chinese(english)


def _option(parameter: click.Parameter, command: str | None) -> click.Parameter:
    if not isinstance(parameter, click.Option) or not parameter.help:
        return parameter
    changed = copy.copy(parameter)
    changed.help = _in_chinese(parameter.help, command)
    return changed
