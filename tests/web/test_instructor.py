"""The instructor's pages: what they show of a class, what they change, who did it, and who may not see them."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from grader.classroom import audit, batch
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import LearnerRow, open_gradebook
from grader.core.model import Lang
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.instructor import learner_requests
from grader.web.class_data import LANGUAGE, ClassData, VersionedCache, style_sheet
from grader.web.instructor_items import borrowed_answers
from grader.web.people import ClassMember, Role
from grader.web.security import COOKIE
from tests import gallery, helpers, tiny
from tests.classroom import test_unread
from tests.instructor import test_rubric
from tests.web.conftest import shown
from tests.web.staff import PROF, make_app

HOST, TOKEN = "127.0.0.1:8000", "s3cret"
OWN = {"origin": f"http://{HOST}"}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
in_process = tiny.in_process

#: Free text with key points, and numbers of one's own.
ITEMS = (
    test_rubric.ITEM.replace("exercises:\n", "")
    + """\
  - id: Q1.twice
    kind: number
    ask: {en: "Twice {n}?", zh: "{n} 的两倍？"}
    draw: {n: [3, 5, 7]}
    answer: 2 * n
exercises:
"""
)
LONG = (
    "def double(x):\n"
    + "".join(f"    y{n} = x * {n} + {n + 1} - x.sum() * {n}\n" for n in range(9))
    + "    return x + x\n"
)
WHY = {
    "ada": "Twice x is two of it, and so is x plus x.",
    "bo": "twice X is two of it and so is x plus x",
    "cy": "Because the computer says so.",
    "dee": "<script>alert(1)</script> I think it is",
}


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course, and a class of four whose code and answers differ."""
    folder = tmp_path_factory.mktemp("class_data")
    tiny.course(folder / "course")
    tiny.change(folder / "course", "exercises:\n", ITEMS)
    for at, (name, why) in enumerate(WHY.items()):
        (folder / "in" / name).mkdir(parents=True)
        code = [tiny.RIGHT, tiny.WRONG, LONG, LONG][at]
        (folder / "in" / name / "q01.py").write_text(code)
        answers = {"Q1.a": "ab"[at % 2], "Q1.why": why, "Q1.twice": [6, 10, 14, 14][at]}
        (folder / "in" / name / "answers.yaml").write_text(
            json.dumps({"format": 1, "learner": name, "answers": answers})
        )
    names = "id,name,section\nada,Ada Lovelace,A\nbo,Bo Bø,A\ncy,Cy <b>,B\ndee,陈,B\neve,Eve,B\n"
    (folder / "roster.csv").write_text(names, encoding="utf-8")
    return folder


@pytest.fixture
def class_data(handed_in: Path, tmp_path: Path, in_process: None) -> ClassData:
    """A copy of the results of the class, which is graded once, and the course."""
    out = handed_in / "results"
    if not out.exists():
        course, roster = handed_in / "course", handed_in / "roster.csv"
        batch.run(BatchRequest(handed_in / "in", out, course, Seed.public(), roster=roster, workers=1))
    shutil.copytree(out, tmp_path / "results")
    return ClassData(tmp_path / "results", loader.full_course(courses.load(handed_in / "course")), now=lambda: NOW)


def browser(class_data: ClassData, person: ClassMember | None = PROF) -> TestClient:
    """A browser in which ``person`` is signed in."""
    return TestClient(make_app(class_data, TOKEN, HOST, person), base_url=f"http://{HOST}", cookies={COOKIE: TOKEN})


@pytest.fixture
def page(class_data: ClassData) -> Callable[..., str]:
    """Returns the text of a page, which has nothing in it that runs."""
    window = browser(class_data)

    def get(path: str, status: int = 200) -> str:
        found = window.get(f"/class{path}")
        assert found.status_code == status, found.text
        assert "<script>" not in found.text and "<b>" not in found.text and " onload" not in found.text
        assert "unsafe" not in found.headers["content-security-policy"]
        return found.text

    return get


def words(text: str) -> str:
    """What a page says in English, in one line."""
    return shown(re.sub(r'<span class="zh"[^>]*>.*?</span>', "", text))


def post(class_data: ClassData, path: str, status: int = 200, lang: str = "en", **fields: Any) -> str:
    """The page after a form was sent, in a language."""
    window = browser(class_data)
    window.cookies.set(LANGUAGE, lang)
    found = window.post(f"/class{path}", data=fields, headers=OWN)
    assert found.status_code == status, found.text
    return found.text


