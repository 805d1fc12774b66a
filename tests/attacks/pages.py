"""Attacks on the pages and the server of a class: what people in it, and strangers, send to them.

Nothing of it is executed. ``tests/attacks/test_attacks_on_pages.py`` tries them on a class of two; what is claimed is
counted, or is an order, and no time is measured.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from starlette.testclient import TestClient

from grader.classroom import audit
from grader.classroom.ended_sessions import EndedSessions
from grader.classroom.gradebook import Override, open_gradebook
from grader.classroom.inbox import Watch
from grader.classroom.roster import Learner
from grader.classroom.service import Attempt, Service
from grader.core.bounded import SMALL
from grader.core.jsonl import Place
from grader.core.readers import Readers
from grader.instructor import learner_requests
from grader.web.class_pages import ClassWorkspace
from grader.web.people import Role
from grader.web.security import COOKIE, Guard
from tests.attacks.cases import AttackCase
from tests.web.test_site import ADDRESS, OWN, Classroom

HOST = ADDRESS.partition("://")[2]
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{7*7}}`"
MULTIPART = 'multipart/form-data; boundary=b; charset="{}"'


@dataclass(frozen=True, slots=True)
class Room:
    """The class that is attacked, and an empty folder."""

    classroom: Classroom
    folder: Path

    def ada(self) -> TestClient:
        """A learner."""
        return self.classroom.browser("ada")

    def bo(self) -> TestClient:
        """Another learner."""
        return self.classroom.browser("bo")

    def grace(self) -> TestClient:
        """The instructor."""
        return self.classroom.browser("grace", Role.INSTRUCTOR)

    def stranger(self) -> TestClient:
        """Somebody who is not signed in."""
        app = self.classroom.site.app(self.classroom.staff())
        return TestClient(app, base_url=ADDRESS, client=("127.0.0.1", 1), follow_redirects=False)


@dataclass(frozen=True, slots=True)
class Case(AttackCase):
    """``attempt`` is given a class, and fails if the attack succeeds."""

    family = "pages"
    attempt: Callable[[Room], None]


# ---------------------------------------------------------------------------------------- what stops the server


def _part(value: bytes) -> bytes:
    return b'--b\r\nContent-Disposition: form-data; name="code"\r\n\r\n' + value + b"\r\n--b--\r\n"


def _charsets(room: Room) -> None:
    """Each is refused before it is decoded, on the pages of a class and on those of one learner."""
    ada = room.ada()
    local = TestClient(Guard(ada.app, "t", frozenset({HOST})), base_url=ADDRESS, cookies={COOKIE: "t"})
    for charset in ("punycode", "unicode_escape", "undefined", "utf-7"):
        headers = OWN | {"content-type": MULTIPART.format(charset)}
        for browser in (ada, local):
            answer = browser.post("/drafts/code/Q1", content=_part(rb"\ud800"), headers=headers)
            assert answer.status_code == 415, (charset, answer.status_code)
    usual = OWN | {"content-type": MULTIPART.format("UTF-8")}
    assert ada.post("/drafts/code/Q1", content=_part("é".encode()), headers=usual).status_code == 200


def _large_code(room: Room) -> None:
    """The server's own process parses little of it, whatever becomes of the check."""
    parsed: list[int] = []
    own = ast.parse

    def parse(text: str, *rest: Any, **more: Any) -> object:
        parsed.append(len(text))
        return own(text, *rest, **more)

    ada = room.ada()
    with patch.object(ast, "parse", parse):
        for code in ("a=b\n" * 20_000, "(" + "a,\n" * 20_000):
            assert ada.post("/questions/Q1/code", data={"code": code}, headers=OWN).status_code in (200, 400)
    assert max(parsed, default=0) <= SMALL


def _huge_numbers(room: Room) -> None:
    """Numbers that no database or integer holds are pages that do not exist."""
    grace = room.grace()
    for number in ("9" * 19, "9" * 30, "9" * 5000):
        for path in (f"/class/changes/{number}/undo", f"/class/requests/{number}"):
            answer = grace.post(path, data={"answer": "x"}, headers=OWN)
            assert answer.status_code in (400, 404), path


