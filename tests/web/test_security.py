"""Who may use the pages, and what no page may do."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from grader.web.security import COOKIE, Guard

HOST, TOKEN = "127.0.0.1:8000", "s3cret"


async def echo(request: Request) -> PlainTextResponse:
    """Says what it was sent."""
    return PlainTextResponse(f"{request.method} {request.url.path} {len(await request.body())}")


def guard() -> Guard:
    """The rules around a page that says what it was sent."""
    app = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST"])])
    return Guard(app, TOKEN, frozenset({HOST}), 1000)


def client(guarded: Guard | None = None, *, signed_in: bool = True) -> TestClient:
    """A browser at the server's own address."""
    made = TestClient(guarded or guard(), base_url=f"http://{HOST}", follow_redirects=False)
    if signed_in:
        made.cookies.set(COOKIE, TOKEN)
    return made


def test_a_ticket_becomes_a_cookie() -> None:
    """The address is good once; then a cookie that scripts cannot read and other sites cannot send."""
    guarded, used = guard(), list[bool]()
    ticket = guarded.ticket(lambda: used.append(True))
    path = f"/items/Q1.a?token={ticket}&x=1"
    someone = client(guarded, signed_in=False)
    assert someone.head(path).status_code == 403 and not used, "something that only looks does not use it up"
    first = someone.get(path)
    assert first.status_code == 200 and used == [True]
    assert first.headers["refresh"] == "0; url=/items/Q1.a?x=1" and 'href="/items/Q1.a?x=1"' in first.text
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and TOKEN in cookie
    assert TOKEN not in first.text and ticket not in str(first.headers)
    assert someone.get("/").status_code == 200
    again = someone.get(path)
    assert (again.status_code, again.headers["location"]) == (303, "/items/Q1.a?x=1"), "in the same browser"
    other = client(guarded, signed_in=False).get(path)
    assert other.status_code == 403 and "set-cookie" not in other.headers and used == [True]
    assert "works once" in other.text and "只能在一个浏览器里用一次" in other.text


def test_the_cookie_is_no_ticket() -> None:
    """What the cookie holds stands in no address."""
    assert client(signed_in=False).get(f"/?token={TOKEN}").status_code == 403


@pytest.mark.parametrize(
    "path", ["//elsewhere.example/", "/\\elsewhere.example/", "/%0d%0aSet-Cookie:a=b", "/é;url=//x"]
)
def test_the_way_on_stays_here(path: str) -> None:
    """A path that looks like an address, or like another header, is still a path."""
    guarded = guard()
    for known in (False, True):
        found = client(guarded, signed_in=known).get(f"http://{HOST}{path}?token={guarded.ticket()}")
        place = found.headers["location"] if known else found.headers["refresh"].removeprefix("0; url=")
        assert place.startswith("/") and not place.startswith("//") and place.isascii() and place.isprintable()
        assert ";" not in place or known
        assert "a" not in found.cookies


@pytest.mark.parametrize("headers", [{"content-length": "4", "transfer-encoding": "chunked"}])
def test_a_body_with_two_lengths(headers: dict[str, str]) -> None:
    """Servers that disagree about where a request ends can be made to mix up requests: refused, and closed."""
    own = {"origin": f"http://{HOST}"}
    answer = client().post("/x", headers=own | headers, content=b"0\r\n\r\n")
    assert (answer.status_code, answer.headers["connection"]) == (400, "close")


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/?token=", "/static/editor.js", "/questions/Q5"])
def test_nobody_else_gets_in(path: str) -> None:
    """Without the token nothing is served, whatever the path; what to do is said in both languages."""
    found = client(signed_in=False).get(path)
    assert found.status_code == 403
    assert "attncheck serve" in found.text and "令牌" in found.text
    assert "set-cookie" not in found.headers


def test_a_wrong_cookie() -> None:
    """Compared as a whole; odd characters break nothing."""
    for value in ("", TOKEN[:-1], TOKEN + "x", '"s3cret'):
        found = client(signed_in=False).get("/", headers={"cookie": f"{COOKIE}={value}"})
        assert found.status_code == 403


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.example", ""])
def test_other_names_are_refused(host: str) -> None:
    """A name that was made to point at this machine, with a cookie or not."""
    assert client().get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": f"http://{HOST}"}, 200),
        ({"origin": "http://elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"https://{HOST}"}, 403),
        ({}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_changes_come_from_own_pages(headers: dict[str, str], status: int) -> None:
    """A form of another page is refused, even if the browser sent the cookie with it."""
    assert client().post("/items/Q1.a", headers=headers, content=b"answer=a").status_code == status


def test_the_token_does_not_excuse_a_form() -> None:
    """A post with a ticket in its address is no sign-in."""
    headers, guarded = {"origin": f"http://{HOST}"}, guard()
    answer = client(guarded, signed_in=False).post(f"/?token={guarded.ticket()}", headers=headers)
    assert answer.status_code == 403 and "set-cookie" not in answer.headers


def test_large_bodies() -> None:
    """Refused by their length; without one, cut off and refused."""
    own = {"origin": f"http://{HOST}"}
    assert client().post("/x", headers=own, content=b"x" * 1000).text == "POST /x 1000"
    assert client().post("/x", headers=own, content=b"x" * 1001).status_code == 413
    assert client().post("/x", headers=own, content=iter([b"x" * 600, b"x" * 600])).status_code == 413


def test_uploads_may_be_larger() -> None:
    """On their own path only."""
    own = {"origin": f"http://{HOST}"}
    app = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST"])])
    guarded = Guard(app, TOKEN, frozenset({HOST}), 1000, larger={"/work": 3000})
    browser = TestClient(guarded, base_url=f"http://{HOST}", cookies={COOKIE: TOKEN})
    assert browser.post("/work", headers=own, content=b"x" * 3000).text == "POST /work 3000"
    assert browser.post("/work", headers=own, content=b"x" * 3001).status_code == 413
    assert browser.post("/work/x", headers=own, content=b"x" * 1001).status_code == 413


def test_headers() -> None:
    """Every answer, refusals too, says what a page may do; no two pages share a nonce."""
    answers = [client().get("/"), client(signed_in=False).get("/"), client().get("/", headers={"host": "x"})]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "script-src 'self';" in policy and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
    assert len({answer.headers["content-security-policy"] for answer in answers}) == 3
