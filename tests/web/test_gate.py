"""Who gets into a class: links, sessions, a proxy's header; and what nobody may do."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from grader.classroom import audit
from grader.classroom.class_folder import ClassSettings, read_settings
from grader.classroom.ended_sessions import EndedSessions
from grader.classroom.roster import Learner, Roster, read_roster
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.web.gate import Gate, Proxy
from grader.web.limits import RateLimit, RequestQueue, peer
from grader.web.people import ClassMember, ClassMembers, MemberFiles, Role
from grader.web.sessions import Claim, Sessions, Signer, read_signer

HOST = "quiz.example.edu"
ADDRESS = f"https://{HOST}"
SIGNER = Signer(b"s" * 32)
LATER = datetime.now(UTC) + timedelta(days=2)
ROSTER = Roster(
    (
        Learner(
            "1001", "Ada", ids=(("learner", "1001"), ("login", "ada"), ("email", "ada@example.edu"), ("canvas", "77"))
        ),
        Learner("1002", "bob", ids=(("learner", "1002"), ("email", "shared@example.edu"))),
        Learner("1003", "Cy", ids=(("learner", "1003"), ("email", "shared@example.edu"))),
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
    return Gate(app, ADDRESS, Sessions(PEOPLE, SIGNER, EndedSessions(tmp_path)), tmp_path, **more)


def browser(made: Gate, client: tuple[str, int] = ("127.0.0.1", 5)) -> TestClient:
    """A browser that is not signed in."""
    return TestClient(made, base_url=ADDRESS, follow_redirects=False, client=client)


def link(name: str = "1001", role: Role = Role.LEARNER, until: datetime = LATER, by: Signer = SIGNER) -> str:
    """The path of a personal link."""
    return f"/sign-in?link={by.sign('link', Claim(name, role, until))}"


OWN = {"origin": ADDRESS}


def sign_in(someone: TestClient, path: str = link()) -> Any:
    """Press the button of a link's page, or send the form that it would have."""
    page = someone.get(path)
    token = re.search(r'name="link" value="([^"]+)"', page.text)
    given = token[1] if token else path.partition("link=")[2]
    return someone.post("/sign-in", data={"link": given}, headers=OWN)


def test_a_link_becomes_a_session(tmp_path: Path) -> None:
    """A cookie that scripts cannot read and other sites' forms do not send; then every page knows who asks."""
    someone = browser(gate(tmp_path))
    assert someone.get("/").status_code == 403
    page = someone.get(link())
    assert page.status_code == 200 and "set-cookie" not in page.headers
    assert "Sign in as Ada?" in page.text and "以 Ada 的身份登录？" in page.text and "a learner" in page.text
    answer = sign_in(someone)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("__host-attncheck-")
    assert all(word in cookie for word in ("httponly", "samesite=lax", "secure", "path=/", "max-age=1"))
    assert someone.get("/x").json() == ["1001", "learner", "GET"]
    for path in (link(), link("1002")):
        assert sign_in(someone, path).status_code == (303 if path == link() else 409)
    assert "You are signed in as Ada" in someone.get(link("1002")).text, "nobody becomes somebody else unawares"
    assert someone.post("/sign-out", headers=OWN).status_code == 200
    assert someone.get("/x").status_code == 403
    acts = audit.entries(tmp_path)
    assert [(act.who, act.did) for act in acts] == [("1001", "signed in"), ("1001", "signed out")]


