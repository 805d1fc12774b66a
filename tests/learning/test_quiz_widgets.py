"""The quiz as widgets: what is clicked and typed becomes the answer, and every step is saved before it is shown."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest

from grader.core.marks import bare, plain
from grader.core.model import Course, Item
from grader.core.typesetting.html import formula, typeset
from grader.course import items, loader
from grader.grading import courses
from grader.learning import quiz_session
from grader.learning.log import Answered, Event, Explained, Spoke
from grader.learning.quiz_widgets import QuizWidgets


@functools.cache
def shipped_course() -> Course:
    """The course of the project."""
    return courses.load(loader.find(None))


def below(widget: Any) -> Iterator[Any]:
    """A widget and all that it contains."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from below(child)


def quiz_on(*asked: Item) -> tuple[QuizWidgets, list[Event]]:
    """A quiz on these items, and the events that it saves."""
    saved: list[Event] = []
    session = quiz_session.begin(shipped_course(), "ada", "en", asked)
    return QuizWidgets(session, saved.extend), saved


def first(kind: str) -> Item:
    """The first item of a kind in the course."""
    return next(i for q in shipped_course().questions for i in q.items if i.kind == kind)


def press(quiz: QuizWidgets, label: str) -> None:
    """Clicks a button."""
    next(w for w in below(quiz.box) if isinstance(w, ipywidgets.Button) and w.description == label).click()


def text(quiz: QuizWidgets) -> str:
    """All text that is shown."""
    return "\n".join(w.value for w in below(quiz.box) if isinstance(w, ipywidgets.HTML))


def fill(quiz: QuizWidgets, answer: str) -> None:
    """Selects or types ``answer``, written as in answers.yaml: on the screen, options have numbers."""
    card = quiz_session.current(quiz.session)
    assert card is not None
    found = [w for w in below(quiz.box) if isinstance(w, (ipywidgets.ToggleButton, ipywidgets.Dropdown))]
    match card.asked.form:
        case "one" | "many":
            for number, button in zip(items.numbers(card.asked.choices).items(), found, strict=True):
                assert button.description.split()[0] == number[1]
                button.value = number[0] in answer.split(", ")
        case "pairs":
            for choice, menu in zip(card.asked.choices, found, strict=True):
                menu.value = dict(pair.split("-") for pair in answer.split(", "))[choice.id]
        case "order":
            left = [choice.id for choice in card.asked.choices]
            for place, name in enumerate(answer.split()):
                for row in range(left.index(name), place, -1):
                    [w for w in below(quiz.box) if getattr(w, "description", "") == "↑"][row].click()
                left.insert(place, left.pop(left.index(name)))
        case _:
            next(w for w in below(quiz.box) if isinstance(w, (ipywidgets.Text, ipywidgets.Textarea))).value = answer


@pytest.mark.parametrize("kind", ["choice", "multi", "match", "order", "number"])
def test_a_correct_answer_of_every_form(kind: str) -> None:
    """The key, selected or typed, is correct; the item is settled, and the next button leads on."""
    item = first(kind)
    quiz, saved = quiz_on(item)
    context = items.Context(shipped_course().public_id, "ada", item.id)
    key = plain(items.key(item, context).en)
    if kind in ("choice", "multi", "match", "order"):
        # A key may explain its options: only what one would type counts here.
        candidates = _candidates(item, context)
        key = next(a for a in candidates if items.judge(item, a, context).fraction == 1)
    fill(quiz, key)
    press(quiz, "Check")
    assert [event.fraction for event in saved if isinstance(event, Answered)] == [1.0]
    assert "Correct" in text(quiz)
    press(quiz, "Next")
    assert "Your results so far" in text(quiz)


def _candidates(item: Item, context: items.Context) -> Iterator[str]:
    asked = items.ask(item, context)
    ids = [choice.id for choice in asked.choices]
    if asked.form == "pairs":
        for chosen in itertools.product([p.id for p in asked.partners], repeat=len(ids)):
            yield ", ".join(f"{a}-{b}" for a, b in zip(ids, chosen, strict=True))
    elif asked.form == "order":
        yield from (" ".join(chosen) for chosen in itertools.permutations(ids))
    else:
        for count in range(1, len(ids) + 1):
            yield from (", ".join(chosen) for chosen in itertools.combinations(ids, count))


