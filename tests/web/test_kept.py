"""What somebody entered stays on the page, whatever came of it; one wrong part is marked; settled items show both."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from starlette.testclient import TestClient

from grader.core.errors import UsageError
from grader.core.marks import plain
from grader.core.model import Course, Item, Text
from grader.core.typesetting.html import typeset
from grader.course import items
from grader.learning.log import Answered
from grader.learning.quiz_session import TypedAnswer
from grader.web.entries import answer_text, entry_from_answer
from grader.web.learner import LearnerWorkspace, draft_of
from tests.web.conftest import OWN, shown

Fields = Mapping[str, tuple[str, ...]]
HTMX = OWN | {"hx-request": "true"}


class Form(HTMLParser):
    """What the fields of the answer form on a page hold, as a browser would send them, and the texts of all marks."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inside = False
        self.fields: dict[str, list[str]] = {}
        self.hidden: dict[str, str] = {}
        self._select = self._area = ""
        self.feed(page)
        marks = re.findall(r'class="wrong-here"[^>]*>(.*?)</span>\s*(?:</|<)', page, re.S)
        self.marks = [shown(text) for text in marks]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect fields of the form with ``class="answer"``."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = given.get("class") == "answer"
        if not self.inside:
            return
        name = given.get("name", "")
        if tag == "input" and given.get("type") in ("radio", "checkbox"):
            self.fields.setdefault(name, [])
            if "checked" in given:
                self.fields[name].append(given["value"])
        elif tag == "input" and given.get("type") == "hidden":
            self.hidden[name] = given["value"]
        elif tag == "input":
            self.fields.setdefault(name, []).append(given["value"])
        elif tag == "textarea":
            self._area = name
            self.fields.setdefault(name, []).append("")
        elif tag == "select":
            self._select = name
            self.fields.setdefault(name, []).append("")
        elif tag == "option" and "selected" in given:
            self.fields[self._select][-1] = given["value"]

    def handle_data(self, data: str) -> None:
        """The text of a textarea."""
        if self._area:
            self.fields[self._area][-1] += data

    def handle_endtag(self, tag: str) -> None:
        """The end of a field."""
        if tag == "textarea":
            text = self.fields[self._area][-1]
            self.fields[self._area][-1] = text.removeprefix("\n")
            self._area = ""

    @property
    def entry(self) -> Fields:
        """The fields as an entry."""
        return {name: tuple(values) for name, values in self.fields.items()}


def every(course: Course) -> list[Item]:
    """All items."""
    return [item for question in course.questions for item in question.items]


def of_kind(course: Course, kind: str) -> Item:
    """The first item of this kind that has several attempts and is not settled by any answer."""
    found = [item for item in every(course) if item.kind == kind]
    for item in found:
        context = items.Context(course.public_id, "ada", item.id)
        asked = items.ask(item, context)
        if asked.form != "one" or len(asked.choices) > 3:
            return item
    return found[0]


def wrong_entry(course: Course, item: Item) -> Fields:
    """What somebody would enter who is wrong: a complete answer that is not right, for free text one that is short."""
    asked = items.ask(item, items.Context(course.public_id, "ada", item.id))
    right = items.right(item)
    names = [choice.id for choice in asked.choices]
    match asked.form:
        case "one":
            return {"answer": (next(name for name in names if name not in right),)}
        case "many":
            return {"answer": tuple(name for name in names if name not in right)}
        case "order":
            return {"answer": tuple(reversed([*right]))}
        case "pairs":
            partners = [each.id for each in asked.partners]
            turned = {name: partners[(partners.index(right[name]) + 1) % len(partners)] for name in names}
            return {f"partner-{name}": (partner,) for name, partner in turned.items()}
    typed = {
        "derivation": "nonsense\nsecond (",
        "blanks": "\n".join(f"{name}: 1234567" for name in getattr(item.spec, "blanks", ())),
        "proof": "a1 b2",
        "text": "No.",
        "expression": "1234567",
        "number": "-98765",
        "shape": "(7, 7, 7, 7, 7)",
    }
    return {"answer": (typed[item.kind],)}


def send(browser: TestClient, path: str, fields: Fields, headers: Mapping[str, str] = OWN, **more: str) -> str:
    """The page after a form was sent."""
    data: dict[str, Any] = {name: list(values) for name, values in fields.items()} | more
    found = browser.post(path, data=data, headers=dict(headers))
    assert found.status_code == 200, found.text
    return found.text