PATHS = (
    "",
    "?q=ada",
    "/learners/ada",
    "/learners/eve",
    "/questions",
    "/items/Q1.a",
    "/items/Q1.why",
    "/items/Q1.twice",
    "/exercises/double",
    "/misconceptions",
    "/misconceptions?period=all",
    "/marking",
    "/marking/Q1.why",
    "/requests",
    "/similar",
    "/downloads",
    "/changes",
)


@pytest.mark.parametrize("path", PATHS)
def test_every_page_in_both_languages(class_data: ClassData, path: str) -> None:
    """Without a word of the other language in its frame; the way back to the same page is kept."""
    learner_requests.add_request(class_data.folder, "ada", "Q1.a", "It is right. <b>", NOW)
    window = browser(class_data)
    for lang, tag, frame in (("en", "en", "Misconceptions"), ("zh", "zh-Hans", "误解")):
        text = window.post("/class/language", data={"lang": lang, "back": f"/class{path}"}, headers=OWN).text
        assert f'<html lang="{tag}">' in text and frame in text
        assert "<b>" not in text and "{{" not in text and "object at 0x" not in text and "built-in" not in text
        visible = words(re.sub(rf'<span class="{"zh" if lang == "en" else "en"}"[^>]*>.*?</span>', "", text))
        foreign = re.findall(r"[\u4e00-\u9fff]+", visible) if lang == "en" else []
        assert set(foreign) <= {"中文", "陈"}, foreign


#: Classes of the sheet that are no component: the page, a state as nothing else says it, a form, its own distances.
PLAIN = {"attncheck", "new", "order", "stack"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_sheet_of_components(lang: Lang) -> None:
    """Every component can be shown, and has a look in the style sheet; these classes have none."""
    used = {name for names in re.findall(r'class="([^"]+)"', gallery.components(lang)) for name in names.split()}
    assert {name for name in used if not re.search(rf"\.{name}\b", style_sheet())} == PLAIN


def test_who_may_not(class_data: ClassData) -> None:
    """Nobody who is not signed in, and no learner; whatever the application in front of it does. Nothing changes."""
    before = (class_data.folder / "gradebook.sqlite").read_bytes()
    for person in (None, ClassMember("ada", "Ada", Role.LEARNER)):
        window = browser(class_data, person)
        for path in PATHS:
            assert window.get(f"/class{path}").status_code == 403, path
        for path in ("/learners/ada/points", "/marking/Q1.why", "/requests/1", "/downloads/csv"):
            form = {"do": "give", "part": "Q1.a", "points": "1", "reason": "x"}
            assert window.post(f"/class{path}", data=form, headers=OWN).status_code == 403, path
    tutor = browser(class_data, ClassMember("tutor", "", Role.ASSISTANT))
    assert tutor.get("/class").status_code == 200
    evil = {"origin": "http://evil.example"}
    assert tutor.post("/class/learners/ada/points", data={}, headers=evil).status_code == 403
    assert (class_data.folder / "gradebook.sqlite").read_bytes() == before


@pytest.mark.parametrize("path", ["/learners/zoe", "/items/Q9", "/exercises/x", "/marking/Q1.a", "/similar?cluster=99"])
def test_what_is_not_there(page: Callable[..., str], path: str) -> None:
    """Is said on a page with the way back."""
    assert "There is no such page." in page(path, 404)


# ------------------------------------------------------------------------------------------ reading


def names(text: str) -> list[str]:
    """The learners of the table, in its order."""
    return re.findall(r'<a href="/class/learners/(\w+)">', text)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "ada bo cy eve dee"),
        ("?sort=points&down=1", "cy ada dee bo eve"),
        ("?q=LOVE", "ada"),
        ("?q=bo", "bo"),
        ("?show=missing", "eve"),
        ("?show=person", "ada bo cy dee"),
        ("?section=B&sort=learner&down=1", "dee eve cy"),
        ("?q=%3Cb%3E&show=given", ""),
        ("?page=99&show=nonsense&sort=nonsense", "ada bo cy dee eve"),
    ],
)
def test_the_class(page: Callable[..., str], query: str, found: str) -> None:
    """Search, filter and order are in the address; odd ones do no harm."""
    assert names(page(query)) == found.split()


def test_a_large_class(class_data: ClassData) -> None:
    """A page has fifty rows however many there are, and says how to get to the others in the same order."""
    with closing(open_gradebook(class_data.folder)) as book:
        book.enrol(LearnerRow(f"x{n:03}", f"Extra {n:03}") for n in range(200))
    text = browser(class_data).get("/class?q=extra&sort=learner&down=1&page=2").text
    assert names(text)[0] == "x149" and len(names(text)) == 50
    assert "Page 2 of 4" in text and "200 of 205 learners" in text
    (onward,) = re.findall(r'href="([^"]+)" rel="next"', text)
    assert names(browser(class_data).get(html.unescape(onward)).text)[0] == "x099"


