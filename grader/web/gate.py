"""Access control for the pages of a class.

Every request must use the server's own host name. People are identified by a session, which starts with their personal
link, or, if so configured, by a header that a trusted proxy sets. A request that changes something must come from one
of the server's own pages. Requests that arrive faster than a person with several windows would send them are delayed.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from grader.classroom import audit
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.web.links import Claim, Signer
from grader.web.pace import RequestQueue
from grader.web.people import ClassMember, ClassMembers, Role
from grader.web.security import SAFE_METHODS, App, Receive, Scope, Send, with_headers, with_limit

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
#: A session ends after this, or with the link that it began with.
_SESSION = timedelta(days=7)
_MOST_BYTES = 2_000_000
#: Limits per person: requests at once, seconds between further ones, requests in the queue, concurrent requests.
_BURST, _GAP, _LINE, _AT_ONCE = 60, 0.5, 10, 3
#: Requests beyond these limits are refused after a pause in seconds, to slow down programs that repeat them. At most
#: this many requests of a person wait for their refusal; others are refused at once.
_PAUSE, _PAUSING = 3.0, 20

_NO_ADDRESS = Text(
    "--trusted-proxy is “{given}”; expected the address of the proxy, such as 127.0.0.1 or 10.0.0.0/24.",
    "--trusted-proxy 写的是“{given}”；应为代理的地址，例如 127.0.0.1 或 10.0.0.0/24。",
)
_WHO = "Open the personal link that your instructor sent you.\n请打开老师发给你的个人链接。\n"
_NOT_VALID = (
    "This link is not valid, or has expired. Ask your instructor for a new one.\n"
    "链接无效或已过期，请向老师索取新的链接。\n"
)
_SOMEBODY_ELSE = "You are signed in as someone else. Sign out first.\n你正以另一个人的身份登录，请先退出。\n"
_NOT_THEIRS = "You do not have access to this page.\n你无权查看这个页面。\n"
TOO_MANY_REQUESTS = "Too many requests; wait a few seconds.\n请求太多，请等几秒再试。\n"
_ENDING = "The server is being stopped.\n服务器正在关闭。\n"
_UNKNOWN = "You are not in this class. Contact your instructor.\n你不在这个班级里，请联系老师。\n"


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

    ``folder`` is the folder of the class, for the audit log.
    """

    app: App
    address: str
    people: ClassMembers
    signer: Signer
    folder: Path
    proxy: Proxy | None = None
    clock: Callable[[], float] = time.monotonic
    #: Set when the server shuts down, which ends all waiting.
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    pause: Callable[[asyncio.Event, float], Awaitable[None]] = field(default=_until)
    turns: RequestQueue = field(default_factory=lambda: RequestQueue(_BURST, _GAP, _LINE))
    _pausing: Counter[str] = field(default_factory=Counter)
    _slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        nonce = secrets.token_urlsafe(16)
        state = scope.setdefault("state", {})
        state["nonce"] = nonce
        sending = with_headers(send, nonce)
        answer = self._refusal(scope, headers) or await self._signing(scope, headers)
        person = None if answer is not None else self._person(scope, headers)
        if answer is None and person is None:
            answer = PlainTextResponse(_UNKNOWN if self.proxy is not None else _WHO, 403)
        if answer is None and person is not None:
            answer = await self._line(person)
        if answer is not None:
            await answer(scope, receive, sending)
            return
        assert person is not None
        state["person"] = person
        async with self._slots.setdefault(person.id, asyncio.Semaphore(_AT_ONCE)):
            await with_limit(self.app, _MOST_BYTES)(scope, receive, sending)

    async def _line(self, person: ClassMember) -> Response | None:
        """Wait until the person's request may proceed. Returns a refusal if too many of their requests are waiting."""
        left = self.turns.take(person.id, self.clock())
        if left is not None:
            if left:
                await self.pause(self.ended, left)
            return PlainTextResponse(_ENDING, 503, headers={"Connection": "close"}) if self.ended.is_set() else None
        if self._pausing[person.id] < _PAUSING:
            self._pausing[person.id] += 1
            try:
                await self.pause(self.ended, _PAUSE)
            finally:
                self._pausing[person.id] -= 1
        return PlainTextResponse(
            TOO_MANY_REQUESTS, 429, headers={"Retry-After": f"{_LINE * _GAP:.0f}", "Connection": "close"}
        )

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.get("host", "").lower() != self.address.partition("://")[2]:
            return PlainTextResponse("This server does not have that name.\n", 421)
        if scope["method"] not in SAFE_METHODS and not self._from_here(headers):
            return PlainTextResponse("This request does not come from one of the server's own pages.\n", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > _MOST_BYTES:
            return PlainTextResponse("That is too large.\n", 413)
        return None

    def _from_here(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        return headers.get("sec-fetch-site") == "same-origin" if origin is None else origin == self.address

    async def _signing(self, scope: Scope, headers: Headers) -> Response | None:
        """The response to signing in or out; None for all other requests."""
        if scope["path"] == SIGN_OUT and scope["method"] == "POST" and self.proxy is None:
            known = self._person(scope, headers)
            if known is not None:
                await note_action(self.folder, known, "signed out")
            answer: Response = PlainTextResponse(_WHO)
            answer.delete_cookie(self._cookie, path="/", httponly=True, samesite="lax", secure=self._secure)
            return answer
        if scope["path"] != SIGN_IN or scope["method"] not in SAFE_METHODS or self.proxy is not None:
            return None
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("link", "")
        now = datetime.now(UTC)
        claim = self.signer.read("link", given, now)
        person = self._claimed(claim)
        if claim is None or person is None:
            return PlainTextResponse(_NOT_VALID, 403)
        known = self._person(scope, headers)
        if known is not None and known != person:
            return PlainTextResponse(_SOMEBODY_ELSE, 409)
        session = Claim(person.id, person.role, min(claim.until, now + _SESSION))
        await note_action(self.folder, person, "signed in")
        answer = RedirectResponse("/", 303)
        seconds = max(0, int((session.until - now).total_seconds()))
        answer.set_cookie(
            self._cookie,
            self.signer.sign("session", session),
            max_age=seconds,
            path="/",
            httponly=True,
            samesite="lax",  # with "strict", a page opened from a link in a mail would not get the cookie
            secure=self._secure,
        )
        return answer

    @property
    def _secure(self) -> bool:
        return self.address.startswith("https://")

    @property
    def _cookie(self) -> str:
        """The name of the session cookie; different for each class, because cookies ignore ports."""
        return f"{'__Host-' if self._secure else ''}attncheck-{self.signer.mark}"

    def _person(self, scope: Scope, headers: Headers) -> ClassMember | None:
        """The sender of a request; None if unknown."""
        if self.proxy is not None:
            names = headers.getlist(self.proxy.header)
            return self.people.named_by_proxy(names[0]) if self.proxy.sent(scope) and len(names) == 1 else None
        cookie = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        return self._claimed(self.signer.read("session", cookie, datetime.now(UTC)))

    def _claimed(self, claim: Claim | None) -> ClassMember | None:
        """The person that a claim names; None if they are no longer in the class in the same role."""
        person = None if claim is None else self.people.find(claim.id)
        return person if person is not None and claim is not None and person.role is claim.role else None


@dataclass(frozen=True, slots=True)
class RoleFilter:
    """Restricts ``app`` to people in one of ``roles``."""

    app: App
    roles: frozenset[Role]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        person: ClassMember = scope["state"]["person"]
        answer = self.app if person.role in self.roles else PlainTextResponse(_NOT_THEIRS, 403)
        await answer(scope, receive, send)


def restrict(roles: Iterable[Role], routes: Iterable[Route]) -> list[Route]:
    """Restrict ``routes`` to people in one of ``roles``."""
    allowed = frozenset(roles)
    for route in routes:
        route.app = RoleFilter(route.app, allowed)
    return list(routes)


async def note_action(folder: Path, person: ClassMember, did: str, **about: str) -> None:
    """Record in the audit log that ``person`` did something."""
    entry = audit.AuditEntry(datetime.now(UTC), person.id, person.role.value, did, tuple(about.items()))
    await run_in_threadpool(audit.note, folder, entry)
