"""``attncheck forget``: remove a learner from a results folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    ChineseHelp,
    can_ask,
    documented,
    graded_course_option,
    json_option,
    lang_option,
    results_argument,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import clean
from grader.instructor import overrides_view

if TYPE_CHECKING:
    from grader.core.model import Lang

FORGET_IT = Text("Delete this permanently?", "确定永久删除吗？")
FORGOTTEN = Text("{learner} was deleted from {folder}.", "已从 {folder} 中删除 {learner}。")
NOT_FORGOTTEN = Text("Nothing was deleted.", "没有删除任何内容。")
DONE, DECLINED = 0, 1


@documented(
    {
        "forget results ada": "delete all data about ada, after asking",
    },
    {0: "removed", 1: "nothing was removed"},
    ChineseHelp(
        "从 DIR 里永久删除一名学习者。\n\n"
        "从成绩册（包括文件里残留的字节）中删除其提交和得分，删除其文件和作业副本，并重新写出 class.csv。不"
        "在此处、不会改动的内容会列出来，删除前先询问。",
        {
            "--yes": "不询问，直接删除。",
        },
        ("询问之后，删除 ada 的一切",),
        {0: "已删除", 1: "什么也没有删除"},
    ),
)
@click.command()
@results_argument
@click.argument("learner")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@json_option
@lang_option
@graded_course_option
def forget(folder: Path, learner: str, yes: bool, as_json: bool, lang: Lang, course_folder: Path | None) -> None:
    """Delete a learner from DIR permanently.

    Deletes their submissions and points from the gradebook (and from the bytes of its file), their files and the
    copies of their work, and writes class.csv again. Lists what is elsewhere and is not deleted, and asks first.
    """
    if not yes and (as_json or not can_ask()):
        raise UsageError(
            Text(
                "forget asks before it deletes anything, but nobody can answer here; give --yes.",
                "forget 删除之前要先确认，而这里没有人能回答：请加 --yes。",
            )
        )
    from grader.instructor.overrides import forgetting  # loads numpy

    with forgetting(folder, learner, course_folder) as (plan, remove):
        if not as_json:
            for line in overrides_view.forget_lines(plan, folder, lang):
                click.echo(line)
        agreed = yes or click.confirm(FORGET_IT.of(lang))
        if agreed:
            remove(lang)
    if as_json:
        write_json(overrides_view.forget_json(plan))
    else:
        text = FORGOTTEN.fill(learner=clean(plan.learner.id), folder=folder)
        click.echo((text if agreed else NOT_FORGOTTEN).of(lang))
    click.get_current_context().exit(DONE if agreed else DECLINED)
