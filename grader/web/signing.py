"""Signing in and out on the pages of a class.

A personal link opens a page that says whose it is. Only the button there signs in, with a POST that must come from that
page, so nothing that merely loads addresses does: images and frames of other sites, previews, scanners of mails.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope

from grader.classroom import audit
from grader.core.model import Message
from grader.core.text import timestamp
from grader.web.links import LONGEST_TOKEN
from grader.web.notice import Notice, Step
from grader.web.pace import RateLimit
from grader.web.people import ClassMember, Role
from grader.web.security import SAFE_METHODS
from grader.web.sessions import Sessions, Visitor, session_end

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
#: The most sessions that a person begins in ten minutes.
_MOST_SESSIONS = 20
#: The most bytes of the form that signs in: a token and its name.
_LONGEST_FORM = LONGEST_TOKEN + 100

_ROLES = {
    Role.LEARNER: Message("a learner"),
    Role.ASSISTANT: Message("an assistant"),
    Role.INSTRUCTOR: Message("an instructor"),
}
_ASK = Message("Sign in as {name}?")
_WHOSE = Message(
    "This is the personal link of {name}, {role} of this class. Sign in only if that is you: whatever you do here will "
    "count as {name}’s."
)
_UNTIL = Message("You stay signed in on this device until {until}, or until you sign out.")
_DO_SIGN_IN = Message("Sign in")
_DO_SIGN_OUT = Message("Sign out")
WHO = Notice(
    403,
    Message("Sign in with your personal link"),
    (
        Message(
            "These pages are for the members of a class. Open the personal link that your instructor sent you, on this "
            "device and in this browser."
        ),
        Message(
            "If you were signed in before, the session has ended. The same link signs you in again as long as it is "
            "valid; if it is not, ask your instructor for a new one."
        ),
    ),
)
_NOT_VALID = Notice(
    403,
    Message("This link does not work"),
    (
        Message(
            "It is incomplete, has expired, or has been replaced. Copy the whole link from your instructor’s latest "
            "message, or ask for a new one."
        ),
    ),
)
_SIGNED_OUT = Notice(
    200,
    Message("You are signed out"),
    (Message("This session has ended. To come back, open your personal link again."),),
)
_SOMEBODY_ELSE = Message("You are signed in as {name}")
_FIRST = Message("This link belongs to {other}. To use it, sign out first, and then open it again.")
_TOO_OFTEN = Notice(
    429,
    Message("Too many sign-ins"),
    (
        Message("You have signed in {most} times within ten minutes. Wait ten minutes, and open your link again.").fill(
            most=_MOST_SESSIONS
        ),
    ),
    headers={"Retry-After": "600"},
)


def note_action(folder: Path, person: ClassMember, did: str, **about: str) -> None:
    """Record in the audit log that ``person`` did something."""
    entry = audit.AuditEntry(datetime.now(UTC), person.id, person.role.value, did, tuple(about.items()))
    audit.note(folder, entry)


@dataclass(slots=True)
class Signing:
    """Signs people in and out. The session is in a cookie; ``secure`` is whether the address of the class is https."""

    sessions: Sessions
    folder: Path
    secure: bool
    clock: Callable[[], float] = time.monotonic
    _begun: RateLimit = field(default_factory=lambda: RateLimit(_MOST_SESSIONS, 600.0))

    @property
    def cookie(self) -> str:
        """The name of the session cookie; different for each class, because cookies ignore ports."""
        return f"{'__Host-' if self.secure else ''}attncheck-{self.sessions.signer.mark}"

    async def offered(self, scope: Scope, receive: Receive) -> Visitor | None:
        """The owner of the valid link in a request to sign in; None if there is none."""
        if scope["path"] != SIGN_IN:
            return None
        given = scope["query_string"] if scope["method"] in SAFE_METHODS else await _short_form(receive)
        link = dict(parse_qsl(given.decode("latin-1"))).get("link", "")
        return self.sessions.visitor("link", link, datetime.now(UTC))

    async def answer(self, scope: Scope, visitor: Visitor | None, offered: Visitor | None) -> Response | None:
        """The response to signing in or out; None for all other requests. Raises UsageError if nothing can be saved."""
        if scope["path"] == SIGN_OUT and scope["method"] == "POST":
            return await self._sign_out(scope, visitor)
        if scope["path"] != SIGN_IN:
            return None
        if offered is None or offered.claim is None:
            return _NOT_VALID.response(scope)
        person = offered.person
        if visitor is not None and visitor.person == person:
            return _home(person)
        if visitor is not None:
            title = _SOMEBODY_ELSE.fill(name=visitor.person.name)
            step = Step(_DO_SIGN_OUT, SIGN_OUT, post=True)
            return Notice(409, title, (_FIRST.fill(other=person.name),), step).response(scope)
        if scope["method"] in SAFE_METHODS:
            token = dict(parse_qsl(scope["query_string"].decode("latin-1")))["link"]
            until = timestamp(session_end(offered.claim, datetime.now(UTC)).isoformat())
            texts = _WHOSE.fill(name=person.name, role=_ROLES[person.role]), _UNTIL.fill(until=until)
            step = Step(_DO_SIGN_IN, SIGN_IN, post=True, fields=(("link", token),))
            return Notice(200, _ASK.fill(name=person.name), texts, step).response(scope)
        return await self._sign_in(scope, offered)

    async def _sign_in(self, scope: Scope, offered: Visitor) -> Response:
        now, person = self.clock(), offered.person
        if self._begun.wait(person.id, now):
            return _TOO_OFTEN.response(scope)
        self._begun.note(person.id, now)
        assert offered.claim is not None
        token, seconds = self.sessions.begin(offered.claim, datetime.now(UTC))
        await run_in_threadpool(note_action, self.folder, person, "signed in")
        answer = _home(person)
        answer.set_cookie(
            self.cookie,
            token,
            max_age=seconds,
            path="/",
            httponly=True,
            samesite="lax",  # with "strict", a page opened from a link in a mail would not get the cookie
            secure=self.secure,
        )
        return answer

    async def _sign_out(self, scope: Scope, visitor: Visitor | None) -> Response:
        if visitor is not None and visitor.claim is not None:
            await run_in_threadpool(self.sessions.end, visitor.claim)
            await run_in_threadpool(note_action, self.folder, visitor.person, "signed out")
        answer = _SIGNED_OUT.response(scope)
        answer.delete_cookie(self.cookie, path="/", httponly=True, samesite="lax", secure=self.secure)
        return answer


def _home(person: ClassMember) -> Response:
    return RedirectResponse("/" if person.role is Role.LEARNER else "/class", 303)


async def _short_form(receive: Receive) -> bytes:
    """The body of a request; empty if it is longer than a link, or incomplete."""
    body, more = b"", True
    while more and len(body) <= _LONGEST_FORM:
        message = await receive()
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
    return b"" if more or len(body) > _LONGEST_FORM else body
