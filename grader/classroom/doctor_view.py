"""The findings of `attncheck doctor`, as lines of text and as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from grader.core.layout import WIDTH, indent
from grader.core.model import Message
from grader.core.text import LABELED, PARENTHESIZED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.classroom.doctor import MachineFact
    from grader.core.model import Lang

AREA = {
    "versions": Message("Versions"),
    "content": Message("Content"),
    "sandbox": Message("Sandbox layers"),
    "canaries": Message("Trial attacks"),
}
ALL_THERE = Message("Nothing is missing. This machine can confine learners’ code and grade classes.")
NOT_ALL_THERE = Message(
    "Something is missing (✗); follow the advice given there. Until then, this machine does not grade classes."
)
STATE = {"ok": Message("ok"), "weak": Message("weak"), "missing": Message("missing")}
#: The names of trial attacks and of some other findings, in Chinese.
IN_CHINESE = {
    "read a file": "读取文件",
    "list a folder": "列出文件夹",
    "write a file": "写入文件",
    "write to /dev/shm": "写入 /dev/shm",
    "read the grader's memory map": "读取评分程序的内存映射",
    "read its own environment": "读取自己的环境变量",
    "open a network connection": "建立网络连接",
    "open any socket": "打开套接字",
    "start a process": "启动进程",
    "run a program": "运行程序",
    "signal the grader": "向评分程序发送信号",
    "signal its parent": "向父进程发送信号",
    "start threads without end": "无休止地启动线程",
    "allocate without end": "无休止地分配内存",
    "import the grader": "导入评分程序",
    "import the reference": "导入参考实现",
    "workers": "并行进程",
    "user": "用户",
    "layers": "各层",
    "confinement": "隔离",
    "system": "系统",
    "course": "课程",
}
REMEDY = Message("to fix: {remedy}")


def lines(findings: Sequence[MachineFact], lang: Lang, width: int = WIDTH) -> Iterator[str]:
    """The findings by area, each with its remedy, and a conclusion."""
    for area, found in groupby(findings, key=lambda finding: finding.area):
        yield AREA[area].of(lang)
        for finding in found:
            mark = {"ok": "✓", "weak": "!", "missing": "✗"}[finding.state]
            name = IN_CHINESE.get(finding.name, finding.name) if lang == "zh" else finding.name
            if finding.state != "ok":
                name = PARENTHESIZED.fill(what=name, more=STATE[finding.state]).of(lang)
            text = LABELED.fill(who=name, said=finding.detail).of(lang) if finding.detail.en else name
            yield f"  {mark} " + indent(text, 4, width).lstrip()
            if finding.remedy:
                yield indent(REMEDY.fill(remedy=finding.remedy).of(lang), 6, width)
    yield indent((NOT_ALL_THERE if is_missing(findings) else ALL_THERE).of(lang), 0, width)


def is_missing(findings: Iterable[MachineFact]) -> bool:
    """Whether anything is missing that grading a class needs."""
    return any(finding.state == "missing" for finding in findings)


def to_json(finding: MachineFact) -> dict[str, str | None]:
    """One finding as JSON values."""
    return {
        "area": finding.area,
        "name": finding.name,
        "state": finding.state,
        "detail": finding.detail.en,
        "remedy": finding.remedy.en if finding.remedy is not None else None,
    }
