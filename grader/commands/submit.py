"""The verbs that hand in, and make the place for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    course_option,
    documented,
    json_option,
    lang_option,
    load_course,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import COMMA, SAYS, duration, timestamp

INBOX_MADE = Text(
    "{folder} is an inbox. Its key, {key}, is for you alone: keep a backup, and pass it to nobody.",
    "{folder} 已成为收件箱。其中的密钥 {key} 只供您本人使用：请做好备份，不要交给任何人。",
)
HANDED_IN = Text("Handed in for {learner} at {at}:", "已为 {learner} 提交（{at}）：")
HANDED_IN_BEFORE = Text(
    "The same files were handed in for {learner} already, at {at}; nothing new was stored:",
    "这些文件已为 {learner} 提交过（{at}），没有重复存入：",
)
RECEIPT = Text("Receipt: {digest}", "回执：{digest}")
THE_SAME = Text("These are the files that {learner} handed in at {at}.", "这些文件就是 {learner} 在 {at} 提交的。")
NOT_THE_SAME = Text(
    "These are not the files that were handed in at {at}; changed, new or gone: {names}",
    "这些文件与 {at} 提交的不同，有改动、新增或缺失：{names}",
)
WHOSE_IF_UNREAD = Text(
    "{problem} So it does not say whose submission this is: fix it, or give --learner.",
    "{problem}因此不知道这是谁的作业：请修正这个文件，或用 --learner 指明。",
)
NOT_IN_IT = Text("{question}: not in it yet: {names}", "{question}：还缺 {names}")
NO_ANSWERS = Text(
    "there is no answers.yaml in it, so no question counts as answered",
    "里面没有 answers.yaml，因此所有小题都按未作答处理",
)
NOTHING_OF = Text("nothing in it belongs to {names}", "没有 {names} 的内容")
MARKED_ELSEWHERE = Text(
    "With this learners' edition of the course, answers to graded items are marked, and hidden cases are run, on your "
    "instructor's side.",
    "这是学习者版课程：计分题由教师一侧批改，隐藏用例也在教师一侧运行。",
)
WAS_DUE = Text(
    "it was due {due}, so this is {time} late, unless you were given extra time",
    "截止时间是 {due}，这次提交迟了 {time}（获准延期的除外）",
)


if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.classroom.inbox import Receipt
    from grader.core.model import Course, Lang, Submission

SAME, DIFFERENT = 0, 1
#: What `start` writes where a name belongs.
_PLACEHOLDER = "your-name"


@documented(
    {
        "submit work --to inbox": "hand in the folder work",
        "submit work --verify receipt.json": "has work changed since it was handed in?",
    },
    {
        0: "handed in; with --verify: unchanged",
        1: "with --verify: changed since it was handed in",
        3: "PATH cannot be read as a submission",
    },
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--to", "inbox", type=click.Path(path_type=Path), metavar="INBOX", help="The folder to hand in to.")
@click.option(
    "--verify", type=click.Path(path_type=Path), metavar="RECEIPT", help="Compare PATH with a receipt instead."
)
@click.option("--learner", metavar="NAME", help="Whose it is (default: as answers.yaml says).")
@json_option
@lang_option
@course_option
def submit(
    path: Path,
    inbox: Path | None,
    verify: Path | None,
    learner: str | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Hands in a file, folder, notebook or zip.

    Says what is missing, without grading; stores PATH in INBOX, whole or not at all; prints a receipt
    (with --json as a file for --verify). With --verify, says whether PATH still is what the receipt is
    for.
    """
    if (inbox is None) == (verify is None):
        raise UsageError("Give --to INBOX to hand in, or --verify RECEIPT to compare.")
    if verify is not None:
        _verify(path, verify, as_json, lang)
        return
    assert inbox is not None
    import json
    from datetime import UTC, datetime

    from grader.classroom import inbox as inboxes
    from grader.submission import read

    name = learner if learner and learner.strip() else _name(path)
    course = load_course(course_folder)
    remarks = list(_remarks(course, read(path, name), lang))
    receipt, new = inboxes.submit(path, inbox, name, datetime.now(UTC))
    remarks += _late(course, receipt, lang)
    for remark in remarks:
        click.echo(f"attncheck: {remark}", err=True)
    if as_json:
        write_json({**json.loads(receipt.to_json()), "new": new, "remarks": remarks})
    else:
        for line in _lines(receipt, new, lang):
            click.echo(line)
        if course.edition is not None:
            click.echo(MARKED_ELSEWHERE.of(lang))