def test_only_the_button_signs_in(tmp_path: Path) -> None:
    """Loading the link, in whatever way and from wherever, changes nothing and is not logged; a form of another site is
    refused.
    """
    made = gate(tmp_path)
    for headers in (
        {},
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"},
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"},
        {"sec-purpose": "prefetch"},
    ):
        for method in ("GET", "HEAD"):
            someone = browser(made)
            answer = someone.request(method, link(), headers=headers)
            assert answer.status_code == 200 and "set-cookie" not in answer.headers
            assert someone.get("/x").status_code == 403
    token = link().partition("link=")[2]
    elsewhere = ({"origin": "https://mallory.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}, {})
    for headers in elsewhere:
        answer = browser(made).post("/sign-in", data={"link": token}, headers=headers)
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert "set-cookie" not in browser(made).request(method, link(), headers=OWN).headers
    assert audit.entries(tmp_path) == ()


def test_a_session_that_was_ended_stays_ended(tmp_path: Path) -> None:
    """After signing out, a copy of the cookie is worthless, also after a restart; other sessions go on."""
    made = gate(tmp_path)
    ada, phone = browser(made), browser(made)
    sign_in(ada)
    sign_in(phone)
    copy = cookie(ada)
    ada.post("/sign-out", headers=OWN)
    for again in (made, gate(tmp_path)):
        assert browser(again).get("/x", headers={"cookie": copy}).status_code == 403
        assert browser(again).get("/x", headers={"cookie": cookie(phone)}).status_code == 200
    lines = len(audit.entries(tmp_path))
    assert browser(made).post("/sign-out", headers=OWN | {"cookie": copy}).status_code == 200
    assert len(audit.entries(tmp_path)) == lines, "somebody who is signed out does not sign out"


@pytest.mark.parametrize(
    ("whom", "ends", "open_"),
    [
        ("1001", ("session",), {"ada's link", "bob's session", "bob's link"}),
        ("1001", ("session", "link"), {"bob's session", "bob's link"}),
        (None, ("session",), {"ada's link", "bob's link"}),
        (None, ("session", "link"), set()),
    ],
)
def test_sessions_and_links_of_others_can_be_ended(
    tmp_path: Path, whom: str | None, ends: tuple[Any, ...], open_: set[str]
) -> None:
    """Of one person or of all, sessions alone or links too, for good; new ones work."""
    made = gate(tmp_path)
    names = {"ada": ("1001", Role.LEARNER), "bob": ("bob", Role.ASSISTANT)}
    cookies = {}
    for name, who in names.items():
        someone = browser(made)
        sign_in(someone, link(*who))
        cookies[name] = cookie(someone)
    made.sessions.end_all(whom, ends)
    for again in (made, gate(tmp_path)):
        found = {
            f"{name}'s session"
            for name in names
            if browser(again).get("/x", headers={"cookie": cookies[name]}).is_success
        }
        found |= {f"{name}'s link" for name, who in names.items() if browser(again).get(link(*who)).is_success}
        assert found == open_
        new = Claim("1001", Role.LEARNER, LATER, datetime.now(UTC) + timedelta(seconds=1))
        assert browser(again).get(f"/sign-in?link={SIGNER.sign('link', new)}").status_code == 200


def test_the_list_of_ended_sessions_stays_short(tmp_path: Path) -> None:
    """Somebody who signs out a thousand times fills no disk, and none of these sessions works again."""
    ended = EndedSessions(tmp_path)
    began = [LATER + timedelta(seconds=number) for number in range(200)]
    for number, at in enumerate(began):
        ended.end("1001", at, f"session {number}")
    again = EndedSessions(tmp_path)
    assert all(again.is_void("session", "1001", at, f"session {number}") for number, at in enumerate(began))
    assert not again.is_void("session", "1001", began[-1], "another")
    assert not again.is_void("link", "1001", began[0], "")
    assert next(tmp_path.iterdir()).stat().st_size < 3000
    again.forget("1001")
    assert not EndedSessions(tmp_path).is_void("session", "1001", began[0], "session 0")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"people": 3}', '{"people": {"a": 1}}', '{"people": {"a": {}}}', "[" * 9999]
)
def test_a_damaged_list_of_ended_sessions(tmp_path: Path, text: str) -> None:
    """It is not taken for an empty one: that would revive what was ended."""
    EndedSessions(tmp_path).end("1001", LATER, "x")
    next(tmp_path.iterdir()).write_text(text)
    with pytest.raises(UsageError, match="restore it from a backup"):
        EndedSessions(tmp_path)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """Signing in and out then says so, without an internal error, and the instructor is told."""
    told: list[Text] = []
    made = gate(tmp_path / "class", report=told.append)
    (tmp_path / "class").mkdir()
    someone = browser(made)
    sign_in(someone)
    copy = cookie(someone)
    (tmp_path / "class").rename(tmp_path / "gone")
    (tmp_path / "class").write_text("")
    assert someone.post("/sign-out", headers=OWN).status_code == 503
    assert sign_in(browser(made)).status_code == 503
    assert browser(made).get("/x", headers={"cookie": copy}).status_code == 403, "ended nevertheless"
    assert len(told) == 2 and all("cannot be written" in text.en for text in told)


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
    someone = browser(gate(tmp_path))
    for answer in (someone.get(path), sign_in(someone, path)):
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
        assert "This link does not work" in answer.text and "已过期" in answer.text
    assert audit.entries(tmp_path) == ()


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
    sign_in(someone)
    assert someone.post("/x", headers=headers).status_code == status


