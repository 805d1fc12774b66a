"""The forms of the instructor's pages: what was typed stays, what was saved can be undone, and nothing names a command.

The forms are those of the routes, so a new one without a case fails here.
"""

from __future__ import annotations

import html
import re
from contextlib import closing
from typing import Any

import pytest
from starlette.datastructures import FormData

from grader.classroom import audit
from grader.classroom.gradebook import Override, open_gradebook
from grader.instructor import learner_requests
from grader.web.class_data import LANGUAGE, ClassData, FormProblem, FormState, ReadingLog
from grader.web.instructor import routes
from grader.web.people import ClassMember, Role
from tests.tiny import give
from tests.web.conftest import shown
from tests.web.test_instructor import NOW, PATHS, browser, class_data, did, given, handed_in, in_process
from tests.web.test_instructor import post as send
from tests.web.test_no_commands import FOR_TERMINALS

__all__ = ["class_data", "handed_in", "in_process"]  # fixtures

TUTOR = ClassMember("tutor", "Tutor Invented", Role.ASSISTANT)
REASON = "What I typed about it: 请看第二行"
GIVE = {"form": "give", "do": "give", "part": "double", "points": "1", "reason": REASON}
REPLY = {"form": "request-1", "answer": REASON, "points": "1"}

#: For each form, by its route: the address, what is typed, the field with the message, and the message.
REFUSED: list[tuple[str, str, dict[str, Any], str, tuple[str, str]]] = [
    ("/learners/{learner}/points", "/learners/bo/points", GIVE | change, field, said)
    for change, field, said in [
        ({"points": "9"}, "points", ("double has 0 to 4 points; found 9.", "double 的分数是 0 到 4，这里是 9。")),
        ({"points": "-1"}, "points", ("double has 0 to 4 points; found -1.", "double 的分数是 0 到 4，这里是 -1。")),
        ({"points": "nan"}, "points", ("double has 0 to 4 points", "double 的分数是 0 到 4")),
        ({"points": "many"}, "points", ("“many” is not a number of points.", "“many”不是分数。")),
        ({"points": ""}, "points", ("Enter the points.", "请填写分数。")),
        ({"part": ""}, "part", ("Choose an item or an exercise.", "请选择小题或练习。")),
        ({"part": "triple"}, "part", ("There is no exercise or graded item “triple”.", "没有练习或计分题“triple”。")),
        ({"reason": " "}, "reason", ("Give a reason: it is shown", "请给出理由：")),
    ]
]
REFUSED += [
    ("/requests/{number}", "/requests/1", REPLY | change, field, said)
    for change, field, said in [
        ({"points": "9"}, "points", ("double has 0 to 4 points; found 9.", "double 的分数是 0 到 4，这里是 9。")),
        ({"points": "two"}, "points", ("“two” is not a number of points.", "“two”不是分数。")),
        ({"answer": ""}, "answer", ("Write an answer: the learner will see it.", "请写下答复：学生会看到。")),
    ]
]
MARK = {"form": "group-1", "comment": REASON, "wording": "WORDINGS", "point": "a"}
REFUSED += [
    ("/marking/{item}", "/marking/Q1.why", MARK | change, field, said)
    for change, field, said in [
        ({"point": []}, "point", ("Tick the key points, or “none of these", "请勾选要点，或勾选“都没有说到")),
        ({"point": ["0", "a"]}, "point", ("Tick either key points or", "只能勾选一种")),
        ({"point": "z"}, "point", ("Q1.why has the key points a, b, c", "Q1.why 的要点是 a、b、c")),
        ({"wording": []}, "wording", ("or none was selected. Nothing was saved.", "没有保存任何内容。")),
    ]
]
REFUSED += [
    (
        "/downloads/{form}",
        "/downloads/canvas",
        {"form": "canvas", "column": REASON},
        "template",
        ("There is no file to fill in", "缺少要填写的文件"),
    ),
    (
        "/changes/{number}/undo",
        "/changes/1/undo",
        {"form": "undo-1"},
        "",
        ("There is no change 1 to undo.", "没有编号为 1 的改动可以撤销。"),
    ),
]
#: Forms with buttons only, which nobody can fill in wrongly.
WITHOUT_FIELDS = {"/language", "/sessions"}


def ask(class_data: ClassData) -> None:
    """Bo asks about an exercise and about numbers of his own."""
    for part in ("double", "Q1.twice"):
        learner_requests.add_request(class_data.folder, "bo", part, "Please look again.", NOW)


