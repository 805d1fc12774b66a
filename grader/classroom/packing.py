"""Packs code and answers, of a notebook or a folder, as a zip to submit, with a receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from grader.classroom import inbox_view
from grader.classroom.inbox import Receipt, receipt_of
from grader.core import files
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Message
from grader.core.text import LABELED
from grader.submission import parse_files
from grader.submission.files import FoundFiles, RawFile

_REFUSED = Message("Nothing was packed, because a part of it cannot be read. {problems}")
_CANNOT_WRITE = Message("{path} cannot be written: {reason}.")
PACKED = Message("Packed in {path}. Submit this file.")


@dataclass(frozen=True, slots=True)
class PackedSubmission:
    """A zip to submit, its receipt, and remarks on what is in it; notebooks show them."""

    path: Path
    receipt: Receipt
    remarks: tuple[str, ...]
    lang: Lang

    def __repr__(self) -> str:
        """All of it as text."""
        packed = PACKED.fill(path=self.path.name).of(self.lang)
        return "\n".join([packed, *inbox_view.receipt_lines(self.receipt, None, self.lang), *self.remarks])

    def _repr_html_(self) -> str:
        link = Markup('<a href="{0}" download>{0}</a>').format(self.path.name)
        packed = Markup(PACKED.fill(path="{}").of(self.lang)).format(link)
        contents = "\n".join(inbox_view.receipt_lines(self.receipt, None, self.lang))
        remarks = Markup("").join(map(Markup("<li>{}</li>").format, self.remarks))
        return Markup("<p>{}</p><pre>{}</pre><ul>{}</ul>").format(packed, contents, remarks)


def pack(path: Path, raws: Sequence[RawFile], learner: str, course: Course, lang: Lang) -> PackedSubmission:
    """Writes ``raws`` to the zip ``path``. Raises UsageError, and writes nothing, if a part of them cannot be read."""
    raws = sorted(raws, key=lambda raw: raw.path)
    submission = parse_files(FoundFiles(path.name, tuple(raws)), learner, path.name)
    unread = [LABELED.fill(who=notice.where, said=notice.text) for notice in submission.notices if notice.urgent]
    if unread:
        raise UsageError(_REFUSED.fill(problems="\n".join(problem.of(lang) for problem in unread)))
    remarks = tuple(inbox_view.remarks_on(course, submission, learner, lang))
    try:
        files.write(path, files.zipped((raw.path, raw.data) for raw in raws))
    except OSError as error:
        raise UsageError(_CANNOT_WRITE.fill(path=path, reason=error.strerror or error)) from error
    return PackedSubmission(path, receipt_of(raws, submission, datetime.now(UTC), course), remarks, lang)
