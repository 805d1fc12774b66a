"""The pages of a class: who may open what, a learner's way from the link to the results, and what no learner sees."""

from __future__ import annotations

import asyncio
import contextlib
import html
import io
import json
import random
import re
import shutil
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from grader.classroom import audit, schedule, worker
from grader.classroom.class_folder import SECRET, ClassSettings, locked
from grader.classroom.gradebook import Override, open_gradebook
from grader.classroom.results import Book
from grader.classroom.roster import Learner, Roster
from grader.classroom.service import Service, ServicePlan
from grader.core.bounded import Bounds, Helper
from grader.core.errors import GradebookError, UsageError
from grader.core.model import Pace as CoursePace
from grader.core.model import Text
from grader.grading.inputs import Seed
from grader.instructor import learner_requests
from grader.learning.quiz_session import TypedAnswer
from grader.sandbox import Sandbox
from grader.submission import read
from grader.submission.files import kind_of
from grader.web import class_pages
from grader.web.class_data import ClassData
from grader.web.gate import Proxy
from grader.web.instructor import routes as instructor_routes
from grader.web.pages import learner_app
from grader.web.people import ClassMember, Role
from grader.web.sessions import Claim, read_signer
from grader.web.site import Site
from tests import tiny
from tests.tiny import give

ADDRESS = "http://127.0.0.1:8000"
OWN = {"origin": ADDRESS}
NUMBER = """
  - id: Q1.b
    kind: number
    answer: "48151.623"
    wrong: [{answer: "1", misconception: only-graded}]
    ask: {en: Which number?, zh: 哪个数？}
    explain: {en: Because of the seventh seal., zh: 因为第七封印。}
    sources: [made2020]
exercises:
"""
#: What no learner may ever see of the course, whatever they do.
SECRETS = (
    "48151",
    "seventh seal",
    "第七封印",
    "So it is.",
    "Nobody knows this truth",
    "return x + x",
    "return x * x",
    "x * x",
    "from torch import Tensor",
    "zeppelin",
    "seed-of-this-class",
)
CODE = "def double(x):\n    return 2 * x\n"