@pytest.mark.parametrize("kind", items.kinds())
@pytest.mark.parametrize("place", ["/items/", "/review/items/"])
@pytest.mark.parametrize("headers", [OWN, HTMX], ids=["plain", "htmx"])
def test_what_was_entered_stays(
    browser: TestClient, course: Course, kind: str, place: str, headers: Mapping[str, str]
) -> None:
    """After a wrong or unreadable attempt, in the same widgets; also after a reload, and in the other language."""
    item = of_kind(course, kind)
    entry = wrong_entry(course, item)
    path = f"{place}{item.id}"
    assert Form(send(browser, path, entry, headers, do="answer")).entry == entry
    assert Form(browser.get(path).text).entry == entry
    send(browser, "/language", {}, lang="zh", back=path)
    assert Form(browser.get(path).text).entry == entry
    assert Form(send(browser, path, entry, headers, do="answer")).entry == entry, "the same once more"


@pytest.mark.parametrize("kind", items.kinds())
def test_what_was_sent_incomplete_stays(browser: TestClient, course: Course, kind: str) -> None:
    """An order with a gap, one pair, nothing ticked, a formula that breaks off: nothing is judged, nothing is lost."""
    item = of_kind(course, kind)
    asked = items.ask(item, items.Context(course.public_id, "ada", item.id))
    names = [choice.id for choice in asked.choices]
    entry: Fields = {"answer": ("(((",)}
    if asked.form == "order":
        entry = {"answer": (names[1], "", *names[2:-1], "")}
    elif asked.form == "pairs":
        entry = {f"partner-{name}": ("",) for name in names} | {f"partner-{names[0]}": (asked.partners[0].id,)}
    elif asked.choices:
        entry = {"answer": ()}
    path = f"/items/{item.id}"
    assert Form(send(browser, path, entry, do="answer")).entry == entry
    assert Form(browser.get(path).text).entry == entry
    found = browser.post(path, data={"do": "skip", **{name: list(each) for name, each in entry.items()}}, headers=OWN)
    assert found.status_code == 200
    assert Form(browser.get(path).text).entry == entry, "skipping an item is not forgetting it"


@pytest.mark.parametrize("kind", items.kinds())
def test_an_answer_from_the_terminal_is_in_the_form(
    browser: TestClient, learner: LearnerWorkspace, course: Course, kind: str
) -> None:
    """In the widgets of the page, whatever notation it was typed in."""
    item = of_kind(course, kind)
    asked = items.ask(item, items.Context(course.public_id, "ada", item.id))
    entry = wrong_entry(course, item)
    text = answer_text(asked, entry)
    found = entry_from_answer(item, asked, text)
    assert {name: set(values) for name, values in found.items()} == {name: set(each) for name, each in entry.items()}
    learner.answer(item, "en", TypedAnswer(text), doubted=None, comparing=False)
    if any(isinstance(event, Answered) for event in learner.events()):
        filled = Form(browser.get(f"/items/{item.id}").text).entry
        assert filled == entry or (asked.form == "many" and set(filled["answer"]) == set(entry["answer"]))


