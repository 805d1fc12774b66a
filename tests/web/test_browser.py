"""A learner's way in a real browser, in both languages, by keyboard and at a phone's width. `make test-web` runs it."""

from __future__ import annotations

import html
import json
import os
import re
import secrets
import shutil
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import torch

from grader.authoring.typesetting import texts_of
from grader.commands.serve import _redirect, quiet_config
from grader.core.marks import pieces
from grader.core.model import Course, Status
from grader.core.typesetting.html import formula
from grader.course import items
from grader.grading.checker import Checker
from grader.learning.log import Answered, Coded, Reviewed
from grader.web.learner import LearnerWorkspace
from grader.web.pages import make_app
from grader.web.security import Guard
from reference import attention, heads, masks, position, scores

sync_api = pytest.importorskip("playwright.sync_api", reason="`make test-web` installs playwright")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""
AXE = Path(__file__).parents[2] / "build" / "front" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [pytest.mark.prove, pytest.mark.skipif(not CHROMIUM, reason="needs Chromium; name one with CHROMIUM")]
SOFTMAX = """import torch


def softmax(x, axis=-1):
    e = torch.exp(x - x.amax(axis, keepdim=True))
    return e / e.sum({axis}, keepdim=True)
"""

PAGES = ("/", "/progress", "/review", "/pictures", "/pictures/masks", "/pictures/cost", "/work", "/questions/Q5")
ORDER = "all => all.map(one => one.dataset.id)"
EYE, STEPS = torch.eye(5, dtype=torch.float64), torch.arange(5)
PLACEHOLDER = re.compile(r"\{[A-Za-z_]\w*\}")


