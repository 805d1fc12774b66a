"""Pictures of the pages, for docs/images/pages: ``make pictures`` (needs Chromium)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import yaml
from markupsafe import Markup
from starlette.datastructures import FormData

from grader.core.model import Lang
from grader.core.text import same
from grader.core.typesetting.html import formula
from grader.grading import courses
from grader.instructor import learner_requests
from grader.report.figures import svg
from grader.web.class_data import FormState
from grader.web.visit import rendered
from tests import sample_class

ROOT = Path(__file__).parent.parent
TO = ROOT / "docs" / "images" / "pages"
#: How a picture is taken: the language, the width of the window, and the colours.
LOOKS: tuple[tuple[Lang, int, str], ...] = (("en", 1280, "light"), ("zh", 375, "dark"))
#: The views with their paths, and what is written on the pages.
MADE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
#: The height of a picture of the sheet of components, in pixels.
SHEET = 1500
WRONG = ROOT / "examples" / "class" / "dia-no-scaling"
Step: TypeAlias = Callable[[Any], None]


def choose(page: Any) -> None:
    """Choose the first option, and check it."""
    page.locator("label.option").first.click()
    send(page, "answer")


def derive(page: Any) -> None:
    """Write the derivation, and check it."""
    page.locator("textarea[name=answer]").fill(MADE["chain"])
    send(page, "answer")


def send(page: Any, button: str = "key") -> None:
    """Press a button, by default the one that shows the answer."""
    page.locator(f"button[value={button}]").click()
    page.locator(".feedback").wait_for()


def code(page: Any) -> None:
    """Check code that forgets the scaling."""
    put = "text => { const view = document.querySelector('[data-editor]').editor;"
    put += " view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}}) }"
    page.evaluate(put, next(WRONG.glob("*q05.py")).read_text("utf-8"))
    page.locator(".work-bar .button").click()
    page.locator("#report .part").first.wait_for(timeout=60_000)


#: What is done on the page of a view before the picture is taken.
STEPS: Mapping[str, Step] = {
    "item-wrong": choose,
    "item-settled": send,
    "derivation": derive,
    "derivation-settled": send,
    "code": code,
    "staff-marking": lambda page: page.keyboard.press("a"),
}


def graded_class(folder: Path) -> Path:
    """The results of an invented class, in which answers and a request wait."""
    numbers, roster = range(28), folder / "roster.csv"
    sample_class.fill(folder / "in", numbers, courses.load(ROOT))
    for number, file in enumerate(sorted((folder / "in").glob("*/answers.yaml"))):
        said = yaml.safe_load(file.read_text("utf-8"))
        said["answers"]["Q3.own-words"] = MADE["answers"][number % len(MADE["answers"])]
        file.write_text(yaml.safe_dump(said), "utf-8")
    roster.write_text("name,section\n" + "".join(f"{sample_class.name(n)},{'AB'[n % 2]}\n" for n in numbers), "utf-8")
    words = [str(folder / "in"), "--out", str(folder / "out"), "--roster", str(roster), "-qQ3", "-qQ5", "-qQ8"]
    subprocess.run([sys.executable, "cli.py", "batch", *words], cwd=ROOT, stdout=subprocess.PIPE)
    learner_requests.add_request(folder / "out", *MADE["request"], datetime.now(UTC))
    return folder / "out"


def components(lang: Lang) -> str:
    """A page with every component of the style sheets in its states. No server has it."""
    return rendered(
        "components.html",
        lang,
        Path(__file__).parent,
        course=courses.load(ROOT),
        at=lambda *parts: "/".join(["/class", *parts]),
        class_data=SimpleNamespace(links=()),
        state=lambda name: FormState(FormData()),
        text=same,
        formula=formula,
        rules=Markup(svg.RULES),
        person=SimpleNamespace(name="grace"),
        section="components",
        here="",
    )


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """The address at which ``serve`` with these words serves; it keeps progress and code in ``folder``."""
    shown = os.environ | {"ATTNCHECK_STATE": str(folder / "log.jsonl"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "cli.py", "serve", str(folder / "work"), "--no-browser", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=shown, cwd=ROOT) as server:
        assert server.stdout is not None
        yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        server.terminate()


def take(lang: Lang, width: int, scheme: Any, views: Mapping[str, str], *words: str) -> None:
    """Pictures of views in one look, of what ``serve`` with these words serves."""
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), *words) as entry,
        sync_playwright() as playwright,
    ):
        chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
        page.goto(entry)
        page.wait_for_url(re.compile("/(class)?$"))
        if lang == "zh":
            page.locator("button[name=lang]").click()
        site = entry.partition("/?")[0]
        page.route("**/components", lambda route: route.fulfill(body=components(lang), content_type="text/html"))
        for name, path in views.items():
            page.goto(site + path)
            STEPS.get(name, lambda page: None)(page)
            page.evaluate("document.fonts.ready")
            shoot = partial(page.screenshot, animations="disabled")
            if path != "/components":
                shoot(path=TO / f"{name}-{lang}-{width}.png")
                continue
            height = page.evaluate("document.documentElement.scrollHeight")
            for number, top in enumerate(range(0, height, SHEET), 1):
                clip = {"x": 0, "y": top, "width": width, "height": min(SHEET, height - top)}
                shoot(path=TO / f"{name}-{number}-{lang}-{width}.png", full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    TO.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        results = graded_class(Path(made))
        for look in LOOKS:
            take(*look, MADE["learner"], "--learner", "ada")
            take(*look, MADE["staff"], "--results", str(results), "--author", "grace")
