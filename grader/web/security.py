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
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
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


OTHER_NAME = Notice(
    421,
    Message("This is not the server’s address"),
    (Message("The server answers only at its own address. Open exactly the address that you were given."),),
)
NOT_FROM_HERE = Notice(
    403,
    Message("This request comes from elsewhere"),
    (
        Message(
            "Only this server’s own pages can change something here. Go back, load the page again, and repeat what you "
            "did."
        ),
    ),
)
TOO_LARGE = Notice(
    413,
    Message("That is too large"),
    (Message("Nothing was saved. Go back, and send less at once."),),
    headers={"Connection": "close"},
)
_AMBIGUOUS = Notice(
    400,
    Message("This request has two lengths"),
    (Message("It has both Content-Length and Transfer-Encoding. Send one of them."),),
    headers={"Connection": "close"},
)
_ENCODED = Notice(
    415,
    Message("This form is in another encoding"),
    (Message("Forms are read as UTF-8, which is what browsers send."),),
    headers={"Connection": "close"},
)
_NO_TOKEN = Notice(
    403,
    Message("Open the address from the terminal"),
    (
        Message(
            "Nobody else on this machine may use these pages, so a browser needs the address that attncheck serve "
            "printed, with the token at its end. Copy the last one that the terminal shows."
        ),
        Message(
            "Each address works once, in one browser; then the terminal shows the next one. If the server has been "
            "restarted, earlier addresses and windows no longer work."
        ),
    ),
)
_WELCOME = Notice(200, Message("This browser can use the pages now"), (Message("They open by themselves."),))


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
        if headers.get("host", "").lower() not in self._hosts:
            return OTHER_NAME
        if scope["method"] not in SAFE_METHODS and not self._from_here(headers):
            return NOT_FROM_HERE
        return refused_body(headers, self._limit(scope)) or self._entrance(scope, headers)

    def _entrance(self, scope: Scope, headers: Headers) -> App | None:
        """The answer to a request with a ticket or without the cookie; None if the pages answer."""
        given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        ticket = dict(given).get(PARAMETER)
        has_cookie = self._is_token(cookie_parser(headers.get("cookie", "")).get(self._cookie, ""))
        if ticket is None or scope["method"] != "GET":
            return None if has_cookie else _NO_TOKEN
        rest = urlencode([(name, value) for name, value in given if name != PARAMETER])
        # a path on this server; //elsewhere would be another host
        place = "/" + scope["path"].lstrip("/\\") + (f"?{rest}" if rest else "")
        if has_cookie:
            return RedirectResponse(place, 303)
        return self._exchange(scope, ticket, place)

    def _exchange(self, scope: Scope, ticket: str, place: str) -> App:
        """The cookie for a ticket, and the way to ``place``.

        The page goes there by itself: browsers would not send the strict cookie after a redirect that began in a file.
        """
        used = self._tickets.pop(ticket, None)
        if used is None:
            return _NO_TOKEN
        place = quote(place, safe=_AS_IT_IS)  # browsers drop tabs and line ends from addresses
        answer = replace(_WELCOME, step=Step(Message("Open them"), place)).response(scope)
        answer.headers["Refresh"] = f"0; url={place}"
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        used()
        return answer

    def _limit(self, scope: Scope) -> int:
        return self._larger.get(scope["path"], self._most)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode())

    def _from_here(self, headers: Headers) -> bool:
        origins = headers.getlist("origin")
        return origins == [f"http://{headers['host']}"] if origins else headers.get("sec-fetch-site") == "same-origin"


def refused_body(headers: Headers, most: int) -> App | None:
    """A refusal of a body whose length is said twice or is above ``most``, or of a form in another encoding.

    None if there is no reason for one. Some encodings of Python take minutes to decode, or give text that is none.
    """
    length = headers.get("content-length", "0")
    if _encoding(headers) not in ("utf-8", "utf8"):
        return _ENCODED
    if "transfer-encoding" in headers and "content-length" in headers:
        return _AMBIGUOUS
    return TOO_LARGE if not length.isdecimal() or len(length) > 9 or int(length) > most else None


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
            await TOO_LARGE(scope, receive, send)

    return limited
