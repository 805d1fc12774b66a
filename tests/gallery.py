"""Pictures of the pages, for docs/images/pages: ``make pictures`` (needs Chromium)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parent.parent
TO = ROOT / "docs" / "images" / "pages"
#: How a picture is taken: the language, the width of the window, and the colours.
LOOKS = (("en", 1280, "light"), ("zh", 375, "dark"))
WRONG = ROOT / "examples" / "class" / "dia-no-scaling"
Step: TypeAlias = Callable[[Any], None]


def option(at: int) -> Step:
    """Choose an option and check it."""

    def step(page: Any) -> None:
        page.locator("label.option").nth(at).click()
        page.locator("button[value=answer]").click()
        page.locator(".feedback").wait_for()

    return step


def lines(text: str) -> Step:
    """Write lines and check them."""

    def step(page: Any) -> None:
        page.locator("textarea[name=answer]").fill(text)
        page.locator("button[value=answer]").click()
        page.locator(".feedback").wait_for()

    return step


def key(page: Any) -> None:
    """Show the answer."""
    page.locator("button[value=key]").click()
    page.locator(".feedback").wait_for()


def code(page: Any) -> None:
    """Check code that forgets the scaling."""
    put = "text => { const view = document.querySelector('[data-editor]').editor;"
    put += " view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}}) }"
    page.evaluate(put, next(WRONG.glob("*q05.py")).read_text("utf-8"))
    page.locator(".work-bar .button").click()
    page.locator("#report .part").first.wait_for(timeout=60_000)


CHAIN = "∂p_i/∂s_j = ∂(exp(s_i)/Σ_k exp(s_k))/∂s_j\n= δ_ij p_i + p_i p_j"
#: Each view: its name, its path, and what is done there. Later ones see what earlier ones did.
VIEWS: tuple[tuple[str, str, tuple[Step, ...]], ...] = (
    ("start", "/", ()),
    ("question", "/questions/Q5", ()),
    ("item", "/items/Q5.uniform", ()),
    ("item-wrong", "/items/Q5.uniform", (option(0),)),
    ("item-settled", "/items/Q5.output", (key,)),
    ("several", "/items/Q5.doubled", ()),
    ("order", "/items/Q5.order-of-steps", ()),
    ("derivation", "/items/Q6.jacobian", (lines(CHAIN),)),
    ("derivation-settled", "/items/Q3.chain", (key,)),
    ("code", "/questions/Q5/code", (code,)),
    ("map", "/", ()),
    ("progress", "/progress", ()),
    ("review", "/review", ()),
    ("pictures", "/pictures", ()),
    ("figure", "/pictures/attention", ()),
)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a new learner's pages are served."""
    shown = os.environ | {"ATTNCHECK_STATE": str(folder / "log.jsonl"), "PYTHONUNBUFFERED": "1"}
    (folder / "work").mkdir()
    command = [sys.executable, "cli.py", "serve", str(folder / "work"), "--no-browser", "--learner", "ada"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=shown, cwd=ROOT) as server:
        assert server.stdout is not None
        yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        server.terminate()


def take(lang: str, width: int, scheme: Any) -> None:
    """All pictures in one look."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as entry, sync_playwright() as playwright:
        chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
        page.goto(entry)
        page.wait_for_url(re.compile("/$"))
        if lang == "zh":
            page.locator("button[name=lang]").click()
        site = page.url.rstrip("/")
        for name, path, steps in VIEWS:
            page.goto(site + path)
            for step in steps:
                step(page)
            page.evaluate("document.fonts.ready")
            page.screenshot(path=TO / f"{name}-{lang}-{width}.png", animations="disabled")
        browser.close()


if __name__ == "__main__":
    TO.mkdir(parents=True, exist_ok=True)
    for look in LOOKS:
        take(*look)
