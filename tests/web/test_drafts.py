"""Drafts: on the disk before the server says so, restored everywhere, the newest first, and nothing lost silently."""

from __future__ import annotations

import html
import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from grader.core.errors import UsageError
from grader.core.model import Course
from grader.course import items
from grader.grading import courses
from grader.learning.drafts import Drafts, drafts_folder
from grader.learning.quiz_session import TypedAnswer
from grader.web import class_pages
from grader.web.learner import LearnerWorkspace, draft_of
from grader.web.people import Role
from tests import tiny
from tests.web.conftest import OWN
from tests.web.served import CLI, ServedClass
from tests.web.test_kept import Form, every, of_kind, send
from tests.web.test_site import Classroom, classroom, made  # noqa: F401, fixtures


def drafted(browser: TestClient, path: str, **fields: str) -> dict[str, object]:
    """The answer of the server to a draft."""
    found = browser.post(f"/drafts/{path}", data=fields, headers=OWN)
    assert found.status_code == 200, found.text
    return dict(found.json())


# ------------------------------------------------------------------------------------------------ the files


def test_a_draft_is_what_was_written(tmp_path: Path) -> None:
    """Any text, in a file that only its owner can reach; other owners and other names have drafts of their own."""
    drafts = Drafts(tmp_path / "d", "course\0ada")
    fields = {"answer": ("σ(x)\n😀\ud800", ""), "partner-a": ("2",)}
    drafts.write("item/Q1.a", fields)
    again = Drafts(tmp_path / "d", "course\0ada")
    found = again.read("item/Q1.a")
    assert found is not None and found.entry == fields
    assert again.read("item/Q1.b") is None and Drafts(tmp_path / "d", "course\0bo").read("item/Q1.a") is None
    assert (tmp_path / "d").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"format": 2}', b'{"format": 1, "fields": 3}', b"\xff", b"[" * 99_999]
)
def test_a_damaged_draft_costs_only_itself(tmp_path: Path, data: bytes) -> None:
    """It counts as none, and the next one takes its place."""
    drafts = Drafts(tmp_path, "ada")
    drafts.write("item/Q1.a", {"answer": ("x",)})
    (place,) = tmp_path.iterdir()
    place.write_bytes(data)
    assert drafts.read("item/Q1.a") is None
    drafts.write("item/Q1.a", {"answer": ("y",)})
    found = drafts.read("item/Q1.a")
    assert found is not None and found.entry == {"answer": ("y",)}


def test_a_draft_has_a_greatest_size(tmp_path: Path) -> None:
    """What is longer is refused in words, and what was there stays."""
    drafts = Drafts(tmp_path, "ada")
    drafts.write("code/Q1", {"code": ("x",)})
    with pytest.raises(UsageError, match="longer than 520000"):
        drafts.write("code/Q1", {"code": ("x" * 520_001,)})
    found = drafts.read("code/Q1")
    assert found is not None and found.entry == {"code": ("x",)}


def test_the_newest_wins_and_the_other_is_kept(tmp_path: Path) -> None:
    """A window that has not seen another's version replaces it, and that one is kept beside the new one."""
    drafts = Drafts(tmp_path, "ada")
    one = drafts.write("a", {"answer": ("1",)}, "")
    one = drafts.write("a", {"answer": ("12",)}, one.version)
    assert one.other is None
    two = drafts.write("a", {"answer": ("two",)}, "")
    assert two.other == {"answer": ("12",)} and two.entry == {"answer": ("two",)}
    two = drafts.write("a", {"answer": ("two!",)}, two.version)
    assert two.other == {"answer": ("12",)}, "until the answer is sent"
    drafts.settle("a", one.version)
    assert drafts.read("a") is not None, "a window settles only what it has seen"
    drafts.settle("a", two.version)
    assert drafts.read("a") is None


def test_no_drafts_beside_a_log_that_keeps_nothing(tmp_path: Path) -> None:
    """`--state /dev/null` records nothing."""
    assert drafts_folder(Path("/dev/null")) is None
    assert drafts_folder(tmp_path / "progress.jsonl") == tmp_path / "progress.drafts"
    drafts = Drafts(None, "ada")
    assert drafts.write("a", {"answer": ("1",)}).version and drafts.read("a") is None and drafts.size() == 0
    drafts.settle("a")


