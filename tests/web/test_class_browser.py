"""The pages of a class in a real browser: of learners and of staff, by keyboard, narrow, checked with axe-core."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from grader.classroom.class_folder import SECRET
from grader.instructor import learner_requests
from grader.web.gate import Proxy
from grader.web.people import Role
from grader.web.sessions import Claim, read_signer
from tests.web.test_browser import AXE, CHROMIUM, Running, _violations, chromium  # noqa: F401, a fixture
from tests.web.test_instructor import PATHS
from tests.web.test_site import CODE, Classroom, made  # noqa: F401, a fixture

pytest.importorskip("playwright.sync_api", reason="`make test-web` installs playwright")
pytestmark = [pytest.mark.prove, pytest.mark.skipif(not CHROMIUM, reason="needs Chromium; name one with CHROMIUM")]
NOW = datetime(2026, 11, 6, 7, 13, 47, tzinfo=UTC)
STAFF = (*PATHS, "/sessions", "/nothing")


class Server(Running):
    """The class at a port of its own."""

    def __init__(self, classroom: Classroom, proxy: Proxy | None = None, address: str = "") -> None:
        super().__init__()
        self.folder = classroom.folder
        self.url = address or self.url
        gate = classroom.site.app(classroom.staff(), proxy)
        gate.address, gate.signing.secure = self.url, self.url.startswith("https")
        gate.turns.burst = 1_000_000
        self.serve(gate)

    def link(self, name: str, role: Role) -> str:
        """A personal link."""
        claim = Claim(name, role, datetime.now(UTC) + timedelta(days=1), datetime.now(UTC))
        return f"{self.url}/sign-in?link={read_signer(self.folder / SECRET).sign('link', claim)}"


@pytest.fixture(scope="module")
def server(made: Classroom) -> Iterator[Server]:  # noqa: F811
    """A running class."""
    running = Server(made)
    yield running
    running.close()


@pytest.fixture(scope="module")
def submitted(chromium: Any, server: Server) -> str:  # noqa: F811
    """The path of a submission of Ada's that is graded and about which she has asked."""
    window = signed_in(chromium, server, "ada", Role.LEARNER)
    window.goto(f"{server.url}/questions/Q1/code")
    window.request.post(
        f"{server.url}/questions/Q1/code", form={"code": CODE, "do": "save"}, headers={"Origin": server.url}
    )
    window.goto(f"{server.url}/submit")
    window.locator("main form button").first.click()
    path: str = window.locator("a[href^='/submissions/']").first.get_attribute("href")
    window.goto(f"{server.url}/submit")
    window.locator("#attempts:not([hx-get])").wait_for()
    learner_requests.add_request(server.folder, "ada", "double", "It works for me.", NOW)
    learner_requests.add_request(server.folder, "ada", "Q1.b", "Why?", NOW)
    learner_requests.answer_request(server.folder, 2, "Because.", "grace", NOW)
    window.context.close()
    return path.removesuffix("/receipt")


def signed_in(chromium: Any, server: Server, name: str, role: Role, **more: Any) -> Any:  # noqa: F811
    """A window of this person's."""
    window = chromium.new_context(**more).new_page()
    window.goto(server.link(name, role))
    window.locator("button").first.click()
    return window


