"""The findings of `attncheck doctor`, as lines of text and as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from grader.core.layout import indent
from grader.core.model import Text
from grader.core.text import SAYS, WITH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.classroom.doctor import MachineFact
    from grader.core.model import Lang

AREA = {
    "versions": Text("Versions", "版本"),
    "content": Text("Content", "内容"),
    "sandbox": Text("Sandbox layers", "沙箱各层"),
    "canaries": Text("Trial attacks", "试探性攻击"),
}
ALL_THERE = Text(
    "Nothing is missing. This machine can confine learners’ code and grade classes.",
    "什么都不缺：这台机器能隔离学习者的代码，可以给整班评分。",
)
NOT_ALL_THERE = Text(
    "Something is missing (✗): follow the advice there to fix it. Until then, this machine does not grade classes.",
    "有缺少的部分（✗），请按那里的说明补上；补齐之前，这台机器不给整班评分。",
)
STATE = {"ok": Text("ok", "正常"), "weak": Text("weak", "较弱"), "missing": Text("missing", "缺少")}
REMEDY = Text("to fix: {remedy}", "解决办法：{remedy}")


def lines(findings: Sequence[MachineFact], lang: Lang) -> Iterator[str]:
    """The findings by area, with what to do about each, and a verdict."""
    for area, found in groupby(findings, key=lambda finding: finding.area):
        yield AREA[area].of(lang)
        for finding in found:
            mark = {"ok": "✓", "weak": "!", "missing": "✗"}[finding.state]
            name = finding.name
            if finding.state != "ok":
                name = WITH.fill(what=name, more=STATE[finding.state]).of(lang)
            text = SAYS.fill(who=name, said=finding.detail).of(lang) if finding.detail else name
            yield f"  {mark} " + indent(text, 4).lstrip()
            if finding.remedy:
                yield indent(REMEDY.fill(remedy=finding.remedy).of(lang), 6)
    yield indent((NOT_ALL_THERE if is_missing(findings) else ALL_THERE).of(lang), 0)


def is_missing(findings: Iterable[MachineFact]) -> bool:
    """Whether anything that grading a class needs is missing."""
    return any(finding.state == "missing" for finding in findings)


def to_json(finding: MachineFact) -> dict[str, str | None]:
    """One finding as JSON values."""
    return {
        "area": finding.area,
        "name": finding.name,
        "state": finding.state,
        "detail": finding.detail,
        "remedy": finding.remedy,
    }
