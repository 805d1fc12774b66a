"""``attncheck inbox``: create an inbox."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom import inbox as inboxes
from grader.commands._options import (
    ChineseHelp,
    documented,
    lang_option,
)
from grader.core.model import Text
from grader.core.text import clean

if TYPE_CHECKING:
    from grader.core.model import Lang

INBOX_MADE = Text(
    "{folder} is now an inbox. Its key, {key}, is for you alone: keep a backup, and do not share it.",
    "{folder} 已成为收件箱。其中的密钥 {key} 只供您本人使用：请做好备份，不要交给任何人。",
)


@documented(
    {
        "inbox /srv/inbox": "make the folder an inbox",
    },
    {0: "done"},
    ChineseHelp(
        "把 FOLDER 设为收件箱，并生成签署回执的密钥。\n\n"
        "密钥请自己保管。如果学习者不能直接写入收件箱，“submit”由你的账户代为运行，那么“batch”只接受签过名"
        "的回执。",
        {},
        ("把这个文件夹设为收件箱",),
    ),
)
@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@lang_option
def inbox(folder: Path, lang: Lang) -> None:
    """Turn FOLDER into an inbox with a key that signs receipts.

    Keep the key to yourself. If 'submit' runs under your account, for learners who cannot write to the inbox
    themselves, 'batch' accepts only signed receipts.
    """
    inboxes.create_inbox(folder)
    click.echo(INBOX_MADE.fill(folder=clean(str(folder)), key=inboxes.KEY).of(lang))