@dataclass
class Classroom:
    """A class of two with its staff, in one process."""

    site: Site
    folder: Path
    course: Path

    def fresh_site(self) -> Site:
        """The site as after a start: nobody has been there, and no limit has been used."""
        return Site(self.site.service, self.site.settings, self.site.sessions, self.site.lang)

    def staff(self) -> list[Route]:
        """The pages of the staff."""
        links, sessions = Site.staff_links(), self.site.sessions
        return instructor_routes(
            ClassData(self.folder, self.site.service.course, self.course, links=links, sessions=sessions)
        )

    def browser(self, name: str, role: Role = Role.LEARNER) -> TestClient:
        """A browser in which this person is signed in."""
        gate = self.site.app(self.staff())
        gate.turns.burst = 1_000_000  # tests are faster than people
        made = TestClient(gate, base_url=ADDRESS, client=("127.0.0.1", 1))
        assert made.post("/sign-in", data={"link": self.link(name, role)}, headers=OWN).status_code == 200
        return made

    def link(self, name: str, role: Role) -> str:
        """The token of a personal link."""
        now = datetime.now(UTC)
        return read_signer(self.folder / SECRET).sign("link", Claim(name, role, now + timedelta(days=1), now))

    def rules(self, **changes: Any) -> None:
        """Other rules for the course."""
        service = self.site.service
        service.course = replace(service.course, rules=replace(service.course.rules, **changes))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Iterator[Classroom]:
    """The class, with everything of its course that can be told apart from what learners write."""
    folder, course = tmp_path_factory.mktemp("class").resolve(), tiny.course(tmp_path_factory.mktemp("course"))
    tiny.change(course, "exercises:\n", NUMBER.lstrip("\n"))
    tiny.change(
        course,
        "misconceptions:\n",
        "misconceptions:\n  only-graded:\n    truth: {en: Nobody knows this truth., zh: 无人知晓。}\n"
        "    ask: {en: And?, zh: 呢？}\n",
    )
    tiny.change(course, "x + x, zh: x + x", "sum it, zh: 加起来")
    tiny.change(course, "name: square", "name: zeppelin")
    (folder / "seed").write_bytes(b"seed-of-this-class")
    people = Roster(tuple(Learner(name, name.title(), ids=(("learner", name),)) for name in ("ada", "bo")))
    settings = ClassSettings(address=ADDRESS, instructors={"grace": "Grace"}, assistants={"bob": "Bob"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedule, "executor", lambda count, **_: tiny.InProcess())
        patch.setattr(worker, "Sandbox", lambda mode, settings: tiny.Lent(sandbox))
        patch.setattr(schedule, "try_attacks", lambda observe, quiet: ())
        worker._context.cache_clear()
        worker._checker.cache_clear()
        plan = ServicePlan(folder, course, people, Seed.from_file(folder / "seed"), workers=1)
        with Service(plan) as service:
            yield Classroom(Site.of(service, settings, "en"), folder, course)
        worker._context.cache_clear()
        worker._checker.cache_clear()


@pytest.fixture
def classroom(made: Classroom) -> Iterator[Classroom]:
    """The class, with the rules and limits that it had."""
    before = made.site.service.course
    yield Classroom(made.fresh_site(), made.folder, made.course)
    made.site.service.course = before


def graded(browser: TestClient) -> str:
    """The list of submissions, when none waits."""
    while "hx-get" in (page := browser.get("/submit/state").text):
        time.sleep(0.02)
    return page


# ------------------------------------------------------------------------------------------------ who may what

EVERYBODY, LEARNERS, STAFF = ("learner", "assistant", "instructor"), ("learner",), ("assistant", "instructor")
INSTRUCTORS = ("instructor",)
#: Every route of the server: who may use it. A route that is missing here fails the test.
ROWS: dict[tuple[str, str], Sequence[str]] = {
    ("GET", "/submit"): LEARNERS,
    ("POST", "/submit"): LEARNERS,
    ("GET", "/submit/state"): LEARNERS,
    ("GET", "/submissions/{name}"): LEARNERS,
    ("GET", "/submissions/{name}/receipt"): LEARNERS,
    ("GET", "/submissions/{name}/report"): LEARNERS,
    ("POST", "/submissions/{name}/request"): LEARNERS,
    ("GET", "/class"): STAFF,
    ("GET", "/class/style.css"): STAFF,
    ("POST", "/class/language"): STAFF,
    ("GET", "/class/learners/{learner}"): STAFF,
    ("GET", "/class/learners/{learner}/page"): STAFF,
    ("POST", "/class/learners/{learner}/points"): STAFF,
    ("GET", "/class/questions"): STAFF,
    ("GET", "/class/items/{item}"): STAFF,
    ("GET", "/class/exercises/{exercise}"): STAFF,
    ("GET", "/class/misconceptions"): STAFF,
    ("GET", "/class/marking"): STAFF,
    ("GET", "/class/marking/{item}"): STAFF,
    ("POST", "/class/marking/{item}"): STAFF,
    ("GET", "/class/requests"): STAFF,
    ("POST", "/class/requests/{number}"): STAFF,
    ("GET", "/class/similar"): STAFF,
    ("GET", "/class/downloads"): STAFF,
    ("POST", "/class/downloads/{form}"): STAFF,
    ("GET", "/class/changes"): STAFF,
    ("GET", "/class/sessions"): INSTRUCTORS,
    ("POST", "/class/sessions"): INSTRUCTORS,
    ("POST", "/class/changes/{number}/undo"): STAFF,
    ("GET", "/sign-out"): EVERYBODY,
    ("GET", "/"): EVERYBODY,
    ("POST", "/language"): EVERYBODY,
    ("GET", "/progress"): EVERYBODY,
    ("GET", "/questions/{question}"): EVERYBODY,
    ("GET", "/questions/{question}/code"): EVERYBODY,
    ("POST", "/questions/{question}/code"): EVERYBODY,
    ("GET", "/questions/{question}/file"): EVERYBODY,
    ("GET", "/questions/{question}/reference"): EVERYBODY,
    ("GET", "/items/{item}"): EVERYBODY,
    ("POST", "/items/{item}"): EVERYBODY,
    ("GET", "/items/{item}/reading"): EVERYBODY,
    ("POST", "/exercises/{exercise}/hint"): EVERYBODY,
    ("POST", "/items/{item}/reading"): EVERYBODY,
    ("POST", "/drafts/{kind}/{name}"): EVERYBODY,
    ("GET", "/review"): EVERYBODY,
    ("GET", "/review/next"): EVERYBODY,
    ("GET", "/review/items/{item}"): EVERYBODY,
    ("POST", "/review/items/{item}"): EVERYBODY,
    ("GET", "/review/exercises/{exercise}"): EVERYBODY,
    ("POST", "/review/exercises/{exercise}"): EVERYBODY,
    ("GET", "/pictures"): EVERYBODY,
    ("GET", "/pictures/{picture}"): EVERYBODY,
    ("GET", "/work"): EVERYBODY,
    ("POST", "/work"): EVERYBODY,
    ("GET", "/work.zip"): EVERYBODY,
    ("GET", "/style.css"): EVERYBODY,
    ("GET", "/static"): EVERYBODY,
}
FILLED = {"number": "1", "form": "csv", "question": "Q1", "item": "Q1.a", "exercise": "double", "learner": "ada"}


def routes(app: Starlette, inner: Starlette) -> Iterator[tuple[str, str]]:
    """The method and path of every route, those of a learner's own pages included."""
    for each in (*app.routes, *inner.routes):
        if isinstance(each, Route):
            for method in sorted((each.methods or set()) - {"HEAD"}):
                yield method, each.path
        elif isinstance(each, Mount) and each.path:
            yield "GET", each.path


def test_every_route_has_a_row(classroom: Classroom) -> None:
    """The table of roles has exactly the routes of the server."""
    app = classroom.site.inner(classroom.staff())
    assert sorted(routes(app, learner_app(classroom.site.visit))) == sorted(ROWS)


@pytest.mark.parametrize(("name", "role"), [("bo", Role.LEARNER), ("bob", Role.ASSISTANT), ("grace", Role.INSTRUCTOR)])
def test_roles(classroom: Classroom, name: str, role: Role) -> None:
    """Each role gets what its row says, and 403 for all else; without a session, everything is 403."""
    browser = classroom.browser(name, role)
    stranger = TestClient(classroom.site.app(classroom.staff()), base_url=ADDRESS, client=("127.0.0.1", 1))
    for (method, path), allowed in ROWS.items():
        filled = re.sub(r"{([\w:]+)}", lambda found: FILLED.get(found[1], "none"), path)
        filled += "/htmx.js" if path == "/static" else ""
        status = browser.request(method, filled, headers=OWN, follow_redirects=False).status_code
        if role.value in allowed:
            assert status in (200, 303, 400, 404), (method, path, status)
        else:
            assert status == 403, (method, path, status)
        assert stranger.request(method, filled, headers=OWN).status_code == 403, (method, path)


# ------------------------------------------------------------------------------------------------ a learner's way


def test_everybody_can_sign_out(classroom: Classroom) -> None:
    """Pages of learners and of staff have a link to the page with the button, unless a proxy signs people in."""
    for name, role, path in (("ada", Role.LEARNER, "/submit"), ("bob", Role.ASSISTANT, "/class")):
        someone = classroom.browser(name, role)
        assert 'href="/sign-out"' in someone.get(path).text
        assert 'action="/sign-out"' in someone.get("/sign-out").text
        assert someone.post("/sign-out", headers=OWN).status_code == 200
        assert someone.get(path).status_code == 403
    assert [place for place, _ in Site.staff_links(Proxy("X-Remote-User", "127.0.0.1"))] == ["/"]


def test_instructors_end_sessions(classroom: Classroom) -> None:
    """Of a learner, of staff, of the whole class; assistants cannot; who did it is in the log."""
    grace, bob = classroom.browser("grace", Role.INSTRUCTOR), classroom.browser("bob", Role.ASSISTANT)
    ada, bo, page = classroom.browser("ada"), classroom.browser("bo"), "/class/sessions"
    assert "End sessions" not in bob.get("/class/learners/ada").text
    assert bob.post(page, data={"person": "ada", "do": "sessions"}, headers=OWN).status_code == 403
    for wrong in (
        {"do": "sessions"},
        {"person": "eve", "do": "sessions"},
        {"person": "ada"},
        {"person": "", "do": "x"},
    ):
        assert grace.post(page, data=wrong, headers=OWN).status_code == 404, wrong
    assert ada.get("/submit").status_code == bob.get("/class").status_code == 200
    learner = grace.get("/class/learners/ada").text
    assert "Sessions of Ada" in learner and 'name="person" value="ada"' in learner
    said = grace.post(page, data={"person": "ada", "do": "sessions"}, headers=OWN)
    assert "Ended." in said.text and "/learners/ada" in str(said.url)
    assert (ada.get("/submit").status_code, bo.get("/submit").status_code) == (403, 200)
    old = {"link": classroom.link("ada", Role.LEARNER)}
    assert ada.post("/sign-in", data=old, headers=OWN).status_code == 200, "the link signs in again"
    assert 'value="bob"' in grace.get(page).text and 'value="ada"' not in grace.get(page).text
    assert "Ended." in grace.post(page, data={"person": "bob", "do": "links"}, headers=OWN).text
    assert bob.get("/class").status_code == 403
    assert grace.post(page, data={"person": "", "do": "links"}, headers=OWN).status_code == 403, "this one, too"
    assert {each.get("/submit").status_code for each in (ada, bo, grace)} == {403}
    assert ada.post("/sign-in", data=old, headers=OWN).status_code == 403
    acts = [(act.did, dict(act.about)) for act in audit.entries(classroom.folder) if act.did.startswith("ended")]
    assert acts == [
        ("ended sessions", {"learner": "ada"}),
        ("ended sessions and links", {"person": "bob"}),
        ("ended sessions and links", {}),
    ]
    assert "ended sessions" in classroom.browser("grace", Role.INSTRUCTOR).get("/class/changes").text


def test_from_the_quiz_to_the_results(classroom: Classroom) -> None:
    """What was settled in the quiz and the code count; the receipt is signed; a request reaches the staff."""
    ada = classroom.browser("ada")
    assert "Nothing yet" in ada.get("/submit").text
    assert ada.post("/submit", headers=OWN).status_code == 400
    ada.post("/items/Q1.a", data={"answer": "a", "do": "answer"}, headers=OWN)
    page = ada.post("/questions/Q1/code", data={"code": CODE, "do": "check"}, headers=OWN)
    assert page.status_code == 200 and "passed" in page.text
    overview = ada.get("/submit").text
    assert "q01.py" in overview and "Answers to 1 of 2 graded items" in overview and "Ada" in overview
    said = ada.post("/submit", headers=OWN).text
    name = re.findall(r"/submissions/([\w-]+)/receipt", said)[0]
    assert "Submitted. Keep the receipt." in said
    assert "5 of 6 points" in graded(ada)
    assert "nothing has changed since" in ada.post("/submit", headers=OWN).text
    receipt = ada.get(f"/submissions/{name}/receipt").json()
    assert receipt["learner"] == "ada" and len(receipt["mac"]) == 64 and receipt["number"] == 1
    page = ada.get(f"/submissions/{name}").text
    assert "This submission counts." in page and "Q1.b" in page
    report = ada.get(f"/submissions/{name}/report")
    assert "double" in report.text and "sha256" in report.headers["content-security-policy"]
    answer = ada.post(f"/submissions/{name}/request", data={"part": "Q1.b", "reason": "<b>Look</b>"}, headers=OWN)
    assert "&lt;b&gt;Look" in answer.text and "waiting for an answer" in answer.text
    assert [(one.learner, one.part) for one in learner_requests.list_requests(classroom.folder)] == [("ada", "Q1.b")]
    learner_requests.answer_request(classroom.folder, 1, "Looked.", "bob", datetime.now(UTC))
    assert "Looked." in ada.get(f"/submissions/{name}").text
    for form in ({"part": "Q1.b"}, {"part": "other", "reason": "x"}, {"reason": "x"}):
        assert ada.post(f"/submissions/{name}/request", data=form, headers=OWN).status_code == 400
    bo = classroom.browser("bo")
    for what in ("", "/receipt", "/report"):
        assert bo.get(f"/submissions/{name}{what}").status_code == 404, "somebody else's"
    assert bo.post(f"/submissions/{name}/request", data={"part": "Q1.b", "reason": "x"}, headers=OWN).status_code == 404
    acts = [(act.who, act.did, dict(act.about).get("submission")) for act in audit.entries(classroom.folder)]
    assert ("ada", "submitted", name) in acts
    with contextlib.closing(open_gradebook(classroom.folder)) as book:
        marks = {mark.learner.id: mark.earned for mark in Book.of(book, classroom.site.service.course).marks()}
    assert marks == {"ada": 5.0, "bo": 0.0}


def test_a_page_that_waits_is_told_what_changed(classroom: Classroom) -> None:
    """As long as nothing has changed there is no answer to read aloud; the page of one submission then loads again."""
    ada = classroom.browser("ada")
    with locked(classroom.folder, 60):  # nothing is saved meanwhile
        upload(ada, "q01.py", (CODE + f"# {time.time_ns()}\n").encode())
        name = re.findall(r"/submissions/([\w-]+)/receipt", ada.post("/submit", headers=OWN).text)[0]
        for path in ("/submit", f"/submissions/{name}"):
            page = ada.get(path).text
            again = html.unescape(re.findall(r'hx-get="([^"]+)"', page)[0])
            assert ada.get(again).status_code == 204
            assert ("name=" in again) == ("submissions" in path)
        assert name in ada.get("/submit/state?seen=old").text
    graded(ada)
    assert ada.get(again).headers["HX-Refresh"] == "true"


def test_results_when_the_course_shows_them(classroom: Classroom) -> None:
    """Until then neither points nor a report, because they would tell which answers are correct."""
    ada = submitted(classroom)
    name = re.findall(r"/submissions/([\w-]+)", graded(ada))[0]
    for changes, said in (
        ({"hidden_results": "never"}, "does not show results"),
        ({"hidden_results": "always"}, "Full report"),
        ({"due": "2999-01-01T00:00:00+00:00"}, "This course does not show results here"),
        ({"due": "2999-01-01T00:00:00+00:00", "cut_off_days": 1}, "Results are shown from 2999-01-02 00:05 UTC on"),
        ({"due": "2020-01-01T00:00:00+00:00", "cut_off_days": 10_000}, "Results are shown from 2047-05-19 00:05 UTC"),
        ({"due": "2020-01-01T00:00:00+00:00", "cut_off_days": 1}, "Full report"),
    ):
        classroom.rules(**{"hidden_results": "after-due", **changes})
        page, shown = ada.get(f"/submissions/{name}").text, said == "Full report"
        assert said in page
        assert ("of 6 points" in page, "of 6 points" in ada.get("/submit").text) == (shown, shown)
        assert ada.get(f"/submissions/{name}/report").status_code == (200 if shown else 404)


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (None, "not submitted"),
        (99.5, "due none later"),
        (71.5, "due in 2 days"),
        (47.5, "due in 1 d 23 h"),
        (-1, "overdue"),
    ],
)
def test_the_map_says_what_is_due(classroom: Classroom, hours: float | None, said: str) -> None:
    """What is submitted, too, and the points once they are shown; staff see neither."""
    due = None if hours is None else datetime.now(UTC) + timedelta(hours=hours)
    classroom.rules(due=due and due.isoformat(), hidden_results="after-due", cut_off_days=None)
    assert said in classroom.browser("bo").get("/").text
    assert "due none" not in classroom.browser("bob", Role.ASSISTANT).get("/").text
    ada = submitted(classroom)
    assert ("Due " in (page := ada.get("/").text)) == (due is not None) and "partly submitted" in page
    classroom.rules(hidden_results="always")
    graded(ada)
    assert "points" not in page and "of 6 points" in ada.get("/").text


