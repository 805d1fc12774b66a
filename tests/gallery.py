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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from grader.grading import courses
from grader.instructor import learner_requests
from tests import sample_class

ROOT = Path(__file__).parent.parent
TO = ROOT / "docs" / "images" / "pages"
#: How a picture is taken: the language, the width of the window, and the colours.
LOOKS = (("en", 1280, "light"), ("zh", 375, "dark"))
WRONG = ROOT / "examples" / "class" / "dia-no-scaling"
Step: TypeAlias = Callable[[Any], None]
Views: TypeAlias = tuple[tuple[str, str, tuple[Step, ...]], ...]


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
VIEWS: Views = (
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


#: The views of staff.
STAFF: Views = (
    ("staff-class", "/class", ()),
    ("staff-learner", "/class/learners/Dovie Amberquill", ()),
    ("staff-questions", "/class/questions", ()),
    ("staff-item", "/class/items/Q5.output", ()),
    ("staff-marking", "/class/marking/Q3.own-words", (lambda page: page.keyboard.press("a"),)),
    ("staff-requests", "/class/requests", ()),
    ("staff-downloads", "/class/downloads", ()),
)


def graded_class(folder: Path) -> Path:
    """The results of an invented class, in which answers and a request wait."""
    made = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    numbers, roster = range(28), folder / "roster.csv"
    sample_class.fill(folder / "in", numbers, courses.load(ROOT))
    for number, file in enumerate(sorted((folder / "in").glob("*/answers.yaml"))):
        said = yaml.safe_load(file.read_text("utf-8"))
        said["answers"]["Q3.own-words"] = made["answers"][number % len(made["answers"])]
        file.write_text(yaml.safe_dump(said), "utf-8")
    roster.write_text("name,section\n" + "".join(f"{sample_class.name(n)},{'AB'[n % 2]}\n" for n in numbers), "utf-8")
    words = [str(folder / "in"), "--out", str(folder / "out"), "--roster", str(roster), "-qQ3", "-qQ5", "-qQ8"]
    subprocess.run([sys.executable, "cli.py", "batch", *words], cwd=ROOT, stdout=subprocess.PIPE)
    learner_requests.add_request(folder / "out", *made["request"], datetime.now(UTC))
    return folder / "out"


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """The address at which ``serve`` with these words serves; it keeps progress and code in ``folder``."""
    shown = os.environ | {"ATTNCHECK_STATE": str(folder / "log.jsonl"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "cli.py", "serve", str(folder / "work"), "--no-browser", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=shown, cwd=ROOT) as server:
        assert server.stdout is not None
        yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        server.terminate()


def take(lang: str, width: int, scheme: Any, views: Views, *words: str) -> None:
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
        for name, path, steps in views:
            page.goto(site + path)
            for step in steps:
                step(page)
            page.evaluate("document.fonts.ready")
            page.screenshot(path=TO / f"{name}-{lang}-{width}.png", animations="disabled")
        browser.close()


if __name__ == "__main__":
    TO.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        results = graded_class(Path(made))
        for look in LOOKS:
            take(*look, VIEWS, "--learner", "ada")
            take(*look, STAFF, "--results", str(results), "--author", "grace")