def test_a_flood_is_slowed_down_and_hurts_nobody_else(tmp_path: Path) -> None:
    """Sixty requests are answered at once, then two a second; what cannot wait in line is refused later."""
    times, waited = [0.0], []

    async def pause(_: asyncio.Event, seconds: float) -> None:
        waited.append(round(seconds, 3))

    made = gate(tmp_path, clock=lambda: times[0], pause=pause)
    eve, ada = browser(made), browser(made)
    sign_in(eve, link("1002"))
    sign_in(ada)
    assert [eve.get("/").status_code for _ in range(70)] == [200] * 68 + [429] * 2, "after the link and its button"
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
    sign_in(eve, link("1002"))
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
    sign_in(someone)
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
        sign_in(someone, link(name))
        cookies[name] = cookie(someone)

    async def ask(name: str) -> None:
        assert await sent(made, cookies[name], []) == 200

    async def everybody() -> None:
        await asyncio.gather(*(ask("1002") for _ in range(9)), ask("1001"))

    asyncio.run(everybody())
    assert most == {"1001": 1, "1002": 3}


def test_signing_in_and_out_takes_turns(tmp_path: Path) -> None:
    """A program cannot sign in without end, with a link or without a valid one; nor does it fill the log or memory."""
    times, waited = [0.0], []

    async def pause(_: asyncio.Event, seconds: float) -> None:
        waited.append(seconds)

    made = gate(tmp_path, clock=lambda: times[0], pause=pause)
    seen = Counter(sign_in_only(browser(made)) for _ in range(200))
    assert seen[303] == 20 and seen[429] == 180
    assert len(audit.entries(tmp_path)) == 20
    times[0] = 700.0
    assert sign_in_only(browser(made)) == 303
    ada = browser(made)
    sign_in(ada)
    lines = len(audit.entries(tmp_path))
    assert {sign_in_only(ada) for _ in range(50)} == {303}
    assert len(audit.entries(tmp_path)) == lines, "somebody who is signed in does not sign in"
    eve = browser(made, client=("192.0.2.7", 5))
    seen = Counter(eve.get("/sign-in?link=guess").status_code for _ in range(400))
    assert 345 <= seen[403] <= 350 and seen[403] + seen[429] == 400, "300 at once, and 50 that wait"
    assert browser(made, client=("192.0.2.8", 5)).get("/sign-in?link=guess").status_code == 403
    assert sign_in_only(browser(made, client=("192.0.2.7", 6)), link("1002")) == 303, "a valid link beside a flood"


def sign_in_only(someone: TestClient, path: str = link()) -> int:
    """The status of the form alone."""
    return someone.post("/sign-in", data={"link": path.partition("link=")[2]}, headers=OWN).status_code