def test_a_refusal_keeps_the_answer(
    browser: TestClient, learner: LearnerWorkspace, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that may not be given, or cannot be saved, stays in the form, below what is said."""

    def refuse(*_: object, **__: object) -> None:
        raise UsageError(Text("Too long.", "太长。"))

    monkeypatch.setattr(LearnerWorkspace, "answer", refuse)
    item = of_kind(course, "derivation")
    page = send(browser, f"/items/{item.id}", {"answer": ("a\nb",)}, do="answer")
    assert "Too long." in page and Form(page).entry == {"answer": ("a\nb",)}


def test_code_stays_when_it_cannot_be_saved(browser: TestClient, learner: LearnerWorkspace) -> None:
    """Without scripts, the page comes back with the code in it; and again after a reload."""
    learner.folder.write_text("not a folder")
    found = browser.post("/questions/Q3/code", data={"code": "x = 7"}, headers=OWN)
    assert found.status_code == 400 and "cannot be saved" in found.text and "x = 7" in found.text
    learner.folder.unlink()
    assert "x = 7" in browser.get("/questions/Q3/code").text


# ------------------------------------------------------------------------------------------------ marks


def marked(page: str) -> list[str]:
    """The texts of the marks on a page."""
    return re.findall(r'class="wrong-here"[^>]*><span class="sign" aria-hidden="true">.</span> ([^<]+)', page)


@pytest.mark.parametrize("kind", items.kinds())
def test_one_wrong_part_is_marked_in_words(browser: TestClient, course: Course, kind: str) -> None:
    """One and no more, also after a reload; nothing says which parts are right, or what would be."""
    item = of_kind(course, kind)
    entry = wrong_entry(course, item)
    for page in (send(browser, f"/items/{item.id}", entry, do="answer"), browser.get(f"/items/{item.id}").text):
        marks = marked(re.sub(r"<noscript>.*?</noscript>", "", page, flags=re.S))
        assert len(marks) == 1, marks
        assert 'class="verdict' not in page and "Correct answer" not in page
    if items.ask(item, items.Context("", "ada", "")).form in ("line", "lines"):
        assert 'aria-invalid="true" aria-describedby="wrong-here"' in page and page.count('id="wrong-here"') == 1


def test_the_mark_is_a_wrong_part(course: Course) -> None:
    """For every item with choices and several learners: a chosen part that is wrong, and not always the first one."""
    later = 0
    for item in every(course):
        for learner in ("ada", "bo", "cy"):
            context = items.Context(course.public_id, learner, item.id)
            asked = items.ask(item, context)
            if not asked.choices:
                continue
            entry = wrong_entry(course, item)
            judged = items.judge(item, answer_text(asked, entry), context)
            right, given = items.right(item), items.chosen(item, answer_text(asked, entry))
            assert judged.place in given, item.id
            if asked.form == "order":
                continue
            wrong = [name for name in given if right.get(name) != given[name]]
            assert judged.place in wrong, item.id
            later += judged.place != wrong[0]
    assert later > 20, "the first one would say that all before it are right"


def test_what_is_only_incomplete_is_not_marked(browser: TestClient, course: Course) -> None:
    """Marking an option that is missing would give it away."""
    item = next(item for item in every(course) if item.kind == "multi" and len(items.right(item)) > 1)
    page = send(browser, f"/items/{item.id}", {"answer": (next(iter(items.right(item))),)}, do="answer")
    assert "Partly correct." in page and marked(page) == []


def test_the_wrong_line_is_marked(browser: TestClient, course: Course) -> None:
    """The line that does not follow, with its number, beside the lines as they were entered."""
    item = next(i for i in every(course) if i.kind == "derivation" and not i.spec.state_givens)
    start = item.spec.chain[0].line
    page = send(browser, f"/items/{item.id}", {"answer": (f"{start}\n\n123456789",)}, do="answer")
    rows = re.findall(r'<li value="(\d+)"[^>]*>(.*?)</li>', page, re.S)
    assert [(number, "does not follow" in row) for number, row in rows] == [("1", False), ("2", False), ("3", True)]
    assert Form(page).entry == {"answer": (f"{start}\n\n123456789",)} and "123456789</mn>" in rows[2][1]


def test_a_doubted_formula_stays(browser: TestClient, course: Course) -> None:
    """The reading to confirm, and after a yes to a wrong one, the formula."""
    item, text = next(
        (item, text)
        for item in every(course)
        if item.kind == "expression"
        for text in ("n^2d", "n/2d", "1/n d", "n/h d")
        if items.doubtful(item, text)
    )
    page = send(browser, f"/items/{item.id}", {"answer": (text,)}, do="answer")
    assert Form(page).entry == {"answer": (text,)} and Form(page).hidden["doubted"] == text
    page = send(browser, f"/items/{item.id}", {"answer": (text,)}, doubted=text, do="yes")
    assert Form(page).entry in ({"answer": (text,)}, {})


# ------------------------------------------------------------------------------------------------ digits


def test_options_have_digits_in_the_order_shown(browser: TestClient, course: Course) -> None:
    """Letters are names in files alone; the values that a form sends may be ids."""
    for kind in ("choice", "multi", "order", "match"):
        for item in [each for each in every(course) if each.kind == kind][:5]:
            page = browser.get(f"/items/{item.id}").text
            labels = re.findall(r'<span class="(?:key|letter)">([^<]*)</span>', page)
            assert labels == [str(number) for number in range(1, len(labels) + 1)] and labels, item.id


# ------------------------------------------------------------------------------------------------ settled


@pytest.mark.parametrize("kind", items.kinds())
def test_a_settled_item_shows_what_was_given_and_what_is_right(
    browser: TestClient, learner: LearnerWorkspace, course: Course, kind: str
) -> None:
    """In words, not in colour alone; at once and on every later visit; no letters of options."""
    item = of_kind(course, kind)
    context = items.Context(course.public_id, "ada", item.id)
    asked = items.ask(item, context)
    entry = wrong_entry(course, item)
    if kind == "text":
        entry = {"answer": ("Because the softmax saturates.",)}
    send(browser, f"/items/{item.id}", entry, do="answer")
    assert "your answer" not in browser.get(f"/items/{item.id}").text
    if kind != "text":
        send(browser, f"/items/{item.id}", {}, do="key")
    page = html.unescape(browser.get(f"/items/{item.id}").text)
    assert 'class="given-answer"' in page and '<form method="post" action="/items' not in page
    if kind in ("choice", "multi", "match"):
        assert '<span class="sign" aria-hidden="true">✓</span> correct' in page or "Correct answer" in page
    if kind == "text":
        assert "Because the softmax saturates." in page
    if asked.choices:
        for text in (choice.text.en for choice in asked.choices):
            assert html.unescape(typeset(text)) in page
        key = plain(items.key(item, context).en)
        assert key not in page, "a key with letters"


def test_a_wrong_settled_choice_has_both_marks(browser: TestClient, course: Course) -> None:
    """✗ at one's own answer, ✓ at the right one; the same for a pair."""
    item = of_kind(course, "choice")
    right = next(iter(items.right(item)))
    others = [option.id for option in item.spec.options if option.id != right]
    for name in others:
        page = send(browser, f"/items/{item.id}", {"answer": (name,)}, do="answer")
        if "given-answer" in page:
            break
    own = re.findall(r'<li class="option bad">(.*?)</li>', page, re.S)
    assert len(own) == 1 and "your answer" in own[0] and "✗</span> not correct" in own[0]
    others_shown = re.findall(r'<li class="option (?:good|rest)">(.*?)</li>', page, re.S)
    assert sum("✓</span> correct" in each for each in others_shown) == 1


def test_free_text_has_a_textarea(browser: TestClient, course: Course) -> None:
    """Of several lines, for an answer of up to 120 words."""
    page = browser.get(f"/items/{of_kind(course, 'text').id}").text
    assert re.search(r'<textarea name="answer" rows="[3-9]"', page)


def test_an_answer_to_an_item_settled_meanwhile_is_not_lost(
    browser: TestClient, learner: LearnerWorkspace, course: Course
) -> None:
    """In another window: it is said that it does not count, and it is in the form of the next attempt."""
    item = of_kind(course, "choice")
    right = next(iter(items.right(item)))
    other = next(option.id for option in item.spec.options if option.id != right)
    send(browser, f"/items/{item.id}", {"answer": (right,)}, do="answer")
    assert "settled before you sent" not in send(browser, f"/items/{item.id}", {"answer": (right,)}, do="answer")
    assert "settled before you sent" in send(browser, f"/items/{item.id}", {"answer": (other,)}, do="answer")
    assert Form(browser.get(f"/items/{item.id}?again=1").text).entry == {"answer": (other,)}


def test_drafts_are_not_in_what_is_submitted(browser: TestClient, learner: LearnerWorkspace, course: Course) -> None:
    """Nor judged, nor in the log."""
    item = of_kind(course, "text")
    browser.post(f"/drafts/item/{item.id}", data={"answer": "a secret draft"}, headers=OWN)
    browser.post("/drafts/code/Q3", data={"code": "a secret draft"}, headers=OWN)
    assert learner.drafts.read(draft_of(item)) is not None
    assert not learner.events() and learner.files() is None
    with zipfile.ZipFile(io.BytesIO(browser.get("/work.zip").content)) as archive:
        assert not [name for name in archive.namelist() if b"secret draft" in archive.read(name)]


def test_the_last_report_survives_a_reload(browser: TestClient, learner: LearnerWorkspace) -> None:
    """With a word that it is the last one; in the language in which it was made; the places only while they fit."""
    browser.post("/questions/Q3/code", data={"code": "def scaled_scores(q, k):\n    return q @ k\n"}, headers=HTMX)
    page = browser.get("/questions/Q3/code").text
    assert "Not scaled." in page and "checked last" in page and "&#34;line&#34;: 2" in page
    browser.post("/drafts/code/Q3", data={"code": "# another line\n"}, headers=OWN)
    page = browser.get("/questions/Q3/code").text
    assert "Not scaled." in page and 'data-marks="[]"' in page
    browser.post("/language", data={"lang": "zh"}, headers=OWN)
    assert "Not scaled." not in browser.get("/questions/Q3/code").text


def test_a_settled_order_names_what_may_change_places(browser: TestClient, course: Course) -> None:
    """In words, without letters; a right answer is not followed by another right one."""
    for item in (each for each in every(course) if each.kind == "order"):
        send(browser, f"/items/{item.id}", {"answer": tuple(items.right(item))}, do="answer")
        assert "Correct answer" not in browser.get(f"/items/{item.id}").text
        again = browser.get(f"/items/{item.id}?again=1").text
        action = re.findall(r'action="(/items/[^"]*)"', again)[0]
        page = html.unescape(send(browser, action, {}, do="key"))
        assert "Correct answer" in page
        assert page.count("These may be in any order:") == len(items.interchangeable(item))
