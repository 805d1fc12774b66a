"""``attncheck submit``: store a submission in an inbox, or compare one with its receipt."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom import inbox as inboxes
from grader.commands._options import (
    ChineseHelp,
    course_option,
    documented,
    json_option,
    lang_option,
    load_course,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.learning.answers_file import PLACEHOLDER
from grader.submission import Unusable, learner_named, read
from grader.submission.files import kind_of

if TYPE_CHECKING:
    from grader.core.model import Lang

WHOSE_IF_UNREAD = Text(
    "{problem} So it does not say whose submission this is: fix it, or give --learner.",
    "{problem}因此不知道这是谁的作业：请修正这个文件，或用 --learner 指明。",
)
SAME, DIFFERENT = 0, 1


@documented(
    {
        "submit work --to inbox": "submit the folder work",
        "submit work --verify receipt.json": "has work changed since it was submitted?",
    },
    {
        0: "submitted; with --verify: unchanged",
        1: "with --verify: changed since it was submitted",
        3: "PATH cannot be read as a submission",
    },
    ChineseHelp(
        "提交文件、文件夹、笔记本或 zip。\n\n"
        "不评分，只报告缺什么；把 PATH 存入 INBOX，要么完整存入，要么完全不存；打印回执（加 --json 时输出供 "
        "--verify 使用的文件）。加 --verify 时，把 PATH 和回执比较。",
        {
            "--to": "提交到哪个文件夹。",
            "--verify": "改为把 PATH 和回执比较。",
            "--learner": "这是谁的作业（默认用 answers.yaml 里的名字）。",
        },
        (
            "提交 work 文件夹",
            "提交之后 work 改动过吗？",
        ),
        {0: "已提交；用 --verify 时：没有改动", 1: "用 --verify 时：提交后有改动"},
    ),
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--to", "inbox", type=click.Path(path_type=Path), metavar="INBOX", help="The folder to submit to.")
@click.option(
    "--verify", type=click.Path(path_type=Path), metavar="RECEIPT", help="Compare PATH with a receipt instead."
)
@click.option("--learner", metavar="NAME", help="Whose work it is (default: the name in answers.yaml).")
@json_option
@lang_option
@course_option
def submit(
    *,
    path: Path,
    inbox: Path | None,
    verify: Path | None,
    learner: str | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Submit a file, folder, notebook or zip.

    Reports what is missing, without grading; stores PATH in INBOX, completely or not at all; prints a receipt
    (with --json, a file for --verify). With --verify, compares PATH with a receipt.
    """
    from grader.classroom import inbox_view  # loads numpy

    if (inbox is None) == (verify is None):
        raise UsageError(
            Text(
                "Give either --to INBOX to submit, or --verify RECEIPT to compare.",
                "请用 --to INBOX 提交，或用 --verify RECEIPT 核对，二选一。",
            )
        )
    if verify is not None:
        receipt = _receipt(verify)
        changed = inboxes.differences(path, receipt)
        if as_json:
            write_json({"same": not changed, "different": list(changed), "digest": receipt.digest})
        else:
            click.echo(inbox_view.comparison(receipt, changed, lang))
        click.get_current_context().exit(DIFFERENT if changed else SAME)
    assert inbox is not None
    name = learner if learner and learner.strip() else _name(path)
    course = load_course(course_folder)
    submission = read(path, name)
    remarks = list(inbox_view.remarks_on(course, submission, lang))
    remarks += inbox_view.numbers_of(course, submission, learner_named(path) or name, lang)
    receipt, new = inboxes.submit(path, inbox, name, datetime.now(UTC), course)
    remarks += inbox_view.lateness(course, receipt, lang)
    for remark in remarks:
        click.echo(f"attncheck: {remark}", err=True)
    if as_json:
        write_json({**json.loads(receipt.to_json()), "new": new, "remarks": remarks})
        return
    for line in inbox_view.receipt_lines(receipt, new, lang):
        click.echo(line)
    if course.edition is not None:
        click.echo(inbox_view.GRADED_ELSEWHERE.of(lang))


def _name(path: Path) -> str:
    """The name in answers.yaml. Raises UsageError if there is none: a file name is not a person's name."""
    name = learner_named(path)
    if name is None or name == PLACEHOLDER:
        submission = read(path)
        unread = (notice for notice in submission.notices if notice.urgent and kind_of(notice.where) == "answers")
        if (lost := submission.lost or next(unread, None)) is not None:
            raise Unusable(lost.where, WHOSE_IF_UNREAD.fill(problem=lost.text))
        raise UsageError(
            Text(
                "Whose submission is it? Give --learner NAME, or write your name into answers.yaml.",
                "这是谁的提交？请加 --learner NAME，或把名字写进 answers.yaml。",
            )
        )
    return name


def _receipt(file: Path) -> inboxes.Receipt:
    try:
        return inboxes.parse_receipt(file.read_text("utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            Text(
                "The receipt {file} cannot be read: {error}.",
                "回执 {file} 无法读取：{error}。",
            ).fill(file=file, error=error)
        ) from error
