"""Access control for the pages of a class, and signing in and out.

Every request must use the own host name of the server. People are identified by a session, which starts with their
personal link, or, if so configured, by a header that a trusted proxy sets. A request that changes something must come
from one of the own pages of the server. Requests that arrive faster than a person with several windows would send them
are delayed, and those of strangers by their address.

A personal link opens a page that says whose it is. Only the button there signs in, with a POST that must come from that
page, so nothing that merely loads addresses does: images and frames of other sites, previews, scanners of mails.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from grader.classroom import audit
from grader.core.errors import UsageError
from grader.core.model import Message, Text
from grader.core.tables import texts
from grader.core.text import timestamp
from grader.web.limits import RateLimit, RequestQueue, peer
from grader.web.people import ClassMember, MemberFiles, Role
from grader.web.security import SAFE_METHODS, App, Receive, Scope, Send, Step, notice, refused, with_headers, with_limit
from grader.web.sessions import LONGEST_TOKEN, Sessions, Visitor, session_end

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
#: The most sessions that a person begins in ten minutes.
_MOST_SESSIONS = 20
#: The most bytes of the form that signs in: a token and its name.
_LONGEST_FORM = LONGEST_TOKEN + 100


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
            return notice("link-not-valid").response(scope)
        person = offered.person
        if visitor is not None and visitor.person == person:
            return _home(person)
        if visitor is not None:
            other = notice("signed-in-as-other", name=visitor.person.name, other=person.name)
            return replace(other, step=Step(Message("Sign out"), SIGN_OUT, post=True)).response(scope)
        if scope["method"] in SAFE_METHODS:
            token = dict(parse_qsl(scope["query_string"].decode("latin-1")))["link"]
            until = timestamp(session_end(offered.claim, datetime.now(UTC)).isoformat())
            role = texts(__file__, "words.yaml")[person.role.value]
            asked = notice("sign-in", name=person.name, role=role, until=until)
            step = Step(Message("Sign in"), SIGN_IN, post=True, fields=(("link", token),))
            return replace(asked, step=step).response(scope)
        return await self._sign_in(scope, offered)

    async def _sign_in(self, scope: Scope, offered: Visitor) -> Response:
        now, person = self.clock(), offered.person
        if self._begun.wait(person.id, now):
            return notice("too-many-sign-ins", most=_MOST_SESSIONS).response(scope)
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
        answer = notice("signed-out").response(scope)
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


_MOST_BYTES = 2_000_000
#: Limits per person: requests at once, seconds between further ones, requests in the queue, concurrent requests.
_BURST, _GAP, _LINE, AT_ONCE = 60, 0.5, 10, 3
#: The same for each address of people who are not signed in. A reverse proxy is one address.
_STRANGERS, _STRANGERS_GAP, _STRANGERS_LINE = 300, 0.1, 50
#: Requests beyond these limits are refused after a pause in seconds, to slow down programs that repeat them. At most
#: this many requests of a person wait for their refusal; others are refused at once.
_PAUSE, _PAUSING = 3.0, 20

_NO_ADDRESS = Message(
    "--trusted-proxy is “{given}”; expected the address of the proxy, such as 127.0.0.1 or 10.0.0.0/24."
)


@dataclass(frozen=True, slots=True)
class Proxy:
    """A reverse proxy that signs people in: the ``header`` with their id, and the ``addresses`` it connects from."""

    header: str
    addresses: str

    def __post_init__(self) -> None:
        """Validate the addresses. Raises UsageError."""
        try:
            ip_network(self.addresses, strict=False)
        except ValueError:
            raise UsageError(_NO_ADDRESS.fill(given=self.addresses)) from None

    def sent(self, scope: Scope) -> bool:
        """Whether a request comes from the proxy."""
        client = scope.get("client")
        try:
            return client is not None and ip_address(client[0]) in ip_network(self.addresses, strict=False)
        except ValueError:
            return False


async def _until(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, at most ``seconds``."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


@dataclass(slots=True)
class Gate:
    """Applies the rules before ``app``. ``address`` is the public address, such as ``https://quiz.example.edu``.

    ``folder`` is the folder of the class, for the audit log. ``members`` are watched for changes, if given; ``report``
    gets what the instructor has to know.
    """

    app: App
    address: str
    sessions: Sessions
    folder: Path
    proxy: Proxy | None = None
    members: MemberFiles | None = None
    report: Callable[[Text], None] = lambda text: None
    clock: Callable[[], float] = time.monotonic
    #: Set when the server shuts down, which ends all waiting.
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    pause: Callable[[asyncio.Event, float], Awaitable[None]] = field(default=_until)
    turns: RequestQueue = field(default_factory=lambda: RequestQueue(_BURST, _GAP, _LINE))
    strangers: RequestQueue = field(default_factory=lambda: RequestQueue(_STRANGERS, _STRANGERS_GAP, _STRANGERS_LINE))
    signing: Signing = field(init=False)
    _pausing: Counter[str] = field(default_factory=Counter)
    _slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Set up signing in."""
        self.signing = Signing(self.sessions, self.folder, self.address.startswith("https://"), self.clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        if self.members is not None and self.members.changed():
            await run_in_threadpool(self.members.reread)
        nonce = secrets.token_urlsafe(16)
        state = scope.setdefault("state", {})
        state["nonce"] = nonce
        sending = with_headers(send, nonce)
        visitor = self._visitor(scope, Headers(scope=scope))
        answer = await self._answer(scope, receive, visitor)
        if answer is not None:
            await answer(scope, receive, sending)
            return
        assert visitor is not None
        person = state["person"] = visitor.person
        async with self._slots.setdefault(person.id, asyncio.Semaphore(AT_ONCE)):
            await with_limit(self.app, _MOST_BYTES)(scope, receive, sending)

    async def _answer(self, scope: Scope, receive: Receive, visitor: Visitor | None) -> App | None:
        """The answer of the gate itself; None for a request of somebody in the class that the pages answer.

        Every request takes a turn: that of the person who is signed in or whose link it has, else of the stranger's
        address.
        """
        refusal = refused(scope, (self.address.partition("://")[2],), self.address, _MOST_BYTES)
        by_link = self.proxy is None and refusal is None
        offered = await self.signing.offered(scope, receive) if by_link else None
        visitor_or_link = visitor or offered
        if visitor_or_link is None:
            answer = await self._line(self.strangers, f"from {peer(scope.get('client'))}")
        else:
            answer = await self._line(self.turns, visitor_or_link.person.id)
        answer = answer or refusal
        if answer is None and by_link:
            try:
                answer = await self.signing.answer(scope, visitor, offered)
            except UsageError as error:
                self.report(error.message)
                answer = notice("not-saved")
        if answer is None and visitor is None:
            answer = notice("not-signed-in" if self.proxy is None else "not-in-class")
        return answer

    async def _line(self, queue: RequestQueue, key: str) -> App | None:
        """Wait until a request may proceed. Returns a refusal if too many with the same key are waiting."""
        left = queue.take(key, self.clock())
        if left is not None:
            if left:
                await self.pause(self.ended, left)
            return notice("shutting-down") if self.ended.is_set() else None
        if self._pausing[key] < _PAUSING:
            self._pausing[key] += 1
            try:
                await self.pause(self.ended, _PAUSE)
            finally:
                self._pausing -= Counter([key])  # which drops keys that nobody waits for
        headers = {"Retry-After": f"{_LINE * _GAP:.0f}", "Connection": "close"}
        return replace(notice("too-many-requests"), headers=headers)

    def _visitor(self, scope: Scope, headers: Headers) -> Visitor | None:
        """The sender of a request; None if unknown."""
        if self.proxy is not None:
            names = headers.getlist(self.proxy.header)
            person = self.sessions.people.named_by_proxy(names[0]) if len(names) == 1 else None
            return Visitor(person) if person is not None and self.proxy.sent(scope) else None
        cookie = cookie_parser(headers.get("cookie", "")).get(self.signing.cookie, "")
        return self.sessions.visitor("session", cookie, datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class RoleFilter:
    """Restricts ``app`` to people in one of ``roles``."""

    app: App
    roles: frozenset[Role]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        person: ClassMember = scope["state"]["person"]
        answer = self.app if person.role in self.roles else notice("not-theirs")
        await answer(scope, receive, send)


def restrict(roles: frozenset[Role], routes: Sequence[Route]) -> list[Route]:
    """Restrict ``routes`` to people in one of ``roles``."""
    for route in routes:
        route.app = RoleFilter(route.app, roles)
    return list(routes)