def test_no_page_depends_on_results_while_work_can_count(classroom: Classroom) -> None:
    """Everything that a learner can reach stays as it is when their points change, until nothing more can count."""
    ada = submitted(classroom)
    graded(ada)
    for days, same in ((10_000, True), (1, False)):
        classroom.rules(hidden_results="after-due", due="2020-01-01T00:00:00+00:00", cut_off_days=days)
        walks: list[list[bytes]] = []
        for points in (0.0, 1.0):
            with locked(classroom.folder, 60), contextlib.closing(open_gradebook(classroom.folder)) as book:
                give(book, Override("ada", "Q1.a", points, "why", "grace", datetime.now(UTC)))
            seen: dict[str, bytes] = {}
            crawl(ada, seen)
            walks.append([re.sub(rb"nonce[-=][\w\"-]+", b"", page) for page in seen.values()])
        assert len(walks[0]) > 20
        assert (walks[0] == walks[1]) == same
    page = html.unescape(ada.get("/submit").text)
    assert "Numbers in quiz items are drawn for ada." in page
    assert "your-name" not in page and ada.post("/progress", data={"name": "bo"}, headers=OWN).status_code == 405


def submitted(classroom: Classroom) -> TestClient:
    """Ada, who has submitted something."""
    ada = classroom.browser("ada")
    if "/submissions/" not in ada.get("/submit").text:
        ada.post("/items/Q1.a", data={"answer": "a", "do": "answer"}, headers=OWN)
        ada.post("/submit", headers=OWN)
    return ada


