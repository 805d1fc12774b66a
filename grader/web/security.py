"""Access control for the pages of one learner: a host name, a token, and the origin of requests.

The server listens on a loopback address, but any page in the learner's browser can send requests there, and any
program of another user on the machine can connect. So there are three rules. The ``Host`` must be the server's own,
which prevents DNS rebinding. Every request must have a random token, which is given once in the address and then kept
in a cookie that scripts cannot read. And a request that changes something must come from one of the server's own pages,
as browsers state in ``Origin``.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

#: The names of the cookie and of the query parameter with the token.
COOKIE, PARAMETER = "attncheck-token", "token"
#: Pages load scripts and styles only from this server, send forms only to it, and cannot be framed. The editor adds
#: style sheets with the nonce of the page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE_METHODS = ("GET", "HEAD")


class Guard:
    """Applies the three rules before ``app``. ``hosts`` are the allowed values of ``Host``, such as 127.0.0.1:8000."""

    def __init__(
        self,
        app: App,
        token: str,
        hosts: frozenset[str],
        most_bytes: int = 2_000_000,
        larger: Mapping[str, int] | None = None,
    ) -> None:
        """``most_bytes`` is the limit on request bodies; ``larger`` has other limits by path, such as for uploads."""
        self._app, self._token, self._hosts, self._most = app, token, hosts, most_bytes
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, with_headers(send, nonce))
        else:
            await with_limit(self._app, self._limit(scope))(scope, receive, with_headers(send, nonce))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return PlainTextResponse("This server does not have that name.\n", 421)
        if scope["method"] not in SAFE_METHODS and not self._from_here(headers):
            return PlainTextResponse("This request does not come from one of the server's own pages.\n", 403)
        if int(headers.get("content-length") or 0) > self._limit(scope):
            return PlainTextResponse("That is too large.\n", 413)
        given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = dict(given).get(PARAMETER)
        if token is not None and self._is_token(token) and scope["method"] in SAFE_METHODS:
            rest = urlencode([(name, value) for name, value in given if name != PARAMETER])
            answer = RedirectResponse(_own(scope["path"]) + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict", path="/")
            return answer
        if not self._is_token(cookie_parser(headers.get("cookie", "")).get(COOKIE, "")):
            return PlainTextResponse(
                "Open the address that `attncheck serve` printed: it ends with a token.\n"
                "请打开 attncheck serve 打印的地址，它的末尾带有令牌。\n",
                403,
            )
        return None

    def _limit(self, scope: Scope) -> int:
        return self._larger.get(scope["path"], self._most)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode())

    def _from_here(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site") == "same-origin"
        return origin.removeprefix("http://") == headers["host"]


def _own(path: str) -> str:
    """``path`` as a path on this server; ``//elsewhere`` would be another host."""
    return "/" + path.lstrip("/\\")


def with_headers(send: Send, nonce: str) -> Send:
    """``send`` with security headers added to every response. A page may set a stricter policy of its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY.format(nonce=nonce))
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


def with_limit(app: App, most: int) -> App:
    """``app`` with a limit of ``most`` bytes on bodies. Longer and incomplete bodies do not cause errors in it."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        left, started = most, False

        async def receiving() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def sending(message: Message) -> None:
            nonlocal started
            if started or left >= 0:
                started = True
                await send(message)

        with contextlib.suppress(ClientDisconnect):
            await app(scope, receiving, sending)
        if left < 0 and not started:
            await PlainTextResponse("That is too large.\n", 413)(scope, receive, send)

    return limited