def test_many_windows_at_once(tmp_path: Path) -> None:
    """Whatever they write at the same time, one of their versions is there in full."""
    drafts = Drafts(tmp_path, "ada")

    def write(number: int) -> None:
        for turn in range(10):
            drafts.write("a", {"answer": (f"{number}-{turn}",)}, "")

    windows = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    found = drafts.read("a")
    assert found is not None and re.fullmatch(r"\d-\d", found.entry["answer"][0])
    assert len([*tmp_path.iterdir()]) == 1


# ------------------------------------------------------------------------------------------------ on the pages


@pytest.mark.parametrize("kind", items.kinds())
def test_a_draft_of_every_kind_is_restored(
    browser: TestClient, learner: LearnerWorkspace, course: Course, kind: str
) -> None:
    """In the widgets, on the page of the item and in the review; by another process, too. Settling removes it."""
    item = of_kind(course, kind)
    asked = items.ask(item, items.Context(course.public_id, learner.name, item.id))
    if asked.form == "pairs":
        entry = {f"partner-{each.id}": (asked.partners[0].id,) for each in asked.choices}
    elif asked.form == "order":
        entry = {"answer": tuple(each.id for each in asked.choices)[::-1]}
    else:
        entry = {"answer": (asked.choices[-1].id,) if asked.choices else ("half of an ans",)}
    data = {name: list(values) for name, values in entry.items()}
    assert browser.post(f"/drafts/item/{item.id}", data={**data, "draft": ""}, headers=OWN).json()["other"] is False
    for path in (f"/items/{item.id}", f"/review/items/{item.id}"):
        page = browser.get(path).text
        assert Form(page).entry == entry and "Draft saved." in page
    other = LearnerWorkspace(course, learner.folder, learner.state, learner.name, learner.make_checker)
    assert other.filled(item, "en").entry == entry
    settled = {"answer": "Because the softmax saturates."} if kind == "text" else {"do": "key"}
    version = Form(browser.get(f"/items/{item.id}").text).hidden["draft"]
    send(browser, f"/items/{item.id}", {}, **settled, draft=version)
    assert learner.drafts.read(draft_of(item)) is None


def test_what_is_drafted_has_to_exist(browser: TestClient, course: Course) -> None:
    """An item, a question with code or an exercise of the course; nothing else makes a file."""
    for path in ("item/Q5.nothing", "code/Q99", "memory/nothing", "other/Q3", "item/../Q3", "code/Q3"):
        assert browser.post(f"/drafts/{path}", data={"answer": "x"}, headers=OWN).status_code == 404
    assert browser.post("/drafts/code/Q3", data={"code": "x"}).status_code == 403, "not from a page of the server"


def test_a_draft_that_is_too_long_is_refused_in_words(browser: TestClient, learner: LearnerWorkspace) -> None:
    """The page shows the reason beside the field."""
    found = browser.post("/drafts/code/Q3", data={"code": "x" * 520_001}, headers=OWN)
    assert found.status_code == 400 and "longer than 520000" in found.json()["problem"]
    assert learner.drafts.size() == 0


def test_drafts_that_cannot_be_written_stop_nothing(
    browser: TestClient, learner: LearnerWorkspace, course: Course
) -> None:
    """A file is in the place of their folder: the page says why, answers are judged, and stay in the form."""
    (learner.state.parent / "log.drafts").write_text("")
    item = of_kind(course, "shape")
    found = browser.post(f"/drafts/item/{item.id}", data={"answer": "(1, 2)"}, headers=OWN)
    assert found.status_code == 400 and "cannot be saved" in found.json()["problem"]
    page = send(browser, f"/items/{item.id}", {"answer": ("(7, 7, 7, 7, 7)",)}, do="answer")
    assert Form(page).entry == {"answer": ("(7, 7, 7, 7, 7)",)} and len(learner.events()) == 2
    assert "Attempt 2 of" in page and '<span role="status">Draft saved.' not in page
    assert Form(browser.get(f"/items/{item.id}").text).entry == {"answer": ("(7, 7, 7, 7, 7)",)}


