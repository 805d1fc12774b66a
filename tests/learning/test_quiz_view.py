"""What the quiz looks like, in both languages and on narrow terminals."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.core.layout import cells
from grader.core.model import Course, Item, Lang, Misconception, Question, Source, Status, Text
from grader.core.page import Page
from grader.course import items
from grader.course.items import Choice, Form, Prompt
from grader.learning import choice_widget, quiz_session, quiz_view
from grader.learning.progress import MisconceptionProgress
from grader.learning.quiz_session import (
    ExerciseAdvice,
    ItemRecord,
    Navigation,
    QuizCard,
    QuizSummary,
    Settled,
    Tally,
    UnknownCommand,
    UnreadableAnswer,
    WrongAnswer,
)
from tests.helpers import flat, question

TITLE = Text("Why divide by √d_k, of all numbers?", "为什么偏偏要除以 √d_k？")
ASK = Text("Two keys match almost equally well. What comes out?", "有两个键的匹配程度几乎相同。输出里是什么？")
TRUTH = Text("Every key that is not blocked contributes.", "每个没有被屏蔽的键都有贡献。")
LONG = Text("A mixture " * 12, "各个值的混合" * 12)
ITEM = Item("Q1.a", "choice", ASK, 2, "graded", None)
HOME: Question = replace(question("Q1"), title=TITLE)
PAPER = Source("p", "On Attention", "Ada, Bob, Cyd, Dan", 2020, "Journal 1")
MANUAL = Source("m", "A Manual", "Eve, Flo", 2021, "online")

NEW, THIRD = ItemRecord(), ItemRecord(tries=3, earned=0.25)


def card(form: Form = "one", record: ItemRecord = NEW, **more: object) -> QuizCard:
    """A card of this form."""
    texts = [Text("Scores", "得分"), LONG, Text("Sums", "和")]
    choices = [Choice(name, text) for name, text in zip("cab", texts, strict=True)]
    partners = tuple(Choice(name, Text(f"no. {name}", f"第 {name}")) for name in "21")
    asked = Prompt(
        form,
        Text("Answer somehow.", "请作答。"),
        () if form in ("line", "lines") else tuple(choices),
        partners if form == "pairs" else (),
        (Text("Unit: MiB", "单位：MiB"),),
    )
    made = QuizCard(3, 12, HOME, ITEM, items.Context("t", "ada", "Q1.a"), ASK, asked, record, 3, 0.5, None)
    return replace(made, **more)


def settled(status: Status = Status.FAILED, record: ItemRecord = THIRD, **more: object) -> Settled:
    """An item that is done with."""
    made = Settled(
        record=replace(record, status=status, settled=True),
        points=2,
        message=None,
        truth=TRUTH,
        key=Text("b: Sums", "b: 和"),
        explain=Text("Read the formula.", "读公式。"),
        sources=(PAPER, MANUAL),
    )
    return replace(made, **more)


def shown(draw: Callable[[Page], None], lang: Lang = "en", width: int = 80) -> str:
    """What stands on the terminal."""
    out = io.StringIO()
    draw(Page(Console(file=out, width=width, color_system=None), lang))
    return out.getvalue()


EVERYTHING = [
    *(
        lambda page, f=f, k=k: quiz_view.card(page, card(f), keys=k)
        for f in ("one", "pairs", "line", "lines")
        for k in (0, 1)
    ),
    lambda page: quiz_view.feedback(page, WrongAnswer(0.5, LONG, ASK, 2, 0.5), card()),
    lambda page: quiz_view.feedback(page, settled(message=LONG, advice=ExerciseAdvice("half", "Q1", "open")), card()),
    lambda page: quiz_view.feedback(page, Navigation("help"), card()),
    lambda page: quiz_view.feedback(page, UnreadableAnswer(LONG), card()),
    lambda page: quiz_view.summary(page, SUMMARY),
]

NOW = datetime(2026, 1, 2, tzinfo=UTC)
BELIEF = Misconception("picks-the-best", TRUTH)
SUMMARY = QuizSummary(
    (Tally(HOME, 2, 5, 1.5, 6.0),),
    (
        (MisconceptionProgress(HOME, BELIEF, 1, True, NOW), ExerciseAdvice("half", "Q1", "same")),
        (MisconceptionProgress(HOME, replace(BELIEF, id="ties"), 1, False, NOW), None),
    ),
    3,
)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("at", range(len(EVERYTHING)))
def test_nothing_is_wider_than_the_terminal(at: int, width: int, lang: Lang) -> None:
    """Also on forty columns, also in Chinese."""
    text = shown(EVERYTHING[at], lang, width)
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize(
    ("form", "keys", "there", "not_there"),
    [
        ("one", False, "1 Scores 2 A mixture", "Enter"),
        ("one", True, "Two keys match", "Scores"),
        ("pairs", False, "Matches: 1 no. 2 2 no. 1 Answer somehow.", "Enter"),
        ("line", False, "Unit: MiB Answer somehow.", "Enter"),
        ("line", True, "Answer somehow. Enter: submit", "Scores"),
        ("lines", False, "Write as many lines as you need; an empty line submits.", "Enter"),
        ("lines", True, "empty line: submit", "Write as many"),
    ],
)
def test_card(form: Form, keys: bool, there: str, not_there: str) -> None:
    """The question and how to answer it: options stand there unless keys choose among them."""
    text = flat(shown(lambda page: quiz_view.card(page, card(form), keys=keys)))
    assert text.lstrip("─ ").startswith("3/12 Q1.a Why divide by √d_k, of all numbers? 2 pts Two keys match")
    assert there in text
    assert not_there not in text


def test_card_counts_what_was_skipped() -> None:
    """Beside the number, in both languages; nothing if nothing was skipped."""
    skipped = replace(card("line"), skipped=2)
    assert (
        flat(shown(lambda page: quiz_view.card(page, skipped, keys=True))).lstrip("─ ").startswith("3/12 2 skipped Q1")
    )
    assert "3/12 已跳过 2 题 Q1" in flat(shown(lambda page: quiz_view.card(page, skipped, keys=True), "zh"))


def test_card_after_a_wrong_answer() -> None:
    """Whoever comes back sees which try it is, what it is worth, and what to think about."""
    begun = card(record=ItemRecord(tries=1), reminder=TRUTH)
    text = flat(shown(lambda page: quiz_view.card(page, begun, keys=False)))
    assert "Attempt 2 of 3, worth 1/2 of the points. → Think about this again: Every key" in text
    rare = flat(shown(lambda page: quiz_view.card(page, replace(begun, worth=0.125), keys=False)))
    assert "worth 0.12 of the points" in rare


def test_card_that_is_settled() -> None:
    """On the way back the options are there, and nothing asks for an answer."""
    text = flat(shown(lambda page: quiz_view.card(page, card(record=ItemRecord(tries=1, settled=True)), keys=True)))
    assert "Scores" in text and "Answer somehow" not in text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            WrongAnswer(0.0, None, ASK, 2, 0.5),
            "✗ Not yet. → Two keys match almost equally well. What comes out? Attempt 2 of 3, worth",
        ),
        (
            WrongAnswer(0.5, TRUTH, None, 1, 0.25),
            "✗ Partly correct. Every key that is not blocked contributes. Attempt 3 of 3, worth 1/4",
        ),
        (WrongAnswer(0.0, None, None, 1, 0.25), "✗ Not yet. Read the question once more before you try again."),
        (UnreadableAnswer(Text("No \x1b[1mnumber", "")), "? No number This did not count as an attempt."),
        (UnknownCommand("\x1b]0;x\x07ab"), "Unknown command “:ab”. Commands: :skip :back"),
        (Navigation("skipped"), "Skipped; it will come back at the end."),
        (Navigation("help"), ":skip leave this item for later :back"),
        (Navigation("next"), ""),
        (
            settled(),
            "✗ Incorrect. 0.5 of 2 points Correct answer: b: Sums Every key that is not blocked contributes. Read the",
        ),
        (settled(), "Source: Ada et al., “On Attention”, 2020, Journal 1 Source: Eve, Flo, “A Manual”, 2021, online"),
        (
            replace(settled(), cited=frozenset("p")),
            "Source: Ada et al., 2020 Source: Eve, Flo, “A Manual”, 2021, online",
        ),
        (settled(Status.MISSING), "Here is the answer. 0.5 of 2 points Correct answer"),
        (settled(Status.PASSED), "✓ Correct on attempt 3. 0.5 of 2 points Every key"),
        (
            settled(Status.PASSED, record=ItemRecord(tries=1, earned=1.0), truth=None),
            "✓ Correct. 2 of 2 points Read the formula.",
        ),
        (settled(Status.PASSED, record=ItemRecord(tries=2, earned=0.5)), "✓ Correct on attempt 2. 1 of 2 points"),
        (settled(Status.PASSED, record=ItemRecord(tries=5)), "✓ Correct on attempt 5. 0 of 2 points"),
        (settled(Status.PENDING), "… Saved. This answer is not graded automatically. Sample answer: b: Sums"),
        (settled(Status.PENDING, message=TRUTH, truth=None), "… Every key that is not blocked contributes. Sample"),
        (settled(key=Text("a: x\nb: y", "")), "Correct answer: a: x b: y Every"),
        (
            settled(message=TRUTH, explain=TRUTH),
            "Every key that is not blocked contributes. Correct answer: b: Sums Source",
        ),
        (
            settled(advice=ExerciseAdvice("half", "Q1", "open")),
            "→ The exercise half shows this. To begin: `attncheck start Q1`",
        ),
        (
            settled(advice=ExerciseAdvice("half", "Q1", "same")),
            "→ Your code for half makes the same mistake. Hints: `attncheck hint Q1`",
        ),
        (
            settled(advice=ExerciseAdvice("half", "Q1", "right")),
            "→ Your code for half gets this right; compare it with",
        ),
        (settled(follows=ITEM), "→ Next: Q1.a, which asks about exactly this."),
        (
            settled(offer=ITEM),
            "→ Q1.a, from another question, asks about exactly this. Type :follow to answer it next.",
        ),
    ],
)
def test_feedback(said: quiz_session.Feedback, expected: str) -> None:
    """What comes of an answer, in the order in which one needs it."""
    text = flat(shown(lambda page: quiz_view.feedback(page, said, card())))
    assert expected in text
    assert bool(text) == bool(expected)


def test_chinese_is_chinese() -> None:
    """No sentence of ours is left in English, and marks are full width."""
    text = shown(lambda page: quiz_view.feedback(page, settled(sources=()), card()), "zh")
    assert flat(text) == "✗ 没有答对。 0.5 / 2 分 正确答案：b: 和 每个没有被屏蔽的键都有贡献。 读公式。"


def test_opening() -> None:
    """How much there is to do, or that there is nothing."""
    home = replace(HOME, items=(ITEM,))
    course = Course(TITLE, "t", (), (home,), (), (), "", "")
    session = quiz_session.begin(course, "a\u202eda", "en", (ITEM,))
    assert "1 of 1 left: 1 graded item · answering as ada" in shown(lambda page: quiz_view.opening(page, session))
    done = replace(session, records={"Q1.a": ItemRecord(settled=True, status=Status.PASSED)})
    assert "items are answered" in shown(lambda page: quiz_view.opening(page, done))


@pytest.mark.parametrize("name", ["x" * 200, "名" * 200, "Maria del Carmen Núñez de Balboa y Ponce de León " * 4])
@pytest.mark.parametrize("width", [40, 80])
def test_long_names_wrap(name: str, width: int) -> None:
    """The heading has the whole name, on as many lines as it takes, none of them wider than the terminal."""
    session = quiz_session.begin(
        Course(TITLE, "t", (), (replace(HOME, items=(ITEM,)),), (), (), "", ""), name, "en", (ITEM,)
    )
    text = shown(lambda page: quiz_view.opening(page, session), width=width)
    assert "".join(name.split()) in "".join(text.split())
    assert max(map(cell_len, text.splitlines())) <= width


def test_summary() -> None:
    """Points, what was believed, and what to do about it; colour is not needed to read it."""
    text = flat(shown(lambda page: quiz_view.summary(page, SUMMARY)))
    assert "Q1 Why divide by √d_k, of all numbers? 2 of 5 done; 1.5 of 6 points" in text
    assert "✗ Q1, “Why divide by √d_k, of all numbers?” (still open) Every key" in text
    assert "✓ resolved: Q1, “Why" in text
    assert "Items left: 3. Continue with `attncheck quiz`." in text
    assert "– Your code for half makes the same mistake" in text
    done = shown(lambda page: quiz_view.summary(page, QuizSummary((Tally(HOME, 0, 5, 0, 6),), (), 0)), "zh")
    assert "出现过的误解" not in done and "没答完" not in done and "Q1" not in done
    many = replace(SUMMARY, met=SUMMARY.met[:1] * 8)
    assert "… and 3 more: `attncheck progress`" in shown(lambda page: quiz_view.summary(page, many))


# ------------------------------------------------------------------------------------------- choosing


@pytest.mark.parametrize(
    ("form", "keys", "first"),
    [
        ("one", "", ["    1  Scores"]),
        ("one", "down", ["›   1  Scores"]),
        ("many", "down space", ["  [ ] 1  Scores", "› [x] 2  A mixture"]),
        ("order", "", ["› 1  Scores"]),
        ("order", "space", ["↕ 1  Scores"]),
        ("pairs", "2", ["  Scores → 2", "› A mixture"]),
    ],
)
def test_selection_lines(form: Form, keys: str, first: list[str]) -> None:
    """Marks say what is chosen; colours only repeat it."""
    selection = choice_widget.begin(card(form).asked)
    for key in keys.split():
        selection = choice_widget.press(selection, key)
    lines = [line for _, line in quiz_view.selection_lines(selection, card(form), "en", 60)]
    for begin, line in zip(first, lines, strict=False):
        assert line.startswith(begin)
    assert max(map(cells, lines)) <= 60
    assert ("  1  no. 2" in lines) is (form == "pairs")


def test_tried_options_are_marked() -> None:
    """Options that were wrong before carry a cross."""
    tried = card(record=ItemRecord(tries=1, answers=("C",)))
    lines = quiz_view.selection_lines(choice_widget.begin(tried.asked), tried, "en", 60)
    assert lines[0] == ("tried", "  ✗ 1  Scores")


@pytest.mark.parametrize("form", ["one", "many", "order", "pairs", "line", "lines", ""])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80])
def test_keys_fit(form: str, lang: Lang, width: int) -> None:
    """No line of keys is wider than the terminal, and every key is named."""
    lines = quiz_view.key_help(form, lang, width, follow=not form)
    assert max(map(cells, lines)) <= width
    assert all(key in " ".join(lines) for key in (("skip" if lang == "en" else "跳过", "?") if form else ("f",)))


@pytest.mark.parametrize(
    ("key", "said"), [("z", "“z” does nothing here; ? shows the keys."), ("\x1b", None), (" ", None)]
)
def test_unknown_key(key: str, said: str | None) -> None:
    """Between items, too: a key without a meaning says so, unless it cannot be shown."""
    found = quiz_view.unknown_key(key)
    assert (found.en if found else None) == said