def _vanishing_files(room: Room) -> None:
    """A file that is gone when its size is asked for, as those are that another window is writing."""
    bo = room.bo()
    folder = room.classroom.folder / "people" / "bo" / "work"
    folder.mkdir(parents=True, exist_ok=True)
    gone = folder / ".writing-1"
    gone.symlink_to(folder / "nothing")
    try:
        assert bo.post("/drafts/item/Q1.b", data={"answer": "1"}, headers=OWN).status_code == 200
    finally:
        gone.unlink()


def _too_large_forms(room: Room) -> None:
    """Fields that are too long or too many, and files, are refused in words that are true, and change nothing."""
    bob = room.classroom.browser("bob", Role.ASSISTANT)
    assert "for other members" in bob.get("/class/sessions").text
    ada = room.ada()
    files = [("files", (f"{n}.py", b"x = 1\n")) for n in range(101)]
    answers = [ada.post("/work", files=files, headers=OWN)]
    answers.append(ada.post("/questions/Q1/code", data={"code": "x" * 1_200_000}, headers=OWN))
    answers.append(ada.post("/drafts/code/Q1", data={f"f{n}": "" for n in range(1500)}, headers=OWN))
    for answer in answers:
        assert answer.status_code == 400 and "no such page" not in answer.text and "Nothing was saved" in answer.text


def _odd_addresses(room: Room) -> None:
    """Paths and parameters of every odd form are answered, and by no error."""
    ada, grace = room.ada(), room.grace()
    odd = ("%00", "..%2f..%2fseed", "%ff", "%ED%A0%80", "a" * 3000, "%0d%0aSet-Cookie:a=b", "１", "-1")
    for each in odd:
        for path in ("/items/{}", "/questions/{}/code", "/submissions/{}/report", "/pictures/{}", "/static/{}"):
            assert ada.get(path.format(each)).status_code in (400, 404), path
        for path in ("/class/learners/{}", "/class/items/{}", "/class/exercises/{}", "/class/marking/{}"):
            assert grace.get(path.format(each)).status_code in (400, 404), path
        for query in ("page", "done", "saves", "before", "log", "cluster", "file", "submission", "sort"):
            for page in ("", "/changes", "/similar", "/downloads", "/learners/ada", "/requests"):
                assert grace.get(f"/class{page}?{query}={each}").status_code in (200, 404), (page, query)


def _methods(room: Room) -> None:
    """No method but POST changes anything; HEAD says what GET would, without a body."""
    ada = room.ada()
    before = ada.get("/items/Q1.a").text
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"):
        answer = ada.request(method, "/items/Q1.a?answer=b&do=skip&_method=POST", headers=OWN)
        assert answer.status_code in (403, 405), method
    for name in ("x-http-method-override", "x-method-override"):
        ada.get("/items/Q1.a", headers=OWN | {name: "POST"})
    head = ada.head("/items/Q1.a")
    assert head.status_code == 200 and ada.get("/items/Q1.a").text == before


# -------------------------------------------------------------------------------------------- signing in


def _clock_back(room: Room) -> None:
    """An ended session stays ended when another end is recorded after the clock was set back."""
    ended, now = EndedSessions(room.folder), datetime.now(UTC)
    ended.end_all("ada", ("session", "link"), now)
    ended.end_all("ada", ("session", "link"), now - timedelta(hours=1))
    issued = now - timedelta(minutes=5)
    assert ended.is_void("session", "ada", issued, "s") and ended.is_void("link", "ada", issued, "")


def _same_moment(room: Room) -> None:
    """A session of the very moment in which all were ended is ended, too."""
    ended, now = EndedSessions(room.folder), datetime.now(UTC)
    ended.end_all(None, ("session",), now)
    assert ended.is_void("session", "ada", now, "s") and not ended.is_void("link", "ada", now, "")


def _threads_ending(room: Room) -> None:
    """Sessions that end at once, in many threads, are all in the file."""
    ended, now = EndedSessions(room.folder), datetime.now(UTC)
    _at_once([partial(ended.end, f"p{n % 4}", now, f"s{n}") for n in range(40)])
    again = EndedSessions(room.folder)
    assert all(again.is_void("session", f"p{n % 4}", now, f"s{n}") for n in range(40))


def _forgotten_meanwhile(room: Room) -> None:
    """A learner who is forgotten while the server runs does not come back into the file, and nothing else gets lost."""
    serving, now = EndedSessions(room.folder), datetime.now(UTC)
    serving.end("ada", now, "a")
    serving.end("bo", now, "b")
    EndedSessions(room.folder).forget("ada")
    serving.end("bo", now, "c")
    assert all("ada" not in path.read_text() for path in room.folder.iterdir())
    assert all(EndedSessions(room.folder).is_void("session", "bo", now, name) for name in "bc")


