"""Options by number: every screen shows digits, reads digits, and stores the ids that files have."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from grader.commands.quiz import LineFrontEnd
from grader.core.model import Item, Lang, Text
from grader.core.page import Page
from grader.course import items
from grader.course.items import Choice, Context, Form, Prompt, choice, match, multi, order
from grader.course.items._options import Arrangeable, Option
from grader.learning import choice_widget, numbers, quiz_session, quiz_view
from grader.learning.keyboard import Keyboard
from grader.learning.log import Answered
from tests.helpers import WORDS, course, question

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LEARNERS = ("ada", "bo", "chen", "dia")


def named(*names: str) -> tuple[Arrangeable, ...]:
    """Entries whose texts tell them apart without their ids."""
    return tuple(Arrangeable(name, Text(f"entry {ord(name)}", f"第 {ord(name)} 项")) for name in names)


def options(*right: str) -> tuple[Option, ...]:
    """Options, of which some are right."""
    return tuple(Option(each.id, each.text, each.id in right) for each in named(*"vwxyz"))


SPECS: dict[str, object] = {
    "choice": choice.Spec(options("x")),
    "multi": multi.Spec(options("w", "z")),
    "match": match.Spec(named(*"vwx"), named(*"6789"), {"v": "8", "w": "9", "x": "6"}),
    "order": order.Spec(named("y", "v", "x", "w")),
}
RIGHT = {"choice": "x", "multi": "w, z", "match": "v-8, w-9, x-6", "order": "y v x w"}
ITEMS = {kind: Item(f"Q1.{kind}", kind, WORDS, 1, "graded", spec) for kind, spec in SPECS.items()}
COURSE = course(question("Q1", items=list(ITEMS.values())))


def begun(kind: str, learner: str) -> tuple[quiz_session.Session, quiz_session.QuizCard]:
    """A quiz on the item of one kind."""
    session = quiz_session.begin(COURSE, learner, "en", [ITEMS[kind]])
    card = quiz_session.current(session)
    assert card is not None
    return session, card


def in_digits(kind: str, asked: Prompt) -> str:
    """The right answer, by the digits of the screen."""
    lines, matches = items.numbers(asked.choices), items.numbers(asked.partners)
    if kind == "match":
        pairs = dict(pair.split("-") for pair in RIGHT[kind].split(", "))
        return "".join(matches[pairs[each.id]] for each in asked.choices)
    return "".join(lines[name] for name in RIGHT[kind].replace(",", "").split())


def by_lines(card: quiz_session.QuizCard, digits: str) -> quiz_session.Action:
    """As typed in a plain terminal or a notebook without widgets."""
    return LineFrontEnd(io.StringIO(digits + "\n").readline, echo=False).ask(card, "en")


def by_spaced_lines(card: quiz_session.QuizCard, digits: str) -> quiz_session.Action:
    """The same with separators."""
    return by_lines(card, ", ".join(digits))


def by_keys(card: quiz_session.QuizCard, digits: str) -> quiz_session.Action:
    """Key by key in a terminal."""
    with create_pipe_input() as pipe:
        pipe.send_text(digits + "\r")
        return Keyboard(pipe, DummyOutput()).ask(card, "en")


SURFACES: list[Callable[[quiz_session.QuizCard, str], quiz_session.Action]] = [by_lines, by_spaced_lines, by_keys]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("surface", SURFACES)
def test_digits_as_shown_are_stored_as_ids(
    surface: Callable[[quiz_session.QuizCard, str], quiz_session.Action], kind: str, learner: str
) -> None:
    """The same digits are right on every surface; the log and answers.yaml get the ids, and the key has the digits."""
    session, card = begun(kind, learner)
    turn = quiz_session.step(session, surface(card, in_digits(kind, card.asked)), NOW)
    (event,) = turn.events
    assert isinstance(event, Answered) and (event.value, event.fraction) == (RIGHT[kind], 1.0)
    assert quiz_session.graded_answers(turn.session) == {f"Q1.{kind}": RIGHT[kind]}


@pytest.mark.parametrize("typed", ["a", "w", "v w", "vw", "W", "x, z", "v-8", "v8 w9"])
@pytest.mark.parametrize("kind", ITEMS)
def test_letters_are_answered_with_a_hint_and_cost_nothing(kind: str, typed: str) -> None:
    """Whether they are ids or not."""
    session, card = begun(kind, "ada")
    turn = quiz_session.step(session, by_lines(card, typed), NOW)
    assert isinstance(turn.feedback, quiz_session.UnreadableAnswer) and not turn.events
    assert turn.feedback.message is not None and "by number" in turn.feedback.message.en
    note = quiz_view.key_note(choice_widget.begin(card.asked), typed[0], card.asked)
    assert note is not None and "by number" in note.en and "编号" in note.zh


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", ITEMS)
def test_no_screen_shows_an_id(kind: str, lang: Lang) -> None:
    """Neither the card, nor the selection, nor the key, nor what is said of an answer that cannot be read."""
    session, card = begun(kind, "ada")
    console = Console(width=80, record=True, color_system=None)
    page = Page(console, lang)
    with console.capture() as seen:
        quiz_view.card(page, card, keys=False)
        for typed in ("w", "", "12345", "11", "9"):
            quiz_view.feedback(page, quiz_session.step(session, by_lines(card, typed), NOW).feedback, card)
        quiz_view.feedback(page, quiz_session.step(session, "key", NOW).feedback, card)
    selection = choice_widget.begin(card.asked)
    lines = [line for _, line in quiz_view.selection_lines(selection, card, lang, 80)]
    words = " ".join([*lines, seen.get()]).replace("-", " ").replace(":", " ").replace("：", " ").split()
    assert not {*"vwxyz"} & {*words}
    for place, each in enumerate(card.asked.choices, 1):
        assert f"{place}  {each.text.of(lang)}" in seen.get()


def test_learners_see_different_orders() -> None:
    """So the digits of one learner say nothing to another."""
    seen = {tuple(each.id for each in begun("multi", name)[1].asked.choices) for name in LEARNERS}
    assert len(seen) > 1


def asked(form: Form, count: int = 3, partners: int = 0) -> Prompt:
    """Options c, b, a, … shown in this order, with partners 9, 8, …"""
    shown = tuple(Choice(name, WORDS) for name in "cbadefghij"[:count])
    return Prompt(form, WORDS, shown, tuple(Choice(name, WORDS) for name in "987654"[:partners]))


@pytest.mark.parametrize(
    ("form", "typed", "expected"),
    [
        ("one", " 2 ", "b"),
        ("one", "(2).", "b"),
        ("one", "选 2", "b"),
        ("one", "２", "b"),
        ("one", "option 2", "b"),
        ("many", "31", "a, c"),
        ("many", "1 and 3", "a, c"),
        ("many", "1、3", "a, c"),
        ("many", "1 1", "c"),
        ("order", "3 > 1 > 2", "a c b"),
        ("order", "312", "a c b"),
        ("order", "先 3，然后 1，最后 2", "a c b"),
        ("pairs", "2 1 3", "a-7, b-9, c-8"),
        ("pairs", "213", "a-7, b-9, c-8"),
        ("pairs", "1-2, 2-1, 3-3", "a-7, b-9, c-8"),
        ("pairs", "3→3；1→2；2→1", "a-7, b-9, c-8"),
        ("pairs", "1: 2, 3: 3", "a-7, c-8"),
        ("pairs", "1-3", "c-7"),
    ],
)
def test_read(form: Form, typed: str, expected: str) -> None:
    """With any separators; partners in the order of the lines, or pair by pair."""
    assert numbers.read(asked(form, partners=3 if form == "pairs" else 0), typed) == expected


@pytest.mark.parametrize(
    ("form", "typed", "en"),
    [
        ("one", "4", "There is no 4 here; choose from 1, 2, 3."),
        ("one", "0", "There is no 0 here"),
        ("one", "12", "Choose one of 1, 2, 3."),
        ("one", "?!", "Choose by number: 1, 2, 3."),
        ("many", "1 5", "There is no 5 here"),
        ("order", "1 2", "Missing: 3."),
        ("order", "1 2 2", "2 occurs twice"),
        ("pairs", "1 2", "There are 3 lines, so write 3 numbers"),
        ("pairs", "1 2 3 1", "found 4"),
        ("pairs", "1-2, 1-3", "Line 1 has two matches"),
        ("pairs", "1-2, 4-3", "There is no 4 here"),
        ("pairs", "a2", "Choose by number: 1, 2, 3."),
    ],
)
def test_what_is_wrong_is_said(form: Form, typed: str, en: str) -> None:
    """In both languages, without letters."""
    found = numbers.read(asked(form, partners=3 if form == "pairs" else 0), typed)
    assert isinstance(found, Text) and en in found.en and found.zh


def test_the_tenth_is_0() -> None:
    """One digit for each of at most ten options, on lines and keys."""
    ten = asked("many", 10)
    assert numbers.read(ten, "0 1") == "c, j"
    selection = choice_widget.begin(ten)
    for key in "01":
        selection = choice_widget.press(selection, key)
    assert choice_widget.answer(selection) == "c, j"


@pytest.mark.parametrize("kind", ["choice", "multi", "match", "order"])
def test_more_options_than_digits_are_refused(kind: str) -> None:
    """When the bank is checked."""
    many = named(*"abcdefghijk")
    specs = {
        "choice": choice.Spec(tuple(Option(each.id, each.text, each.id == "a") for each in many)),
        "multi": multi.Spec(tuple(Option(each.id, each.text, each.id == "a") for each in many)),
        "match": match.Spec(named("a", "b"), tuple(Arrangeable(str(at), WORDS) for at in range(11)), {}),
        "order": order.Spec(many[::-1]),
    }
    found = list(items.kind(kind).validate(specs[kind]))
    assert any("2 to 10" in each.text or "3 to 10" in each.text for each in found)


@pytest.mark.parametrize("kind", ITEMS)
def test_files_list_options_by_id(kind: str) -> None:
    """In the same order for everybody, so that the order of a file tells nothing."""
    for learner in ("", *LEARNERS):
        shown = items.ask_in_file(ITEMS[kind], Context("test", learner, ITEMS[kind].id))
        for group in (shown.choices, shown.partners):
            assert [each.id for each in group] == sorted(each.id for each in group)


def test_an_example_is_no_constant_hint() -> None:
    """What is given as an example has the right form; it is made of the digits alone, so it knows no answer."""
    for kind, learner in itertools.product(("order", "match"), LEARNERS):
        card = begun(kind, learner)[1]
        example = card.asked.how.en.split("such as ")[1].split(";")[0].rstrip(".")
        assert isinstance(numbers.read(card.asked, example), str)
