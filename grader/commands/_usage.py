"""The messages of click about invalid command lines, in Chinese."""

from __future__ import annotations

import re

import click

_FRAME = "用法：{usage}\n用 `{command} --help` 查看帮助。\n\n错误：{said}"


def in_chinese(error: click.UsageError) -> str:
    """The message of ``error``, with the usage of the command if it is known."""
    said = _said(error)
    if error.ctx is None:
        return f"错误：{said}"
    usage = error.ctx.get_usage().removeprefix("Usage: ").removeprefix("用法：")
    return _FRAME.format(usage=usage, command=error.ctx.command_path, said=said)


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
    if extra:
        return f"多出了参数：{extra[1]}。"
    return f"命令行无法理解：{error.message}"


def _name(error: click.BadParameter) -> str:
    """The option or argument that an error is about."""
    if error.param is None:
        return f"参数 {error.param_hint or ''}".rstrip() + " "
    what = "选项" if isinstance(error.param, click.Option) else "参数"
    return f"{what} {error.param.opts[0] if what == '选项' else error.param.make_metavar(_context(error))} "


def _context(error: click.BadParameter) -> click.Context:
    return error.ctx or click.Context(click.Command(None))


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