def test_as_often_as_the_course_allows(classroom: Classroom) -> None:
    """Checks for each exercise and person, submissions in a day; the code is saved, and the time until then is said."""
    course = classroom.site.service.course
    classroom.site.service.course = replace(course, pace=CoursePace(2, 1))
    room = Classroom(classroom.fresh_site(), classroom.folder, classroom.course)
    ada, bo = submitted(room), room.browser("bo")
    ada.post("/items/Q1.b", data={"answer": "2", "do": "answer"}, headers=OWN)
    answer = ada.post("/submit", headers=OWN)
    assert answer.status_code == 400 and re.search(r"1 times in 24 hours.*submit again in \d", answer.text)
    form = {"code": CODE, "do": "check"}
    assert [bo.post("/questions/Q1/code", data=form, headers=OWN).status_code for _ in range(3)] == [200, 200, 400]
    answer = bo.post("/questions/Q1/code", data={"code": CODE + "# new\n", "do": "check"}, headers=OWN)
    assert "Your code is saved. You may check double 2 times an hour" in answer.text
    assert "# new" in bo.get("/questions/Q1/code").text
    assert ada.post("/questions/Q1/code", data=form, headers=OWN).status_code == 200


def upload(browser: TestClient, name: str, data: bytes) -> int:
    """Uploads one file; returns the status."""
    return browser.post("/work", files={"files": (name, data)}, data={"replace": "1"}, headers=OWN).status_code