def wordings(class_data: ClassData, group: int) -> list[str]:
    """The wordings of a group of answers to Q1.why."""
    text = browser(class_data).get(f"/class/marking/Q1.why?group={group}").text
    return re.findall(r'name="wording" value="(\w+)"', text[text.index(f'id="group-{group}"') :].split("</form>")[0])


def form_of(text: str, name: str) -> str:
    """The form of a page that has this name."""
    (found,) = [form for form in re.findall(r"<form.*?</form>", text, re.S) if f'name="form" value="{name}"' in form]
    return html.unescape(found)


def test_every_form_has_a_case(class_data: ClassData) -> None:
    """Every route to which something is sent."""
    posted = {route.path.removeprefix("/class") for route in routes(class_data) if "POST" in (route.methods or ())}
    assert posted == {path for path, *_ in REFUSED} | WITHOUT_FIELDS


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("route", "path", "fields", "field", "said"), REFUSED)
def test_a_refused_form_keeps_everything(
    class_data: ClassData, route: str, path: str, fields: dict[str, Any], field: str, said: tuple[str, str], lang: str
) -> None:
    """The page again, in the person's language, with the message at the field, and nothing saved."""
    ask(class_data)
    if fields.get("wording") == "WORDINGS":
        fields = fields | {"wording": wordings(class_data, 1)}
    text = send(class_data, path, 400, lang, **fields)
    assert said[lang == "zh"] in shown(text) and not FOR_TERMINALS.search(shown(text))
    if route.startswith("/changes"):
        return  # there is nothing to type
    form = form_of(text, fields["form"])
    assert said[lang == "zh"] in form
    if field != "wording":
        assert re.search(rf'name="{field}"[^>]*aria-invalid="true" aria-describedby="([\w.-]+)"', form)
        (described,) = re.findall(r'aria-describedby="([\w.-]+-wrong)"', form)
        assert f'id="{described}"' in form
    for name, value in fields.items():
        if name in ("comment", "reason", "answer", "points", "column") and str(value).strip():
            assert f'value="{value}"' in form or f">{value}</textarea>" in form, name
        for each in [value] if isinstance(value, str) else value:
            if name == "point" and each != "z":
                assert re.search(rf'name="point" value="{each}" checked', form)
            if name == "wording" and 'type="checkbox" name="wording"' in form:
                assert re.search(rf'name="wording" value="{each}" checked', form)
    assert str(class_data.folder.parent) not in text and did(class_data) == []
    assert given(class_data) == {} and learner_requests.list_requests(class_data.folder)[0].answer is None


def test_bounds_of_points(class_data: ClassData) -> None:
    """The fields say them, so that a browser refuses before anything is sent."""
    ask(class_data)
    form = form_of(browser(class_data).get("/class/requests").text, "request-1")
    assert 'type="number" name="points" step="any" min="0" max="4"' in form
    form = form_of(browser(class_data).get("/class/learners/bo").text, "give")
    assert 'data-possible="4"' in form and 'type="number" name="points"' in form


def test_a_form_that_is_gone_shows_what_was_typed(class_data: ClassData) -> None:
    """Somebody else marked the group, answered the request, or the learner left: the text can be copied."""
    ask(class_data)
    boxes = wordings(class_data, 1)
    send(class_data, "/marking/Q1.why", 200, wording=boxes, point="a", form="group-1")
    text = send(class_data, "/marking/Q1.why", 400, wording=boxes, point="b", form="group-1", comment=REASON)
    assert "have been marked in the meantime" in shown(text) and REASON in shown(text)
    send(class_data, "/requests/1", 200, **REPLY)
    assert REASON in shown(send(class_data, "/requests/1", 400, **(REPLY | {"answer": f"Mine. {REASON}"})))
    assert REASON in shown(send(class_data, "/learners/gone/points", 404, **GIVE))


# ------------------------------------------------------------------------------------------ marking and undoing


def done_number(text: str) -> int:
    """The number of the change that a page says was saved."""
    return int(re.findall(r"(?:Saved|Undone) as change (\d+)", shown(text))[0])


def undo(class_data: ClassData, number: int, status: int = 200, back: str = "") -> str:
    """The page after the button was pressed."""
    return send(class_data, f"/changes/{number}/undo", status, form=f"undo-{number}", back=back)


def test_a_group_keeps_its_number(class_data: ClassData) -> None:
    """After the largest group, and after a part of a group, was marked; the page says how many are left."""
    text = browser(class_data).get("/class/marking/Q1.why").text
    numbers = re.findall(r'<li><a href="[^"]*group=(\d+)"', text)
    last = wordings(class_data, int(numbers[-1]))
    assert f"{len(numbers)} of {len(numbers)} groups are left" in text
    text = send(class_data, "/marking/Q1.why", 200, wording=wordings(class_data, 1), point="a", form="group-1")
    assert re.findall(r'<li><a href="[^"]*group=(\d+)"', text) == numbers[1:]
    assert f"{len(numbers) - 1} of {len(numbers)} groups are left" in text
    assert wordings(class_data, int(numbers[-1])) == last