def test_a_learner(page: Callable[..., str]) -> None:
    """The report with hidden cases, the answers given, the submission, and no form that could not be used."""
    text = page("/learners/bo")
    said = words(text)
    assert "Bo Bø" in text and "Twice is not squared." in said
    assert "twice X is two of it" in said and "long" in said
    assert '<option value="double" data-possible="4">' in text and "time unknown" in text
    assert "Nothing was submitted." in page("/learners/eve")


def test_an_item(page: Callable[..., str]) -> None:
    """Each answer with its verdict and who gave it; what is believed; the key."""
    said = words(page("/items/Q1.a"))
    assert "b 5 not correct Twice is not squared. 2" in said and "a 4 correct 2" in said
    assert "Correct answer a: 4" in said


def test_an_exercise(page: Callable[..., str]) -> None:
    """Checks on cases, hidden ones too, who fails them, and the misconceptions behind it."""
    said = words(page("/exercises/double"))
    assert "values basic public 75%" in said and "values long hidden 75%" in said
    assert "Twice is not squared." in said and said.count("Bo Bø (bo)") >= 3


def test_misconceptions_of_the_week(class_data: ClassData) -> None:
    """Only of work of the last seven days; the others are one click away, and counted if they came before."""
    with closing(open_gradebook(class_data.folder)) as book:
        old = (NOW - timedelta(days=8)).isoformat()
        book._connection.execute("UPDATE submission SET at = ?", (old,))
    text = browser(class_data).get("/class/misconceptions").text
    assert "No misconceptions appeared in these seven days." in text
    assert "2 of 5 learners" in browser(class_data).get("/class/misconceptions?period=all").text
    with closing(open_gradebook(class_data.folder)) as book:
        late = (NOW - timedelta(days=3)).isoformat()
        book._connection.execute("UPDATE submission SET at = ? WHERE key LIKE 'bo%'", (late,))
    said = words(browser(class_data).get("/class/misconceptions").text)
    assert "1 of 5 learners; 1 earlier" in said and "Q1.a" in said and "Ada" not in said


def test_similar_solutions(page: Callable[..., str], class_data: ClassData) -> None:
    """A cluster, side by side; and an answer with somebody else's numbers, with who has these."""
    said = words(page("/similar"))
    assert "Cy <b> (cy) ↔ 陈 (dee)" in said and "double(): 100% of their own code is the same" in said
    assert page("/similar?cluster=1").count('class="side"') >= 2
    assert borrowed_answers(class_data), "nobody has the right numbers: change the answers of the class"
    assert "correct for n =" in said


# ------------------------------------------------------------------------------------------ changing


def given(class_data: ClassData) -> dict[tuple[str, str], tuple[float, str, str]]:
    """The overrides: points, reason and author by learner and part."""
    with closing(open_gradebook(class_data.folder)) as book:
        return {(one.learner, one.part): (one.points, one.reason, one.author) for one in book.overrides()}


def did(class_data: ClassData) -> list[tuple[str, str, str]]:
    """Who changed what, in which role."""
    return [(one.who, one.role, one.did) for one in audit.read_page(class_data.folder).entries[::-1]]


def test_points_by_hand(class_data: ClassData) -> None:
    """With a reason, under the name of who gave them; removed again; both are noted, and pages show it at once."""
    text = post(class_data, "/learners/bo/points", do="give", part="double", points="2,5", reason="oral <b>")
    assert "Saved as change 1. Points given by hand for double to bo: 2.5; before: none." in text
    assert "oral &lt;b&gt;" in text and "prof" in text
    assert given(class_data) == {("bo", "double"): (2.5, "oral <b>", "Prof. Invented (prof)")}
    assert names(browser(class_data).get("/class?show=given").text) == ["bo"]
    assert "2.5" in (class_data.folder / "class.csv").read_text()
    text = post(class_data, "/learners/bo/points", do="remove", part="double")
    assert "Saved as change 2. Points given by hand for double to bo: none; before: 2.5." in text
    assert given(class_data) == {}
    who = ("Prof. Invented (prof)", "instructor")
    assert did(class_data) == [(*who, "gave points"), (*who, "removed override")]
    assert "removed points given by hand" in browser(class_data).get("/class/changes").text


def test_the_way_back_from_a_refusal(class_data: ClassData) -> None:
    """A change of the language there leads to a page, not to what a form was sent to."""
    text = post(class_data, "/learners/bo/points", 400, do="give")
    assert 'name="back" value="/class/learners/bo"' in text
    text = browser(class_data).get("/class/items/Q1.a?x=1&y=2").text
    assert 'name="back" value="/class/items/Q1.a?x=1&amp;y=2"' in text