def _strange_ids(room: Room) -> None:
    """Ids that look like the entry for everybody, or like fields of the file, end nobody else's sessions."""
    now = datetime.now(UTC)
    for name in (" ", "until", "__class__", "\ud800", 'x","sessions":{'):
        ended = EndedSessions(room.folder)
        ended.end(name, now, "s")
        assert EndedSessions(room.folder).is_void("session", name, now, "s")
        assert not EndedSessions(room.folder).is_void("session", "ada", now, "s2")


def _session_as_link(room: Room) -> None:
    """A session is no link, a link no session, and neither is good in the other's place or twice in one request."""
    ada, stranger = room.ada(), room.stranger()
    ((cookie, session),) = ada.cookies.items()
    link = room.classroom.link("bo", Role.LEARNER)
    assert stranger.post("/sign-in", data={"link": session}, headers=OWN).status_code == 403
    assert stranger.get("/", headers={"cookie": f"{cookie}={link}"}).status_code == 403
    assert stranger.get("/", headers={"cookie": f"{cookie}=x; {cookie}={link}"}).status_code == 403
    answer = stranger.post(f"/sign-in?link={link}", data={"link": ""}, headers=OWN)
    assert answer.status_code == 403 and "set-cookie" not in answer.headers


def _somebody_elses_link(room: Room) -> None:
    """Whoever is signed in does not become the owner of a link, by whatever form of the request."""
    ada, link = room.ada(), room.classroom.link("grace", Role.INSTRUCTOR)
    before = dict(ada.cookies.items())
    for headers in (OWN, OWN | {"hx-request": "true"}, OWN | {"x-forwarded-user": "grace"}):
        assert ada.post("/sign-in", data={"link": link}, headers=headers).status_code == 409
    assert ada.get("/class").status_code == 403 and dict(ada.cookies.items()) == before


def _links_in_logs(room: Room) -> None:
    """No page lets a browser name its whole address, and with it a link, in the next request, which proxies log."""
    stranger, link = room.stranger(), room.classroom.link("ada", Role.LEARNER)
    answers = [stranger.get(f"/sign-in?link={link}"), stranger.post("/sign-in", data={"link": link}, headers=OWN)]
    assert [answer.status_code for answer in answers] == [200, 303]
    for answer in (*answers, room.ada().get("/")):
        assert answer.headers["referrer-policy"] == "strict-origin"  # with “no-referrer”, forms say ``Origin: null``
        assert link not in answer.headers.get("location", "")


def _forms_of_others(room: Room) -> None:
    """Forms that no page of ours sent are refused, before and after signing in, whatever the headers beside it say."""
    ada, stranger = room.ada(), room.stranger()
    for origin in ("null", "http://127.0.0.1:8001", f"{ADDRESS}.x", ADDRESS.upper(), f"{ADDRESS}/", "", ADDRESS[:-1]):
        for headers in ({}, {"sec-fetch-site": "same-origin"}, {"referer": f"{ADDRESS}/"}):
            for browser in (ada, stranger):
                answer = browser.post("/sign-out", headers=headers | {"origin": origin})
                assert answer.status_code == 403, origin
    twice = [("origin", ADDRESS), ("origin", "https://mallory.example")]
    assert {ada.post("/sign-out", headers=pair).status_code for pair in (twice, twice[::-1])} == {403}
    for site in ("same-site", "none", "cross-site", "same-origin, same-origin"):
        assert ada.post("/sign-out", headers={"sec-fetch-site": site}).status_code == 403
    assert ada.get("/").status_code == 200


def _language_first(room: Room) -> None:
    """The language form is no way in, and leads nowhere else."""
    stranger, ada = room.stranger(), room.ada()
    assert stranger.post("/language", data={"lang": "zh", "back": "/"}, headers=OWN).status_code == 403
    for browser, form in ((ada, "/language"), (room.grace(), "/class/language")):
        for back in ("//x.example", "/\\x.example", "\t//x.example", "/\t/x.example", "http://x.example", "/class@x",
                     "javascript:alert(1)", "/%09/x.example", "\r\nSet-Cookie: a=b", "/class//x.example"):  # fmt: skip
            answer = browser.post(form, data={"lang": "en", "back": back}, headers=OWN, follow_redirects=False)
            there = answer.headers["location"]
            assert (
                answer.status_code == 303 and urlsplit(there).netloc == "" and not re.match(r"[\\/\s]{2}|\w+:", there)
            )
            assert "a=b" not in answer.headers.get("set-cookie", "")


