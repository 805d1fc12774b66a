"""Who gets into a class: links, sessions, a proxy's header; and what nobody may do."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from grader.classroom import audit
from grader.classroom.class_folder import ClassSettings
from grader.classroom.roster import Learner, Roster
from grader.core.errors import UsageError
from grader.web.gate import Gate, Proxy
from grader.web.links import Claim, Signer, read_signer
from grader.web.pace import RateLimit
from grader.web.people import ClassMember, ClassMembers, Role

HOST = "quiz.example.edu"
ADDRESS = f"https://{HOST}"
SIGNER = Signer(b"s" * 32)
LATER = datetime.now(UTC) + timedelta(days=2)
ROSTER = Roster(
    (
        Learner("1001", "Ada", (("learner", "1001"), ("login", "ada"), ("email", "ada@example.edu"), ("canvas", "77"))),
        Learner("1002", "bob", (("learner", "1002"), ("email", "shared@example.edu"))),
        Learner("1003", "Cy", (("learner", "1003"), ("email", "shared@example.edu"))),
    )
)
PEOPLE = ClassMembers(ROSTER, ClassSettings(instructors={"grace": "Grace"}, assistants={"bob": "Bob"}))


async def echo(request: Request) -> JSONResponse:
    """Says who asked."""
    person: ClassMember = request.state.person
    return JSONResponse([person.id, person.role.value, request.method])


def gate(tmp_path: Path, **more: Any) -> Gate:
    """A gate around a page that says who asked."""
    app = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST"])])
    return Gate(app, ADDRESS, PEOPLE, SIGNER, tmp_path, **more)


def browser(made: Gate, client: tuple[str, int] = ("127.0.0.1", 5)) -> TestClient:
    """A browser that is not signed in."""
    return TestClient(made, base_url=ADDRESS, follow_redirects=False, client=client)


def link(name: str = "1001", role: Role = Role.LEARNER, until: datetime = LATER, by: Signer = SIGNER) -> str:
    """The path of a personal link."""
    return f"/sign-in?link={by.sign('link', Claim(name, role, until))}"


def test_a_link_becomes_a_session(tmp_path: Path) -> None:
    """A cookie that scripts cannot read and other sites' forms do not send; then every page knows who asks."""
    someone = browser(gate(tmp_path))
    assert someone.get("/").status_code == 403
    answer = someone.get(link())
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("__host-attncheck-")
    assert all(word in cookie for word in ("httponly", "samesite=lax", "secure", "path=/", "max-age=1"))
    assert someone.get("/x").json() == ["1001", "learner", "GET"]
    assert someone.get(link()).status_code == 303, "the same link again"
    assert someone.get(link("1002")).status_code == 409, "nobody is signed in as somebody else unawares"
    assert someone.post("/sign-out", headers={"origin": ADDRESS}).status_code == 200
    assert someone.get("/x").status_code == 403
    acts = audit.entries(tmp_path)
    assert [(act.who, act.did) for act in acts] == [("1001", f"signed {way}") for way in ("in", "in", "out")]


@pytest.mark.parametrize(
    "path",
    [
        link(until=datetime.now(UTC) - timedelta(seconds=1)),
        link(by=Signer(b"t" * 32)),
        link("nobody"),
        link("1001", Role.INSTRUCTOR),
        link("bob", Role.INSTRUCTOR),
        link()[:-1],
        link() + "x",
        link().replace("link=", "link=.") ,
        f"/sign-in?link={SIGNER.sign('session', Claim('1001', Role.LEARNER, LATER))}",
        "/sign-in?link=",
        "/sign-in?link=é.é",
        "/sign-in?link=" + "a" * 5000,
        "/sign-in",
    ],
    ids=["expired", "other class", "nobody", "role", "former role", "cut", "longer", "dot", "session", "empty", "odd",
         "huge", "none"],
)  # fmt: skip
def test_links_that_do_not_work(tmp_path: Path, path: str) -> None:
    """Expired, forged, of another class, for somebody or a role that is not there: the same answer, no cookie."""
    answer = browser(gate(tmp_path)).get(path)
    assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert "not valid, or has expired" in answer.text and "已过期" in answer.text


