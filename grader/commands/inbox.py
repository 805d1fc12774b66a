"""``attncheck inbox``: create an inbox."""

from __future__ import annotations

from pathlib import Path

import click

from grader.classroom import inbox as inboxes
from grader.commands._console import say
from grader.commands._options import FOLDER, Call, Documented, shared
from grader.core.model import Message
from grader.core.text import clean

LISTED = "Instructors", 10

INBOX_MADE = Message("{folder} is now an inbox. Its key, {key}, is for you alone: keep a backup, and do not share it.")


@click.command(cls=Documented)
@click.argument("folder", type=FOLDER)
@shared("lang")
def inbox(call: Call, folder: Path) -> None:
    """Turn FOLDER into an inbox with a key that signs receipts.

    Keep the key to yourself. If 'submit' runs under your account, for learners who cannot write to the inbox
    themselves, 'batch' accepts only signed receipts.

    Examples:
      inbox /srv/inbox  make the folder an inbox

    Exit codes:
      0  done
    """
    inboxes.create_inbox(folder)
    say(INBOX_MADE.fill(folder=clean(str(folder)), key=inboxes.KEY))
