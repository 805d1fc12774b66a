"""A class goes through a week on the pages of `attncheck serve --class`, as browsers would.

    python -m benchmarks.class_week --learners 40 --at-once 10

starts the real command on a class of invented learners. They sign in with their links, look at pages, answer items,
check code, and submit, some of it wrong or without end. One asks for regrading; the instructor answers, looks at the
pages for staff, and downloads the grades for Canvas. In the end, every learner must have the points in that file that
`attncheck export csv` gives. Prints the 95th percentiles of each kind of request.
"""

from __future__ import annotations

import argparse
import csv
import html
import http.client
import io
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from grader.core.model import Course, Item, Question
from grader.course import items as item_kinds
from grader.course import loader
from grader.grading import courses
from grader.web.limits import RequestQueue
from tests import sample_class
from tests.samples import Kind

ROOT = Path(__file__).parent.parent
QUESTIONS = ("Q3", "Q5")
#: Seconds after which a browser opens a new connection; the server closes those that nobody uses after 75.
IDLE = 60.0
ENDLESS = "def softmax(x, axis=-1):\n    while True:\n        pass\n"


@dataclass(slots=True)
class Browser:
    """A person's connection, their cookies, and how long each kind of request took."""

    address: str
    seconds: dict[str, list[float]]
    cookies: dict[str, str] = field(default_factory=dict)
    connection: http.client.HTTPConnection | None = None
    used: float = 0.0
    #: A person is not faster than the server lets one be; this waits before the clock starts.
    turns: RequestQueue = field(default_factory=lambda: RequestQueue(50, 0.52, 1_000_000))

    def get(self, kind: str, path: str) -> bytes:
        """A page."""
        return self._ask(kind, "GET", path, None, {})

    def post(self, kind: str, path: str, form: dict[str, str] | list[tuple[str, str]], file: str = "") -> bytes:
        """The page after a form was sent; with ``file``, its content in a field called ``template``."""
        if not file:
            return self._ask(kind, "POST", path, urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
        mark = uuid.uuid4().hex
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in form
        ]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="template"; filename="Grades.csv"\r\n\r\n'
        body = "".join(parts) + head + file + f"\r\n--{mark}--\r\n"
        return self._ask(kind, "POST", path, body, {"Content-Type": f"multipart/form-data; boundary={mark}"})

    def _ask(self, kind: str, method: str, path: str, body: str | None, headers: dict[str, str]) -> bytes:
        headers |= {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        headers |= {"Origin": self.address} if method == "POST" else {}
        time.sleep(self.turns.take("", time.monotonic()) or 0)
        begin = time.perf_counter()
        if self.connection is not None and begin - self.used > IDLE:
            self.connection.close()
            self.connection = None
        self.used = begin
        if self.connection is None:
            self.connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=300)
        self.connection.request(method, path, body and body.encode(), headers)
        answer = self.connection.getresponse()
        found = answer.read()
        self.seconds[kind].append(time.perf_counter() - begin)
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if answer.status in (302, 303):
            return self._ask(
                kind, "GET", answer.headers["Location"].removeprefix(self.address).partition("#")[0], None, {}
            )
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {found[:300]!r}")
        return found


def form_of(item: Item, said: object, context: item_kinds.Context) -> list[tuple[str, str]]:
    """An answer as the form of the item sends it."""
    asked = item_kinds.ask(item, context)
    text = ", ".join(map(str, said)) if isinstance(said, list) else str(said)
    words = [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]
    match asked.form:
        case "many":
            return [("answer", word) for word in words]
        case "order":
            return [("answer", word) for word in words] if len(words) == len(asked.choices) else []
        case "pairs":
            return [(f"partner-{left}", right) for left, _, right in (word.partition("-") for word in words)]
    return [("answer", text)]


