"""How fast `attncheck serve` answers one learner: pages and answers, compared with a file that it only sends.

    python -m benchmarks.pages --answers 200 --at-once 20

Starts the real command on a loopback port, and asks over connections that stay open. Every kind of request runs once
alone and once with ``--at-once`` connections; requests of the different kinds take turns, so that other work on the
machine slows all of them. Ratios compare the 95th percentile with that of a static file under the same conditions.
The code check needs the sandbox and is timed alone, after the first.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from grader.core.model import Item
from grader.course import loader
from grader.grading import courses

ROOT = Path(__file__).parent.parent
_STATIC = "/static/page.js"
_SOLUTION = ROOT / "tests/solutions/scaled_scores/right"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request; a form is posted."""

    path: str
    form: dict[str, str] | None = None


@dataclass(slots=True)
class Browser:
    """A signed-in connection that stays open."""

    host: str
    cookie: str
    connection: http.client.HTTPConnection | None = None

    def ask(self, asked: Asked) -> float:
        """Seconds until the whole answer is here. Raises if it is not a page."""
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}"}
        if asked.form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(asked.form) if asked.form is not None else None
        begin = time.perf_counter()
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, timeout=120)
        self.connection.request("GET" if body is None else "POST", asked.path, body, headers)
        answer = self.connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{asked.path}: {answer.status}")
        return time.perf_counter() - begin


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """The host and the cookie of a server in a process of its own."""
    command = [sys.executable, str(ROOT / "cli.py"), "serve", str(folder / "work"), "--no-browser", "--lang", "en"]
    command += ["--learner", "Ada", "--state", str(folder / "log.jsonl")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline() + server.stdout.readline()
            found = re.search(r"http://([^/]+)(/\?token=\S+)", said)
            assert found is not None, said
            opened = http.client.HTTPConnection(found[1])
            opened.request("GET", found[2])
            cookie = (opened.getresponse().getheader("Set-Cookie") or "").partition(";")[0]
            yield found[1], cookie
        finally:
            server.terminate()


def run(browsers: Sequence[Browser], work: Sequence[Asked]) -> list[float]:
    """The seconds of every request, with each of ``browsers`` taking the next one that is left."""
    left, seconds, alone = iter(work), [], threading.Lock()
    failed: list[BaseException] = []

    def go(browser: Browser) -> None:
        try:
            while True:
                with alone:
                    asked = next(left, None)
                if asked is None:
                    return
                seconds.append(browser.ask(asked))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=go, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return seconds


def p95(seconds: Sequence[float]) -> float:
    """The 95th percentile in milliseconds."""
    return 1000 * (statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0])


def answers(items: Sequence[Item], count: int) -> list[Asked]:
    """Answers to choice items, each item once: the first option, right or wrong."""
    chosen = [item for item in items if item.kind == "choice"]
    return [
        Asked(f"/items/{item.id}", {"answer": item.spec.options[0].id, "do": "answer"})
        for item in (chosen * (count // len(chosen) + 1))[:count]
    ]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=200, help="requests of each kind")
    parser.add_argument("--at-once", type=int, default=20, help="connections")
    given = parser.parse_args()
    course = courses.load(loader.find(None))
    items = [item for question in course.questions for item in question.items]
    pages = [Asked(f"/items/{item.id}") for item in (items * 10)[: given.answers]]
    kinds = {
        "a static file": [Asked(_STATIC)] * given.answers,
        "the map": [Asked("/")] * given.answers,
        "an item's page": pages,
        "an answer": answers(items, given.answers),
    }
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (host, cookie):
        print(f"{'':<18}{'p50':>9}{'p95':>9}{'p95 / static':>14}")
        for at_once in (1, given.at_once):
            browsers = [Browser(host, cookie) for _ in range(at_once)]
            run(browsers, [Asked(_STATIC), Asked("/")] * at_once)
            seconds: dict[str, list[float]] = {name: [] for name in kinds}
            size = max(1, given.answers // 5)
            for start in range(0, given.answers, size):  # in turns
                for name, work in kinds.items():
                    seconds[name] += run(browsers, work[start : start + size])
            print(f"{at_once} at once, {given.answers} of each")
            static = p95(seconds["a static file"])
            for name, found in kinds.items():
                assert len(seconds[name]) == len(found)
                middle, late = 1000 * statistics.median(seconds[name]), p95(seconds[name])
                print(f"  {name:<16}{middle:>6.1f} ms{late:>6.1f} ms{late / static:>14.1f}")
        browser, code = Browser(host, cookie), next(iter(sorted(_SOLUTION.glob("*.py")))).read_text("utf-8")
        checked = [browser.ask(Asked("/questions/Q3/code", {"code": f"{code}\n# {n}\n"})) for n in range(6)]
        print(f"a check of code: first {checked[0]:.2f} s, then {statistics.median(checked[1:]):.2f} s (median of 5)")


if __name__ == "__main__":
    main()