def test_uploaded_answers_count_beside_those_of_the_quiz(classroom: Classroom) -> None:
    """The quiz wins where both have one; a file of somebody else is not submitted, and nothing is lost."""
    bo = classroom.browser("bo")
    bo.post("/items/Q1.a", data={"answer": "b", "do": "answer"}, headers=OWN)
    learner = classroom.site.workspace(ClassMember("bo", "Bo", Role.LEARNER))
    upload(bo, "answers.yaml", b"format: 1\nlearner: bo\nanswers:\n  Q1.a: a\n  Q1.b: 7  # mine\n")
    text = (learner.collected() / "answers.yaml").read_text()
    assert 'Q1.a: "b"' in text and "Q1.b: 7  # mine" in text
    upload(bo, "answers.yaml", b"format: 1\nlearner: eve\nanswers: {}\n")
    with pytest.raises(UsageError, match="someone else's; upload one with “learner: bo”"):
        learner.collected()
    assert "learner: eve" in (learner.folder / "answers.yaml").read_text()
    (learner.folder / "answers.yaml").unlink()


@pytest.mark.parametrize("name", ["answers.yml", "ANSWERS.YAML", "answers (1).yaml", "answers.json"])
def test_answers_beside_those_of_the_server(classroom: Classroom, name: str) -> None:
    """A file of another name, uploaded in a zip or left by an older version, is merged into the one that is written.

    Nothing of it is lost, the page counts its answers before they are submitted, and the receipt lists them.
    """
    bo = classroom.browser("bo")
    bo.post("/items/Q1.a", data={"answer": "b", "do": "answer"}, headers=OWN)
    learner = classroom.site.workspace(ClassMember("bo", "Bo", Role.LEARNER))
    learner.folder.mkdir(parents=True, exist_ok=True)
    (learner.folder / name).write_text('{"format": 1, "learner": "bo", "answers": {"Q1.b": 7}}')
    assert "Answers to 2 of 2 graded items" in bo.get("/submit").text
    folder = learner.collected()
    assert [path.name for path in folder.iterdir() if kind_of(path.name) == "answers"] == ["answers.yaml"]
    found = {answer.item: answer.value for answer in read(folder).answers or ()}
    assert found == {"Q1.a": "b", "Q1.b": 7}
    assert any('"Q1.b": 7' in path.read_text() for path in folder.glob("*.old*.txt"))
    (folder / "answers.yaml").unlink()


