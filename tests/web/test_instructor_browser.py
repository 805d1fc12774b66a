"""An instructor's way in a real browser: in both languages, by keyboard, at a phone's width, checked with axe-core."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.instructor import learner_requests
from grader.instructor.export import ExportOptions, ExportTarget, export
from grader.web.class_data import LANGUAGE, ClassData
from grader.web.security import COOKIE
from tests.web.staff import make_app
from tests.web.test_browser import AXE, CHROMIUM, Running, _violations, chromium, troubles  # noqa: F401, a fixture
from tests.web.test_instructor import NOW, PATHS, class_data, given, handed_in, in_process  # noqa: F401, fixtures

pytest.importorskip("playwright.sync_api", reason="`make test-web` installs playwright")
pytestmark = [pytest.mark.prove, pytest.mark.skipif(not CHROMIUM, reason="needs Chromium; name one with CHROMIUM")]
ALL = (*PATHS, "/learners/bo", "/similar?cluster=1", "/items/zoe", "?q=nobody")


class Site(Running):
    """A running server for a class_data."""

    def __init__(self, class_data: ClassData) -> None:  # noqa: F811
        super().__init__()
        self.class_data = class_data
        self.token = secrets.token_urlsafe(8)
        self.serve(make_app(class_data, self.token, self.host))

    def cookies(self, lang: str) -> list[dict[str, str]]:
        """Signed in, in a language."""
        named = {COOKIE: self.token, LANGUAGE: lang}
        return [{"name": name, "value": value, "url": self.url} for name, value in named.items()]


@pytest.fixture
def site(class_data: ClassData) -> Iterator[Site]:  # noqa: F811
    """A server for a class in which requests wait."""
    learner_requests.add_request(class_data.folder, "bo", "double", "It works for me.", NOW)
    learner_requests.add_request(class_data.folder, "ada", "Q1.a", "Why?", NOW)
    learner_requests.answer_request(class_data.folder, 2, "Because.", "prof", NOW)
    made = Site(class_data)
    yield made
    made.close()


@pytest.fixture
def page(chromium: Any, site: Site) -> Iterator[Any]:  # noqa: F811
    """A window in which nothing goes wrong: no error on the console, no request to anywhere else."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    context.add_cookies(site.cookies("en"))
    window = context.new_page()
    wrong = troubles(window, site)
    yield window
    context.close()
    assert [each for each in wrong if "the server responded with a status of 404" not in each] == []


def test_an_instructors_way(page: Any, site: Site) -> None:
    """From the class to a learner, points with a reason, free text, a request, similar code, and a download."""
    page.goto(f"{site.url}/class")
    page.get_by_label("Search for a name or id").fill("bø")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Bo Bø").click()
    page.get_by_text("Give points").first.click()
    page.get_by_label("Item or exercise").select_option("double")
    page.get_by_label("Points", exact=True).fill("3")
    page.get_by_label("Reason").fill("oral exam")
    page.get_by_role("button", name="Give points").click()
    page.get_by_text("Saved as change 1.").wait_for()
    page.get_by_role("link", name="Marking").click()
    page.get_by_role("link", name="Q1.why").click()
    page.get_by_label("Twice means two of it.").check()
    page.get_by_label("Comment").fill("Half of it.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved as change 2.").wait_for()
    page.get_by_role("link", name="Requests").click()
    page.get_by_label("Answer to the learner").fill("You are right.")
    page.get_by_label("New points").fill("4")
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("No open requests.").wait_for()
    page.get_by_role("link", name="Similar").click()
    page.get_by_role("link", name="↔").first.click()
    page.locator(".side mark").nth(5).wait_for()
    page.get_by_role("link", name="Downloads").click()
    with page.expect_download() as saved:
        page.locator("form.format", has=page.get_by_role("heading", name="csv")).get_by_role("button").click()
    assert "Ada Lovelace" in Path(saved.value.path()).read_text("utf-8")
    assert given(site.class_data)["bo", "double"][:2] == (4.0, "You are right.")
    page.get_by_role("link", name="Changes").click()
    page.locator("text=answered a request").wait_for()