@dataclass(slots=True)
class Learner:
    """One of the class, with what they know."""

    id: str
    ability: float
    browser: Browser
    chance: random.Random

    def answer_items(self, course: Course, questions: Iterable[Question]) -> None:
        """Opens and answers the items, with up to two attempts."""
        for question in questions:
            self.browser.get("a page", f"/questions/{question.id}")
            for item in question.items:
                if self.chance.random() > 0.9:
                    continue
                self.browser.get("a page", f"/items/{item.id}")
                for _ in range(2):
                    said = sample_class.answer(self.chance, self.ability, item, question, course.public_id, self.id)
                    form = form_of(item, said, item_kinds.Context(course.public_id, self.id, item.id))
                    page = self.browser.post("an answer", f"/items/{item.id}", [*form, ("do", "answer")])
                    if b'class="answer"' not in page:
                        break

    def code(self, question: Question) -> str:
        """A solution of each exercise, right or wrong."""
        texts = []
        for exercise in question.exercises:
            kind: Kind = "right" if self.chance.random() < self.ability else "wrong"
            texts.append(self.chance.choice(sample_class.solutions(exercise.name, kind)))
        return "\n\n".join(texts)

    def check(self, question: Question, text: str) -> None:
        """Saves and checks."""
        self.browser.post("a check", f"/questions/{question.id}/code", {"code": text, "do": "check"})

    def submit(self) -> str:
        """Submits everything; returns the name of the submission."""
        page = self.browser.post("a submission", "/submit", {}).decode()
        return re.findall(r"/submissions/([\w-]+)/receipt", page)[0]