def _other_hosts(room: Room) -> None:
    """Only the address of the class is answered, in whatever header another one stands."""
    ada = room.ada()
    for host in ("localhost:8000", "127.0.0.1", "127.0.0.1:8000.x.example", "127.0.0.1:8000 ", "x@127.0.0.1:8000", ""):
        assert ada.get("/", headers={"host": host}).status_code == 421, host
    for name in ("x-forwarded-host", "forwarded", "x-host"):
        answer = ada.get("/items", headers={name: "host=x.example"}, follow_redirects=False)
        assert "x.example" not in str(answer.headers) + answer.text


def _mass_assignment(room: Room) -> None:
    """A file in the place of a person's id does not end the sessions of everybody."""
    grace, ada = room.grace(), room.ada()
    answer = grace.post("/class/sessions", data={"do": "links"}, files={"person": ("ada", b"ada")}, headers=OWN)
    assert answer.status_code == 404 and ada.get("/").status_code == 200


def _own_sessions(room: Room) -> None:
    """An instructor who ends their own sessions is out at once; a replayed form of theirs does nothing."""
    grace, other = room.grace(), room.grace()
    assert grace.post("/class/sessions", data={"person": "grace", "do": "sessions"}, headers=OWN).status_code == 403
    lines = len(audit.entries(room.classroom.folder))
    for browser in (grace, other):
        answer = browser.post("/class/sessions", data={"person": "", "do": "links"}, headers=OWN)
        assert answer.status_code == 403
    assert len(audit.entries(room.classroom.folder)) == lines


# ------------------------------------------------------------------------------------------------- drafts


def _draft_names(room: Room) -> None:
    """Drafts of reports, of other kinds, of other names and of files are not there."""
    ada = room.ada()
    names = ("report/Q1", "item/Q9", "code/Q1.a", "memory/Q1", "item/..%2fQ1.b", "code/..%2f..%2fseed", "/Q1", "item/")
    before = sorted(room.classroom.folder.rglob("*.json"))
    for name in names:
        data = {"code": SCRIPT, "answer": SCRIPT, "en": SCRIPT}
        assert ada.post(f"/drafts/{name}", data=data, headers=OWN).status_code in (404, 405), name
    assert sorted(room.classroom.folder.rglob("*.json")) == before


def _many_fields(room: Room) -> None:
    """A draft keeps the fields of its form alone, and not more values than there are choices."""
    bo = room.bo()
    data = {"answer": ["a"] * 900, "at": "2999-01-01", "mark": "a", "other": "x", "version": "f" * 16}
    assert bo.post("/drafts/item/Q1.a", data=data, headers=OWN).status_code == 200
    drafts = room.classroom.folder / "people" / "bo" / "progress.drafts"
    found = [json.loads(each.read_text()) for each in drafts.glob("*.json")]
    (saved,) = [each for each in found if "a" in each["fields"].get("answer", ())]
    assert len(saved["fields"]["answer"]) <= 50 and set(saved["fields"]) == {"answer"} and saved["mark"] is None


def _drafts_count(room: Room) -> None:
    """Drafts of every item are neither answers nor files: nothing of them is submitted, graded or in the zip."""
    bo = room.bo()
    bo.post("/drafts/item/Q1.b", data={"answer": "31415.926"}, headers=OWN)
    bo.post("/drafts/code/Q1", data={"code": "a draft of mine"}, headers=OWN)
    assert b"a draft of mine" not in bo.get("/work.zip").content
    assert "31415" not in bo.get("/submit").text and "31415" not in bo.get("/progress").text
    for page in (room.ada().get("/items/Q1.b"), room.grace().get("/class/learners/bo")):
        assert "31415" not in page.text


