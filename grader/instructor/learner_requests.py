"""Requests for regrading: a learner asks about an item or exercise, and a member of the staff answers once.

They are stored in ``requests.jsonl`` in the results folder (see ``jsonl``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.core import jsonl
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import clean

FILE = "requests.jsonl"
#: The keys that hold the number of a request, by kind of record.
_ABOUT = ("request", "answers", "withdraws", "restores")
#: Longer reasons and answers are cut.
LONGEST = 4000


@dataclass(frozen=True, slots=True)
class RequestReply:
    """The reply to a request."""

    text: str
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LearnerRequest:
    """A request about an item or exercise, ``part``. ``number`` is unique; ``answer`` is None while it is open.

    ``withdrawn`` is an answer that was taken back when its points were undone.
    """

    number: int
    learner: str
    part: str
    reason: str
    at: datetime
    answer: RequestReply | None = None
    withdrawn: RequestReply | None = None


def add_request(folder: Path, learner: str, part: str, reason: str, at: datetime) -> LearnerRequest:
    """Save a request. Raises UsageError if ``reason`` is empty, or if a request about ``part`` is open."""
    said = _tidy(reason)
    if not said:
        raise UsageError(Message("Say why this should be graded again."))

    def make(known: Sequence[dict[str, Any]]) -> jsonl.Record:
        found = _requests(known)
        if any(one.learner == learner and one.part == part and one.answer is None for one in found):
            raise UsageError(Message("Your request about {part} is still open; wait for the answer.").fill(part=part))
        number = max((one.number for one in found), default=0) + 1
        return {"request": number, "learner": learner, "part": part, "reason": said, "at": _iso(at)}

    record = jsonl.append(folder / FILE, make)
    return LearnerRequest(record["request"], learner, part, said, at)


def list_requests(folder: Path, learner: str | None = None) -> tuple[LearnerRequest, ...]:
    """The requests in a results folder, oldest first: all, or those of ``learner``."""
    return tuple(one for one in _requests(jsonl.read(folder / FILE)) if learner in (None, one.learner))


def answer_request(folder: Path, number: int, text: str, author: str, at: datetime) -> None:
    """Answer a request. Raises UsageError if it does not exist, has an answer, or if ``text`` is empty."""

    def make(known: Sequence[dict[str, Any]]) -> jsonl.Record:
        found = next((one for one in _requests(known) if one.number == number), None)
        if found is None:
            raise UsageError(Message("There is no request {number}.").fill(number=number))
        check_reply(found, text)
        return {"answers": number, "text": _tidy(text), "author": author, "at": _iso(at)}

    jsonl.append(folder / FILE, make)


def check_reply(request: LearnerRequest, text: str) -> None:
    """Raise UsageError if the request has an answer already, or if ``text`` is empty."""
    if request.answer is not None:
        said = Message("Request {number} was already answered by {author}.")
        raise UsageError(said.fill(number=request.number, author=clean(request.answer.author)))
    if not _tidy(text):
        raise UsageError(Message("Write an answer: the learner will see it."), field="answer")


def set_withdrawn(folder: Path, number: int, withdrawn: bool, author: str, at: datetime) -> None:
    """Take back the answer to a request, so that it is open again, or restore the answer that was taken back."""
    did = "withdraws" if withdrawn else "restores"
    jsonl.add(folder / FILE, {did: number, "author": author, "at": _iso(at)})


def forget(folder: Path, learner: str) -> None:
    """Delete the requests of a learner with their answers."""
    theirs = {one.number for one in list_requests(folder, learner)}
    jsonl.remove(folder / FILE, lambda one: bool(theirs & {one.get(about) for about in _ABOUT}))


def _requests(found: Sequence[dict[str, Any]]) -> tuple[LearnerRequest, ...]:
    """The requests in ``found``. Records in another format (edited by hand) are skipped."""
    made: dict[int, LearnerRequest] = {}
    for one in found:
        match one:
            case {"request": int(n), "learner": str(who), "part": str(part), "reason": str(why), "at": str(at)}:
                made[n] = LearnerRequest(n, who, part, why, _time(at))
            case {"answers": int(n), "text": str(text), "author": str(author), "at": str(at)} if n in made:
                made[n] = replace(made[n], answer=RequestReply(text, author, _time(at)), withdrawn=None)
            case {"withdraws": int(n)} if n in made and made[n].answer is not None:
                made[n] = replace(made[n], answer=None, withdrawn=made[n].answer)
            case {"restores": int(n)} if n in made and made[n].withdrawn is not None:
                made[n] = replace(made[n], answer=made[n].withdrawn, withdrawn=None)
    return tuple(made.values())


def _tidy(text: str) -> str:
    return clean(text, LONGEST, lines=True).strip()


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _time(iso: str) -> datetime:
    """A saved time; ``datetime.min`` if it is not a valid time."""
    try:
        found = datetime.fromisoformat(iso)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
