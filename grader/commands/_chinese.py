"""The help of commands in Chinese.

Each command has its Chinese texts next to its English ones, as a ``ChineseHelp`` passed to ``documented``. This module
turns a command into one that prints them, and formats them for a terminal, because click counts characters instead of
cells and breaks lines only at spaces.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

import click

from grader.commands._options import ChineseHelp, epilog
from grader.core.layout import cells, indent, pad, wrap

#: Texts that several commands share, by the English text.
SHARED: Mapping[str, str] = {
    "For screen readers: no colours, columns, marks or single keys (default: ATTNCHECK_PLAIN).": (
        "供读屏软件使用：没有颜色、分栏、符号和单键操作（默认看 ATTNCHECK_PLAIN）。"
    ),
    "Language of the output (default: ATTNCHECK_LANG, else the locale).": (
        "输出所用的语言（默认看 ATTNCHECK_LANG，其次看系统区域设置）。"
    ),
    "Language of the help and of errors; findings are in English.": "帮助和出错信息的语言；检查结果是英文。",
    "A folder with questions/ and reference/ (default: ATTNCHECK_COURSE, else the bundled course).": (
        "课程文件夹，内有 questions/ 和 reference/（默认用 ATTNCHECK_COURSE，其次用自带课程）。"
    ),
    "The course folder (default: the one used for grading).": "课程文件夹（默认用评分时的那一个）。",
    "Whose numbers to show, where each learner gets different ones.": "数字因人而异时，显示谁的数字。",
    "The secret file that DIR was graded with (default: seed_file in course.yaml).": (
        "给 DIR 评分时用的保密种子文件（默认用 course.yaml 的 seed_file）。"
    ),
    "Grade N submissions at a time (default: one per CPU).": "同时评 N 份提交（默认每个 CPU 一份）。",
    "Write JSON to stdout and messages to stderr.": "把 JSON 写到标准输出，消息写到标准错误。",
    "Write an HTML page to F.": "把 HTML 页面写到 F。",
    "Your progress file (default: ATTNCHECK_STATE, else a file in your data folder).": (
        "你的进度文件（默认用 ATTNCHECK_STATE，其次是数据文件夹里的文件）。"
    ),
    "Only this question (repeatable).": "只处理这个问题（可重复使用）。",
    "Draw hidden cases from this secret file.": "用这个保密文件抽取隐藏用例。",
    "done": "完成",
    "written": "已写入",
    "PATH cannot be read as a submission": "PATH 无法作为提交读取",
    "some submissions could not be graded": "有的提交无法评分",
}

#: Texts of click itself.
_CLICK: Mapping[str, str] = {
    "Options": "选项",
    "Commands": "命令",
    "Show this message and exit.": "显示帮助。",
    "Show the version and exit.": "显示版本。",
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
        table = [(term, _CLICK.get(said, SHARED.get(said, said)).replace(*_REQUIRED)) for term, said in rows]
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


def in_chinese(command: click.Command, summary: str = "") -> click.Command:
    """``command`` with its Chinese help. ``summary`` is the help of a group."""
    changed = copy.copy(command)
    changed.context_class = _Context
    if isinstance(changed, click.Group):
        changed.commands = {name: in_chinese(each) for name, each in changed.commands.items()}
    said = chinese_help(command)
    if said is None:
        changed.help = summary or command.help
        return changed
    changed.help = said.help
    changed.params = [_option(parameter, said) for parameter in command.params]
    changed.epilog = epilog(dict(zip(said.lines, said.examples, strict=False)), said.exits, "例子", "退出码")
    return changed


def chinese_help(command: click.Command) -> ChineseHelp | None:
    """The Chinese texts of ``command``, including shared ones; None if it has none."""
    own = vars(command).get("chinese")
    if not isinstance(own, ChineseHelp):
        return None
    english: Mapping[int, str] = vars(command)["exits"]
    exits = {code: own.exits.get(code) or SHARED.get(text, text) for code, text in english.items()}
    return ChineseHelp(own.help, own.options, own.examples, exits, tuple(vars(command)["examples"]))


def _option(parameter: click.Parameter, said: ChineseHelp) -> click.Parameter:
    if not isinstance(parameter, click.Option) or not parameter.help:
        return parameter
    changed = copy.copy(parameter)
    changed.help = said.options.get(option_name(parameter)) or SHARED.get(parameter.help, parameter.help)
    return changed


def option_name(option: click.Option) -> str:
    return max(option.opts, key=len)