class Running:
    """A server at a port of its own, which ``serve`` starts."""

    def __init__(self) -> None:
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"

    def serve(self, app: Any) -> None:
        """Returns when ``app`` can be reached."""
        import uvicorn

        self.server = uvicorn.Server(quiet_config(app, "off"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def close(self) -> None:
        """Ends it."""
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


class Site(Running):
    """A running server and the learner that it serves."""

    def __init__(self, course: Course, folder: Path) -> None:
        super().__init__()
        self.learner = LearnerWorkspace(course, folder / "work", folder / "log.jsonl", "ada", lambda: Checker(course))
        self.guard = Guard(make_app(self.learner, "en"), secrets.token_urlsafe(8), frozenset({self.host}))
        self.serve(self.guard)

    def enter(self, window: Any) -> None:
        """Opens an address as the terminal shows it, which leads to the map."""
        window.goto(f"{self.url}/?token={self.guard.ticket()}")
        window.wait_for_url(f"{self.url}/")

    def passed(self, name: str) -> None:
        """Says in the log that all code of a question is correct."""
        question = self.learner.course.question(name)
        assert question is not None
        id_, now = self.learner.course.public_id, datetime.now(UTC)
        self.learner.save(*(Coded(now, id_, each.name, Status.PASSED, None) for each in question.exercises))

    def close(self) -> None:
        """Ends it."""
        super().close()
        self.learner.close()


@pytest.fixture
def site(course: Course, tmp_path: Path) -> Iterator[Site]:
    """A server for a new learner."""
    made = Site(course, tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser."""
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


def troubles(window: Any, site: Running) -> list[str]:
    """What goes wrong in a window from now on: errors on the console, requests to anywhere else."""
    wrong: list[str] = []
    window.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    window.on("pageerror", lambda error: wrong.append(str(error)))
    window.on("request", lambda sent: None if sent.url.startswith((site.url, "data:")) else wrong.append(sent.url))
    return wrong


@pytest.fixture
def page(chromium: Any, site: Site) -> Iterator[Any]:
    """A signed-in window in which nothing goes wrong: no error on the console, no request to anywhere else."""
    window = chromium.new_page(viewport={"width": 1100, "height": 900})
    wrong = troubles(window, site)
    site.enter(window)
    yield window
    window.close()
    assert not wrong


def write(window: Any, text: str) -> None:
    """Puts ``text`` into the editor in place of what is there."""
    window.evaluate(
        "text => { const view = document.querySelector('[data-editor]').editor;"
        " view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}}) }",
        text,
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_learners_way(page: Any, site: Site, course: Course, lang: str) -> None:
    """From the map through an item to code: wrong with the place marked, then right."""
    if lang == "zh":
        page.get_by_role("button", name="中文").click()
    page.get_by_role("link", name=re.compile("^(Start|开始)")).click()
    item = course.questions[0].items[0]
    page.wait_for_url(f"**/{item.id}**")
    check, options = page.get_by_role("button", name=re.compile("^Check|^检查")), item.spec.options
    for each in sorted(options, key=lambda option: option.correct)[-2:]:
        page.locator(f".option:has([value={each.id}])").click()
        check.click()
        page.locator(".feedback .t-green" if each.correct else ".button:disabled").first.wait_for()
    page.goto(f"{site.url}/questions/Q3/code")
    for axis, passed in (("0", False), ("axis", True)):
        write(page, SOFTMAX.format(axis=axis))
        page.locator(".cm-content").click()
        page.keyboard.press("ControlOrMeta+Enter")
        page.locator("#report .part.passed" if passed else "#report .part.failed").first.wait_for(timeout=60_000)
    assert (site.learner.folder / "q03.py").read_text() == SOFTMAX.format(axis="axis")
    events = site.learner.events()
    assert [event.settled for event in events if isinstance(event, Answered)] == [False, True]
    assert [str(event.status) for event in events if isinstance(event, Coded)][-1] == "passed"


def test_the_place_is_marked_in_the_editor(page: Any, site: Site) -> None:
    """The line that the diagnosis names, with the part underlined."""
    page.goto(f"{site.url}/questions/Q3/code")
    write(page, SOFTMAX.format(axis="0"))
    page.get_by_role("button", name="Check").click()
    page.locator(".marked-line").wait_for(timeout=60_000)
    assert "torch.exp" in page.locator(".marked-line").inner_text()
    page.locator("#report [data-line]").first.click()
    page.locator(".cm-activeLine", has_text="torch.exp").wait_for()
    assert page.evaluate("document.activeElement.className").startswith("cm-content")


def test_keys_check_and_go_on(page: Any, site: Site, course: Course) -> None:
    """Ctrl-Enter checks what is being typed, and the letter on a button follows it, but not while it is typed."""
    item = next(i for q in course.questions for i in q.items if i.kind == "derivation" and not i.spec.state_givens)
    page.goto(f"{site.url}/items/{item.id}")
    page.locator("textarea[name=answer]").fill("\n".join(line.line for line in item.spec.chain))
    page.keyboard.press("n")
    assert page.url.endswith(f"/items/{item.id}")
    page.keyboard.press("Backspace")
    page.keyboard.press("ControlOrMeta+Enter")
    page.locator(".feedback .t-green").first.wait_for()
    page.wait_for_load_state()  # the page's script is deferred
    page.keyboard.press("n")
    page.wait_for_url(lambda url: not url.endswith(f"/items/{item.id}"))


def test_by_keyboard_alone(page: Any, site: Site, course: Course) -> None:
    """Skip link, options by arrow keys, submit by Enter; the feedback has the focus."""
    item = next(item for item in course.questions[0].items if item.kind == "choice")
    page.goto(f"{site.url}/items/{item.id}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.locator(".feedback:focus").wait_for()  # the browser moves the focus after the page is there


def test_without_scripts(chromium: Any, site: Site, course: Course) -> None:
    """Quiz and code work; the editor is a plain field; a wrong answer stays, with its mark; figures are stills."""
    context = chromium.new_context(java_script_enabled=False)
    window = context.new_page()
    site.enter(window)
    window.goto(f"{site.url}/questions/Q3/code")
    window.locator("textarea").fill(SOFTMAX.format(axis="axis"))
    window.get_by_role("button", name="Check").click()
    window.locator("#report .part.passed").first.wait_for(timeout=60_000)
    item = next(item for question in course.questions for item in question.items if item.kind == "order")
    window.goto(f"{site.url}/items/{item.id}")
    places = window.locator("select[name=answer]")
    wrong = [thing.id for thing in item.spec.things][::-1]
    for at, name in enumerate(wrong):
        places.nth(at).select_option(name)
    window.get_by_role("button", name="Check").click()
    assert places.evaluate_all("all => all.map(one => one.value)") == wrong
    assert window.locator("p .wrong-here").count() == 1
    window.goto(f"{site.url}/questions/Q5")
    assert window.locator(".stage .figure").is_visible() and not window.locator(".knobs").is_visible()
    context.close()


@pytest.mark.parametrize("width", [375, 1100])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(page: Any, site: Site, course: Course, width: int, scheme: str) -> None:
    """No page is wider than the window; text has enough contrast with what is behind it."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    kinds = {item.kind: item.id for question in course.questions for item in question.items}
    for path in (*PAGES, "/questions/Q5/code", *map("/items/{}".format, kinds.values())):
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert _contrast(page, "body") > 0.5


def _formulas(course: Course) -> Iterator[tuple[str, str]]:
    """The formulas of all texts, with numbers in place of placeholders, and keys as they are read; with their kinds."""
    texts = [text for question in course.questions for _, text in texts_of(question)]
    for item in (item for question in course.questions for item in question.items):
        context = items.Context(course.public_id, "ada", item.id)
        texts += [key := items.key(item, context), *(text for _, text in texts_of(items.ask(item, context)))]
        if items.takes_formulas(item):
            yield from (("reading", read) for _, read in items.kind(item.kind).reading(item.spec, key.en))
    for kind, said in (piece for text in texts for piece in (*pieces(text.en), *pieces(text.zh))):
        if kind in ("formula", "display"):
            yield "display" if kind == "display" else "inline", PLACEHOLDER.sub("7", said)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_formula(page: Any, course: Course, scheme: str) -> None:
    """At a phone's width, each has a size and an ink that is not the paper's, fits or scrolls, and is no code."""
    page.set_viewport_size({"width": 375, "height": 800})
    page.emulate_media(color_scheme=scheme)
    formulas = sorted(set(_formulas(course)))
    assert len(formulas) > 1500
    wrong = page.evaluate(
        """async all => {
            const main = document.querySelector("main")
            main.innerHTML = all.join("")
            const fonts = await document.fonts.load('16px "Text Math"')
            const { left, right } = main.firstChild.getBoundingClientRect()
            const good = part => {
                const box = part.getBoundingClientRect(), fits = box.left >= left && box.right <= right
                const scrolls = getComputedStyle(part.parentNode).overflowX === "auto"
                return part.tagName !== "CODE" && box.width && box.height && (fits || scrolls)
            }
            const shown = row => [...row.querySelectorAll("math, code")]
            const rows = [...main.children].filter(row => !fonts.length || !shown(row).every(good))
            return rows.map(row => row.textContent)
        }""",
        [f'<p class="{kind}">{formula(said, display=kind == "display")}</p>' for kind, said in formulas],
    )
    assert wrong == []
    assert _contrast(page, "mi") > 0.5


@pytest.mark.skipif(not AXE.is_file(), reason="`make test-web` installs axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_accessibility(chromium: Any, site: Site, course: Course, scheme: str, lang: str) -> None:
    """No violation of axe-core's rules on any kind of page, before and after an answer or a check."""
    context = chromium.new_context(bypass_csp=True, color_scheme=scheme)  # to put axe-core into the pages
    window = context.new_page()
    site.enter(window)
    if lang == "zh":
        window.get_by_role("button", name="中文").click()
    kinds = {item.kind: item.id for question in course.questions for item in question.items}
    found = []
    for path in (*PAGES, "/questions/Q3/code", "/nothing", *map("/items/{}".format, kinds.values())):
        window.goto(site.url + path)
        found += _violations(window, path)
    window.goto(f"{site.url}/items/{kinds['choice']}")
    window.locator("input[type=radio]").first.check()
    window.locator("button[value=answer]").click()
    window.wait_for_load_state("networkidle")
    found += _violations(window, "an answered item")
    for kind in ("match", "order", "derivation", "expression", "multi"):
        window.goto(f"{site.url}/items/{kinds[kind]}")
        for typed in window.locator("textarea[name=answer], input[type=text]").all():
            typed.fill("0 +")
        for box in window.locator("input[type=checkbox]").all():
            box.check()
        window.locator("button[value=answer]").click()
        window.wait_for_load_state("networkidle")  # axe-core fails on a page that is being replaced
        found += _violations(window, f"a wrong {kind}")
        if window.locator("button[value=key]").count():
            window.locator("button[value=key]").click()
            window.wait_for_load_state("networkidle")
        found += _violations(window, f"a settled {kind}")
    window.goto(f"{site.url}/questions/Q3/code")
    window.locator("button[value=check]").click()
    window.locator(".checked").wait_for(timeout=60_000)
    found += _violations(window, "a report")
    site.passed("Q3")
    (site.learner.folder / "q03.py").write_text(SOFTMAX.format(axis="axis"), "utf-8")
    for path in ("/questions/Q3/reference", "/review", "/review/exercises/softmax"):
        window.goto(site.url + path)
        found += _violations(window, path)
    context.close()
    assert not found


def _violations(window: Any, where: str) -> list[str]:
    window.evaluate(AXE.read_text("utf-8"))
    found = window.evaluate("axe.run()")
    assert found["passes"]
    return [f"{where}: {each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


def test_the_way_in_through_a_file(chromium: Any, site: Site, tmp_path: Path) -> None:
    """A page on the disk leads to the map, although the cookie is not sent to what other pages lead to; only once."""
    file = tmp_path / "open.html"
    _redirect(file, f"{site.url}/?token={site.guard.ticket()}")
    window = chromium.new_context().new_page()
    window.goto(file.as_uri())
    window.wait_for_url(f"{site.url}/")
    assert window.get_by_role("heading", level=1).inner_text() == "Is self-attention a task or a mechanism?"
    other = chromium.new_context().new_page()
    other.goto(file.as_uri())
    other.get_by_text("Open the address from the terminal").wait_for()
    for each in (window, other):
        each.context.close()


def test_things_are_sorted(page: Any, site: Site, course: Course) -> None:
    """With the buttons, without a letter being typed; the right order is accepted."""
    item = next(item for question in course.questions for item in question.items if item.kind == "order")
    page.goto(f"{site.url}/items/{item.id}")
    wanted = [thing.id for thing in item.spec.things]
    for at, name in enumerate(wanted):
        while (now := page.locator(".sortable li").evaluate_all(ORDER)).index(name) > at:
            page.locator(f".sortable li[data-id='{name}'] button[data-by='-1']").click()
    assert now == wanted
    rows = page.locator(".sortable li").all()
    assert [row.locator("button:disabled").count() for row in rows] == [1, *(0 for _ in rows[2:]), 1]
    page.get_by_role("button", name="Check").click()
    page.get_by_text("Correct.").wait_for()


def test_panes_are_divided(page: Any, site: Site) -> None:
    """By pointer, arrow keys and a double click; a reload changes nothing. A picture moves beside the code."""
    page.goto(f"{site.url}/questions/Q5/code")
    page.get_by_role("tab", name="Pictures").click()
    page.get_by_label("Causal mask").check()
    assert page.locator("#panel-pictures .off").count() == 15
    bar = page.locator(".divider")
    page.mouse.move(bar.bounding_box()["x"] + 4, 400)
    page.mouse.down()
    page.mouse.move(440, 400)
    page.mouse.up()
    bar.press("ArrowRight")
    for wide in (42, 56):
        page.reload()
        assert bar.get_attribute("aria-valuenow") == str(wide)
        assert page.locator("#pane-code").bounding_box()["width"] == pytest.approx(11 * wide, abs=1)
        bar.dblclick()


def test_a_file_is_opened(page: Any, site: Site, course: Course, tmp_path: Path) -> None:
    """In the editor, and saved only by a check."""
    (tmp_path / "mine.py").write_text("x = 1  # 注意力\n", "utf-8")
    page.goto(f"{site.url}/questions/Q3/code")
    page.locator("input[data-open]").set_input_files(tmp_path / "mine.py")
    page.get_by_text("x = 1").wait_for()
    question = course.question("Q3")
    assert question is not None and not site.learner.file(question).exists()


MARKED = "x = '注意😀' + (\n    first +\n    second\n)\ny = 2\n"


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ((1, 1, 4, 9), ["'注意😀'"]),
        ((2, 3, 4, 10), ["first +", "    second"]),
        ((5, 5, 4, 5), ["2"]),
        ((5, 9, 0, 99), ["y = 2"]),
        ((99, 99, 0, 1), []),
    ],
)
def test_marks_span_lines_and_any_letters(
    page: Any, site: Site, place: tuple[int, int, int, int], shown: list[str]
) -> None:
    """Columns count characters, also after an emoji; a place may cross lines; one that is not there marks nothing."""
    page.goto(f"{site.url}/questions/Q3/code")
    names = ("line", "end_line", "column", "end_column")
    marks = html.escape(json.dumps([dict(zip(names, place, strict=True))]))
    page.route(
        "**/questions/Q3/code", lambda route: route.fulfill(body=f'<p class="checked" data-marks="{marks}">.</p>')
    )
    write(page, MARKED)
    page.get_by_role("button", name="Check").click()
    page.locator(".checked").wait_for()
    lines = page.evaluate(
        "[...document.querySelectorAll('.cm-line')].map("
        "line => [...line.querySelectorAll('.marked-part')].map(part => part.textContent).join(''))"
    )
    assert [line for line in lines if line] == shown


def test_a_syntax_error_is_shown_and_marked(page: Any, site: Site) -> None:
    """Beside the editor, like a report."""
    page.goto(f"{site.url}/questions/Q3/code")
    write(page, "def softmax(x, axis=-1):\n    return (x\n")
    page.get_by_role("button", name="Check").click()
    page.get_by_text("was never closed").wait_for()
    assert "return (x" in page.locator(".marked-line").inner_text()
    assert page.locator(".marked-part").inner_text() == "("


def test_a_stopped_server_is_said(chromium: Any, site: Site) -> None:
    """What was asked for does not just stay away; what was written is still there."""
    window = chromium.new_page()
    site.enter(window)
    window.goto(f"{site.url}/questions/Q3/code")
    window.context.set_offline(True)
    window.get_by_role("button", name="Check").click()
    window.get_by_text("The server does not answer.").wait_for()
    assert "def softmax" in window.locator("textarea[data-editor]").input_value()
    window.close()


def test_a_derivation_is_read_while_it_is_typed(page: Any, site: Site, course: Course) -> None:
    """Line by line, before anything is submitted; nothing is logged. What was not read then is asked about."""
    item = next(i for q in course.questions for i in q.items if i.kind == "derivation" and "n" in i.spec.symbols)
    page.goto(f"{site.url}/items/{item.id}")
    page.locator("textarea[name=answer]").press_sequentially("n\nn +* 2")
    page.locator("#reading li").nth(1).get_by_text("Not read yet").wait_for()
    assert page.locator("#reading li").nth(0).locator("math").count() == 1
    page.route("**/reading", lambda route: route.fulfill(body=""))
    page.locator("textarea[name=answer]").fill("(n)\n= (n)")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_role("link", name="Change it").click()
    assert page.locator(".feedback math").all_text_contents() == ["n", "=n"]
    page.keyboard.type(" ")
    assert page.locator(".button").inner_text() == "Check" and not site.learner.events()


def test_things_are_dragged(page: Any, site: Site, course: Course) -> None:
    """With the mouse: what is dropped above another is submitted before it."""
    item = next(item for question in course.questions for item in question.items if item.kind == "order")
    page.goto(f"{site.url}/items/{item.id}")
    entries = page.locator(".sortable li")
    before = entries.evaluate_all(ORDER)
    entries.nth(len(before) - 1).drag_to(entries.nth(0), target_position={"x": 40, "y": 2})
    wanted = [before[-1], *before[:-1]]
    assert entries.evaluate_all(ORDER) == wanted
    assert page.locator("select[name=answer]").evaluate_all("all => all.map(one => one.value)") == wanted


def test_a_review(page: Any, site: Site, course: Course) -> None:
    """From the progress page through an item to its rating, and a function from memory, by keyboard."""
    item = next(item for item in course.questions[0].items if item.kind == "choice")
    right = next(option for option in item.spec.options if option.correct)
    label = re.compile(re.escape(right.text.of("en")))
    for path in (f"/items/{item.id}", f"/review/items/{item.id}"):
        page.goto(site.url + path)
        page.get_by_label(label).check()
        page.get_by_role("button", name="Check").click()
        page.locator(".feedback").first.wait_for()
    page.get_by_role("button", name="easy").press("Enter")
    page.get_by_text("next review: in").wait_for()
    site.passed("Q3")
    page.goto(f"{site.url}/review/exercises/softmax")
    write(page, SOFTMAX.format(axis="axis"))
    page.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_role("button", name="known").wait_for(timeout=60_000)
    page.get_by_role("button", name="known").click()
    ratings = [event.rating for event in site.learner.events() if isinstance(event, Reviewed)]
    assert ratings == ["easy", "good"]


def test_own_code_beside_the_reference(page: Any, site: Site) -> None:
    """After the last point: both, and a row for every way to write it."""
    site.learner.folder.mkdir()
    (site.learner.folder / "q03.py").write_text(SOFTMAX.format(axis="axis"), "utf-8")
    page.goto(f"{site.url}/questions/Q3/code")
    assert page.get_by_role("link", name="Compare with the reference").count() == 0
    site.passed("Q3")
    page.goto(f"{site.url}/questions/Q3/code")
    page.get_by_role("tab", name="Hints").click()
    page.get_by_role("link", name="Compare with the reference").click()
    page.locator(".side-by-side").first.wait_for(timeout=60_000)
    assert "e.sum(axis" in page.locator(".side-by-side").first.inner_text()
    assert page.locator("tbody").first.locator("tr").count() == 4


def test_files_go_up_and_down(page: Any, site: Site, tmp_path: Path) -> None:
    """Several at once; everything comes back as a zip."""
    for name in ("q03.py", "q04.py"):
        (tmp_path / name).write_text("x = 1\n", "utf-8")
    page.goto(f"{site.url}/work")
    page.locator("input[name=files]").set_input_files([tmp_path / "q03.py", tmp_path / "q04.py"])
    page.get_by_role("button", name="Upload files").click()
    page.get_by_text("Saved: q03.py, q04.py").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.namelist() == ["q03.py", "q04.py"]


# ------------------------------------------------------------------------------------------------ drafts


def field(window: Any, site: Site, item: str) -> Any:
    """The field for an answer to an item."""
    window.goto(f"{site.url}/items/{item}")
    return window.locator("textarea[name=answer], input[name=answer]")


def saved(window: Any) -> None:
    """Waits until the page says that the draft is saved."""
    window.locator(".draft [role=status]").get_by_text("Draft saved.").wait_for()
    window.locator(".draft .unsaved").wait_for(state="hidden")


def test_what_is_typed_is_there_in_another_window(page: Any, site: Site, course: Course) -> None:
    """Within seconds, without a button; after a reload, too. Nothing is judged."""
    item = next(i.id for q in course.questions for i in q.items if i.kind == "derivation")
    field(page, site, item).press_sequentially("Var(q·k)\n= half of a li")
    assert page.locator(".draft .unsaved").is_visible()
    saved(page)
    other = page.context.browser.new_page()
    site.enter(other)
    for window in (other, page):
        assert field(window, site, item).input_value() == "Var(q·k)\n= half of a li"
    assert not site.learner.events()
    other.close()


def test_code_that_was_not_checked_is_there_again(page: Any, site: Site) -> None:
    """However the editor was changed; after another page was opened by its link."""
    page.goto(f"{site.url}/questions/Q3/code")
    write(page, "def f():\n")
    saved(page)
    page.get_by_role("link", name="Progress").click()
    page.wait_for_url("**/progress")
    page.go_back()
    page.locator(".cm-content").wait_for()
    assert page.locator("textarea[data-editor]").input_value().startswith("def f():\n")
    assert not site.learner.folder.exists()


def test_leaving_with_something_unsaved_warns(page: Any, site: Site, course: Course) -> None:
    """As long as the server has not answered; and no more when it has."""
    item = next(i.id for q in course.questions for i in q.items if i.kind == "text")
    held: list[Any] = []
    page.route("**/drafts/**", lambda route: held.append(route))
    field(page, site, item).press_sequentially("Because")
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("setTimeout(() => { location.href = '/progress' }, 0)")
    while not asked:
        page.wait_for_timeout(50)
    assert asked == ["beforeunload"] and page.url.endswith(item)
    for route in held:
        route.continue_()
    page.unroute("**/drafts/**")
    saved(page)
    page.goto(f"{site.url}/progress")


def test_a_draft_waits_for_the_server(chromium: Any, site: Site, course: Course) -> None:
    """The page says that it is not saved, and saves it when the server answers again."""
    item = next(i.id for q in course.questions for i in q.items if i.kind == "text")
    window = chromium.new_page()
    site.enter(window)
    typed = field(window, site, item)
    window.context.set_offline(True)
    typed.press_sequentially("Because")
    window.get_by_text("Not saved: the server does not answer.").wait_for()
    window.context.set_offline(False)
    saved(window)
    assert field(window, site, item).input_value() == "Because"
    window.close()


def test_two_windows_are_told_of_each_other(page: Any, site: Site, course: Course) -> None:
    """The one that was saved later, which then shows both versions."""
    item = next(i.id for q in course.questions for i in q.items if i.kind == "text")
    other = page.context.browser.new_page()
    site.enter(other)
    first, second = field(page, site, item), field(other, site, item)
    first.press_sequentially("The first window")
    saved(page)
    second.press_sequentially("The second window")
    other.get_by_text("Another version, for example from another window").wait_for()
    page.reload()
    assert first.input_value() == "The second window"
    page.get_by_text("Another version that you wrote").click()
    assert page.locator(".other-version pre").inner_text() == "The first window"
    other.close()


def test_digits_choose_options(page: Any, site: Site, course: Course) -> None:
    """In the order that is shown, as in a terminal, while one of the options has the focus and not before."""
    item = next(i for i in course.questions[0].items if i.kind == "multi")
    page.goto(f"{site.url}/items/{item.id}")
    page.keyboard.press("1")
    assert not page.locator("input:checked").count()
    page.locator("input[name=answer]").first.focus()
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("2")
    checked = page.locator("input[name=answer]").evaluate_all("all => all.map(one => one.checked)")
    assert checked[:3] == [False, False, True]
    assert page.locator("input:checked").get_attribute("data-digit") == "3"
    saved(page)
    page.reload()
    assert page.locator("input:checked").get_attribute("data-digit") == "3"


def test_an_order_stays_as_it_was_dragged(page: Any, site: Site, course: Course) -> None:
    """After a reload, and after a wrong attempt, whose mark is at an entry."""
    item = next(item for question in course.questions for item in question.items if item.kind == "order")
    page.goto(f"{site.url}/items/{item.id}")
    page.locator(".sortable li button[data-by='1']").first.click()
    wanted = page.locator(".sortable li").evaluate_all(ORDER)
    saved(page)
    page.reload()
    assert page.locator(".sortable li").evaluate_all(ORDER) == wanted
    page.get_by_role("button", name="Check").click()
    page.locator(".feedback").wait_for()
    assert page.locator(".sortable li").evaluate_all(ORDER) == wanted
    assert page.locator(".sortable .wrong-here").count() == 1


# ------------------------------------------------------------------------------------------------ figures


Tensors: TypeAlias = dict[str, torch.Tensor]
#: What a script computes from ``q``, ``k``, ``x``, ``w``, ``u`` and ``mask``, and what a reference does.
COMPUTED: list[tuple[str, str, Callable[[Tensors], torch.Tensor]]] = [
    ("attention", "attention(q, k).scores", lambda d: scores.scaled_scores(d["q"], d["k"])),
    ("attention", "attention(q, k, {divide: false}).products", lambda d: d["q"] @ d["k"].T),
    ("attention", "attention(q, k, {causal: true}).weights", lambda d: masks.causal_attention(d["q"], d["k"], EYE)),
    ("attention", "attention(q, k, {temperature: 2}).weights", lambda d: scores.softmax(d["q"] @ d["k"].T / 4)),
    ("variance", "scores(q, k, true)", lambda d: scores.scaled_scores(d["q"], d["k"])),
    ("variance", "variance(q.flat())", lambda d: d["q"].var(correction=0)),
    ("distance", "frequencies(6, 100)", lambda d: position.frequencies(6, 100.0)),
    ("distance", "x.map((row, at) => rope(row, at, 50))", lambda d: position.apply_rope(d["x"], STEPS, 50.0)),
    ("masks", "causal(3, 5)", lambda d: masks.causal_mask(3, 5)),
    ("masks", "padding(2, 5)", lambda d: masks.padding_mask(torch.tensor([2]), 5)[0, 0, 0]),
    ("masks", "masked(q, k, mask)", lambda d: attention.scaled_dot_product_attention(d["q"], d["k"], EYE, d["mask"])),
    (
        "heads",
        "multiHead(x, {q: w, k: u, v: w, o: u}, [true, false, true]).output",
        lambda d: heads.ablate_heads(d["x"], d["w"], d["u"], d["w"], d["u"], 3, torch.tensor([True, False, True])),
    ),
    (
        "cache",
        "x.reduce((made, row) => decode(row, made, {q: w, k: u, v: w}), {keys: [], values: []}).output",
        lambda d: masks.causal_attention(d["x"] @ d["w"], d["x"] @ d["u"], d["x"] @ d["w"])[-1],
    ),
]


def test_figures_compute_what_the_references_do(page: Any) -> None:
    """Every number that a script draws, on the same inputs."""
    made = torch.Generator().manual_seed(7)
    sizes = {"q": (5, 4), "k": (5, 4), "x": (5, 6), "w": (6, 6), "u": (6, 6)}
    drawn = {name: torch.randn(size, generator=made, dtype=torch.float64) for name, size in sizes.items()}
    drawn["mask"] = (drawn["q"] @ drawn["k"].T > 0) & (STEPS != 2)[:, None]  # nothing is left for one of the queries
    given = {name: values.tolist() for name, values in drawn.items()}
    for figure, call, reference in COMPUTED:
        function = re.match(r"(?:x\.\w+\(.*?=> )?(\w+)", call)
        assert function is not None
        found = page.evaluate(
            f"async ({{{', '.join(given)}}}) => {{"
            f" const {{{function[1]}}} = await import('/static/figures/{figure}.js'); return {call} }}",
            given,
        )
        wanted = reference(drawn).double()
        torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), wanted, rtol=0, atol=1e-9, msg=call)


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize(
    ("question", "key"),
    [("Q3", "End"), ("Q5", "Home"), ("Q9", "Space"), ("Q14", "End"), ("Q20", "Enter"), ("Q21", "Enter")],
)
def test_figures_move_by_keyboard(page: Any, site: Site, question: str, key: str, width: int) -> None:
    """The last button, or the first field, changes the drawing and what is said; nothing is cut off."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site.url}/questions/{question}")
    said, drawing = page.locator(".said"), page.locator(".stage svg")
    assert "{" not in said.inner_text() and said.inner_text()
    before = drawing.inner_html(), said.inner_text()
    page.locator(".knobs input").first.or_(page.locator(".knobs button").last).first.press(key)
    assert drawing.inner_html() != before[0] and said.inner_text() != before[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    left, right = drawing.evaluate("svg => [svg.getBoundingClientRect().left, svg.getBoundingClientRect().right]")
    for box in filter(None, (each.bounding_box() for each in drawing.locator("text").all())):
        assert left <= box["x"] and box["x"] + box["width"] <= right


@pytest.mark.parametrize(("question", "hides"), [("Q5", False), ("Q20", True)])
def test_cells_are_chosen_by_keyboard(page: Any, site: Site, question: str, hides: bool) -> None:
    """Arrow keys choose one, within the matrix; Enter hides the key of a mask."""
    page.goto(f"{site.url}/questions/{question}")
    drawing = page.locator(".stage svg")
    for _ in range(9):
        drawing.press("ArrowUp")
        drawing.press("ArrowLeft")
    assert page.locator(".said").inner_text().count("“the”") == 2
    drawing.press("Enter")
    assert ("no key left" in page.locator(".said").inner_text()) == hides


def _contrast(window: Any, part: str) -> float:
    """How much lighter or darker the ink of the first ``part`` is than the paper."""
    style = "part => { const style = getComputedStyle(part); return [style.color, style.backgroundColor] }"
    (ink, _), (_, paper) = (window.locator(name).first.evaluate(style) for name in (part, "body"))
    return abs(_luminance(ink) - _luminance(paper))


def _luminance(colour: str) -> float:
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
