"""The pages of one learner: every page in both languages, every form of answer, code, hints; no key before its time."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from grader.core.marks import plain
from grader.core.model import Course, Item, Status, Text
from grader.core.typesetting.html import typeset
from grader.course import items, starter
from grader.learning import log
from grader.learning.log import Answered, Coded, Hinted, Reviewed, Spoke
from grader.report.figures import kinds
from grader.report.figures.figure import Figure, LinePlot, PlotAxis, line
from grader.report.figures.run import ExerciseRemark, LearnerValues
from grader.submission import read
from grader.web.learner import LearnerWorkspace
from tests.stills import FOLDER
from tests.web.conftest import OWN, Checks


@pytest.fixture
def learner_name() -> str:
    """A name that looks like markup."""
    return "ada <b>"


def page(browser: TestClient, path: str, status: int = 200) -> str:
    """The text of a page."""
    found = browser.get(path)
    assert found.status_code == status, path
    return found.text


def post(browser: TestClient, path: str, **fields: Any) -> str:
    """The text of the page after a form was sent."""
    found = browser.post(path, data=fields, headers=OWN)
    assert found.status_code == 200, found.text
    return found.text


def first(course: Course, form: str) -> Item:
    """The first item that is answered in this form."""
    every = (item for question in course.questions for item in question.items)
    return next(item for item in every if items.ask(item, items.Context("", "ada", item.id)).form == form)


def test_every_page_in_both_languages(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Prompts, items and code of all questions; the learner's name is text, not markup; nothing runs inline.

    Pages of a course in one language are in that one, whatever was chosen, and offer no other.
    """
    paths = ["/", "/progress"]
    for question in course.questions:
        paths += [f"/questions/{question.id}", f"/questions/{question.id}/code"]
        paths += [f"/items/{item.id}" for item in question.items[:3]]
    for lang, tag in (("en", "en"), ("zh", "zh-Hans")):
        assert post(browser, "/language", lang=lang, back="/") == page(browser, "/")
        for path in paths:
            text = page(browser, path)
            assert f'<html lang="{tag}">' in text
            assert "ada &lt;b&gt;" in text and "ada <b>" not in text
            assert not re.search(r"<script(?! src=)|\son\w+=|\sstyle=|javascript:", text), path
            assert 'name="lang"' in text
    learner.course = replace(course, languages=("en",))
    assert 'name="lang"' not in (text := page(browser, "/questions/Q1")) and '<html lang="en">' in text


