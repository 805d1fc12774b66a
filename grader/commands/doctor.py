"""The verb that examines this machine."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import course_option, documented, json_option, lang_option, write_json
from grader.core.model import Text

AREA = {
    "versions": Text("Versions", "版本"),
    "content": Text("Content", "内容"),
    "sandbox": Text("Sandbox layers", "沙箱各层"),
    "canaries": Text("Trial attacks", "试探性攻击"),
}
ALL_THERE = Text(
    "Nothing is missing. Learners’ code can be confined here, and classes graded.",
    "什么都不缺：这台机器能隔离学习者的代码，可以给整班评分。",
)
NOT_ALL_THERE = Text(
    "Something is missing (✗); what it says there mends it. Until then, classes are not graded here.",
    "有缺少的部分（✗），请按那里的说明补上；补齐之前，这台机器不给整班评分。",
)
STATE = {"ok": Text("ok", "正常"), "weak": Text("weak", "较弱"), "missing": Text("missing", "缺少")}
REMEDY = Text("to mend: {remedy}", "解决办法：{remedy}")


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.classroom.doctor import Finding
    from grader.core.model import Lang


@documented(
    {
        "doctor": "check this machine",
    },
    {0: "nothing is missing", 1: "something is missing"},
)
@click.command()
@json_option
@lang_option
@course_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try as many sandboxes at once as batch would use (default: one for each processor, as for batch).",
)
def doctor(as_json: bool, lang: Lang, course_folder: Path | None, workers: int | None) -> None:
    """Examines this machine: versions, content, sandbox."""
    from grader.classroom.doctor import examine

    findings = examine(course_folder, workers)
    if as_json:
        write_json([_as_json(finding) for finding in findings])
    else:
        for line in _lines(findings, lang):
            click.echo(line)
    click.get_current_context().exit(_missing(findings))


def _missing(findings: Iterable[Finding]) -> int:
    return int(any(finding.state == "missing" for finding in findings))


def _as_json(finding: Finding) -> dict[str, str | None]:
    return {
        "area": finding.area,
        "name": finding.name,
        "state": finding.state,
        "detail": finding.detail,
        "remedy": finding.remedy,
    }


def _lines(findings: Sequence[Finding], lang: Lang) -> Iterable[str]:
    from grader.core.layout import indent
    from grader.core.text import SAYS, WITH

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
    yield indent((NOT_ALL_THERE if _missing(findings) else ALL_THERE).of(lang), 0)