def test_marking_by_keys(page: Any, site: Site) -> None:
    """A letter and Enter mark a group of equal answers; n skips one; Enter without a choice saves nothing."""
    page.goto(f"{site.url}/class/marking/Q1.why")
    page.keyboard.press("Enter")
    assert not given(site.class_data)
    page.keyboard.press("b")
    page.get_by_text("Now selected: 1 of 3 points.").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**done=1")
    assert {points for points, *_ in given(site.class_data).values()} == {1.0} and len(given(site.class_data)) == 2
    page.keyboard.press("n")
    page.wait_for_url("**group=3")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    page.get_by_text("Saved as change 2.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Undone as change 3.").wait_for()
    assert len(given(site.class_data)) == 2


def test_by_keyboard_alone(page: Any, site: Site) -> None:
    """The skip link, the search, a heading that sorts, and a table that can be scrolled have the focus in turn."""
    page.goto(f"{site.url}/class")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "(({name, classList, innerText}) => name || classList[0] || innerText)(document.activeElement)"
            )
        )
        if seen[-1] == "Points":
            page.keyboard.press("Enter")
            break
    assert seen.index("q") < seen.index("chip") < seen.index("scroll") < seen.index("Points")
    page.wait_for_url("**sort=points**")
    assert page.locator("th[aria-sort=descending]").inner_text().strip() == "Points"


@pytest.mark.parametrize("width", [375, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(page: Any, site: Site, width: int, scheme: str) -> None:
    """No page is wider than the window; wide tables scroll by themselves."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for path in ALL:
        page.goto(f"{site.url}/class{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.skipif(not AXE.is_file(), reason="`make test-web` installs axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_accessibility(chromium: Any, site: Site, scheme: str, lang: str) -> None:  # noqa: F811
    """No violation of axe-core's rules on any page, with all that unfolds unfolded."""
    context = chromium.new_context(bypass_csp=True, color_scheme=scheme)  # to put axe-core into the pages
    context.add_cookies(site.cookies(lang))
    window = context.new_page()
    found = []
    for path in ALL:
        window.goto(f"{site.url}/class{path}")
        window.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        found += _violations(window, path)
    context.close()
    assert not found


def test_the_exported_table_sorts(chromium: Any, site: Site, tmp_path: Path) -> None:  # noqa: F811
    """From a file, under its own policy: headings sort, the field finds; without scripts it is a table."""
    with site.class_data.book() as book:
        place = ExportTarget(tmp_path / "pages", lambda text: None, temporary=True)
        export("html", book, ExportOptions(now=NOW), place)
    context = chromium.new_context()
    window = context.new_page()
    wrong: list[str] = []
    window.on("console", lambda said: wrong.append(said.text))
    window.goto((tmp_path / "pages" / "index.html").as_uri())
    first = "[...document.querySelectorAll('tbody tr')].filter(row => !row.hidden).map(row => row.cells[0].innerText)"
    window.get_by_role("button", name="Points").click()
    assert window.evaluate(first)[0].startswith("Cy")
    window.get_by_role("button", name="Points").click()
    assert window.evaluate(first)[0].startswith("Eve")
    window.get_by_label("Search for a name or id").fill("BO B")
    assert [name.split()[0] for name in window.evaluate(first)] == ["Bo"]
    if AXE.is_file():
        checked = chromium.new_context(bypass_csp=True).new_page()
        checked.goto((tmp_path / "pages" / "index.html").as_uri())
        found = _violations(checked, "index.html")
        # The switch between the languages stands before the landmarks of every such page: its styles need that.
        assert [each for each in found if 'region: <input type="radio" name="language"' not in each] == []
    context.close()
    assert not wrong