def test_marks_are_undone_in_one_step(class_data: ClassData) -> None:
    """On the page that says what was saved, all learners of the group at once; it is the same group again."""
    boxes = wordings(class_data, 1)
    text = send(class_data, "/marking/Q1.why", 200, wording=boxes, point=["a", "b"], form="group-1")
    number = done_number(text)
    assert "for Q1.why to ada, bo: 2; before: none." in shown(text) and len(given(class_data)) == 2
    assert f'action="/class/changes/{number}/undo"' in text
    text = undo(class_data, number, back="/class/marking/Q1.why")
    assert given(class_data) == {} and wordings(class_data, 1) == boxes
    assert "Undone as change 2. Points given by hand for Q1.why to ada, bo: none; before: 2." in shown(text)
    assert "Group 1" in shown(text)
    undo(class_data, done_number(text))
    assert {points for points, _, _ in given(class_data).values()} == {2.0}
    last = audit.read_page(class_data.folder).entries[0]
    assert (last.did, dict(last.about)["part"]) == ("undid", "Q1.why")


def test_what_was_before_is_restored(class_data: ClassData) -> None:
    """An override by somebody else, with its reason and time; in order, and later."""
    send(class_data, "/learners/bo/points", 200, **GIVE)
    assert given(class_data)["bo", "double"][1] == REASON
    send(class_data, "/learners/bo/points", 200, **(GIVE | {"points": "3", "reason": "Better."}))
    send(class_data, "/learners/bo/points", 200, do="remove", part="double", form="remove-double")
    assert "changed again later" in shown(undo(class_data, 2, 400))
    text = browser(class_data).get("/class/changes").text
    assert re.findall(r'action="/class/changes/(\d+)/undo"', text) == ["3"]
    undo(class_data, 3)
    undo(class_data, 4, back="//elsewhere.example/")  # removed again
    assert given(class_data) == {}
    undo(class_data, 5)
    assert given(class_data)["bo", "double"][1] == "Better."
    assert "2.5" not in (class_data.folder / "class.csv").read_text()
    text = browser(class_data).get("/class/changes").text
    assert "undid change 5" in shown(text)


def test_an_answer_with_points_is_undone(class_data: ClassData) -> None:
    """Then the request is open again, with the answer that was taken back; undone again, it is answered."""
    ask(class_data)
    number = done_number(send(class_data, "/requests/1", 200, **REPLY))
    text = undo(class_data, number, back="/class/requests")
    assert given(class_data) == {}
    assert "This answer was taken back with its points:" in shown(text) and REASON in form_of(text, "request-1")
    undo(class_data, done_number(text))
    request = learner_requests.list_requests(class_data.folder)[0]
    assert request.answer is not None and request.answer.text == REASON
    assert given(class_data)["bo", "double"][0] == 1.0


def test_many_saves(class_data: ClassData) -> None:
    """They are listed by page."""
    with closing(open_gradebook(class_data.folder)) as book:
        for number in range(45):
            give(book, Override("bo", "double", number / 100, "r", "prof", NOW))
    seen: list[str] = []
    link: str | None = "/class/changes"
    while link is not None:
        text = browser(class_data).get(html.unescape(link)).text
        table = text[text.index('aria-labelledby="saves"') :].split("</table>")[0]
        seen += re.findall(r'<th scope="row">(\d+)', table)
        found = re.findall(r'href="(/class/changes\?saves=\d+)"', text)
        link = found[0] if found else None
    assert seen == [str(number) for number in range(45, 0, -1)]


# ------------------------------------------------------------------------------------------ requests


def test_a_request_shows_what_is_needed_to_answer_it(class_data: ClassData) -> None:
    """The question with the learner's numbers, the answer, the right one, and what was found; or the report."""
    ask(class_data)
    text = browser(class_data).get("/class/requests").text
    number = int(re.findall(r"Twice (\d)\?", shown(text))[0])
    said = shown(text)
    assert f"n = {number}" in said and f"Correct answer {2 * number}" in said
    assert "The learner’s answer 10" in said
    assert re.search(r'href="(/class/learners/bo\?submission=\w+#report)"', text)
    assert "Twice is not squared." in said


# ------------------------------------------------------------------------------------------ the log