@pytest.mark.skipif(not AXE.is_file(), reason="`make test-web` installs axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("role", [Role.LEARNER, Role.INSTRUCTOR])
def test_accessibility(
    chromium: Any,  # noqa: F811
    server: Server,
    submitted: str,
    role: Role,
    lang: str,
    scheme: str,
) -> None:
    """No violation of axe-core's rules, nothing wider than a phone; all that unfolds is open."""
    name = "ada" if role is Role.LEARNER else "grace"
    narrow = {"width": 375, "height": 800}
    window = signed_in(chromium, server, name, role, bypass_csp=True, color_scheme=scheme, viewport=narrow)
    choose = window.locator(f"button[name=lang][value={lang}]")
    if choose.count():
        choose.click()
    learners = ("/submit", submitted, f"{submitted}/report", "/questions/Q1/code")
    paths = (*(learners if role is Role.LEARNER else [f"/class{path}" for path in STAFF]), "/sign-out", "/")
    found = []
    for path in paths:
        window.goto(server.url + path)
        window.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        found += _violations(window, path)
        if window.evaluate("document.documentElement.scrollWidth") > narrow["width"]:
            found.append(f"{path} is too wide")
    window.context.close()
    assert not found


def test_a_learners_way_by_keyboard(chromium: Any, server: Server, submitted: str) -> None:  # noqa: F811
    """From the list of submissions to a result, a request with a reason, and out, without a mouse."""
    window = signed_in(chromium, server, "ada", Role.LEARNER)
    window.goto(f"{server.url}/submit")
    reach(window, f"a[href='{submitted}']")
    window.keyboard.press("Enter")
    window.wait_for_url(f"**{submitted}")
    reach(window, "textarea[name=reason]")
    window.keyboard.type("Please look again.")
    reach(window, "form[action$=request] button")
    window.keyboard.press("Enter")
    window.get_by_text("Please look again.").wait_for()
    reach(window, "a[href='/sign-out']")
    window.keyboard.press("Enter")
    window.wait_for_url("**/sign-out")
    reach(window, "form[action='/sign-out'] button")
    window.keyboard.press("Enter")
    window.get_by_text("You are signed out").wait_for()
    window.context.close()


def test_another_site_signs_nobody_in(chromium: Any, server: Server) -> None:  # noqa: F811
    """A page that loads somebody's link as an image and in a frame, and sends the form by itself: no session. The link
    itself, followed from there, asks first; who answers by keyboard is in.
    """
    link = server.link("bo", Role.LEARNER)
    token, context = link.partition("link=")[2], chromium.new_context()
    mallory, window = "http://mallory.example", context.new_page()
    send = f"<form action='{server.url}/sign-in' method=post><input name=link value='{token}'></form>"
    loads = f"<img src='{link}'><iframe src='{link}'></iframe><a href='{link}'>a nice page</a>"
    context.route(f"{mallory}/**", lambda asked: asked.fulfill(body=loads + send, content_type="text/html"))
    window.goto(f"{mallory}/x")
    with window.expect_navigation():
        window.evaluate("document.forms[0].submit()")
    assert "This request comes from elsewhere" in window.content()
    window.goto(f"{mallory}/y")
    assert context.cookies(server.url) == []
    window.get_by_text("a nice page").click()
    window.get_by_text("Sign in as Bo?").wait_for()
    assert context.cookies(server.url) == []
    reach(window, "form[action='/sign-in'] button")
    window.keyboard.press("Enter")
    window.wait_for_url(f"{server.url}/")
    assert len(context.cookies(server.url)) == 1
    context.close()


@pytest.mark.skipif(not AXE.is_file(), reason="`make test-web` installs axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_strangers_are_accessible(chromium: Any, server: Server, scheme: str) -> None:  # noqa: F811
    """The page of a link, and refusals: no violation, nothing wider than a phone."""
    window = chromium.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": 375, "height": 800}
    ).new_page()
    found = []
    for address in (server.link("bo", Role.LEARNER), f"{server.url}/", f"{server.url}/sign-in?link=x"):
        window.goto(address)
        found += _violations(window, address)
        assert window.evaluate("document.documentElement.scrollWidth") <= 375
    window.context.close()
    assert not found


def reach(window: Any, selector: str) -> None:
    """Presses Tab until this has the focus, which can be seen."""
    for _ in range(200):
        window.keyboard.press("Tab")
        if window.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached")


def test_no_link_in_referers(made: Classroom, chromium: Any) -> None:  # noqa: F811
    """After the button of a personal link, no request names the address of its page."""
    server = Server(made)
    said: list[str] = []
    page = chromium.new_page()
    page.on("request", lambda request: said.append(request.all_headers().get("referer", "")))
    try:
        page.goto(server.link("ada", Role.LEARNER))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{server.url}/")
    finally:
        page.close()
        server.close()
    assert len(said) > 2 and not any("link=" in each for each in said)