def _after_the_folder_is_gone(room: Room) -> None:
    """Somebody whose folder was deleted while a window was open starts afresh, and what was there stays deleted."""
    bo = room.bo()
    bo.post("/drafts/item/Q1.b", data={"answer": "of the old days"}, headers=OWN)
    home = room.classroom.folder / "people" / "bo"
    home.rename(room.folder / "gone")
    page = bo.get("/items/Q1.b")
    assert page.status_code == 200 and "of the old days" not in page.text
    assert bo.post("/drafts/item/Q1.b", data={"answer": "new", "draft": "f" * 16}, headers=OWN).status_code == 200
    assert "of the old days" not in bo.get("/items/Q1.b").text


def _typed_scripts(room: Room) -> None:
    """What learners and staff type stands on pages as text: drafts, answers, requests, reasons, names of files."""
    ada, grace = room.ada(), room.grace()
    ada.post("/drafts/item/Q1.b", data={"answer": SCRIPT, "draft": "x"}, headers=OWN)
    ada.post("/drafts/item/Q1.b", data={"answer": SCRIPT + "2", "draft": "y"}, headers=OWN)
    ada.post("/questions/Q1/code", data={"code": f"def double(x):\n    raise ValueError({SCRIPT!r})\n"}, headers=OWN)
    ada.post("/work", files={"files": (SCRIPT + ".py", b"x = 1\n")}, headers=OWN)
    learner_requests.add_request(room.classroom.folder, "ada", "Q1.b", SCRIPT, datetime.now(UTC))
    form = {"part": "double", "points": "1", "reason": SCRIPT}
    grace.post("/class/learners/ada/points", data=form, headers=OWN)
    grace.post("/class/learners/ada/points", data=form | {"part": SCRIPT, "points": SCRIPT}, headers=OWN)
    pages = [ada.get(path) for path in ("/items/Q1.b", "/questions/Q1/code", "/work", "/submit", "/progress")]
    staff = ("", "/learners/ada", "/changes", "/requests", "/exercises/double", "/items/Q1.b", "/changes?log=learners")
    pages += [grace.get(f"/class{path}") for path in staff]
    pages.append(grace.post("/class/learners/ada/points", data=form | {"points": SCRIPT}, headers=OWN))
    pages.append(grace.post("/class/requests/1", data={"answer": SCRIPT, "points": SCRIPT}, headers=OWN))
    for page in pages:
        assert "<script>alert" not in page.text and "<img src=x" not in page.text and "49`" not in page.text
        assert "unsafe" not in page.headers["content-security-policy"]


def _file_names(room: Room) -> None:
    """Uploads are saved in the learner's folder, or not at all."""
    bo, here = room.bo(), room.classroom.folder
    before = {path for path in here.rglob("*") if "people" not in path.parts}
    for name in (
        "../../seed",
        "..\\..\\seed",
        "/etc/x.py",
        "..",
        ".",
        "x.py\x00.txt",
        "a/b.py",
        "-",
        "con.py",
        "x\n.py",
    ):
        assert bo.post("/work", files={"files": (name, b"x = 1\n")}, headers=OWN).status_code in (200, 400), name
    assert {path for path in here.rglob("*") if "people" not in path.parts} == before
    work = here / "people" / "bo" / "work"
    assert all(path.is_relative_to(work) for path in work.rglob("*")) and (here / "seed").read_bytes()[:4] == b"seed"


# ------------------------------------------------------------------------------------------------- oracles


def _answers_again(room: Room) -> None:
    """Right and wrong answers to a graded item get the same page, however often, in whatever language or window."""
    told = set()
    for lang in ("en", "zh"):
        for answer in ("a", "b"):
            bo = room.bo()
            bo.post("/language", data={"lang": lang}, headers=OWN)
            for path in ("/items/Q1.a", "/items/Q1.a?again=0", "/items/Q1.a?again=1", "/review/items/Q1.a"):
                page = bo.post(path, data={"answer": answer, "do": "answer"}, headers=OWN).text
                assert "Correct" not in page and "正确" not in page and "So it is" not in page
            shown = re.sub(r'value="[0-9a-f]{16}"|again=\d+| checked', "", bo.get("/items/Q1.a").text)
            told.add((lang, re.sub(r"(Your answer|你的答案).*?</p>", "", shown, flags=re.S).count("wrong")))
    assert len(told) == 2


