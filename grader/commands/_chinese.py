"""The help of commands, and the messages of click about invalid command lines, in Chinese.

The catalogue has it by the English text, and by the name of the command where commands say the same differently. This
module turns a command into one that prints it, and formats it for a terminal, because click counts characters instead
of cells and breaks lines only at spaces.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc

import click

from grader.commands._options import Documented, epilog
from grader.core import catalogue
from grader.core.layout import cells, indent, pad, wrap

#: Texts of click itself.
_CLICK: Mapping[str, str] = {"Options": "选项", "Commands": "命令", "Show this message and exit.": "显示帮助。"}
_FRAME = "用法：{usage}\n用 `{command} --help` 查看帮助。\n\n错误：{said}"
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
        table = [(term, in_chinese(description).replace(*_REQUIRED)) for term, description in rows]
        column = min(max(cells(term) for term, _ in table), col_max) + col_spacing
        left = " " * self.current_indent
        for term, description in table:
            first, *more = wrap(description, max(self.width - len(left) - column, 10))
            if cells(term) + col_spacing <= column:
                self.write(f"{left}{pad(term, column)}{first}\n")
            else:
                self.write(f"{left}{term}\n{left}{' ' * column}{first}\n")
            for line in more:
                self.write(f"{left}{' ' * column}{line}\n")


class _Context(click.Context):
    formatter_class = Formatter


def translated(command: click.Command) -> click.Command:
    """``command`` with its Chinese help."""
    changed = copy.copy(command)
    changed.context_class = _Context
    changed.help = in_chinese(cleandoc(command.help or ""), command.name)
    changed.params = [_option(parameter, command.name) for parameter in command.params]
    if isinstance(changed, click.Group):
        changed.commands = {name: translated(inner) for name, inner in changed.commands.items()}
    if isinstance(command, Documented):
        examples = {line: in_chinese(does, command.name) for line, does in command.examples.items()}
        exits = {code: in_chinese(meaning, command.name) for code, meaning in command.exits.items()}
        changed.epilog = epilog(examples, exits, "例子", "退出码")
    return changed


def help_texts(command: click.Command) -> Iterator[str]:
    """Every English text in the help of ``command``, without those of commands below it."""
    yield cleandoc(command.help or "")  # as it is from Python 3.13 on
    yield from (option.help or "" for option in command.params if isinstance(option, click.Option))
    if isinstance(command, Documented):
        yield from (*command.examples.values(), *command.exits.values())


def in_chinese(english: str, command: str | None = None) -> str:
    """The Chinese that only ``command`` has for ``english``, or else the one for all commands."""
    own = catalogue.chinese(english, command or "")
    return own if own != english else _CLICK.get(english) or catalogue.chinese(english)


def _option(parameter: click.Parameter, command: str | None) -> click.Parameter:
    if not isinstance(parameter, click.Option) or not parameter.help:
        return parameter
    changed = copy.copy(parameter)
    changed.help = in_chinese(parameter.help, command)
    return changed


# -------------------------------------------------------------------------------------- invalid calls


def usage_error(error: click.UsageError) -> str:
    """The message of ``error``, with the usage of the command if it is known."""
    message = _said(error)
    if error.ctx is None:
        return f"错误：{message}"
    usage = error.ctx.get_usage().removeprefix("Usage: ").removeprefix("用法：")
    return _FRAME.format(usage=usage, command=error.ctx.command_path, said=message)


def _said(error: click.UsageError) -> str:
    match error:
        case click.NoSuchOption():
            near = f"是不是 {'、'.join(sorted(error.possibilities))}？" if error.possibilities else ""
            return f"没有选项 {error.option_name}。{near}"
        case click.BadOptionUsage():
            return f"选项 {error.option_name} 用法不对：{error.message}"
        case click.MissingParameter():
            return f"缺少{_name(error)}。"
        case click.BadParameter():
            return f"{_name(error)}的值不对：{_expected(error)}"
        case click.BadArgumentUsage():
            return f"参数用法不对：{error.message}"
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message)
    return f"多出了参数：{extra[1]}。" if extra else f"命令行无法理解：{error.message}"


def _name(error: click.BadParameter) -> str:
    """The option or argument that an error is about."""
    if error.param is None:
        return f"参数 {error.param_hint or ''}".rstrip() + " "
    what = "选项" if isinstance(error.param, click.Option) else "参数"
    context = error.ctx or click.Context(click.Command(None))
    return f"{what} {error.param.opts[0] if what == '选项' else error.param.make_metavar(context)} "


def _expected(error: click.BadParameter) -> str:
    kind = error.param.type if error.param is not None else None
    match kind:
        case click.Choice():
            return f"应为 {'、'.join(map(str, kind.choices))} 之一。"
        case click.IntRange() | click.FloatRange():
            low = f"{'大于' if kind.min_open else '不小于'} {kind.min}" if kind.min is not None else ""
            high = f"{'小于' if kind.max_open else '不大于'} {kind.max}" if kind.max is not None else ""
            return f"应为{'、'.join(filter(None, (low, high)))} 的数。"
        case click.types.IntParamType():
            return "应为整数。"
        case click.types.FloatParamType():
            return "应为数。"
    return error.message