def test_strangers_use_bounded_memory() -> None:
    """Addresses beyond the limit share one queue, until others are idle."""
    turns = RequestQueue(2, 1.0, 0, most=100)
    assert all(turns.take(f"{number}", 0.0) == 0.0 for number in range(100))
    assert [turns.take(f"{number}", 0.0) for number in range(100, 104)] == [0.0, 0.0, None, None]
    assert turns.take("5", 0.0) == 0.0, "those who were there keep their own"
    assert [turns.take("200", 60.0), turns.take("201", 60.0), turns.take("202", 60.0)] == [0.0] * 3
    assert len(turns._last) <= 101


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.8", False),
        ("testclient", "testclient", True),
    ],
)
def test_whose_connections_are_counted_together(one: str, other: str, same: bool) -> None:
    """Those of an address; of IPv6, those of a network, because one customer has all of it."""
    assert (peer((one, 1)) == peer((other, 2))) is same
    assert peer(None) == ""


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text()
        | st.sampled_from(["session", "link", "learner"]),
        lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(), inner, max_size=3),
    )
    | st.tuples(
        st.sampled_from(["session", "link", 1]),
        st.sampled_from(["1001", 1001, None, ["1001"], "\ud800"]),
        st.sampled_from(["learner", ["learner"], {}, None, "other", 3]),
        st.integers() | st.just(10**400) | st.floats() | st.text(),
        st.integers() | st.just(-(10**30)) | st.none(),
        st.text() | st.none() | st.lists(st.integers()),
    ).map(list)
    | st.binary()
)
@settings(max_examples=100, deadline=None)
def test_signed_nonsense_is_refused(data: object) -> None:
    """Somebody with the secret can sign anything; what is no claim is refused, and never raises."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    body = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    token = f"{body}.{SIGNER._mac(body)}"
    for purpose in ("link", "session"):
        claim = SIGNER.read(purpose, token, datetime.now(UTC))  # type: ignore[arg-type]
        assert claim is None or (isinstance(claim.id, str) and isinstance(claim.role, Role))


@pytest.mark.parametrize(
    "data",
    [
        ["session", "1001", ["learner"], 9999999999, 0, "x"],
        ["session", ["1001"], "learner", 9999999999, 0, "x"],
        ["session", "1001", "learner", 10**30, 0, "x"],
        ["session", "1001", "learner", 9999999999, 10**30, "x"],
        ["session", "1001", "learner", "9999999999", 0, "x"],
        ["session", "1001", "learner", 9999999999, 0, ["x"]],
        ["session", "1001", "learner", 9999999999],
        {"session": 1},
        [],
        3,
    ],
)
def test_no_forged_session_is_an_error_of_the_server(tmp_path: Path, data: object) -> None:
    """Even with a right signature, in a cookie, an address and a form: 403."""
    made = gate(tmp_path)
    for purpose in ("session", "link"):
        what = [purpose, *data[1:]] if isinstance(data, list) and data else data
        if purpose == "link" and what == ["link", "1001", "learner", 9999999999]:
            continue  # a link of an earlier version
        body = base64.urlsafe_b64encode(json.dumps(what).encode()).decode().rstrip("=")
        token = f"{body}.{SIGNER._mac(body)}"
        someone = browser(made)
        assert someone.get("/x", headers={"cookie": f"{made.signing.cookie}={token}"}).status_code == 403
        assert someone.get(f"/sign-in?link={token}").status_code == 403
        assert someone.post("/sign-in", data={"link": token}, headers=OWN).status_code == 403
    for body in (b"", b"link", b"x" * 5000, b"\xff\xfe", b"link=" + b"a" * 3000):
        assert browser(made).post("/sign-in", content=body, headers=OWN).status_code == 403


def test_links_of_earlier_versions_work() -> None:
    """They do not say when they were issued, so ending all links ends them."""
    body = base64.urlsafe_b64encode(json.dumps(["link", "1001", "learner", 9999999999]).encode()).decode().rstrip("=")
    claim = SIGNER.read("link", f"{body}.{SIGNER._mac(body)}", datetime.now(UTC))
    assert claim is not None and (claim.id, claim.role, claim.issued.year) == ("1001", Role.LEARNER, 1970)


def test_who_leaves_is_noticed_without_a_restart(tmp_path: Path) -> None:
    """A learner taken off the roster and staff taken out of class.yaml are out at the next request; mistakes in the
    files change nothing and are reported.
    """
    roster, told = tmp_path / "class.csv", list[Text]()
    rows = "learner,name\n1001,Ada\n1002,bob\n"
    roster.write_text(rows)
    (tmp_path / "class.yaml").write_text("instructors: {grace: Grace}\nassistants: {bob: Bob}\n")
    people = ClassMembers(read_roster(roster), read_settings(tmp_path))
    made = gate(tmp_path, members=MemberFiles(tmp_path, roster, people, told.append))
    made.sessions = made.signing.sessions = Sessions(people, SIGNER, EndedSessions(tmp_path))
    users = {"1001": browser(made), "1002": browser(made), "bob": browser(made), "grace": browser(made)}
    for name, role in (("1001", "learner"), ("1002", "learner"), ("bob", "assistant"), ("grace", "instructor")):
        sign_in(users[name], link(name, Role(role)))

    def inside() -> set[str]:
        return {name for name, user in users.items() if user.get("/x").status_code == 200}

    assert inside() == {"1001", "1002", "bob", "grace"}
    roster.write_text("learner,name\n1001,Ada\n")
    assert inside() == {"1001", "bob", "grace"}
    (tmp_path / "class.yaml").write_text("instructors: {grace: Grace, bob: Bob B.}\n")
    assert inside() == {"1001", "grace"}, "another role is another person"
    assert sign_in(users["bob"], link("bob", Role.INSTRUCTOR)).headers["location"] == "/class"
    (tmp_path / "class.yaml").write_text("instructors: [grace\n")
    assert inside() == {"1001", "bob", "grace"} and len(told) == 1 and "class.yaml" in told[0].en
    roster.write_text("")
    assert inside() == {"1001", "bob", "grace"} and len(told) == 2
    roster.write_text(rows + "1009,New\n")
    (tmp_path / "class.yaml").write_text("instructors: {grace: Grace}\n")
    assert inside() == {"1001", "1002", "grace"}
    assert browser(made).get(link("1009")).status_code == 403, "new learners count from the next start on"
    assert len(told) == 2


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


def test_every_refusal_is_a_page(tmp_path: Path) -> None:
    """In both languages, with a title and what to do, and nothing to load; inside a page, only the sentences."""
    stranger, ada = browser(gate(tmp_path)), browser(gate(tmp_path))
    sign_in(ada)
    by_proxy = browser(gate(tmp_path, proxy=Proxy("X-Remote-User", "127.0.0.1")))
    answers = [
        (403, stranger.get("/")),
        (403, stranger.get("/sign-in")),
        (403, stranger.post("/x")),
        (409, ada.get(link("1002"))),
        (421, ada.get("/", headers={"host": "elsewhere.example"})),
        (413, ada.post("/x", headers=OWN | {"content-length": "2000001"})),
        (403, by_proxy.get("/")),
        (200, ada.post("/sign-out", headers=OWN)),
    ]
    for status, answer in answers:
        assert answer.status_code == status
        nonce = re.findall(r"'nonce-([^']+)'", answer.headers["content-security-policy"])[0]
        assert f'<style nonce="{nonce}">' in answer.text and answer.text.startswith("<!doctype html>")
        assert not re.findall(r'(?:src|href)="(?!data:,)[^"]', answer.text), "a stranger gets no file"
        english, chinese = re.findall(r"<section lang=.*?</section>", answer.text, re.DOTALL)
        assert "<h1>" in english and "<p>" in english and "<h2>" in chinese and "<p>" in chinese
    part = stranger.get("/", headers={"hx-request": "true"})
    assert part.status_code == 403 and part.text.startswith("<p ") and "请用" not in part.text.partition("\n")[0]