def test_a_draft_of_code(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """The newest of draft and file is in the editor, the other is offered; a check makes the draft the file."""
    question = course.question("Q3")
    assert question is not None
    saved = drafted(browser, "code/Q3", code="draft = 1\r\n", draft="")
    assert learner.code_filled(question, "en").entry == {"code": ("draft = 1\n",)}
    assert "draft = 1" in browser.get("/questions/Q3/code").text
    assert not learner.file(question).exists()
    learner.folder.mkdir()
    learner.file(question).write_text("# written in another editor\n")
    (place,) = (learner.state.parent / "log.drafts").iterdir()
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    place.write_text(json.dumps(json.loads(place.read_text()) | {"at": hour_ago}))
    page = browser.get("/questions/Q3/code").text
    area = html.unescape(page.split("<textarea")[1].split("</textarea>")[0])
    assert "another editor" in area and "draft = 1" not in area
    assert "Another version that you wrote" in page and 'draft = <span class="code-number">1</span>' in page
    typed = drafted(browser, "code/Q3", code="more = 1\n", draft=str(saved["version"]))
    assert typed["other"] is True and "draft = <span" in browser.get("/questions/Q3/code").text, "it is still there"
    saved = typed
    form = {"code": "checked = 1\n", "draft": str(saved["version"]), "do": "check"}
    assert browser.post("/questions/Q3/code", data=form, headers=OWN).status_code == 200
    assert learner.drafts.read("code/Q3") is None
    assert "checked = 1" in browser.get("/questions/Q3/code").text


def test_checking_does_not_lose_what_another_window_wrote(browser: TestClient, learner: LearnerWorkspace) -> None:
    """Its draft stays, and is offered beside the file."""
    drafted(browser, "code/Q3", code="of the other window", draft="")
    browser.post("/questions/Q3/code", data={"code": "mine = 1\n", "draft": "", "do": "check"}, headers=OWN)
    page = browser.get("/questions/Q3/code").text
    assert "mine = 1" in page.split("<textarea")[1].split("</textarea>")[0]
    assert "of the other window" in page.split('class="other-version"')[1]


def test_two_windows_of_an_answer(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """The second is told that the first had saved something else, and the page then shows both."""
    item = of_kind(course, "text")
    drafted(browser, f"item/{item.id}", answer="The first window", draft="")
    assert drafted(browser, f"item/{item.id}", answer="The second window", draft="")["other"] is True
    page = browser.get(f"/items/{item.id}").text
    assert Form(page).entry == {"answer": ("The second window",)}
    assert "The first window" in page.split('class="other-version"')[1]


def test_code_from_memory_has_a_draft(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Until it is rated; the file of the question is not touched, and the next review begins with the stub."""
    browser.post("/questions/Q3/code", data={"code": "x = 1"}, headers=OWN)  # the stand-in passes all but the first
    question = course.question("Q3")
    assert question is not None
    name = question.exercises[1].name
    drafted(browser, f"memory/{name}", code="from memory", draft="")
    assert "from memory" in browser.get(f"/review/exercises/{name}").text
    browser.post(f"/review/exercises/{name}", data={"code": "later", "do": "hint", "draft": ""}, headers=OWN)
    assert "later" in browser.get(f"/review/exercises/{name}").text
    browser.post(f"/review/exercises/{name}", data={"do": "rate", "word": "good"}, headers=OWN)
    assert "later" not in browser.get(f"/review/exercises/{name}").text
    assert learner.file(question).read_text() == "x = 1"


def test_an_answer_in_the_terminal_is_newer_than_a_draft(
    browser: TestClient, learner: LearnerWorkspace, course: Course
) -> None:
    """The form has the answer; the draft is offered beside it."""
    item = of_kind(course, "shape")
    drafted(browser, f"item/{item.id}", answer="(1, 2)", draft="")
    learner.answer(item, "en", TypedAnswer("(7, 7, 7, 7, 7)"), doubted=None, comparing=False)
    page = browser.get(f"/items/{item.id}").text
    assert Form(page).entry == {"answer": ("(7, 7, 7, 7, 7)",)}
    assert "(1, 2)" in page.split('class="other-version"')[1]


# ------------------------------------------------------------------------------------------------ in a class


def test_drafts_of_a_class(classroom: Classroom) -> None:  # noqa: F811
    """In the person's folder, which `forget` removes; nobody else sees them, and they are not submitted."""
    ada, bo, grace = (classroom.browser("ada"), classroom.browser("bo"), classroom.browser("grace", Role.INSTRUCTOR))
    drafted(ada, "item/Q1.b", answer="a private draft", draft="")
    drafted(ada, "code/Q1", code="a private draft", draft="")
    folder = classroom.folder / "people" / "ada"
    there = [path for path in folder.rglob("*") if path.is_file() and b"a private draft" in path.read_bytes()]
    assert there and all(path.parent == folder / "progress.drafts" for path in there)
    assert "a private draft" in ada.get("/items/Q1.b").text
    assert "a private draft" in classroom.browser("ada").get("/questions/Q1/code").text, "after signing in again"
    for someone in (bo, grace):
        for path in ("/items/Q1.b", "/questions/Q1/code"):
            assert "a private draft" not in someone.get(path).text
    for path in ("/class", "/class/learners/ada", "/class/items/Q1.b", "/class/marking"):
        assert "a private draft" not in grace.get(path).text
    ada.post("/items/Q1.a", data={"answer": "a", "do": "answer"}, headers=OWN_CLASS)
    ada.post("/submit", headers=OWN_CLASS)
    inbox = [path for path in (classroom.folder / "inbox").rglob("*") if path.is_file()]
    assert inbox and not [path for path in inbox if b"a private draft" in path.read_bytes()]


OWN_CLASS = {"origin": "http://127.0.0.1:8000"}


def test_drafts_count_toward_the_limit_of_a_person(
    classroom: Classroom,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files and drafts together; a draft that replaces itself needs no more room."""
    monkeypatch.setattr(class_pages, "MOST_BYTES", 2000)
    bo = classroom.browser("bo")
    for _ in range(3):
        assert bo.post("/drafts/code/Q1", data={"code": "x" * 900}, headers=OWN_CLASS).status_code == 200
    found = bo.post("/drafts/item/Q1.b", data={"answer": "x" * 1500}, headers=OWN_CLASS)
    assert found.status_code == 400 and found.json()["problem"]


def test_typing_is_not_refused(classroom: Classroom) -> None:  # noqa: F811
    """A draft and a reading every second for ten minutes: the gate of the class lets all of them through at once."""
    turns = classroom.site.app().turns
    for second in range(600):
        assert [turns.take("ada", second) for _ in range(2)] == [0.0, 0.0]


def test_a_saved_answer_is_shown_and_can_be_changed(classroom: Classroom) -> None:  # noqa: F811
    """The page says who judges it, and when; in both languages, at once and after a reload."""
    bo = classroom.browser("bo")
    page = bo.post("/items/Q1.a", data={"answer": "b", "do": "answer"}, headers=OWN_CLASS).text
    for text in (page, bo.get("/items/Q1.a").text):
        assert "Saved. It is graded after you submit." in text and "instructor" not in text
        assert "not graded automatically" not in text and "Change the answer" in text
        assert re.findall(r'class="option mine">.*?class="text">(\d)(?:(?!</li>).)*your answer', text, re.S) == ["5"]
        assert 'class="verdict' not in text
    form = Form(bo.get("/items/Q1.a?again=1").text)
    assert form.entry == {"answer": ("b",)}
    action = re.findall(r'action="(/items/Q1.a[^"]*)"', bo.get("/items/Q1.a?again=1").text)[0]
    changed = bo.post(html.unescape(action), data={"answer": "a", "do": "answer"}, headers=OWN_CLASS).text
    assert re.findall(r'class="option mine">.*?class="text">(\d)(?:(?!</li>).)*your answer', changed, re.S) == ["4"]
    bo.post("/language", data={"lang": "zh"}, headers=OWN_CLASS)
    assert "已保存，提交之后评分。" in bo.get("/items/Q1.a").text
    bo.post("/language", data={"lang": "en"}, headers=OWN_CLASS)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("after-due", "Results are shown from 2999-01-01 00:05 UTC on"),
        ("never", "This course does not show results here."),
        ("always", ""),
    ],
)
def test_when_results_are_hidden_the_page_says_so(classroom: Classroom, rule: str, said: str) -> None:  # noqa: F811
    """Beside the saved answer; nothing if they are shown at once."""
    bo = classroom.browser("bo")
    classroom.rules(hidden_results=rule, due="2999-01-01T00:00:00+00:00", cut_off_days=0)
    bo.post("/items/Q1.b", data={"answer": "7", "do": "answer"}, headers=OWN_CLASS)
    page = bo.get("/items/Q1.b").text
    assert "It is graded after you submit." in page
    assert (said in page) if said else ("esults" not in page)


def test_only_free_text_is_marked_by_the_instructor(course: Course) -> None:
    """What is said of a saved answer, for every kind of the bundled course."""
    for item in every(course):
        kept = items.kept_without_key(item)
        assert ("instructor" in kept.en, "老师" in kept.zh) == ((item.kind == "text"),) * 2, item.id


# ------------------------------------------------------------------------------------------------ kill -9


class Server(ServedClass):
    """What people do at a class server."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        super().__init__(folder, names, workers=1)

    def draft(self, name: str, text: str, version: str) -> str:
        """Save a draft; returns its version."""
        sent = self.form("/drafts/item/Q1.b", {"answer": text, "draft": version})
        found = json.loads(self.people[name].open(sent, timeout=30).read())
        assert found["other"] is False
        return str(found["version"])

    def page(self, name: str) -> str:
        """The page of the item."""
        found: str = self.people[name].open(f"{self.address}/items/Q1.b", timeout=30).read().decode()
        return found


def a_class(tmp_path: Path, names: list[str]) -> Path:
    """A class with a small course that has an item to write a number, at a port of its own."""
    from tests.web.test_site import NUMBER

    course = tiny.course(tmp_path / "course")
    tiny.change(course, "exercises:\n", NUMBER.lstrip("\n"))
    tiny.change(
        course,
        "misconceptions:\n",
        "misconceptions:\n  only-graded: {truth: {en: Nobody knows., zh: 无人知晓。}, ask: {en: And?, zh: 呢？}}\n",
    )
    place = tmp_path / "class"
    place.mkdir()
    (place / "class.csv").write_text("id\n" + "\n".join(names) + "\n")
    port = 20_000 + (os.getpid() * 7 + 11) % 20_000
    (place / "class.yaml").write_text(f"address: http://127.0.0.1:{port}\ncourse: ../course\nroster: class.csv\n")
    return place


Typed = list[tuple[float, str]]


def typing(server: Server, name: str, turn: int, typed: Typed, saved: Typed) -> None:
    """Types on, and saves the text as the page does: at most a second after a key. Ends with the server."""
    version, number = Form(server.page(name)).hidden["draft"], 0
    sent = 0.0
    while True:
        number += 1
        typed.append((time.monotonic(), f"{turn} {name} {number}"))
        time.sleep(0.1)
        if time.monotonic() - sent < 1:
            continue
        text, sent = typed[-1][1], time.monotonic()
        try:
            version = server.draft(name, text, version)
        except (OSError, http.client.HTTPException, urllib.error.URLError):
            return
        saved.append((time.monotonic(), text))


def oldest_loss(folder: Path, names: list[str], kills: int, chance: random.Random) -> tuple[float, int]:
    """Kills the server while people type. Returns the seconds before a kill that were lost, and the drafts saved."""
    worst, count = 0.0, 0
    for turn in range(kills):
        server = Server(folder, names)
        typed: Mapping[str, Typed] = {name: [] for name in names}
        saved: Mapping[str, Typed] = {name: [] for name in names}
        people = [
            threading.Thread(target=typing, args=(server, name, turn, typed[name], saved[name])) for name in names
        ]
        for each in people:
            each.start()
        while not all(saved.values()):
            assert all(each.is_alive() for each in people), "somebody's draft was refused"
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 2))
        killed = time.monotonic()
        server.kill()
        for each in people:
            each.join()
        server = Server(folder, names)
        for name in names:
            (there,) = Form(server.page(name)).entry["answer"]
            texts = [text for at, text in typed[name] if at < killed]
            assert there in texts, "a draft of this turn, in full"
            assert texts.index(there) >= texts.index(saved[name][-1][1]), "what was said to be saved is there"
            lost = [at for at, text in typed[name] if at < killed][texts.index(there) + 1 :]
            worst = max(worst, killed - lost[0] if lost else 0.0)
        count += sum(map(len, saved.values()))
        server.kill()
    return worst, count


def started(folder: Path, port: int) -> tuple[subprocess.Popen[str], urllib.request.OpenerDirector]:
    """`attncheck serve` for one learner, in a process of its own, and a browser that is signed in."""
    command = [
        sys.executable,
        str(CLI),
        "serve",
        str(folder / "work"),
        "--no-browser",
        "--port",
        str(port),
        "--lang",
        "en",
    ]
    command += ["--learner", "ada", "--state", str(folder / "log.jsonl"), "--course", str(folder / "course")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    address = re.findall(r"http://\S+", process.stdout.readline())[0]
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opener.open(address).close()
    return process, opener


def test_a_kill_loses_no_saved_draft(tmp_path: Path) -> None:
    """Three windows type, the server is killed: all that it had answered is there after the next start."""
    tiny.course(tmp_path / "course")
    port = 20_000 + (os.getpid() * 13 + 5) % 20_000
    url, saved = f"http://127.0.0.1:{port}", {"item/Q1.a": "", "code/Q1": "", "memory/double": ""}
    process, window = started(tmp_path, port)

    def types(path: str) -> None:
        for number in range(1000):
            text = "ab"[number % 2] if path.startswith("item") else f"# {number}\n"
            field = "answer" if path.startswith("item") else "code"
            data = urlencode({field: text}).encode()
            try:
                window.open(urllib.request.Request(f"{url}/drafts/{path}", data, {"Origin": url})).close()
            except (OSError, http.client.HTTPException):
                return
            saved[path] = text

    windows = [threading.Thread(target=types, args=(path,)) for path in saved]
    for each in windows:
        each.start()
    while not all(saved.values()):
        time.sleep(0.02)
    process.kill()
    process.wait()
    for each in windows:
        each.join()
    assert process.stdout is not None
    process.stdout.close()
    drafts = LearnerWorkspace(courses.load(tmp_path / "course"), tmp_path, tmp_path / "log.jsonl", "ada", never).drafts
    for path, text in saved.items():
        found = drafts.read(path)
        assert found is not None
        (there,) = found.entry.get("answer") or found.entry["code"]
        numbers = [int(each.strip("# \n")) for each in (there, text) if not path.startswith("item")]
        assert numbers in ([], [*numbers[:1]] * 2) or numbers[0] == numbers[1] + 1, "that, or the one on its way"
    process, window = started(tmp_path, port)
    (code,) = drafts.read("code/Q1").entry["code"]  # type: ignore[union-attr]
    assert code in window.open(f"{url}/questions/Q1/code").read().decode()
    assert Form(window.open(f"{url}/items/Q1.a").read().decode()).entry["answer"][0] in "ab"
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def never() -> Any:
    """No checker: nothing is checked."""
    raise AssertionError


@pytest.mark.prove
def test_ten_kills_while_eight_people_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No draft is older than two seconds."""
    names = [f"person{number}" for number in range(8)]
    worst, count = oldest_loss(a_class(tmp_path, names), names, 10, random.Random(29))
    with capsys.disabled():
        print(f"\n{count} drafts saved; at most {worst:.2f} s of typing lost at a kill")
    assert worst < 2