def test_the_receipt_lists_answers(classroom: Classroom) -> None:
    """Before submitting, the page says which answers cannot be read; afterwards, the receipt and its page do."""
    bo = classroom.browser("bo")
    learner = classroom.site.workspace(ClassMember("bo", "Bo", Role.LEARNER))
    bo.post("/items/Q1.a", data={"answer": "b", "do": "answer"}, headers=OWN)
    upload(bo, "answers.yaml", b"format: 1\nlearner: bo\nanswers:\n  q1.B: about seven or so\n")
    page = bo.get("/submit").text
    assert "These answers cannot be read" in page and "Q1.b: line 4: " in page and "1 of 2 graded items" in page
    page = bo.post("/submit", headers=OWN).text
    name = re.search(r"/submissions/([\w-]+)/receipt", page)
    assert name is not None
    receipt = bo.get(f"/submissions/{name[1]}/receipt").json()
    assert receipt["answers"] == ["Q1.a"] and [entry["item"] for entry in receipt["unread"]] == ["Q1.b"]
    page = bo.get(f"/submissions/{name[1]}").text
    assert "Answers stored: <code>Q1.a</code>" in page and "Q1.b: line 4: " in page
    (learner.folder / "answers.yaml").unlink()


def test_files_have_a_quota(classroom: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was replaced is kept, so a learner could fill the disk otherwise."""
    monkeypatch.setattr(class_pages, "MOST_BYTES", 2_000)
    bo = classroom.browser("bo")
    shutil.rmtree(classroom.folder / "people" / "bo" / "progress.drafts", ignore_errors=True)
    assert upload(bo, "q01.py", b"x = 1\n" + b"#" * 1000) == 200
    assert upload(bo, "q01.py", b"x = 2\n" + b"#" * 2000) == 400
    assert "x = 1" in bo.get("/questions/Q1/code").text


@contextlib.contextmanager
def reading_used_up(classroom: Classroom, name: str) -> Iterator[None]:
    """Within it, this person has no time for reading left."""
    budget = classroom.site.service.readers._budget
    budget.note(name, 1000.0, time.monotonic())
    try:
        yield
    finally:
        budget._uses.clear()


def test_a_learner_whose_reading_is_used_up(classroom: Classroom) -> None:
    """They are told, and can still open every page; others and the staff read on."""
    notebook = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1"}], "metadata": {}})
    ada, bo, grace = classroom.browser("ada"), classroom.browser("bo"), classroom.browser("grace", Role.INSTRUCTOR)
    with reading_used_up(classroom, "bo"):
        files = {"files": ("used.ipynb", notebook.encode())}
        said = bo.post("/work", files=files, data={"replace": "1"}, headers=OWN)
        assert said.status_code == 400 and "within an hour" in said.text and "used.ipynb" not in said.text
        assert [bo.get(path).status_code for path in ("/work", "/submit", "/", "/questions/Q1")] == [200] * 4
        assert upload(ada, "used.ipynb", notebook.encode()) == 200
        assert upload(grace, "used.ipynb", notebook.encode()) == 200


def test_pages_parse_nothing_that_they_have_parsed(classroom: Classroom) -> None:
    """The pages of files and of submitting cost no reading, also when the server has just been started."""
    notebook = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "y = 1"}], "metadata": {}})
    ada = classroom.browser("ada")
    assert upload(ada, "once.ipynb", notebook.encode()) == 200
    with reading_used_up(classroom, "ada"):
        assert all("once.ipynb" in ada.get(path).text for path in ("/work", "/submit"))
        assert upload(ada, "once.ipynb", notebook.encode()) == 200


def test_old_notebooks_have_a_smaller_limit(classroom: Classroom) -> None:
    """A small one is taken; a large one is refused with what to do."""
    cells = [{"cell_type": "code", "language": "python", "input": "z = 1" + " " * 5000, "outputs": []}]
    for count, status in ((1, 200), (300, 400)):
        old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells * count}]}
        files = {"files": (f"old{count}.ipynb", json.dumps(old).encode())}
        said = classroom.browser("bo").post("/work", files=files, data={"replace": "1"}, headers=OWN)
        assert said.status_code == status
        assert ("Open it in Jupyter and save it" in said.text) is (status == 400)


def packed_notebooks() -> bytes:
    """A zip of 1.5 MiB that unpacks to 16 MB of notebooks in format 3."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(18):
            text = "# " + random.Random(number).randbytes(75_000).hex() + " " * 750_000
            cells = [{"cell_type": "code", "language": "python", "input": text, "outputs": []}]
            old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
            archive.writestr(f"old{number}.ipynb", json.dumps(old))
    return made.getvalue()


def test_the_server_neither_unpacks_nor_copies_an_upload(classroom: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    """The helper is told where a zip is, and says what is wrong with it; the same zip is read once."""
    real, sent, received = Helper.send, list[int](), list[int]()

    def counted(helper: Helper, bounds: Bounds, request: bytes) -> Any:
        sent.append(len(request))
        try:
            return real(helper, bounds, request)
        finally:
            received.append(helper.received)

    monkeypatch.setattr(Helper, "send", counted)
    packed = packed_notebooks()
    assert 1 << 20 < len(packed) < 2_000_000
    for _ in range(3):
        files = {"files": ("old.zip", packed)}
        said = classroom.browser("bo").post("/work", files=files, data={"replace": "1"}, headers=OWN)
        assert said.status_code == 400 and "Open it in Jupyter and save it" in said.text
    assert len({*sent}) == 1 and len(sent) <= 2  # the first may need more than its quick turn
    assert max(sent) < 1000 and max(received) < 4000


def test_uploads_of_one_learner_wait_for_each_other(classroom: Classroom) -> None:
    """While one is received and read, the next one's body is not; uploads of others and other requests go on."""
    order: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        name = scope["name"]
        order.append(f"{name} begins")
        for _ in range(10):
            await asyncio.sleep(0)
        order.append(f"{name} ends")

    async def everything() -> None:
        handle = classroom.site._read_by_person(app)
        people = {name: ClassMember(name, name, Role.LEARNER) for name in ("ada", "bo")}
        given = [("first", "ada", "POST"), ("second", "ada", "POST"), ("look", "ada", "GET"), ("other", "bo", "POST")]
        scopes = [
            {"name": name, "path": "/work", "method": method, "state": {"person": people[who]}}
            for name, who, method in given
        ]
        await asyncio.gather(*(handle(scope, nothing_to_receive, nothing_to_receive) for scope in scopes))

    asyncio.run(everything())
    assert order[:3] == ["first begins", "look begins", "other begins"]
    assert order.index("second begins") > order.index("first ends")


async def nothing_to_receive(*_: Any) -> Any:
    """Fails."""
    raise AssertionError("the body was read")


def test_beyond_the_budget_a_large_upload_is_refused_unread(classroom: Classroom) -> None:
    """The body is not even received. Other people's is."""
    classroom.browser("bo")
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    def upload_of(name: str) -> None:
        scope = {"type": "http", "method": "POST", "path": "/work", "query_string": b"", "root_path": "", "headers": [
            (b"content-length", b"1500000"), (b"content-type", b"multipart/form-data; boundary=x")
        ], "state": {"person": ClassMember(name, name, Role.LEARNER), "nonce": ""}}  # fmt: skip
        asyncio.run(classroom.site.inner()(scope, nothing_to_receive, send))

    with reading_used_up(classroom, "bo"):
        upload_of("bo")
        assert sent[0]["status"] == 400 and b"within an hour" in sent[1]["body"]
        with pytest.raises(AssertionError, match="the body was read"):
            upload_of("ada")


def test_formulas_that_come_too_fast_or_are_too_long(classroom: Classroom) -> None:
    """60 answers in a minute, 90 readings in 30 seconds, 1500 characters; other people and other pages are served."""
    ada, bo = classroom.browser("ada"), classroom.browser("bo")
    assert ada.get("/items/Q1.b/reading", params={"answer": "1" * 1501}).status_code == 413
    seen = [ada.get("/items/Q1.b/reading", params={"answer": "1"}).status_code for _ in range(90)]
    assert seen == [200] * 89 + [429]
    for body in (b"answer=" + b"1" * 5000, iter([b"answer=1"])):
        assert bo.post("/items/Q1.b/reading", content=body, headers=OWN).status_code == 413
    assert bo.get("/items/Q1.b/reading").status_code == ada.get("/items/Q1.b").status_code == 200
    ada = classroom.browser("ada")
    seen = [ada.post("/items/Q1.b", data={"do": "odd"}, headers=OWN).status_code for _ in range(61)]
    assert seen == [200] * 60 + [429]
    item = next(i for q in classroom.site.service.course.questions for i in q.items)
    long = replace(item, kind="expression")
    learner = classroom.site.workspace(ClassMember("bo", "Bo", Role.LEARNER))
    with pytest.raises(UsageError, match="more than 1500 characters"):
        learner.answer(long, "en", TypedAnswer("1" * 1501), doubted=None, comparing=False)


def test_our_own_trouble(classroom: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    """No path and no internal message reaches a person; the instructor's terminal has it."""
    told: list[Text] = []
    monkeypatch.setattr(classroom.site.service, "report", told.append)
    ada = submitted(classroom)

    def broken(*_: object) -> None:
        raise GradebookError(Text(f"{classroom.folder} is broken", "坏了"))

    monkeypatch.setattr(classroom.site.service, "attempts", broken)
    page = ada.get("/submit")
    assert page.status_code == 400 and "not your fault" in page.text and "broken" not in page.text
    assert [text.zh for text in told] == ["坏了"]


# ------------------------------------------------------------------------------------------------ what no learner sees


def test_no_secret_in_anything_that_a_learner_can_get(classroom: Classroom) -> None:
    """Follows all links and loads all that pages load, sends forms with and without answers, and searches the bytes."""
    ada = classroom.browser("ada")
    seen: dict[str, bytes] = {}
    crawl(ada, seen)
    for item, answers in (("Q1.a", ("b", "a")), ("Q1.b", ("1", "2", "3"))):
        seen |= {
            f"{item} {text}": ada.post(f"/items/{item}", data={"answer": text, "do": "answer"}, headers=OWN).content
            for text in answers
        }
        seen |= {
            f"{item} {do}": ada.post(f"/items/{item}?again=1", data={"do": do}, headers=OWN).content
            for do in ("key", "skip", "odd")
        }
    for code in ("def double(x):\n    return x * x * 1\n", "def double(x:", "import os\nos.listdir('/')\n", CODE):
        page = ada.post("/questions/Q1/code", data={"code": code, "do": "check"}, headers=OWN)
        seen[f"code {code}"] = page.content.replace(b"return x * x * 1", b"")
    for _ in range(4):
        seen[f"hint {len(seen)}"] = ada.post("/exercises/double/hint", headers=OWN).content
    form = re.search(r'action="(/items/Q1.b[^"]*)"', ada.get("/items/Q1.b?again=1").text)
    assert form is not None
    seen["a misconception"] = ada.post(form[1], data={"answer": "1", "do": "answer"}, headers=OWN).content
    seen["submit"] = ada.post("/submit", headers=OWN).content
    graded(ada)
    ada.post("/language", data={"lang": "zh"}, headers=OWN)
    crawl(ada, seen)
    ada.post("/language", data={"lang": "en"}, headers=OWN)
    reports = b"".join(data for path, data in seen.items() if "/report" in path)
    assert b'<p class="given" dir="auto">1</p>' in reports  # or nothing would say what is behind this answer
    assert len(seen) > 30 and any("editor.js" in path for path in seen)
    private = (classroom.folder, classroom.course)
    digest = classroom.site.service.course.digest[:12]
    wanted = (*SECRETS, *map(str, private), (classroom.folder / SECRET).read_text().strip(), digest)
    found = {
        (path, secret)
        for path, data in seen.items()
        for secret in wanted
        if "/static/" not in path and secret in html.unescape(data.decode("utf-8", "replace"))
    }
    assert found == set()


def crawl(browser: TestClient, seen: dict[str, bytes]) -> None:
    """Everything that can be reached from the first page with links, sources and parts of pages."""
    left = ["/", "/submit", "/progress", "/class", "/questions/Q1/reference", "/nothing"]
    here = set()
    while left:
        path = left.pop()
        if path in here:
            continue
        here.add(path)
        answer = browser.get(path)
        seen[f"{browser.cookies!r:.0}{len(seen)} {path}"] = answer.content + str(dict(answer.headers)).encode()
        if answer.headers.get("content-type", "").startswith("text/html"):
            for found in re.findall(r'(?:href|src|hx-get|action)="([^"#]+)', answer.text):
                target = urlsplit(urljoin(f"{ADDRESS}{path}", html.unescape(found)))
                if target.netloc == urlsplit(ADDRESS).netloc and target.path != "/sign-out":
                    left.append(target.path + (f"?{target.query}" if target.query else ""))