def test_submissions_of_nobody(class_data: ClassData) -> None:
    """Are named above the table, with what to do."""
    with closing(open_gradebook(class_data.folder)) as book:
        book._connection.execute("DELETE FROM member WHERE learner = 'dee'")
        book.remember("x", 1)
    assert "Submissions that belong to nobody in the class: dee." in browser(class_data).get("/class").text


made, out = test_unread.made, test_unread.out


def test_unread_answers_wait_for_a_person(made: Path, out: Path) -> None:
    """What was written and why it was not read, with a way to the page on which points are given."""
    found = ClassData(out, loader.full_course(courses.load(made / "course")), now=lambda: NOW)
    text = browser(found).get("/class/marking").text
    said = words(text)
    assert "Answers that could not be read" in said and "about six or seven" in said and "not tabs" in said
    assert 'href="/class/learners/ben"' in text and "No answers are waiting" not in said
    assert "read answers" in [one.did for one in audit.entries(out)], "whose answers are read leaves a line"


def test_marking(class_data: ClassData) -> None:
    """Similar answers together, each wording with a box; key points give points, a comment is offered again."""
    window = browser(class_data)
    text = window.get("/class/marking/Q1.why").text
    boxes = re.findall(r'name="wording" value="(\w+)"', text)
    assert "Group 1 2×" in words(text) and len(boxes) == 1
    text = post(class_data, "/marking/Q1.why", wording=boxes, point=["a", "c"], comment=" Nearly. ")
    assert "Saved as change 1. Points given by hand for Q1.why to ada, bo: 2; before: none." in words(text)
    assert '<option value="Nearly.">' in text
    reason = "key points a, c of a–c: Nearly."
    who = "Prof. Invented (prof)"
    assert given(class_data) == {(name, "Q1.why"): (2.0, reason, who) for name in ("ada", "bo")}
    assert "&lt;script&gt;" in text
    for person, mine in ((PROF, 2), (ClassMember("bob", "Bob", Role.ASSISTANT), 0)):
        said = words(browser(class_data, person).get("/class/marking/Q1.why?show=mine").text)
        assert f"Open 2 Marked 2 Marked by me {mine}" in said
        assert ("key points a, c of a–c: Nearly." in said) == bool(mine)
    for _ in range(2):
        rest = re.findall(r'name="wording" value="(\w+)"', text)
        text = post(class_data, "/marking/Q1.why", wording=rest, point="0")
    assert "No answers are waiting to be marked." in text
    assert sorted(points for points, _, _ in given(class_data).values()) == [0.0, 0.0, 2.0, 2.0]
    assert [what for _, _, what in did(class_data)] == ["marked answers"] * 3
    text = html.unescape(post(class_data, "/marking/Q1.why", 400, wording=boxes, point="a"))
    assert "Nothing was saved." in text
    assert len(given(class_data)) == 4


def test_requests(class_data: ClassData) -> None:
    """Answered once, with points or without; the learner's page shows both."""
    for part, reason in (("double", "It works for me."), ("Q1.a", "Why? <b>")):
        learner_requests.add_request(class_data.folder, "bo", part, reason, NOW)
    text = browser(class_data).get("/class/requests").text
    assert "now 0 of 4" in text and "Why? &lt;b&gt;" in text
    assert "Open requests: 2" in browser(class_data).get("/class").text
    post(class_data, "/requests/1", answer="You are right.", points="4")
    post(class_data, "/requests/2", answer="No.", points="")
    assert given(class_data) == {("bo", "double"): (4.0, "You are right.", "Prof. Invented (prof)")}
    replies = [one.answer and one.answer.text for one in learner_requests.list_requests(class_data.folder)]
    assert replies == ["You are right.", "No."]
    for fields in ({"answer": "Again.", "points": "1"}, {"answer": " "}):
        post(class_data, "/requests/1", 400, **fields)
    post(class_data, "/requests/9", 404, answer="x")
    assert given(class_data)["bo", "double"][0] == 4.0
    assert "You are right." in browser(class_data).get("/class/learners/bo").text