def _commands_to_sealed(room: Room) -> None:
    """No command of a form makes an item of the edition tell its key: key, skip, yes, rate, comparing."""
    bo = room.bo()
    for do in ("key", "skip", "yes", "rate", "answer", "reset", ""):
        for more in ({}, {"comparing": "1", "answer": "0"}, {"doubted": "7"}, {"word": "easy"}):
            for path in ("/items/Q1.b", "/review/items/Q1.b"):
                page = bo.post(path, data={"do": do} | more, headers=OWN)
                assert page.status_code in (200, 400, 404) and "48151" not in page.text, (do, more)
                assert "seventh seal" not in page.text, (do, more)


def _too_many_submissions(room: Room) -> None:
    """Windows that submit at once submit no more often than one after another."""
    service, bo = room.classroom.site.service, room.bo()
    learner = room.classroom.site.people.learners["bo"]
    before = len(service.attempts(learner))
    service.course = replace(service.course, pace=replace(service.course.pace, submissions_per_day=before + 1))
    counted, both, versions = Service.attempts, threading.Barrier(2), itertools.count()

    def attempts(self: Service, learner: Learner) -> tuple[Attempt, ...]:
        found = counted(self, learner)
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.3)  # for the other window to count as well
        return found

    def collected(self: ClassWorkspace) -> Path:
        place = room.folder / f"{next(versions)}"
        place.mkdir()
        (place / "q01.py").write_text(f"x = {place.name}\n")
        return place

    windows = [bo, TestClient(bo.app, base_url=ADDRESS, cookies=bo.cookies)]
    with patch.object(Service, "attempts", attempts), patch.object(ClassWorkspace, "collected", collected):
        _at_once([partial(browser.post, "/submit", headers=OWN) for browser in windows])
    assert len(service.attempts(learner)) == before + 1