def in_parallel(count: int, work: Iterable[Callable[[], object]]) -> None:
    """Does all of it in ``count`` threads."""
    left, lock, failed = iter(list(work)), threading.Lock(), list[BaseException]()

    def go() -> None:
        while not failed:
            with lock:
                one = next(left, None)
            if one is None:
                return
            try:
                one()
            except BaseException as error:
                failed.append(error)

    threads = [threading.Thread(target=go) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def class_folder(folder: Path, learners: int) -> str:
    """Writes the settings of a class; returns its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    rows = [("id", "name")] + [(f"s{n:03}", sample_class.name(n)) for n in range(learners)]
    (folder / "class.csv").write_text("".join(f"{one},{two}\n" for one, two in rows), "utf-8")
    (folder / "SEED").write_bytes(os.urandom(32))
    settings = f"address: {address}\nroster: class.csv\nseed_file: SEED\nquestions: [{', '.join(QUESTIONS)}]\n"
    (folder / "class.yaml").write_text(settings + "instructors: {grace: Grace Hopper}\n", "utf-8")
    return address


def attncheck(*words: str) -> str:
    """The output of a command."""
    command = [sys.executable, str(ROOT / "cli.py"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def points(text: str, column: str) -> dict[str, float]:
    """The points of each learner in a table."""
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    return {row.get("SIS User ID") or row.get("learner") or "": float(row[column] or "nan") for row in rows}


def main() -> None:
    """The week."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=10, help="learners who do something at the same moment")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    course = courses.load(loader.find(None))
    questions = [question for question in course.questions if question.id in QUESTIONS]
    seconds: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = class_folder(folder, given.learners)
        links = {row["id"]: row["link"] for row in csv.DictReader(io.StringIO(attncheck("links", name, "--csv")))}
        command = [sys.executable, str(ROOT / "cli.py"), "serve", "--class", name, "--workers", str(given.workers)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                assert server.stdout is not None
                while "listening" not in (line := server.stdout.readline()):
                    assert line, "the server did not start"
                week(course, questions, address, links, seconds, given, folder)
            finally:
                server.terminate()
    print(f"{'':<16}{'count':>7}{'p50':>10}{'p95':>10}")
    for kind, found in seconds.items():
        late = statistics.quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
        print(f"{kind:<16}{len(found):>7}{1000 * statistics.median(found):>7.0f} ms{1000 * late:>7.0f} ms")


def week(  # noqa: PLR0913, PLR0917, all of it is the scene
    course: Course,
    questions: list[Question],
    address: str,
    links: dict[str, str],
    seconds: dict[str, list[float]],
    given: argparse.Namespace,
    folder: Path,
) -> None:
    """What everybody does, day by day."""
    chance = random.Random(7)
    people = {name: Browser(address, seconds) for name in links}
    for name, link in links.items():
        people[name].post("a sign-in", "/sign-in", {"link": link.partition("link=")[2]})
    staff = people.pop("grace")
    learners = [
        Learner(name, chance.betavariate(4, 2), browser, random.Random(name)) for name, browser in people.items()
    ]

    print("Monday: items")
    in_parallel(given.at_once, [lambda one=one: one.answer_items(course, questions) for one in learners])
    print("Tuesday: code is checked, by two learners without end")
    for question in questions:
        work = [
            lambda one=one, at=at, question=question: one.check(
                question, ENDLESS if at < 2 and question.id == "Q3" else one.code(question)
            )
            for at, one in enumerate(learners)
        ]
        in_parallel(given.at_once, work)
    print("Wednesday: everybody submits")
    began = time.perf_counter()
    submitted = dict[str, str]()
    in_parallel(given.at_once, [lambda one=one: submitted.update({one.id: one.submit()}) for one in learners])
    until_graded(learners)
    print(f"  all graded after {time.perf_counter() - began:.1f} s")
    print("Thursday: half of them improve their code and submit again")
    better = learners[: len(learners) // 2]
    for one in better:
        one.ability = min(1.0, one.ability + 0.3)
        for question in questions:
            one.check(question, one.code(question))
    in_parallel(given.at_once, [lambda one=one: submitted.update({one.id: one.submit()}) for one in better])
    until_graded(better)
    print("Friday: a request for regrading, the pages for staff, and the grades")
    asking = learners[-1]
    path = f"/submissions/{submitted[asking.id]}"
    asking.browser.post("a request", f"{path}/request", {"part": "softmax", "reason": "I think my softmax is stable."})
    for page in (
        "",
        "/questions",
        "/items/Q3.versions",
        "/exercises/softmax",
        "/misconceptions",
        "/similar",
        "/changes",
    ):
        staff.get("a staff page", f"/class{page}")
    open_request = re.findall(r"/class/requests/(\d+)", staff.get("a staff page", "/class/requests").decode())[0]
    staff.post("a staff page", f"/class/requests/{open_request}", {"answer": "Granted.", "points": "1"})
    assert b"Granted." in asking.browser.get("a page", path)
    mark_texts(staff)
    template = "Student,ID,SIS User ID,SIS Login ID,Section,Attention (1)\n    Points Possible,,,,,100\n"
    template += "".join(f'"{sample_class.name(n)}",{n + 1},{one.id},{one.id},A,\n' for n, one in enumerate(learners))
    grades = staff.post("a download", "/class/downloads/canvas", [("column", "Attention (1)")], template).decode()
    if saved := re.search(r'href="(/class/downloads\?file=[^"]+)"', grades):  # after the remarks about the file
        grades = staff.get("a download", saved[1].replace("&amp;", "&")).decode()
    attncheck("export", "csv", "--from", str(folder), "--to", str(folder / "class-results.csv"))
    told = {
        row["learner"]: float(row["earned"] or 0)
        for row in csv.DictReader((folder / "class-results.csv").read_text("utf-8-sig").splitlines())
    }
    found = {row["SIS User ID"]: row["Attention (1)"] for row in csv.DictReader(io.StringIO(grades.lstrip("\ufeff")))}
    assert all(abs(float(found[one.id]) - told[one.id]) < 0.01 for one in learners), (found, told)
    print(f"  Canvas gets the points of {len(learners)} learners, the same as in `attncheck export csv`")


def mark_texts(staff: Browser) -> None:
    """Gives every free text that waits all key points, group by group."""
    while found := re.search(r'href="(/class/marking/[^"]+)"', staff.get("a staff page", "/class/marking").decode()):
        page = staff.get("a staff page", found[1]).decode()
        group = page[page.index('id="group-1"') :].partition("</form>")[0]
        fields = re.findall(r'name="(wording|point)" value="([^"]*)"', group)
        ticked = [(name, html.unescape(value)) for name, value in fields if (name, value) != ("point", "0")]  # none
        staff.post("a staff page", found[1], ticked)


def until_graded(learners: Iterable[Learner]) -> None:
    """Waits until no learner sees a submission that waits."""
    for one in learners:
        while b"hx-get" in one.browser.get("a state", "/submit/state"):
            time.sleep(0.2)


if __name__ == "__main__":
    main()