def test_a_link_is_no_session() -> None:
    """What was signed for one purpose is not good for another; nor is it after its time."""
    claim = Claim("1001", Role.LEARNER, LATER.replace(microsecond=0))
    assert SIGNER.read("link", SIGNER.sign("link", claim), datetime.now(UTC)) == claim
    assert SIGNER.read("session", SIGNER.sign("link", claim), datetime.now(UTC)) is None
    assert SIGNER.read("link", SIGNER.sign("link", claim), LATER) is None


def test_the_secret_of_a_class(tmp_path: Path) -> None:
    """Made once, for its owner alone; one that others can read, or that is no secret, is refused."""
    first = read_signer(tmp_path / "secret")
    assert read_signer(tmp_path / "secret") == first != read_signer(tmp_path / "other")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    os.chmod(tmp_path / "secret", 0o640)
    with pytest.raises(UsageError, match="Others can read"):
        read_signer(tmp_path / "secret")
    for text in ("", "zz", "ab" * 31):
        (tmp_path / "other").write_text(text)
        with pytest.raises(UsageError, match="not an attncheck secret"):
            read_signer(tmp_path / "other")
    with pytest.raises(UsageError, match="cannot be written"):
        read_signer(tmp_path / "no" / "folder")


@pytest.mark.parametrize(
    ("sender", "headers", "who"),
    [
        ("10.0.0.5", {"x-remote-user": "1001"}, "1001"),
        ("10.0.0.5", {"x-remote-user": "ada"}, "1001"),
        ("10.0.0.5", {"x-remote-user": "ADA@example.edu"}, "1001"),
        ("10.0.0.5", {"x-remote-user": "bob"}, "bob"),
        ("10.0.0.5", {"x-remote-user": "grace"}, "grace"),
        ("10.0.0.5", {"x-remote-user": "Cy"}, None),
        ("10.0.0.5", {"x-remote-user": "shared@example.edu"}, None),
        ("10.0.0.5", {"x-remote-user": "77"}, None),
        ("10.0.0.5", {"x-remote-user": ""}, None),
        ("10.0.0.5", [("x-remote-user", "1001"), ("x-remote-user", "grace")], None),
        ("10.0.0.5", {}, None),
        ("10.0.1.5", {"x-remote-user": "1001"}, None),
        ("10.0.1.5", {"x-remote-user": "1001", "x-forwarded-for": "10.0.0.5"}, None),
        ("testclient", {"x-remote-user": "1001"}, None),
    ],
)
def test_a_proxy_that_signs_people_in(tmp_path: Path, sender: str, headers: Any, who: str | None) -> None:
    """The header counts from the proxy's own address alone, once, by ids and never by names."""
    made = gate(tmp_path, proxy=Proxy("X-Remote-User", "10.0.0.0/24"))
    found = browser(made, (sender, 5)).get("/x", headers=headers)
    assert found.status_code == (403 if who is None else 200)
    assert who is None or found.json()[0] == who