def test_a_wrong_answer_then_the_other_buttons() -> None:
    """A wrong answer is marked and leaves another attempt; what is empty is not submitted; all buttons work."""
    one, two = [i for q in shipped_course().questions for i in q.items if i.kind == "choice"][:2]
    quiz, saved = quiz_on(one, two)
    press(quiz, "Check")
    assert not saved and "Choose or write an answer first." in text(quiz)
    context = items.Context(shipped_course().public_id, "ada", one.id)
    wrong = next(a for a in _candidates(one, context) if items.judge(one, a, context).fraction == 0)
    fill(quiz, wrong)
    press(quiz, "Check")
    (shown,) = (each.text.en for each in items.ask(one, context).choices if each.id == wrong)
    assert re.findall(r'option bad.*?class="text">(.*?)</span>', text(quiz)) == [typeset(shown)]
    assert text(quiz).count("Attempt 2 of") == 1
    press(quiz, "中文")
    assert isinstance(saved[-1], Spoke)
    press(quiz, "显示答案")
    assert "答案如下" in text(quiz) and "option good" in text(quiz)
    press(quiz, "下一题")
    press(quiz, "上一题")
    press(quiz, "下一题")
    press(quiz, "跳过")
    assert quiz.session.over


def boxes(quiz: QuizWidgets) -> list[ipywidgets.ToggleButton]:
    """The options to choose."""
    return [widget for widget in below(quiz.box) if isinstance(widget, ipywidgets.ToggleButton)]


def labels(quiz: QuizWidgets) -> list[str]:
    """What the buttons say."""
    return [widget.description for widget in below(quiz.box) if isinstance(widget, ipywidgets.Button)]


@pytest.mark.parametrize(("ticked", "said"), [((0,), ("a",)), ((), ()), (None, None)])
def test_own_words_are_compared_with_key_points(ticked: tuple[int, ...] | None, said: tuple[str, ...] | None) -> None:
    """Below the model answer and the learner's words; no tick means none of them; it can wait; “Next” leads on."""
    item = first("text")
    quiz, saved = quiz_on(item)
    fill(quiz, "in my own words it is so")
    press(quiz, "Check")
    assert "in my own words it is so" in text(quiz) and "Sample answer" in text(quiz)
    points = items.key_points(item)
    assert [box.description[2:] for box in boxes(quiz)] == [bare(point.text.en) for point in points]
    assert labels(quiz) == ["Compare", "Not now"]
    for at in ticked or ():
        boxes(quiz)[at].value = True
    press(quiz, "Not now" if ticked is None else "Compare")
    compared = [] if said is None else [(said, len(points))]
    assert [(event.said, event.points) for event in saved if isinstance(event, Explained)] == compared
    assert all(f"You made {len(said)} of {count} key points." in text(quiz) for said, count in compared)
    press(quiz, "Next")
    assert quiz.session.over


def test_a_formula_that_was_read_otherwise_is_confirmed_first() -> None:
    """With its reading; what was typed stays in the field; yes submits it; a change is a new answer, if it is read."""
    item = next(i for q in shipped_course().questions for i in q.items if i.id == "Q4.share")
    quiz, saved = quiz_on(item)
    fill(quiz, "the share is n/(n + d)")
    press(quiz, "Check")
    assert f"I read: {formula('n/(n + d)')}" in text(quiz) and "Type y" not in text(quiz) and not saved
    (field,) = [widget for widget in below(quiz.box) if isinstance(widget, ipywidgets.Text)]
    assert field.value == "the share is n/(n + d)"
    press(quiz, "Yes, that is it")
    assert [event.value for event in saved if isinstance(event, Answered)] == ["the share is n/(n + d)"]
    assert "Attempt 2" in text(quiz) and ":key" not in text(quiz) and "Yes, that is it" not in labels(quiz)
    fill(quiz, "not a formula (")
    press(quiz, "Check")
    assert "did not count as an attempt" in text(quiz)
    fill(quiz, "n/(n + 2 d)")
    press(quiz, "Check")
    assert "Correct" in text(quiz)