@pytest.mark.parametrize(
    ("path", "did", "about"),
    [
        ("/learners/bo", "read report", {"learner": "bo", "submission": "bo"}),
        ("/learners/bo?submission=bo", "read report", {"learner": "bo", "submission": "bo"}),
        ("/learners/eve", "read report", {"learner": "eve"}),
        ("", "read class table", {}),
        ("/items/Q1.why", "read answers", {"part": "Q1.why"}),
        ("/exercises/double", "read answers", {"part": "double"}),
        ("/marking/Q1.why", "read answers", {"part": "Q1.why"}),
        ("/requests", "read requests", {}),
        ("/similar", "read similar solutions", {}),
        ("/similar?cluster=1", "read comparison", {"learners": "cy, dee"}),
        ("/questions", "read findings", {}),
        ("/misconceptions", "read findings", {}),
        ("/changes", "read changes", {}),
    ],
)
def test_reading_leaves_a_line(class_data: ClassData, path: str, did: str, about: dict[str, str]) -> None:
    """Who read whose results; once in ten minutes, so that turning pages does not fill the log."""
    window = browser(class_data, TUTOR)
    for _ in range(3):
        assert window.get(f"/class{path}").status_code == 200
    assert [(one.who, one.did, dict(one.about)) for one in audit.read_page(class_data.folder, "reading").entries] == [
        ("Tutor Invented (tutor)", did, about)
    ]


def test_a_page_that_is_saved_leaves_a_line(class_data: ClassData) -> None:
    """As every download does."""
    browser(class_data).get("/class/learners/ada/page")
    (entry,) = audit.read_page(class_data.folder).entries
    assert (entry.did, dict(entry.about)) == ("downloaded", {"learner": "ada", "format": "html"})


def test_the_same_reading_later() -> None:
    """Is noted again after ten minutes, and at once for another person or page."""
    at = 0.0
    reading = ReadingLog(lambda: at)
    assert [reading.is_new(*read) for read in ("ax", "ax", "bx", "ay")] == [True, False, True, True]
    at = 601.0
    assert reading.is_new("a", "x")


def test_the_log_by_page(class_data: ClassData) -> None:
    """Each of the three logs can be read to its first entry, over files that were rotated."""
    for role, what in (("instructor", "gave points"), ("instructor", "read report"), ("learner", "signed in")):
        for number in range(300):
            entry = audit.AuditEntry(NOW, f"{role}{number:03}", role, what, (("part", "x" * 200),))
            audit.note(class_data.folder, entry, full=50_000)
    for log, who in (("changes", "instructor"), ("reading", "instructor"), ("learners", "learner")):
        link: str | None = f"/class/changes?log={log}"
        seen: list[str] = []
        while link is not None:
            text = browser(class_data).get(html.unescape(link)).text
            seen += re.findall(rf"<bdi>({who}\d+)</bdi>", text)
            found = re.findall(r'href="(/class/changes\?log=\w+&amp;before=[\d.]+)#log"', text)
            link = found[0] if found else None
        assert seen == [f"{who}{number:03}" for number in range(299, -1, -1)], log
    assert browser(class_data).get("/class/changes?log=zoe&before=1.x").status_code == 200


# ------------------------------------------------------------------------------------------ nothing for terminals


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_page_names_a_command(class_data: ClassData, lang: str) -> None:
    """Nor an option of one, nor a file that an installed attncheck lacks, in what people see."""
    ask(class_data)
    text = send(class_data, "/marking/Q1.why", 200, wording=wordings(class_data, 1), point="a", form="group-1")
    assert not FOR_TERMINALS.search(shown(text))
    window = browser(class_data)
    window.cookies.set(LANGUAGE, lang)
    more = ("/learners/bo", "/similar?cluster=1", "/items/zoe", "/changes?log=reading", "/downloads?file=x")
    for path in (*PATHS, *more):
        # Both languages are in a report; the style sheet shows one of them.
        assert not (found := FOR_TERMINALS.search(shown(window.get(f"/class{path}").text))), (path, found)


def test_the_state_of_a_form() -> None:
    """It shows what was typed only if it was refused, and a message at one place."""
    typed = FormData([("points", "9"), ("point", "a")])
    fresh, refused = FormState(typed), FormState(typed, FormProblem("Too many.", "points"))
    assert (fresh.typed("points", "1"), fresh.ticked("point", "a"), fresh.wrong("points")) == ("1", False, "")
    assert (refused.typed("points", "1"), refused.ticked("point", "a")) == ("9", True)
    assert refused.wrong("points") == "Too many."
    assert (refused.elsewhere("points"), refused.elsewhere("reason")) == ("", "Too many.")