def test_links_do_not_work_beside_a_proxy(tmp_path: Path) -> None:
    """Otherwise its rules about who may come would not hold."""
    made = browser(gate(tmp_path, proxy=Proxy("X-Remote-User", "127.0.0.1")))
    assert made.get(link()).status_code == 403
    with pytest.raises(UsageError, match="expected the address of the proxy"):
        Proxy("X-Remote-User", "the proxy")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": ADDRESS}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({}, 403),
        ({"origin": f"http://{HOST}"}, 403),
        ({"origin": "https://elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"origin": ADDRESS, "host": "elsewhere.example"}, 421),
        ({"origin": ADDRESS, "content-length": "2000001"}, 413),
        ({"origin": ADDRESS, "content-length": "-1"}, 413),
        ({"origin": ADDRESS, "content-length": "9" * 5000}, 413),
    ],
)
def test_changes_come_from_own_pages(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    """A form of another page is refused, although the browser sends the cookie with it."""
    someone = browser(gate(tmp_path))
    someone.get(link())
    assert someone.post("/x", headers=headers).status_code == status


def test_a_flood_is_slowed_down_and_hurts_nobody_else(tmp_path: Path) -> None:
    """Sixty requests are answered at once, then two a second; what cannot wait in line is refused later."""
    times, waited = [0.0], []

    async def pause(_: asyncio.Event, seconds: float) -> None:
        waited.append(round(seconds, 3))

    made = gate(tmp_path, clock=lambda: times[0], pause=pause)
    eve, ada = browser(made), browser(made)
    eve.get(link("1002"))
    ada.get(link())
    assert [eve.get("/").status_code for _ in range(72)] == [200] * 70 + [429] * 2
    assert waited == [0.5 * number for number in range(1, 11)] + [3.0, 3.0]
    refused = eve.get("/")
    assert refused.headers["connection"] == "close" and refused.headers["retry-after"] == "5"
    del waited[:]
    assert ada.get("/").status_code == 200
    times[0] = 24.0
    assert eve.get("/").status_code == 200 and not waited


def test_nobody_waits_for_a_server_that_ends(tmp_path: Path) -> None:
    """Requests in line are refused at once, so that the server can close their connections."""
    made = gate(tmp_path, clock=lambda: 0.0)
    eve = browser(made)
    eve.get(link("1002"))
    made.ended.set()
    assert {eve.get("/").status_code for _ in range(61)} == {503}


def cookie(someone: TestClient) -> str:
    """What a browser sends."""
    return "; ".join(f"{key}={value}" for key, value in someone.cookies.items())


async def sent(made: Gate, cookies: str, messages: list[Any], method: str = "GET") -> int | None:
    """The status of a request to /page whose body arrives in ``messages``; None if there was no answer."""
    found: list[int] = []
    arriving: asyncio.Queue[Any] = asyncio.Queue()
    for message in messages:
        arriving.put_nowait(message)

    async def send(message: Any) -> None:
        found.extend([message["status"]] if "status" in message else [])

    headers = [(b"host", HOST.encode()), (b"cookie", cookies.encode()), (b"origin", ADDRESS.encode())]
    scope = {"type": "http", "method": method, "path": "/page", "query_string": b"", "headers": headers}
    await made(scope, arriving.get, send)
    return found[0] if found else None


def test_somebody_who_left_is_no_error(tmp_path: Path) -> None:
    """A connection that breaks in the middle of a form ends the request; nothing is raised that would fill a log."""

    async def page(request: Request) -> JSONResponse:
        return JSONResponse(len(await request.body()))

    made = gate(tmp_path)
    made.app = Route("/page", page, methods=["POST"])
    someone = browser(made)
    someone.get(link())
    half = {"type": "http.request", "body": b"half", "more_body": True}
    assert asyncio.run(sent(made, cookie(someone), [half, {"type": "http.disconnect"}], "POST")) is None
    whole = {"type": "http.request", "body": b" a form", "more_body": False}
    assert asyncio.run(sent(made, cookie(someone), [half, whole], "POST")) == 200


def test_few_requests_of_a_person_are_worked_on_at_once(tmp_path: Path) -> None:
    """Three of them; others of the same person wait, and those of other people do not."""
    most, now = dict.fromkeys(("1001", "1002"), 0), Counter[str]()

    async def page(request: Request) -> JSONResponse:
        name = request.state.person.id
        now[name] += 1
        most[name] = max(most[name], now[name])
        while len(most) == 2 and most != {"1001": 1, "1002": 3}:
            await asyncio.sleep(0)
        now[name] -= 1
        return JSONResponse(name)

    made = gate(tmp_path)
    made.app = Starlette(routes=[Route("/page", page)])
    cookies = {}
    for name in most:
        someone = browser(made)
        someone.get(link(name))
        cookies[name] = cookie(someone)

    async def ask(name: str) -> None:
        assert await sent(made, cookies[name], []) == 200

    async def everybody() -> None:
        await asyncio.gather(*(ask("1002") for _ in range(9)), ask("1001"))

    asyncio.run(everybody())
    assert most == {"1001": 1, "1002": 3}


def test_a_pace() -> None:
    """At most two in ten seconds, for each key; one may again when the oldest is that old."""
    pace = RateLimit(2, 10.0)
    for now in (0.0, 4.0):
        assert pace.wait("a", now) == 0.0
        pace.note("a", now)
    assert (pace.wait("a", 5.0), pace.wait("b", 5.0), pace.wait("a", 10.0)) == (5.0, 0.0, 0.0)


def test_two_people_with_one_id() -> None:
    """The roster and class.yaml must not name the same id."""
    with pytest.raises(UsageError, match="names 1001 as staff"):
        ClassMembers(ROSTER, ClassSettings(assistants={"1001": "X"}))


def test_headers(tmp_path: Path) -> None:
    """Refusals have the headers of every other answer."""
    for answer in (browser(gate(tmp_path)).get("/"), browser(gate(tmp_path)).get(link())):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
