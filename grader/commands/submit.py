"""``attncheck submit``: store a submission in an inbox or in a zip, or compare one with its receipt."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from grader.classroom import inbox as inboxes
from grader.commands._console import print_lines, say, write_json
from grader.commands._options import PATH, Call, Documented, shared, work_argument
from grader.core.errors import UsageError
from grader.core.model import Message, Text
from grader.learning.answers_file import PLACEHOLDER
from grader.submission import Unusable, learner_named, read, read_files
from grader.submission.files import PACKED, kind_of

LISTED = "Learners", 140

WHOSE_IF_UNREAD = Message("{problem} So it does not say whose submission this is: fix it, or give --learner.")
SAME, DIFFERENT = 0, 1


@click.command(cls=Documented)
@work_argument
@click.option(
    "--to", "inbox", type=PATH, metavar="INBOX", help="The folder to submit to (default: none; a zip is written here)."
)
@click.option("--verify", type=PATH, metavar="RECEIPT", help="Compare PATH with a receipt instead.")
@click.option("--learner", metavar="NAME", help="Whose work it is (default: the name in answers.yaml).")
@shared("json", "lang", "course")
def submit(call: Call, *, path: Path, inbox: Path | None, verify: Path | None, learner: str | None) -> None:
    """Submit a file, folder, notebook or zip.

    Reports what is missing, without grading; stores PATH in INBOX, completely or not at all; prints a receipt
    (with --json, a file for --verify). Without an inbox, writes work-submission.zip to this folder, for you to submit
    where your course asks for it. With --verify, compares PATH with a receipt.

    Examples:
      submit                             pack the folder that you work in as a zip to submit
      submit work --to inbox             submit the folder work
      submit work --verify receipt.json  has work changed since it was submitted?

    Exit codes:
      0  submitted; with --verify: unchanged
      1  with --verify: changed since it was submitted
      3  PATH cannot be read as a submission
    """
    from grader.classroom import inbox_view  # loads numpy

    if inbox is not None and verify is not None:
        raise UsageError(Message("Give either --to INBOX to submit, or --verify RECEIPT to compare."))
    if verify is not None:
        receipt = _receipt(verify)
        changed = inboxes.differences(path, receipt)
        data = {"same": not changed, "different": list(changed), "digest": receipt.digest}
        call.show(lambda: data, lambda: [inbox_view.comparison(receipt, changed, call.lang)])
        click.get_current_context().exit(DIFFERENT if changed else SAME)
    name = learner if learner and learner.strip() else _name(path)
    course, place = call.course(), Path(f"{path.resolve().stem}{PACKED}")
    new: bool | None = None
    if inbox is None:
        packed = inbox_view.pack(place, read_files(path).raws, name, course, call.lang)
        receipt, remarks = packed.receipt, list(packed.remarks)
    else:
        submission = read(path, name)
        remarks = list(inbox_view.remarks_on(course, submission, learner_named(path) or name, call.lang))
        receipt, new = inboxes.submit(path, inbox, name, datetime.now(UTC), course)
    remarks += inbox_view.lateness(course, receipt, call.lang)
    for remark in remarks:
        say(Text(remark, remark), err=True)
    if call.as_json:
        write_json({**json.loads(receipt.to_json()), "new": new, "remarks": remarks})
        return
    if inbox is None:
        say(inbox_view.PACKED.fill(path=place))
    print_lines(inbox_view.receipt_lines(receipt, new, call.lang))
    if course.edition is not None:
        say(inbox_view.GRADED_ELSEWHERE)


def _name(path: Path) -> str:
    """The name in answers.yaml. Raises UsageError if there is none: a file name is not a person's name."""
    name = learner_named(path)
    if name is None or name == PLACEHOLDER:
        submission = read(path)
        unread = (notice for notice in submission.notices if notice.urgent and kind_of(notice.where) == "answers")
        if (lost := submission.lost or next(unread, None)) is not None:
            raise Unusable(lost.where, WHOSE_IF_UNREAD.fill(problem=lost.text))
        raise UsageError(Message("Whose submission is it? Give --learner NAME, or write your name into answers.yaml."))
    return name


def _receipt(file: Path) -> inboxes.Receipt:
    try:
        return inboxes.parse_receipt(file.read_text("utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(Message("The receipt {file} cannot be read: {error}.").fill(file=file, error=error)) from error
