"""Access control for the pages of one learner: a host name, a token, and the origin of requests.

The server listens on a loopback address, but any page in the learner's browser can send requests there, and any
program of another user on the machine can connect. So there are three rules. The ``Host`` must be the server's own,
which prevents DNS rebinding. Every request must have a random token in a cookie that scripts cannot read; a browser
gets it for a ticket, which is part of the address and works once. A request that changes something must come from
one of the server's own pages, as browsers state in ``Origin``.
"""

from __future__ import annotations

import contextlib
import functools
import hmac
import secrets
from collections.abc import Awaitable, Callable, Container, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode

import jinja2
from markupsafe import Markup
from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse

from grader.core.model import Message, Text
from grader.core.tables import table, text_of
from grader.report.html import environment

Scope: TypeAlias = MutableMapping[str, Any]
Payload: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Payload]]
Send: TypeAlias = Callable[[Payload], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Step:
    """What a reader can do next: follow a link or, with ``post``, press a button that sends ``fields``."""

    label: Text
    path: str
    post: bool = False
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A page, as an application: a title, paragraphs, and a next step."""

    status: int
    title: Text
    texts: tuple[Text, ...]
    step: Step | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self, scope: Scope) -> HTMLResponse:
        """The page as a response to a request. A request of htmx gets the paragraphs only, to put into its page."""
        if "hx-request" in Headers(scope=scope):
            lines = [Markup('<p class="warning" lang="{}">{}</p>').format(*text) for text in self._said()]
            return HTMLResponse(Markup("\n").join(lines), self.status, self.headers)
        page = _template().render(notice=self, nonce=scope.get("state", {}).get("nonce", ""))
        return HTMLResponse(page, self.status, self.headers)

    def _said(self) -> list[tuple[str, str]]:
        english = " ".join(text.en for text in self.texts)
        return [("en", english), ("zh-Hans", "".join(text.zh for text in self.texts))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self.response(scope)(scope, receive, send)


@functools.cache
def _template() -> jinja2.Template:
    return environment(Path(__file__).parent / "templates").get_template("notice.html")


def notice(name: str, /, **values: object) -> Notice:
    """The page called ``name`` in ``notices.yaml``, with ``values`` in its texts."""
    row = table(__file__, "notices.yaml")[name]
    step = Step(text_of(row["step"]), "/") if "step" in row else None
    texts = tuple(text_of(text).fill(**values) for text in row["texts"])
    return Notice(row["status"], text_of(row["title"]).fill(**values), texts, step, row.get("headers", {}))


#: The names of the query parameter with the token, and of the cookie, unless a server has one of its own.
COOKIE, PARAMETER = "attncheck-token", "token"
#: Pages load scripts and styles only from this server, send forms only to it, and cannot be framed. The editor adds
#: style sheets with the nonce of the page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: ``Referer`` names no address: one may have a link or a ticket, and proxies log where requests come from. Without any
#: referrer, browsers would send no ``Origin`` either.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE_METHODS = ("GET", "HEAD")
#: The characters of an address that may stand in a header.
_AS_IT_IS = "/?&=%+~"


class Guard:
    """Applies the three rules before ``app``. ``hosts`` are the allowed values of ``Host``, such as 127.0.0.1:8000.

    ``token`` is what the cookie holds. Browsers get it for a ticket: a token in the address that works once.
    """

    def __init__(
        self,
        app: App,
        token: str,
        hosts: frozenset[str],
        most_bytes: int = 2_000_000,
        larger: Mapping[str, int] | None = None,
        cookie: str = COOKIE,
    ) -> None:
        """``most_bytes`` is the limit on request bodies; ``larger`` has other limits by path, such as for uploads.

        Browsers send a cookie to every port of a machine, so each server there needs another name for its ``cookie``.
        """
        self._app, self._token, self._hosts, self._most = app, token, hosts, most_bytes
        self._larger, self._cookie = larger or {}, cookie
        self._tickets: dict[str, Callable[[], None]] = {}

    def ticket(self, used: Callable[[], None] = lambda: None) -> str:
        """A new ticket. ``used`` is called when a browser has exchanged it."""
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = used
        return ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        answer = self._refusal(scope)
        if answer is None:
            answer = with_limit(self._app, self._limit(scope))
        await answer(scope, receive, with_headers(send, nonce))

    def _refusal(self, scope: Scope) -> App | None:
        headers = Headers(scope=scope)
        own = f"http://{headers.get('host')}"
        return refused(scope, self._hosts, own, self._limit(scope)) or self._entrance(scope, headers)

    def _entrance(self, scope: Scope, headers: Headers) -> App | None:
        """The answer to a request with a ticket or without the cookie; None if the pages answer."""
        given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        ticket = dict(given).get(PARAMETER)
        cookie = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        has_cookie = hmac.compare_digest(cookie.encode("utf-8", "replace"), self._token.encode())
        if ticket is None or scope["method"] != "GET":
            return None if has_cookie else notice("no-token")
        rest = urlencode([(name, value) for name, value in given if name != PARAMETER])
        # a path on this server; //elsewhere would be another host
        place = "/" + scope["path"].lstrip("/\\") + (f"?{rest}" if rest else "")
        return RedirectResponse(place, 303) if has_cookie else self._exchange(scope, ticket, place)

    def _exchange(self, scope: Scope, ticket: str, place: str) -> App:
        """The cookie for a ticket, and the way to ``place``.

        The page goes there by itself: browsers would not send the strict cookie after a redirect that began in a file.
        """
        used = self._tickets.pop(ticket, None)
        if used is None:
            return notice("no-token")
        place = quote(place, safe=_AS_IT_IS)  # browsers drop tabs and line ends from addresses
        answer = replace(notice("welcome"), step=Step(Message("Open them"), place)).response(scope)
        answer.headers["Refresh"] = f"0; url={place}"
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        used()
        return answer

    def _limit(self, scope: Scope) -> int:
        return self._larger.get(scope["path"], self._most)


def refused(scope: Scope, hosts: Container[str], address: str, most: int) -> Notice | None:
    """A refusal of a request to another host than ``hosts``, or to change something from elsewhere than ``address``.

    Or of its body, which may have at most ``most`` bytes; None if there is no reason for one.
    """
    headers = Headers(scope=scope)
    if headers.get("host", "").lower() not in hosts:
        return notice("other-name")
    origins = headers.getlist("origin")
    own = origins == [address] if origins else headers.get("sec-fetch-site") == "same-origin"
    if scope["method"] not in SAFE_METHODS and not own:
        return notice("not-from-here")
    return refused_body(headers, most)


def refused_body(headers: Headers, most: int) -> Notice | None:
    """A refusal of a body whose length is said twice or is above ``most``, or of a form in another encoding.

    None if there is no reason for one. Some encodings of Python take minutes to decode, or give text that is none.
    """
    length = headers.get("content-length", "0")
    if _encoding(headers) not in ("utf-8", "utf8"):
        return notice("other-encoding")
    if "transfer-encoding" in headers and "content-length" in headers:
        return notice("two-lengths")
    return notice("too-large") if not length.isdecimal() or len(length) > 9 or int(length) > most else None


def _encoding(headers: Headers) -> str:
    """The encoding that a form with parts says it has; UTF-8 if it says nothing."""
    kind, options = parse_options_header(headers.get("content-type"))
    encoding = options.get(b"charset", b"utf-8") if kind == b"multipart/form-data" else b"utf-8"
    return encoding.decode("latin-1").lower()


def with_headers(send: Send, nonce: str) -> Send:
    """``send`` with security headers added to every response. A page may set a stricter policy of its own."""

    async def sending(message: Payload) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY.format(nonce=nonce))
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-cache" if "etag" in headers else "no-store")  # a file, or a page
        await send(message)

    return sending


def with_limit(app: App, most: int) -> App:
    """``app`` with a limit of ``most`` bytes on bodies. Longer and incomplete bodies do not cause errors in it."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        left, started = most, False

        async def receiving() -> Payload:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def sending(message: Payload) -> None:
            nonlocal started
            if started or left >= 0:
                started = True
                await send(message)

        with contextlib.suppress(ClientDisconnect):
            await app(scope, receiving, sending)
        if left < 0 and not started:
            await notice("too-large")(scope, receive, send)

    return limited