def _at_once(calls: Sequence[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=each) for each in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def _request_of_anything(room: Room) -> None:
    """Requests are about parts that learners see, of submissions of their own; others get one answer."""
    bo = room.bo()
    for part in ("zeppelin", "Q1", "only-graded", "", "Q1.b\n", "double"):
        found = bo.post("/submissions/x/request", data={"part": part, "reason": "x"}, headers=OWN)
        assert found.status_code == 404, part


# ------------------------------------------------------------------------------------------- staff and their log


def _undone_twice(room: Room) -> None:
    """The same undo from two windows changes points once; an undo of an undo restores, and a stale one is refused."""
    grace, bob = room.grace(), room.classroom.browser("bob", Role.ASSISTANT)
    form = {"part": "double", "points": "2", "reason": "r"}
    first = _save(grace, "/class/learners/ada/points", form)
    second = _save(bob, f"/class/changes/{first}/undo", {})
    assert grace.post(f"/class/changes/{first}/undo", headers=OWN).status_code == 400, "stale"
    third = _save(grace, f"/class/changes/{second}/undo", {"back": "//x.example"})
    assert bob.post(f"/class/changes/{second}/undo", headers=OWN).status_code == 400
    _save(bob, "/class/learners/ada/points", form | {"points": "1"})
    assert grace.post(f"/class/changes/{third}/undo", headers=OWN).status_code == 400, "over somebody else's change"
    assert [(each.learner, each.points) for each in _overrides(room)] == [("ada", 1.0)]


def _save(browser: TestClient, path: str, form: dict[str, str]) -> int:
    answer = browser.post(path, data=form, headers=OWN, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    there = answer.headers["location"]
    assert there.startswith("/class/")
    return int(there.rpartition("=")[2])


def _overrides(room: Room) -> list[Override]:
    with contextlib.closing(open_gradebook(room.classroom.folder, read_only=True)) as book:
        return [each for each in book.overrides() if each.part == "double"]


def _points(room: Room) -> None:
    """Points that are no number, or not finite, are refused, with “beyond” as well."""
    grace = room.grace()
    for typed in ("nan", "inf", "-inf", "1e999", "1_0x", "0x10", "--1", "1,2,3", "9" * 400):
        form = {"part": "double", "points": typed, "reason": "r", "beyond": "1"}
        assert grace.post("/class/learners/bo/points", data=form, headers=OWN).status_code == 400, typed


def _both_answer(room: Room) -> None:
    """Of two members of the staff who answer a request at once, one does."""
    asked = learner_requests.add_request(room.classroom.folder, "bo", "double", "look", datetime.now(UTC))
    grace, bob = room.grace(), room.classroom.browser("bob", Role.ASSISTANT)
    people = [grace, TestClient(grace.app, base_url=ADDRESS, cookies=bob.cookies)]  # of one server
    found: list[int] = []

    def reply(browser: TestClient, points: str) -> None:
        form = {"answer": f"so {points}", "points": points}
        path = f"/class/requests/{asked.number}"
        found.append(browser.post(path, data=form, headers=OWN, follow_redirects=False).status_code)

    _at_once([partial(reply, who, str(at)) for at, who in enumerate(people)])
    (now,) = [one for one in learner_requests.list_requests(room.classroom.folder, "bo") if one.number == asked.number]
    (given,) = [each for each in _overrides(room) if each.learner == "bo"]
    assert sorted(found) == [303, 400] and now.answer is not None
    assert now.answer.text == given.reason


def _log_lines(room: Room) -> None:
    """Whatever stands in an entry, it is one line; another line cannot be forged."""
    forged = '"}\n{"at": "2026-01-01T00:00:00+00:00", "who": "grace", "role": "instructor", "did": "x", "about": {}}\n'
    for text in (forged, "\r\n\u2028\u2029\x85\x00", "\ud800"):
        audit.note(room.folder, audit.AuditEntry(datetime.now(UTC), text, "assistant", text, (("reason", text),)))
    assert len(audit.entries(room.folder)) == 3
    assert len((room.folder / audit.FILE).read_bytes().splitlines()) == 3
    assert len(audit.read_page(room.folder).entries) == 3


def _log_places(room: Room) -> None:
    """Addresses of places in the log that are not there show nothing else, and end."""
    for number in range(30):
        audit.note(room.folder, audit.AuditEntry(datetime.now(UTC), f"w{number}", "assistant", "did"), full=400)
    (room.folder / "audit.0.jsonl").write_text('{"at": "2026-01-01", "who": "x", "role": "", "did": "", "about": {}}\n')
    known = {one.who for one in audit.entries(room.folder)} - {"x"}
    for place in (Place(0, 99), Place(-1, 0), Place(1, 10**12), Place(10**12, 1), Place(2, 7), Place(1, 0)):
        at: Place | None = place
        seen, pages = set[str](), 0
        while at is not None:
            page = audit.read_page(room.folder, before=at)
            seen |= {one.who for one in page.entries}
            at, pages = page.earlier, pages + 1
            assert pages < 50, place
        assert seen <= known


def _forgotten_in_lists(room: Room) -> None:
    """Entries that name several learners lose the one that is forgotten; what cannot be encoded stops nothing."""
    about = {"ada": "ada", "both": "ada, bo", "other": "adam, bo"}
    for name, people in about.items():
        key = "learner" if name == "ada" else "learners"
        audit.note(room.folder, audit.AuditEntry(datetime.now(UTC), "G (grace)", "instructor", "did", ((key, people),)))
    audit.note(room.folder, audit.AuditEntry(datetime.now(UTC), "G", "instructor", "did", (("reason", "\ud800"),)))
    audit.forget(room.folder, "ada")
    left = [value for one in audit.entries(room.folder) for _, value in one.about]
    assert not any(re.search(r"\bada\b", value) for value in left) and "adam, bo" in left


# ------------------------------------------------------------------------------------------------- other ways in


def _watching(room: Room) -> None:
    """A folder that cannot be listed hides no submission of others."""
    for name in ("ada", "bo", "cy"):
        (room.folder / name / "1-a").mkdir(parents=True)
    watch, listing = Watch(room.folder), os.listdir

    def listdir(path: str) -> list[str]:
        if str(path).endswith("bo"):
            raise PermissionError(13, "no")
        return listing(path)

    with patch("grader.classroom.inbox.os.listdir", listdir):
        assert watch.changed(0.0) == ["ada/1-a", "cy/1-a"]
    assert watch.changed(0.0) == ["bo/1-a"], "when it can be"


def _borrowed_budget(room: Room) -> None:
    """One learner's reading costs nobody else, under whatever name, and one who has used it up gains none by case."""
    readers = Readers(1, 0.001)
    readers._budget.note("ada", 5.0, 0.0)
    budget = readers._budget
    assert budget.wait("ada", 1.0) > 0 and not any(budget.wait(name, 1.0) for name in ("bo", "Ada", "ada "))
    for name in ("Ada", "ADA", "ada ", "ａｄａ"):
        assert room.classroom.site.people.find(name) is None, "nobody is called that"


def _tickets(room: Room) -> None:
    """The page that goes on to an address stays on this server, whatever the address is."""
    ada = room.ada()
    for path in (
        "//x.example",
        "/%09/x.example",
        "/%0a/x.example",
        "/%5cx.example",
        "/%2f%2fx.example",
        "/;@x.example",
    ):
        guard = Guard(ada.app, "t", frozenset({HOST}))
        page = TestClient(guard, base_url=ADDRESS).get(f"{ADDRESS}{path}?token={guard.ticket()}")
        for there in [page.headers["refresh"].partition("url=")[2], *re.findall(r'<a href="([^"]*)"', page.text)]:
            assert there.startswith("/") and not re.match(r"[\\/\s]{2}", there) and not re.search(r"[\t\r\n]", there)


CASES = (
    Case("charset", "forms in encodings that take the server's time (punycode), or give text that is none", _charsets),
    Case("large_code", "half a megabyte of code, whose errors are looked for while everybody waits", _large_code),
    Case("huge_numbers", "numbers of changes and requests with up to five thousand digits", _huge_numbers),
    Case("vanishing_files", "a draft, while another window of the same learner saves a file", _vanishing_files),
    Case("too_large_forms", "a field of more than a megabyte, a thousand fields, a hundred files", _too_large_forms),
    Case("odd_addresses", "paths and parameters with NUL, other digits, cut UTF-8, line ends", _odd_addresses),
    Case("methods", "other methods, and headers that name one, in the place of POST", _methods),
    Case("clock_back", "a session of before, when sessions were ended again after the clock was set back", _clock_back),
    Case("same_moment", "a session that begins in the moment in which all are ended", _same_moment),
    Case("threads_ending", "many sessions that end at once, so that one is not written down", _threads_ending),
    Case("forgotten_meanwhile", "a forgotten learner whom a running server remembers", _forgotten_meanwhile),
    Case("strange_ids", "ended sessions of somebody with an id like a field of the file", _strange_ids),
    Case("session_as_link", "a session as a link, a link as a session, two at once", _session_as_link),
    Case("somebody_elses_link", "an instructor's link in a learner's browser", _somebody_elses_link),
    Case("links_in_logs", "links in `Referer`, which proxies write into their logs", _links_in_logs),
    Case("forms_of_others", "forms from `null`, other ports and spellings of the address", _forms_of_others),
    Case("language_first", "the language form before signing in, and as a way to another site", _language_first),
    Case("other_hosts", "other hosts, in `Host` and in the headers of proxies", _other_hosts),
    Case("mass_assignment", "a file in the place of the person whose sessions end", _mass_assignment),
    Case("own_sessions", "staff forms again, after the sessions of their sender were ended", _own_sessions),
    Case("draft_names", "drafts of reports, of other kinds, and with paths for names", _draft_names),
    Case("many_fields", "drafts with hundreds of values, marks and versions of their own", _many_fields),
    Case("drafts_count", "drafts as answers or files that are submitted or seen by others", _drafts_count),
    Case("after_the_folder_is_gone", "drafts and pages of a window whose learner was deleted",
         _after_the_folder_is_gone),
    Case("typed_scripts", "scripts in drafts, code, requests, reasons, points and names of files", _typed_scripts),
    Case("file_names", "uploads with names that lead out of the folder", _file_names),
    Case("answers_again", "the same graded item again and again, to see what its page tells", _answers_again),
    Case("commands_to_sealed", "all commands of forms to a graded item, in reviews as well", _commands_to_sealed),
    Case("too_many_submissions", "two windows that submit at once, with one submission left", _too_many_submissions),
    Case("request_of_anything", "requests about hidden parts, of a submission of nobody", _request_of_anything),
    Case("undone_twice", "an undo twice, of an undo, and a stale one over other people's points", _undone_twice),
    Case("points", "points that are not finite, or no number", _points),
    Case("both_answer", "two answers to one request, at once, with different points", _both_answer),
    Case("log_lines", "entries that look like further lines of the audit log", _log_lines),
    Case("log_places", "addresses of pages of the log that lead beyond it or around", _log_places),
    Case("forgotten_in_lists", "an id that stays in the log of what staff read", _forgotten_in_lists),
    Case("watching", "a folder in the inbox that cannot be listed, before those of others", _watching),
    Case("borrowed_budget", "another spelling of a name, for another hour of reading", _borrowed_budget),
    Case("tickets", "ways on to other sites behind an address that works once", _tickets),
)  # fmt: skip
