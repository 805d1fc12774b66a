"""Drafts: what learners typed and did not send, on pages or in a terminal.

A draft is saved while it is typed: a file of its own in a folder beside the log. It is never graded, submitted or shown
to anybody else. Several windows may write the same draft. Each says which version it has seen, so that one that it has
not seen is kept beside the new one instead of being lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from grader.core import files
from grader.core.errors import UsageError
from grader.core.model import Course, Message
from grader.learning.entries import Entry


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """The ``part`` of an answer that is marked, as in ``items.Judgment``: it is wrong, or it cannot be read."""

    part: str
    kind: Literal["wrong", "unread"]


@dataclass(frozen=True, slots=True)
class Filled:
    """What a form is filled with: the newest that its learner entered, and what is marked in it.

    ``other`` is what they had entered in another window. ``version`` is that of the draft, empty if there is none.
    """

    entry: Entry
    mark: MarkedPart | None = None
    other: Entry | None = None
    version: str = ""


FORMAT = 1
#: The most characters in the fields of a draft. The longest file of code has fewer.
MOST = 520_000
_NOT_SAVED = Message("The draft cannot be saved: {reason}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Filled):
    """What the fields of a form held at a time.

    ``mark`` is there if the fields were sent and judged. ``other`` are the fields of another window, if this draft was
    saved by one that had not seen them.
    """

    at: datetime


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts of one learner in ``folder``, which is created when needed; None keeps nothing.

    ``owner`` tells apart learners and courses that share a folder. Several threads may use it.
    """

    folder: Path | None
    owner: str
    _alone: threading.Lock = field(default_factory=threading.Lock)

    def read(self, name: str) -> Draft | None:
        """The draft called ``name``; None if there is none, or if its file is damaged."""
        try:
            return None if self.folder is None else _decoded(json.loads(self._place(self.folder, name).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def write(
        self,
        name: str,
        fields: Entry,
        seen: str | None = None,
        *,
        mark: MarkedPart | None = None,
        since: datetime | None = None,
    ) -> Draft:
        """Save ``fields`` as the draft ``name``. ``seen`` is the version that the window had; None if it is unknown.

        A draft that is older than ``since`` was not in the form, because something newer was. The file is on the disk
        when this returns. Raises UsageError if it is too long or cannot be written.
        """
        if sum(len(text) for values in fields.values() for text in values) > MOST:
            raise UsageError(Message("This is longer than {most} characters.").fill(most=MOST))
        with self._alone:
            before = self.read(name)
            other = before.other if before is not None else None
            same = before is not None and before.entry == fields
            if before is not None and not same and _unseen(before, seen, since):
                other = before.entry
            if before is not None and mark is None and same:
                mark = before.mark
            new = Draft(fields, mark, other, secrets.token_hex(8), at=datetime.now(UTC))
            if self.folder is not None:
                self._save(self.folder, name, new)
        return new

    def _save(self, folder: Path, name: str, draft: Draft) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write(self._place(folder, name), _encoded(draft))
        except OSError as error:
            raise UsageError(_NOT_SAVED.fill(reason=error.strerror or error)) from error

    def settle(self, name: str, seen: str | None = None) -> None:
        """Remove the draft ``name``, because it was sent, unless it has a version that the window had not ``seen``."""
        with self._alone:
            before = self.read(name)
            if self.folder is not None and before is not None and (seen is None or before.version == seen):
                self._place(self.folder, name).unlink(missing_ok=True)

    def under(self, owner: str, names: Iterable[str]) -> Drafts:
        """The drafts of the same learner, who is now called ``owner``. The files of those with these ``names`` move."""
        new = replace(self, owner=owner)
        if self.folder is not None:
            for name in names:
                with self._alone, contextlib.suppress(FileNotFoundError):
                    os.replace(self._place(self.folder, name), new._place(self.folder, name))
        return new

    def size(self, *, but: str = "") -> int:
        """The bytes of all drafts in the folder, except the one called ``but``."""
        if self.folder is None or not self.folder.is_dir():
            return 0
        left_out = self._place(self.folder, but)
        others = (path for path in self.folder.glob("*.json") if path != left_out)
        return sum(map(files.size, others))

    def _place(self, folder: Path, name: str) -> Path:
        digest = hashlib.sha256("\0".join((self.owner, name)).encode(errors="replace")).hexdigest()
        return folder / f"{digest[:32]}.json"


def drafts_folder(log: Path) -> Path | None:
    """The folder for drafts beside a log; None for something like /dev/null, which keeps nothing."""
    return log.with_suffix(".drafts") if log.is_file() or not log.exists() else None


def _unseen(draft: Draft, seen: str | None, since: datetime | None) -> bool:
    """Whether the window that had the version ``seen`` had something else than ``draft`` in its form."""
    return (seen is not None and draft.version != seen) or (since is not None and since > draft.at)


def _encoded(draft: Draft) -> str:
    entry: dict[str, Any] = {
        "format": FORMAT,
        "at": draft.at.isoformat(),
        "version": draft.version,
        "fields": draft.entry,
        "mark": None if draft.mark is None else [draft.mark.part, draft.mark.kind],
        "other": draft.other,
    }
    return json.dumps(entry, ensure_ascii=True)


def _decoded(entry: Mapping[str, Any]) -> Draft | None:
    """The draft in a file; None if another version of attncheck wrote it. Raises ValueError, KeyError or TypeError."""
    if entry["format"] != FORMAT:
        return None
    mark, other = entry["mark"], entry["other"]
    return Draft(
        entry=_fields(entry["fields"]),
        version=str(entry["version"]),
        at=datetime.fromisoformat(entry["at"]),
        mark=None if mark is None else MarkedPart(str(mark[0]), "unread" if mark[1] == "unread" else "wrong"),
        other=None if other is None else _fields(other),
    )


def _fields(fields: Mapping[str, Any]) -> Entry:
    return {str(name): tuple(str(value) for value in values) for name, values in dict(fields).items()}


@dataclass(frozen=True, slots=True)
class SavedText:
    """What a learner typed and did not submit, saved where pages save it, too."""

    drafts: Drafts

    @classmethod
    def of(cls, course: Course, log: Path, learner: str) -> SavedText:
        """What ``learner`` typed and did not submit, beside the log."""
        return cls(Drafts(drafts_folder(log), f"{course.public_id}\0{learner}"))

    def read(self, item: str) -> str:
        """The text of ``item``; empty if there is none."""
        draft = self.drafts.read(f"item/{item}")
        return "\n".join(draft.entry.get("answer", ())) if draft is not None else ""

    def write(self, item: str, text: str) -> None:
        """Save ``text``; empty text removes what was saved."""
        if not text.strip():
            self.drafts.settle(f"item/{item}")
        else:
            with contextlib.suppress(UsageError):  # the disk is full: quitting works all the same
                self.drafts.write(f"item/{item}", {"answer": (text,)})