def test_a_batch_is_running(class_data: ClassData, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is changed, which is said; pages can be read."""
    from grader.classroom.class_folder import locked
    from grader.web import instructor_marking

    monkeypatch.setattr(instructor_marking, "LOCK_TIMEOUT", 0.0)
    with locked(class_data.folder):
        text = post(class_data, "/learners/bo/points", 400, do="give", part="double", points="1", reason="r")
        assert "Another attncheck is grading into results" in text
        assert browser(class_data).get("/class/learners/bo").status_code == 200
    assert given(class_data) == {}


# ------------------------------------------------------------------------------------------ downloads


def download(class_data: ClassData, form: str, files: Any = None, **fields: str) -> Any:
    """What is saved; remarks are read first."""
    window = browser(class_data)
    found = window.post(f"/class/downloads/{form}", data=fields, files=files, headers=OWN)
    assert found.status_code == 200, found.text
    if "content-disposition" not in found.headers:
        (link,) = re.findall(r'href="([^"]+)" download', found.text)
        found = window.get(html.unescape(link))
    assert found.headers["content-type"] == "application/octet-stream"
    assert found.headers["content-disposition"].startswith("attachment")
    return found


def test_what_is_remembered() -> None:
    """Until something changes; what took long rests for a while even then, so that no class is busy with itself."""
    seconds, version, made = [0.0], [b"1"], [0]
    remembered = VersionedCache(lambda: seconds[0])

    def make() -> int:
        seconds[0] += 2.0
        made[0] += 1
        return made[0]

    def get(name: str, rest: float) -> int:
        return remembered.get(name, lambda: version[0], make, rest=rest)

    assert [get("quick", 0.0), get("quick", 0.0), get("slow", 10.0)] == [1, 1, 2]
    version[0] = b"2"
    assert [get("quick", 0.0), get("slow", 10.0)] == [3, 2]
    seconds[0] += 30.0
    assert [get("slow", 10.0), get("slow", 10.0), get("quick", 0.0)] == [4, 4, 3]


def test_every_download_is_described() -> None:
    """In words of the pages: nobody can type an option of a command there."""
    from grader.web.instructor import export_formats

    described = {name: module.ON_PAGE for name, module in export_formats().items()}
    assert len(described) == 9
    assert not [name for name, text in described.items() if "--" in text.en + text.zh]


def test_downloads(class_data: ClassData) -> None:
    """Everything that `export` makes from a gradebook; folders as a zip; each is noted."""
    assert "Ada Lovelace" in download(class_data, "csv").text
    assert download(class_data, "csv", checks="1", bom="1").content.startswith(b"\xef\xbb\xbf")
    assert "Ada" not in download(class_data, "json", pseudonyms="1").text
    files = {"html": "index.html", "junit": "ada.xml", "reports": "ada.json", "gradescope": "bo.json"}
    for form, inside in files.items():
        with zipfile.ZipFile(io.BytesIO(download(class_data, form).content)) as found:
            assert inside in found.namelist(), form
    assert {what for _, _, what in did(class_data)} == {"downloaded"}
    assert browser(class_data).get("/class/downloads?file=gone").status_code == 404
    assert browser(class_data).post("/class/downloads/gift", headers=OWN).status_code == 404
    assert "Ada Lovelace" in browser(class_data).get("/class/learners/ada/page").text
    assert browser(class_data).get("/class/learners/eve/page").status_code == 400


def test_canvas(class_data: ClassData) -> None:
    """A file that was downloaded comes back filled in, with remarks; it is said what is wrong with another file."""
    template = "Student,ID,SIS Login ID,Attention (7)\n    Points Possible,,,8\nAda Lovelace,11,,\nZoe,12,,\n"
    found = download(class_data, "canvas", {"template": ("../Grades 1.csv", template.encode())}, column="Attention")
    assert "Ada Lovelace,11,,5" in found.text and "Grades%201.csv" in found.headers["content-disposition"]
    found = browser(class_data).post("/class/downloads/canvas", files={"template": ("a.csv", b"x,y\n")}, headers=OWN)
    text = html.unescape(found.text)
    assert found.status_code == 400 and ">a.csv:1: expected a gradebook exported from Canvas" in text


def test_receipts(tmp_path: Path) -> None:
    """The digest on the receipt beside a submission; what is no receipt has none."""
    from grader.classroom import inbox
    from grader.web.instructor import receipt_digest

    (tmp_path / "q01.py").write_text(tiny.RIGHT)
    inbox.create_inbox(tmp_path / "inbox")
    receipt, _ = inbox.submit(tmp_path / "q01.py", tmp_path / "inbox", "ada", NOW, helpers.course())
    (place,) = (tmp_path / "inbox").glob("*/*/files")
    assert receipt_digest(place) == receipt.digest
    for text in ("{}", "no JSON", '{"format": 99}'):
        (place.parent / inbox.RECEIPT).write_text(text)
        assert receipt_digest(place) == ""
    assert receipt_digest(tmp_path / "nowhere" / "files") == ""