def test_code_is_in_colours(
    browser: TestClient, learner: LearnerWorkspace, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listings, references and one's own code; what is in it stays text."""
    monkeypatch.setattr(LearnerWorkspace, "costs", lambda _, question: ((),) * len(question.exercises))
    assert '<span class="code-keyword">for</span> k_b, v_b' in page(browser, "/items/Q21.find-the-error")
    learner.folder.mkdir()
    (learner.folder / "q03.py").write_text("def softmax(x, axis=-1):\n    return '<b>\u202e'\n")
    question = course.question("Q3")
    assert question is not None
    for exercise in question.exercises:
        learner.save(Coded(log.now(), course.public_id, exercise.name, Status.PASSED, None))
    text = page(browser, "/questions/Q3/reference")
    assert text.count('<span class="code-name">softmax</span>') == 1 + 1 + len(question.exercises[0].alternatives)
    assert '<span class="code-string">&#39;&lt;b&gt;⟨U+202E⟩&#39;</span>' in text


def test_what_is_not_there(browser: TestClient) -> None:
    """A page says so, in words."""
    for path in ("/questions/Q99", "/questions/Q99/code", "/items/Q5.nothing", "/nothing", "/questions/Q99/file"):
        text = page(browser, path, 404)
        assert "There is no such page." in text or path == "/nothing"
    assert browser.post("/exercises/nothing/hint", headers=OWN).status_code == 404


def test_no_page_shows_a_key_before_its_time(browser: TestClient, course: Course) -> None:
    """What explains an answer, and the reference, are in no page of a learner who has answered nothing."""
    reference = [part.text for file in course.reference for part in file.parts]
    for question in course.questions:
        pages = [page(browser, f"/questions/{question.id}"), page(browser, f"/questions/{question.id}/code")]
        pages += [page(browser, f"/items/{item.id}") for item in question.items]
        seen = "\n".join(pages)
        for item in question.items:
            assert item.explain is None or typeset(item.explain.en) not in seen, item.id
        for belief in question.misconceptions:
            assert typeset(belief.truth.en) not in seen, belief.id
        seen = html.unescape(re.sub("</?span[^>]*>", "", seen))  # code is in colours
        for exercise in question.exercises:
            name = exercise.reference.rpartition(".")[2]
            bodies = [text.split(f"def {name}(", 1)[1][:400] for text in reference if f"def {name}(" in text]
            assert not any(body in seen for body in bodies), name


def test_a_choice(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Wrong, then right: the guiding question, the log, the explanation, and where to go on."""
    item = first(course, "one")
    wrong, right = (next(o.id for o in item.spec.options if o.correct is correct) for correct in (False, True))
    text = post(browser, f"/items/{item.id}", answer=wrong, do="answer")
    assert "Not yet." in text and "Attempt 2 of" in text and ":key" not in text
    text = post(browser, f"/items/{item.id}", answer=wrong, do="answer")
    assert "already tried" in text
    assert "Choose or write an answer first." in post(browser, f"/items/{item.id}", do="answer")
    text = post(browser, f"/items/{item.id}", answer=right, do="answer")
    assert "Correct on attempt 2." in text
    assert 'name="do"' not in text and ">Continue <kbd" in text
    answered = [event for event in learner.events() if isinstance(event, Answered)]
    assert [(event.value, event.settled) for event in answered] == [(wrong, False), (right, True)]
    assert learner.progress().learner == "ada <b>"
    assert "Correct on attempt 2." in page(browser, f"/items/{item.id}")
    again = post(browser, f"/items/{item.id}", answer=wrong, do="answer")
    assert "Correct on attempt 2." in again and len(learner.events()) == 3


def test_an_item_is_answered_again(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """After it was settled, with the form that the link leads to; sending this form twice changes nothing."""
    item = first(course, "one")
    wrong, right = (next(o.id for o in item.spec.options if o.correct is correct) for correct in (False, True))
    assert f'href="/items/{item.id}?again=1"' in post(browser, f"/items/{item.id}", answer=right, do="answer")
    form = f"/items/{item.id}?again=1"
    assert f'action="{form}"' in page(browser, f"/items/{item.id}?again=1")
    assert f'action="{form}"' in post(browser, form, do="answer")
    text = post(browser, form, answer=wrong, do="answer")
    assert "Not yet." in text and f'action="/items/{item.id}"' in text
    post(browser, f"/items/{item.id}", answer=right, do="answer")
    for _ in range(2):
        assert "Correct on attempt 2." in post(browser, form, answer=wrong, do="answer")
    answered = [event for event in learner.events() if isinstance(event, Answered)]
    assert [(event.value, event.settled) for event in answered] == [(right, True), (wrong, False), (right, True)]


def test_a_formula_is_answered_again(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """A question about how the answer was read does not lose the new attempt."""
    item = next(i for q in course.questions for i in q.items if i.id == "Q4.equal")
    assert "Correct" in post(browser, f"/items/{item.id}", answer="2 d", do="answer")
    form = f"/items/{item.id}?again=1"
    asked = post(browser, form, answer="4 d/2", do="answer")
    if "doubted" in asked:
        assert f'action="{form}"' in asked
        asked = post(browser, form, doubted="4 d/2", do="yes")
    assert "Correct" in asked
    assert [event.value for event in learner.events() if isinstance(event, Answered)] == ["2 d", "4 d/2"]


def test_skipping(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Leads to the next item; the last one leads back to the first that is open."""
    question = course.questions[0]
    found = browser.post(f"/items/{question.items[0].id}", data={"do": "skip"}, headers=OWN, follow_redirects=False)
    assert found.headers["location"] == f"/items/{question.items[1].id}"
    found = browser.post(f"/items/{question.items[-1].id}", data={"do": "skip"}, headers=OWN, follow_redirects=False)
    assert found.headers["location"] == f"/items/{question.items[0].id}"


def test_pairs_orders_and_several(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Right answers in forms with more than one field earn all points."""
    for form in ("many", "pairs", "order"):
        item = first(course, form)
        key = plain(items.key(item, items.Context(course.public_id, learner.name, item.id)).en)
        fields: dict[str, Any] = {"do": "answer"}
        if form == "many":
            fields["answer"] = [option.id for option in item.spec.options if option.correct]
        elif form == "pairs":
            fields |= {f"partner-{left}": right for left, right in dict(item.spec.pairs).items()}
        else:
            fields["answer"] = [thing.id for thing in item.spec.things]
        text = post(browser, f"/items/{item.id}", **fields)
        assert "Correct." in text, (item.id, key)


def test_incomplete_answers_cost_nothing(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """An order with a gap, or a place twice; no pair at all."""
    order, pairs = first(course, "order"), first(course, "pairs")
    names = [thing.id for thing in order.spec.things]
    for fields in ([names[0]], [names[0]] * len(names), []):
        assert "Choose or write" in post(browser, f"/items/{order.id}", answer=fields, do="answer")
    assert "Choose or write" in post(browser, f"/items/{pairs.id}", do="answer")
    assert not [event for event in learner.events() if isinstance(event, Answered)]


def test_formulas_are_read_while_typed(browser: TestClient, course: Course) -> None:
    """In MathML; what cannot be read says so, and nothing is judged."""
    item = next(i for q in course.questions for i in q.items if i.kind == "expression" and "n" in i.spec.symbols)
    text = browser.get(f"/items/{item.id}/reading", params={"answer": "n^2/2"}).text
    assert "<math" in text and "<msup>" in text and "<html" not in text
    unread = browser.get(f"/items/{item.id}/reading", params={"answer": "n +* 2"}).text
    assert "Not read yet: “n +* 2”: expected a number" in html.unescape(unread) and "<math" not in unread
    assert browser.get(f"/items/{item.id}/reading").text.strip() == ""
    assert browser.get(f"/items/{item.id}/reading", params={"answer": "<script>"}).text.count("<script") == 0
    assert "<math" not in browser.get(f"/items/{first(course, 'one').id}/reading", params={"answer": "a"}).text


def test_a_doubtful_reading_is_confirmed(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Before a try is spent, unless the page showed it; a yes judges what was shown, and one to a new answer asks."""
    item = next(i for q in course.questions for i in q.items if i.id == "Q8.free-width")
    text, other, last = "4 d/2", "8 d/2", "2 d d/2"
    for fields in ({"do": "answer"}, {"do": "yes", "doubted": other}, {"do": "answer", "read": other}):
        shown = post(browser, f"/items/{item.id}", answer=text, **fields)
        assert f'name="doubted" value="{text}"' in shown and f' value="{text}" hx' in shown
        assert shown.count('class="button"') == 1 and "Yes, check it" in shown
    assert not [event for event in learner.events() if isinstance(event, Answered)]
    post(browser, f"/items/{item.id}", doubted=text, answer=text, do="yes")
    read = browser.post(f"/items/{item.id}/reading", data={"answer": last}, headers=OWN).text
    assert f'name="read" value="{last}"' in read
    post(browser, f"/items/{item.id}", answer=last, read=last, do="answer")
    assert [event.value for event in learner.events() if isinstance(event, Answered)] == [text, last]


def test_free_text_is_compared_with_key_points(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """The model answer beside the learner's words, then the points to tick."""
    item = next(i for q in course.questions for i in q.items if items.key_points(i))
    text = post(browser, f"/items/{item.id}", answer="Because of the softmax.", do="answer")
    assert 'name="comparing"' in text and "Because of the softmax." in text
    text = post(browser, f"/items/{item.id}", comparing="1", answer=["a"], do="answer")
    assert 'name="comparing"' not in text
    assert any(type(event).__name__ == "Explained" for event in learner.events())


def test_code(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """A stub to begin with; saving, grading, the place in the code, the log; the saved file comes back and down."""
    question = course.question("Q3")
    assert question is not None
    assert starter.stub(question, "en") in html.unescape(page(browser, "/questions/Q3/code"))
    code = "def scaled_scores(q, k):\r\n    return q @ k  # <b>\r\n"
    whole = post(browser, "/questions/Q3/code", code=code, do="check")
    assert "<html" in whole and "Not scaled." in whole and "# &lt;b&gt;" in whole
    marks = re.search(r'data-marks="([^"]*)"', whole)
    assert marks is not None
    place = {"line": 2, "end_line": 2, "column": 11, "end_column": 16, "unfinished": False}
    assert json.loads(html.unescape(marks[1])) == [place]
    saved = (learner.folder / "q03.py").read_bytes()
    assert saved == code.replace("\r\n", "\n").encode()
    assert browser.get("/questions/Q3/file").content == saved
    part = browser.post("/questions/Q3/code", data={"code": code}, headers=OWN | {"hx-request": "true"}).text
    assert "<html" not in part and "Not scaled." in part
    coded = [(event.exercise, event.status) for event in learner.events() if isinstance(event, Coded)]
    assert coded[0] == (question.exercises[0].name, Status.FAILED) and len(coded) == len(question.exercises)
    checks = cast(Checks, learner.checker())
    assert set(checks.origins) == {"q03.py"}, "messages would name folders of this machine"
    assert checks.seen[0][1] == tuple(exercise.name for exercise in question.exercises)
    learner.drafts.write("report/Q3", {"en": ("…",), "places": ("[]",), "passed": ("1",)})
    shown, first = page(browser, "/questions/Q3/code"), question.items[0].id
    assert f"Q3: {len(question.items)} quiz items left." in shown
    assert f'href="/items/{first}" data-key="n"' in shown


def test_code_that_cannot_be_saved(browser: TestClient, learner: LearnerWorkspace, tmp_path: Path) -> None:
    """Said in words without a path, and kept; a file in place of the folder, a link in place of the file."""
    learner.folder.write_text("not a folder")
    found = browser.post("/questions/Q3/code", data={"code": "x = 1"}, headers=OWN)
    assert found.status_code == 400 and "q03.py cannot be saved" in found.text and "x = 1" in found.text
    assert str(tmp_path) not in found.text
    learner.folder.unlink()
    assert "x = 1" in page(browser, "/questions/Q3/code")
    learner.folder.mkdir()
    (tmp_path / "secret.py").write_text("password = 1")
    (learner.folder / "q03.py").symlink_to(tmp_path / "secret.py")
    text = page(browser, "/questions/Q3/code", 400)
    assert "password" not in text and "q03.py" in text
    (learner.folder / "q03.py").unlink()
    (learner.folder / "q03.py").write_bytes("# 注意力".encode("gbk"))
    assert "not UTF-8" in page(browser, "/questions/Q3/code", 400)
    (learner.folder / "q03.py").write_bytes(b"#" * 500_001)
    assert "more than 500000" in page(browser, "/questions/Q3/code", 400)
    found = browser.post("/questions/Q3/code", data={"code": "x" * 500_001}, headers=OWN)
    assert found.status_code == 400 and "500000" in found.text
    assert browser.post("/questions/Q3/code", data={}, headers=OWN).status_code == 400


def test_hints(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """One at a time, until there are no more; each is in the log."""
    exercise = course.exercise("softmax")
    assert exercise is not None
    hints = exercise[1].hints
    for count in range(1, len(hints) + 2):
        text = browser.post("/exercises/softmax/hint", headers=OWN | {"hx-request": "true"}).text
        assert text.count("<li value=") == min(count, len(hints))
    assert "No more hints." in text
    assert len([event for event in learner.events() if isinstance(event, Hinted)]) == len(hints)
    assert hints[0].en.split("`")[0] in html.unescape(post(browser, "/exercises/softmax/hint"))


def test_the_language_is_remembered_for_the_terminal(browser: TestClient, learner: LearnerWorkspace) -> None:
    """In the log; the page to go back to is a path of this server."""
    found = browser.post(
        "/language", data={"lang": "zh", "back": "//elsewhere.example"}, headers=OWN, follow_redirects=False
    )
    assert found.headers["location"] == "/elsewhere.example"
    assert [event.lang for event in learner.events() if isinstance(event, Spoke)] == ["zh"]
    assert learner.spoken("en") == "zh"


def test_progress_names_open_misconceptions(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """After a wrong answer that shows one; the map goes on from there."""
    item = next(
        i
        for q in course.questions
        for i in q.items
        if i.kind == "choice" and any(o.misconception for o in i.spec.options)
    )
    shown = next(option for option in item.spec.options if option.misconception)
    assert "Misconceptions to look at again" not in page(browser, "/progress")
    belief = course.questions[0].misconception(shown.misconception) or next(
        known for question in course.questions if (known := question.misconception(shown.misconception))
    )
    attempts = [option.id for option in item.spec.options if not option.correct]
    for at, wrong in enumerate([shown.id, *(each for each in attempts if each != shown.id)]):
        text = post(browser, f"/items/{item.id}", answer=wrong, do="answer")
        seen = page(browser, "/progress")
        assert (typeset(belief.truth.en) in seen) == ("Not yet." not in text), "not while attempts are left"
        assert at or "Misconceptions to look at again" in seen
        if "Not yet." not in text:
            break
    assert ">Continue <kbd" in page(browser, "/")


def test_a_new_name(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """It keeps progress and drafts, as in a terminal; that of somebody else continues with theirs; none is refused."""
    item = first(course, "one")
    post(browser, f"/items/{item.id}", answer="a", do="answer")
    post(browser, "/drafts/code/Q3", code="x = 1")
    text = page(browser, "/progress")
    assert 'href="/progress#your-name"' in text and "get different ones" in text and "Other people" not in text
    assert "Your name is now Bo &lt;b&gt;." in post(browser, "/progress", name=" Bo  <b>\n")
    assert learner.attempts_at(item) == 1 and "x = 1" in page(browser, "/questions/Q3/code")
    log.append(learner.state, log.Named(log.now(), course.public_id, "Cy", separate=True))
    assert "too: Cy. With" in page(browser, "/progress")
    assert "continue with the progress of Cy." in post(browser, "/progress", name="Cy")
    assert learner.attempts_at(item) == 0 and "x = 1" not in page(browser, "/questions/Q3/code")
    refused = browser.post("/progress", data={"name": " "}, headers=OWN)
    assert refused.status_code == 400 and "The name is empty" in refused.text and learner.name == "Cy"


def test_the_style_sheet_and_scripts(browser: TestClient) -> None:
    """Served from here, with their types."""
    assert browser.get("/style.css").headers["content-type"].startswith("text/css")
    for name in ("htmx.js", "editor.js"):
        found = browser.get(f"/static/{name}")
        assert found.status_code == 200 and "javascript" in found.headers["content-type"]
        assert not re.search(r"//(cdn|unpkg)", found.text)
    assert browser.get("/static/../pages.py").status_code == 404


def test_a_damaged_log_is_said(browser: TestClient, learner: LearnerWorkspace) -> None:
    """Nothing is overwritten."""
    learner.state.write_text("{broken\n{}\n")
    assert "line 1: not a line of JSON" in page(browser, "/", 400)
    assert learner.state.read_text() == "{broken\n{}\n"


def test_a_derivation_is_read_line_by_line(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Each line by itself: as MathML, or with what to change; nothing is judged or saved."""
    item = next(i for q in course.questions for i in q.items if i.kind == "derivation" and "n" in i.spec.symbols)
    answer = "n\r\nn +* 2\r\n\r\n# a remark; with n → 2\r\nn = n + 7"
    text = post(browser, f"/items/{item.id}/reading", answer=answer)
    found = dict(re.findall(r'<li value="(\d+)">(.*?)</li>', text, re.S))
    assert list(found) == ["1", "2", "3", "4", "5"] and "formula" not in found["3"], "a row for an empty line, too"
    assert "<math" in found["1"] and "words only" in found["4"] and found["5"].count("<mo>=</mo>") == 1
    assert "Not read yet" in found["2"] and "<math" not in found["2"]
    assert not learner.events()
    assert post(browser, f"/items/{item.id}/reading", answer="x" * 20_000).strip() == ""
    assert "<math" in post(browser, f"/items/{item.id}/reading", answer="n\n" * 500)


def reviewed(learner: LearnerWorkspace) -> list[tuple[str, str]]:
    """The ratings in the log."""
    return [(event.card, event.rating) for event in learner.events() if isinstance(event, Reviewed)]


def test_a_review_of_items(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Fresh attempts; right at once lets the learner choose a word, once; anything else is rated at once."""
    assert "There is nothing to review yet." in page(browser, "/review")
    item = first(course, "one")
    wrong, right = (next(o.id for o in item.spec.options if o.correct is correct) for correct in (False, True))
    post(browser, f"/items/{item.id}", answer=right, do="answer")
    listed = page(browser, "/review")
    assert "0 due, 1 new" in listed and f"/review/items/{item.id}" in listed
    found = browser.get("/review/next", follow_redirects=False)
    assert found.headers["location"] == f"/review/items/{item.id}"
    assert "Correct" not in page(browser, f"/review/items/{item.id}")
    assert "Choose or write" in post(browser, f"/review/items/{item.id}", do="answer")
    text = post(browser, f"/review/items/{item.id}", answer=right, do="answer")
    assert "Correct." in text and 'value="easy"' in text and reviewed(learner) == []
    text = post(browser, f"/review/items/{item.id}", do="rate", word="easy")
    assert "next review: in" in text and 'value="easy"' not in text
    post(browser, f"/review/items/{item.id}", do="rate", word="again")
    assert reviewed(learner) == [(item.id, "easy")]
    assert "Nothing is due now." in page(browser, "/review")
    text = post(browser, f"/review/items/{item.id}", answer=wrong, do="answer")
    assert "Attempt 2 of" in text and "Attempt 2 of" in page(browser, f"/review/items/{item.id}")
    text = post(browser, f"/review/items/{item.id}", answer=right, do="answer")
    assert "with help or effort" in text and 'value="easy"' not in text
    assert reviewed(learner)[1:] == [(item.id, "hard")]
    found = browser.post(f"/review/items/{item.id}", data={"do": "skip"}, headers=OWN, follow_redirects=False)
    assert found.headers["location"] == f"/review/next?after={item.id}" and len(reviewed(learner)) == 2


def test_a_review_of_free_text(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Rated after the key points were ticked, by the learner's word or else by the share of the points."""
    item = next(i for q in course.questions for i in q.items if items.key_points(i))
    post(browser, f"/review/items/{item.id}", answer="Because of the softmax.", do="answer")
    assert reviewed(learner) == []
    text = post(browser, f"/review/items/{item.id}", comparing="1", answer=["a"], do="answer")
    assert all(f'value="{name}"' in text for name in ("again", "hard", "good", "easy"))
    post(browser, f"/review/items/{item.id}", do="rate", word="good")
    assert reviewed(learner) == [(item.id, "good")]


def test_a_review_of_code(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Written again in a field of its own: hints and second tries lower the rating; saved files stay as they are."""
    question = course.question("Q3")
    assert question is not None
    names = [exercise.name for exercise in question.exercises]
    assert browser.get(f"/review/exercises/{names[0]}").status_code == 404
    assert browser.post(f"/review/exercises/{names[0]}", data={"do": "skip", "tries": "1"}, headers=OWN).is_error
    assert not learner.events()
    post(browser, "/questions/Q3/code", code="x = 1", do="check")  # the stand-in passes all but the first
    passed = names[1]
    path = f"/review/exercises/{passed}"
    before = page(browser, path)
    assert "Write this again from memory:" in before and "x = 1" not in before
    stub = html.unescape(before.split("<textarea")[1].split(">", 1)[1].split("</textarea>")[0])
    assert "report appears here" in post(browser, path, code=stub, do="check")
    assert 'name="seen" value="1"' in post(browser, path, code="y = 2", do="hint", tries="0", seen="0")
    failed = post(browser, path, code="y = 2", do="check", tries="0", seen="1")  # its only exercise: wrong
    assert 'name="tries" value="1"' in failed and "y = 2" in failed and reviewed(learner) == []
    assert (learner.folder / "q03.py").read_text() == "x = 1"
    for odd in ({}, {"tries": "x", "seen": "-1"}, {"tries": "9" * 50}):
        assert browser.post(path, data={"do": "check", **odd}, headers=OWN).status_code == 400
    browser.post(path, data={"code": "y = 2", "do": "skip", "tries": "1"}, headers=OWN)
    assert reviewed(learner) == [(passed, "again")]
    browser.post(path, data={"do": "rate", "word": "easy"}, headers=OWN)
    assert len(reviewed(learner)) == 1


def upload(browser: TestClient, *given: tuple[str, bytes], **fields: str) -> tuple[int, str]:
    """Status and text after files were uploaded."""
    sent = [("files", (name, data)) for name, data in given]
    found = browser.post("/work", files=sent, data=fields, headers=OWN)
    return found.status_code, html.unescape(found.text)


def test_files_are_uploaded_as_strictly_as_they_are_submitted(browser: TestClient, learner: LearnerWorkspace) -> None:
    """All or none; what `submit` could not read is refused with the reason, and no path leaves the folder."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("mine/q04.py", "a = 1\n")
        archive.writestr("../../q05.py", "a = 1\n")
    two_answers = io.BytesIO()
    with zipfile.ZipFile(two_answers, "w") as archive:
        archive.writestr("answers.yaml", "format: 1\nanswers: {Q1.rows: a}\n")
        archive.writestr("answers (1).yaml", "format: 1\nanswers: {Q1.rows: b}\n")
    refused = {
        "q03.py": b"def f(:\n",
        "q05.exe": b"MZ",
        "q06.py": b"#" * 300_000,
        "work.tar.gz": b"\x1f\x8b",
        "answers.yaml": b"format: 1\nlearner: ada\nanswers: [",
        "answers.yml": b"format: 1\nlearner: ada\nanswers:\n  Q1.rows: a\n\tQ1.what: b\n",
        "answers (1).yaml": b"format: 1\nlearner: [ada]\nanswers:\n  Q1.rows: a\n",
        "answers.docx": b"PK\x03\x04[Content_Types].xml",
        "two.zip": two_answers.getvalue(),
        "work.zip": zipped.getvalue(),
        "..": b"a = 1",
    }
    for name, data in refused.items():
        status, text = upload(browser, ("good.py", b"b = 2\n"), (name, data))
        assert status == 400 and "/tmp" not in text, name
        assert not (learner.folder / "good.py").exists(), name
    status, text = upload(browser, ("..\\..\\q03.py", b"b = 2\n"), ("../q04.py", b"c = 3\n"))
    assert status == 200 and "Saved: q03.py, q04.py" in text
    assert sorted(path.name for path in learner.folder.iterdir()) == ["q03.py", "q04.py"]
    status, text = upload(browser, ("q03.py", b"b = 4\n"))
    assert status == 400 and "other files with these names: q03.py" in text
    status, text = upload(browser, ("q03.py", b"b = 4\n"), replace="1")
    assert status == 200 and (learner.folder / "q03.py").read_text() == "b = 4\n"
    assert (learner.folder / "q03.old1.txt").read_text() == "b = 2\n"
    assert upload(browser)[0] == 200


@pytest.mark.parametrize(
    "name", ["answers.yml", "ANSWERS.YAML", "answers (1).yaml", "answers.json", "answers.yaml.txt"]
)
def test_an_uploaded_answers_file_gets_the_usual_name(
    browser: TestClient, learner: LearnerWorkspace, name: str
) -> None:
    """By itself and in a zip, so that there is never a second one; two at once are refused, and neither is saved."""
    data = b'{"format": 1, "learner": "ada", "answers": {"Q1.rows": "a"}}'
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(f"mine/{name}", data)
        archive.writestr("mine/q03.py", "b = 2\n")
    for given in ((name, data), ("work.zip", zipped.getvalue())):
        status, text = upload(browser, given, replace="1")
        assert status == 200 and "Saved: answers.yaml" in text
        assert [path.name for path in learner.folder.iterdir() if "answers" in path.name] == ["answers.yaml"]
        assert (learner.folder / "answers.yaml").read_bytes() == data
    status, text = upload(browser, ("answers.yaml", data), (name, data + b"\n"), replace="1")
    assert status == 400 and "more than one answers file" in text


def test_everything_is_downloaded(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Code, the log, and settled answers as an answers.yaml that can be submitted; one that exists is left alone."""
    item = next(i for q in course.questions for i in q.items if i.kind == "choice" and i.use == "graded")
    right = next(option.id for option in item.spec.options if option.correct)
    post(browser, f"/items/{item.id}", answer=right, do="answer")
    upload(browser, ("q03.py", b"b = 2\n"))
    found = browser.get("/work.zip")
    assert found.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(found.content)) as archive:
        assert archive.namelist() == ["answers.yaml", "progress.jsonl", "q03.py"]
        assert f"{item.id}: {right}" in archive.read("answers.yaml").decode().replace('"', "")
    (learner.folder.parent / "all.zip").write_bytes(found.content)
    submission = read(learner.folder.parent / "all.zip")
    assert submission.answers and [file.path for file in submission.files] == ["q03.py"]
    upload(browser, ("answers.yaml", b"format: 1\nlearner: ada\nanswers: {}\n"))
    with zipfile.ZipFile(io.BytesIO(browser.get("/work.zip").content)) as archive:
        assert archive.read("answers.yaml") == b"format: 1\nlearner: ada\nanswers: {}\n"


def test_pictures(browser: TestClient, learner: LearnerWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture of the course is listed with its still, and is at a question; one is drawn with what is said."""
    listed = page(browser, "/pictures")
    at_questions = "".join(page(browser, f"/questions/{question.id}") for question in learner.course.questions)
    for name in kinds.kinds():
        assert f'href="/pictures/{name}"' in listed and f'href="/pictures/{name}"' in at_questions
        assert (FOLDER / f"{name}.en.html").read_text("utf-8").strip() in listed
    moving = {file.stem for file in FOLDER.with_name("figures").glob("*.html")} - {"parts"}
    assert len(moving) == 6 and moving < set(kinds.kinds())
    assert moving == set(re.findall(r'data-moving="(\w+)"', at_questions))
    assert all(browser.get(f"/static/figures/{name}.js").status_code == 200 for name in moving)
    page(browser, "/pictures/nothing", 404)
    axis = PlotAxis(Text("n <b>", "n"))
    lines = (line(Text("yours", "你的"), (1, 2), (1, 3), who="learner"),)
    figure = Figure(Text("Work", "计算量"), Text("note", "说明"), ((LinePlot(Text("a", "a"), axis, axis, lines),),))
    mine = LearnerValues(None, (ExerciseRemark("softmax", "q03.py", Text("has <b> no values", "无"), True),))
    monkeypatch.setattr(LearnerWorkspace, "figure", lambda self, picture: (figure, mine))
    text = page(browser, "/pictures/cost")
    assert "<svg" in text and "n &lt;b&gt;" in text and "has &lt;b&gt; no values" in text and "<b>" not in text


def test_the_log_is_read_again_when_it_changes(learner: LearnerWorkspace, course: Course) -> None:
    """By the terminal, by another window, or by hand; as long as it stays the same it is not read again."""
    assert learner.events() == ()
    learner.speak("zh")
    first_read = learner.events()
    assert learner.events() is first_read and learner.progress() is learner.progress()
    other = LearnerWorkspace(course, learner.folder, learner.state, learner.name, learner.make_checker)
    other.speak("en")
    assert len(learner.events()) == len(first_read) + 1 and learner.spoken("zh") == "en"
    kept = learner.state.read_bytes()
    learner.state.unlink()
    assert learner.events() == ()
    learner.state.write_bytes(kept)
    assert len(learner.events()) == len(first_read) + 1
    somebody_else = LearnerWorkspace(course, learner.folder, learner.state, "bob", learner.make_checker)
    assert somebody_else.events() == ()
    somebody_else.speak("zh")
    assert learner.spoken("zh") == "en"
    learner.speak("en")
    assert [event.learner for event in somebody_else.events() if isinstance(event, log.Named)] == ["bob"]


def test_code_that_python_cannot_read(browser: TestClient, learner: LearnerWorkspace) -> None:
    """The most common mistake of all: said where the report would be, with the place, and the code is kept."""
    code = "import torch\n\n\ndef softmax(x, axis=-1):\n    return '注意😀', (x\n"
    path = "/questions/Q3/code"
    for text in (code, ""):
        whole = post(browser, path, code=text, do="check")
        assert "<html" in whole and "q03.py" in whole and str(learner.folder.parent) not in whole
        part = browser.post(path, data={"code": text}, headers=OWN | {"hx-request": "true"})
        assert part.status_code == 200 and "<html" not in part.text
        places = re.search(r'data-marks="([^"]*)"', part.text)
        assert places is not None
        found = json.loads(html.unescape(places[1]))
        if text == code:
            assert "line 5" in part.text and "was never closed" in html.unescape(part.text)
            assert found == [{"line": 5, "end_line": 5, "column": 18, "end_column": 19}]
        else:
            assert found == []
    assert not [event for event in learner.events() if isinstance(event, Coded)]
    learner.save(*(Coded(log.now(), learner.course.public_id, "softmax", Status.PASSED, None),))
    kept = post(browser, "/review/exercises/softmax", code=code, do="check", tries="1")
    assert "was never closed" in html.unescape(kept) and 'name="tries" value="1"' in kept and "注意😀" in kept


def test_a_problem_in_a_part_of_a_page(browser: TestClient, learner: LearnerWorkspace) -> None:
    """Takes the place of that part: words alone, and scripts show it whatever its status."""
    found = browser.post("/exercises/nothing/hint", headers=OWN | {"hx-request": "true"})
    assert found.status_code == 404 and "<html" not in found.text and "no such page" in found.text
    config = re.search(r'name="htmx-config" content=\'([^\']*)\'', page(browser, "/"))
    assert config is not None
    assert {"code": "...", "swap": True} in json.loads(config[1])["responseHandling"]


def test_folders_with_nothing_to_read(learner: LearnerWorkspace, course: Course) -> None:
    """Pictures and comparisons are then those of the reference alone."""
    question = course.question("Q3")
    assert question is not None
    learner.folder.mkdir()
    for text in (None, "def f(:", "x = 1"):
        if text is not None:
            (learner.folder / "q03.py").write_text(text)
        assert learner.own_source(question, question.exercises[0]) is None