@documented(
    {
        "inbox /srv/inbox": "make the folder an inbox",
    },
    {0: "done"},
)
@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@lang_option
def inbox(folder: Path, lang: Lang) -> None:
    """Makes FOLDER an inbox with a key, which signs receipts.

    The key is for you alone: where 'submit' runs under your account, for learners who cannot write to
    the inbox themselves, 'batch' then believes signed receipts only.
    """
    from grader.classroom import inbox as inboxes
    from grader.core.text import clean

    inboxes.make(folder)
    click.echo(INBOX_MADE.fill(folder=clean(str(folder)), key=inboxes.KEY).of(lang))


def _name(path: Path) -> str:
    """Who says so in answers.yaml; the name of a file is not somebody's."""
    from grader.submission import Unusable, named, read

    name = named(path)
    if name is None or name == _PLACEHOLDER:
        if (lost := read(path).lost) is not None:
            raise Unusable(lost.where, WHOSE_IF_UNREAD.fill(problem=lost.text))
        raise UsageError("Whose submission is it? Give --learner NAME, or write your name into answers.yaml.")
    return name


def _remarks(course: Course, submission: Submission, lang: Lang) -> Iterator[str]:
    """What can be said without running anything. Raises SubmissionError where there is nothing of the course."""
    from grader.core.text import clean
    from grader.grading.grade import Selection, choose, remarks
    from grader.report.terminal import ranges
    from grader.submission import definers

    chosen = choose(course, submission, Selection())
    for notice in (*submission.notices, *remarks(course, submission, chosen)):
        yield clean(SAYS.fill(who=notice.where, said=notice.text).of(lang), 600)
    comma = COMMA.of(lang)
    answered = {answer.item for answer in submission.answers or () if answer.value is not None}
    for each in chosen:
        missing = [item.id for item in each.items if item.id not in answered]
        missing += [exercise.name for exercise in each.exercises if not definers(submission, exercise.name)]
        if missing:
            yield NOT_IN_IT.fill(question=each.question.id, names=comma.join(missing)).of(lang)
    if submission.answers is None and any(item.use == "graded" for each in chosen for item in each.question.items):
        yield NO_ANSWERS.of(lang)
    touched = {each.question.id for each in chosen}
    untouched = [question.id for question in course.questions if question.id not in touched]
    if untouched:
        yield NOTHING_OF.fill(names=comma.join(ranges(untouched))).of(lang)


def _late(course: Course, receipt: Receipt, lang: Lang) -> Iterator[str]:
    from datetime import datetime

    if course.rules.due is not None:
        late = (receipt.at - datetime.fromisoformat(course.rules.due)).total_seconds()
        if late > 0:
            yield WAS_DUE.fill(due=timestamp(course.rules.due), time=duration(late)).of(lang)


def _lines(receipt: Receipt, new: bool, lang: Lang) -> Iterator[str]:
    from grader.core.text import clean

    said = HANDED_IN if new else HANDED_IN_BEFORE
    yield said.fill(learner=clean(receipt.learner), at=_at(receipt)).of(lang)
    width = len(str(max(file.size for file in receipt.files)))
    for file in receipt.files:
        yield f"  {file.sha256[:16]}  {file.size:>{width}}  {clean(file.name)}"
    yield RECEIPT.fill(digest=receipt.digest).of(lang)


def _at(receipt: Receipt) -> str:
    return f"{receipt.at:%Y-%m-%d %H:%M:%S} UTC"


def _verify(path: Path, place: Path, as_json: bool, lang: Lang) -> None:
    from grader.classroom import inbox as inboxes
    from grader.core.text import clean

    try:
        text = place.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The receipt {place} cannot be read: {error}.") from error
    receipt = inboxes.parse(text, str(place))
    changed = inboxes.differences(path, receipt)
    if as_json:
        write_json({"same": not changed, "different": list(changed), "digest": receipt.digest})
    elif changed:
        names = COMMA.of(lang).join(map(clean, changed))
        click.echo(NOT_THE_SAME.fill(at=_at(receipt), names=names).of(lang))
    else:
        click.echo(THE_SAME.fill(learner=clean(receipt.learner), at=_at(receipt)).of(lang))
    click.get_current_context().exit(DIFFERENT if changed else SAME)
