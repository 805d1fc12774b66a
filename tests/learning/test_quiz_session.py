"""The conversation of the quiz: what every answer and every command leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.core.errors import SubmissionError, UsageError
from grader.core.model import Answer, Edit, Item, Misconception, Mistake, Source, Status, Submission, Text
from grader.course.items import numbers
from grader.course.items._values import KnownWrongAnswer
from grader.course.items.choice import Option
from grader.course.items.choice import Spec as Choice
from grader.course.items.expression import Spec as Expression
from grader.course.items.multi import Spec as Multi
from grader.course.items.number import Spec as Number
from grader.grading.grade import grade
from grader.learning import answers_file, quiz_session
from grader.learning import log as state
from grader.learning.log import Answered, Coded, Event, Named, Skipped, Spoke
from grader.learning.quiz_session import (
    ExerciseAdvice,
    Navigation,
    Session,
    Settled,
    StepResult,
    UnknownCommand,
    UnreadableAnswer,
    WrongAnswer,
)
from grader.submission import read as read_submission
from tests.helpers import WORDS, course, exercise, question

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ASK = Text("Is it halved?", "减半了吗？")
TRUTH = Text("It is not halved.", "没有减半。")
EXPLAIN = Text("Because of {d}.", "因为 {d}。")


def options(*wrong: str, last: str = "d") -> Choice:
    """Four options, of which the last is right; ``wrong`` are misconceptions of the others."""
    beliefs = dict(zip("abc", wrong, strict=False))
    made = [
        Option(name, Text(f"text {name}", f"文 {name}"), name == last, beliefs.get(name) or None) for name in "abcd"
    ]
    return Choice(tuple(made))


def item(name: str, spec: object, kind: str = "choice", **more: object) -> Item:
    """An item; its question is its name."""
    fields: dict[str, object] = {"points": 2.0, "use": "graded"} | more
    return Item(name, kind, Text(f"{name}?", f"{name}？"), spec=spec, **fields)  # type: ignore[arg-type]


HALF = exercise("half(x)", mistakes=(Mistake("halves", (Edit("half", "x", "y"),), ()),))
Q1 = question(
    "Q1",
    HALF,
    items=[
        item("Q1.one", options("halves", "jumps", "strays"), explain=WORDS, sources=("paper",)),
        item(
            "Q1.number",
            Number("2 * d", {"d": (8, 16)}, wrong=(KnownWrongAnswer("d", "halves"),)),
            "number",
            explain=EXPLAIN,
        ),
        item("Q1.some", Multi(tuple(Option(name, WORDS, name in "ab") for name in "abcd")), "multi", use="practice"),
        item("Q1.last", options()),
    ],
    misconceptions=[
        Misconception("halves", TRUTH, ASK),
        Misconception("jumps", TRUTH, ASK, ask_next="Q1.last"),
        Misconception("strays", TRUTH, None, ask_next="Q2.two"),
    ],
    sources=["book"],
)
Q2 = question("Q2", exercise("plain(x)"), items=[item("Q2.two", Choice(options("other").options[2:]))])
Q3 = question("Q3", exercise("empty(x)"))
SOURCES = (Source("paper", "A Paper", "Ada", 2020, "here"), Source("book", "A Book", "Bob", 2021, "there"))
COURSE = course(Q1, Q2, Q3)
COURSE = quiz_session.replace(COURSE, sources=SOURCES, groups=(("group", WORDS),))


def begin(*log: Event, name: str | None = "Q1", again: bool = False) -> Session:
    """A session of ada's."""
    return quiz_session.begin(COURSE, "ada", "en", quiz_session.choose(COURSE, name), log, again=again)


def play(session: Session, *typed: str) -> list[StepResult]:
    """The turns of a session in which this was typed."""
    turns = []
    for line in typed:
        turns.append(quiz_session.step(session, quiz_session.read(line), NOW))
        session = turns[-1].session
    return turns


def events(turns: Sequence[StepResult]) -> tuple[Event, ...]:
    """What was stored on the way."""
    return tuple(event for turn in turns for event in turn.events)


# -------------------------------------------------------------------------------------------- typing


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("a, c", quiz_session.TypedAnswer("a, c")),
        ("skip", quiz_session.TypedAnswer("skip")),
        ("1:2", quiz_session.TypedAnswer("1:2")),
        (":skip", "skip"),
        (" ：Skip ", "skip"),
        (":跳过", "skip"),
        (":b", "back"),
        (":q", "quit"),
        (":lang", "lang"),
        (":show", "key"),
        (":follow", "follow"),
        ("?", "help"),
        ("？", "help"),
        (":nonsense", UnknownCommand("nonsense")),
        ("", quiz_session.TypedAnswer("")),
    ],
)
def test_read(line: str, action: object) -> None:
    """A colon begins a command, a question mark asks for help, and everything else is an answer."""
    assert quiz_session.read(line) == action


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, ["Q1.one", "Q1.number", "Q1.some", "Q1.last", "Q2.two"]),
        ("q01", ["Q1.one", "Q1.number", "Q1.some", "Q1.last"]),
        ("2", ["Q2.two"]),
        ("GROUP", ["Q1.one", "Q1.number", "Q1.some", "Q1.last", "Q2.two"]),
        (WORDS.en.upper(), ["Q1.one", "Q1.number", "Q1.some", "Q1.last", "Q2.two"]),
        (WORDS.zh, ["Q1.one", "Q1.number", "Q1.some", "Q1.last", "Q2.two"]),
        ("q1.last", ["Q1.last"]),
    ],
)
def test_choose(name: str | None, expected: list[str]) -> None:
    """A question, a group, an item, or everything."""
    assert [each.id for each in quiz_session.choose(COURSE, name)] == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [("Q1.lost", "Did you mean Q1.last"), ("zzz", "There are: group, Q1"), ("Q3", "has no quiz items")],
)
def test_choose_says_what_there_is(name: str, said: str) -> None:
    """What cannot be asked is an error that helps."""
    with pytest.raises(UsageError, match=said):
        quiz_session.choose(COURSE, name)


# ------------------------------------------------------------------------------------------- answering


def test_right_at_once() -> None:
    """A right answer settles the item for all its points, and is kept."""
    (turn,) = play(begin(), " D ")
    assert isinstance(turn.feedback, Settled)
    assert (turn.feedback.record.status, turn.feedback.record.earned, turn.feedback.truth) == (Status.PASSED, 1.0, None)
    assert turn.feedback.sources == (SOURCES[0],)
    assert turn.events == (Answered(NOW, "test", "Q1.one", "D", 1.0, Status.PASSED, None, 1, True),)


def test_wrong_gets_the_guiding_question_and_another_try() -> None:
    """The question that leads further comes before the key, and the next try is worth half, then a quarter."""
    first, second, third = play(begin(), "a", "b", "d")
    assert first.feedback == WrongAnswer(0.0, None, ASK, 2, 0.5, "a")
    assert second.feedback == WrongAnswer(0.0, None, ASK, 1, 0.25, "b")
    assert isinstance(third.feedback, Settled)
    assert (third.feedback.record.status, third.feedback.record.earned) == (Status.PASSED, 0.25)
    assert third.feedback.truth == TRUTH


def test_the_last_try_brings_the_key() -> None:
    """After the last wrong answer: the key, what is true instead, and the exercise that shows it."""
    *_, turn = play(begin(), "c", "b", "a")
    said = turn.feedback
    assert isinstance(said, Settled)
    assert (said.record.status, said.record.earned, said.truth) == (Status.FAILED, 0.0, TRUTH)
    card = quiz_session.current(turn.session)
    assert card is not None and said.key is not None
    assert said.key.en == f"{numbers(card.asked.choices)['d']}: text d"
    assert said.advice == ExerciseAdvice("half", "Q1", "open")


def test_key_on_demand_gives_up() -> None:
    """``:key`` shows everything; what was earned so far stays."""
    (turn,) = play(begin(), ":key")
    assert isinstance(turn.feedback, Settled)
    assert turn.feedback.record.status is Status.MISSING
    assert events([turn]) == (Answered(NOW, "test", "Q1.one", "", 0.0, Status.MISSING, None, 1, True),)
    partly = begin(name="Q1.some")
    *_, turn = play(partly, "a", ":key")
    assert turn.session.record("Q1.some").earned == 0.5


@pytest.mark.parametrize(
    ("name", "answer"),
    [("Q1.one", "x"), ("Q1.one", ""), ("Q1.some", "a, x"), ("Q1.number", "many"), ("Q1.number", "1" * 20000)],
)
def test_unreadable_costs_no_try(name: str, answer: str) -> None:
    """What is no answer of the kind is said to be none; nothing is stored."""
    (turn,) = play(begin(name=name), answer)
    assert isinstance(turn.feedback, UnreadableAnswer)
    assert turn.session == begin(name=name)
    assert turn.events == ()


def test_the_same_answer_again_costs_no_try() -> None:
    """Pressing Enter twice is not two tries."""
    *_, turn = play(begin(), "a", " A ")
    assert isinstance(turn.feedback, UnreadableAnswer)
    assert turn.session.record("Q1.one").tries == 1


def test_few_options_allow_fewer_tries() -> None:
    """With two options the second try is the last."""
    first, second = play(begin(name="Q2"), "c", "?")
    assert first.feedback == WrongAnswer(0.0, None, None, 1, 0.5, "c")
    card = quiz_session.current(second.session)
    assert card is not None and card.tries == 2


def test_partial_credit_counts_for_the_best_try() -> None:
    """Half of it at the first try is worth more than a quarter of all at the third."""
    *_, turn = play(begin(name="Q1.some"), "a", "c", "a, b")
    assert isinstance(turn.feedback, Settled)
    assert (turn.feedback.record.status, turn.feedback.record.earned) == (Status.PASSED, 0.5)


def test_the_learners_own_numbers() -> None:
    """Numbers that are drawn stand in the question and in the explanation."""
    session = begin(name="Q1.number")
    card = quiz_session.current(session)
    assert card is not None
    (turn,) = play(session, ":key")
    assert isinstance(turn.feedback, Settled) and turn.feedback.explain is not None
    assert turn.feedback.explain.en in ("Because of 8.", "Because of 16.")
    assert turn.feedback.sources == (SOURCES[1],)


def test_waiting_for_a_person_is_no_lost_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that somebody has to mark settles the item and counts neither way."""
    judged = quiz_session.items.Judgment(Status.PENDING, 0.5, WORDS)
    monkeypatch.setattr(quiz_session.items, "judge", lambda *_: judged)
    (turn,) = play(begin(name="Q1.one"), "whatever")
    assert isinstance(turn.feedback, Settled)
    assert (turn.feedback.record.status, turn.feedback.message) == (Status.PENDING, WORDS)
    (tally,) = quiz_session.summary(turn.session).tallies
    assert (tally.earned, tally.possible, tally.settled) == (0.0, 0.0, 1)


# --------------------------------------------------------------------------------------------- moving


def asked(session: Session) -> str | None:
    """The item that is being asked."""
    card = quiz_session.current(session)
    return card.item.id if card else None


@pytest.mark.parametrize(
    ("typed", "why", "at"),
    [
        ([":skip"], "skipped", "Q1.number"),
        ([":back"], "first", "Q1.one"),
        (["d", ":next", ":back"], "back", "Q1.one"),
        (["d", ":next"], "next", "Q1.number"),
        (["d", ":skip"], "next", "Q1.number"),
        (["d", "anything"], "next", "Q1.number"),
        (["d", ":next", ":back", ":next"], "next", "Q1.number"),
        (["?"], "help", "Q1.one"),
        ([":follow"], "nothing to follow", "Q1.one"),
        ([":lang"], "lang", "Q1.one"),
        ([":quit"], "quit", None),
        ([":skip"] * 4, "skipped", "Q1.one"),
        ([":skip"] * 5, "left", "Q1.number"),
    ],
)
def test_moving(typed: list[str], why: str, at: str | None) -> None:
    """Where each command leads."""
    turn = play(begin(), *typed)[-1]
    assert turn.feedback == Navigation(why)
    assert asked(turn.session) == at


def test_sources_are_cited_in_full_once() -> None:
    """Feedback says which of its sources the feedback on another item has named, on an earlier day too."""
    first, *_, second = play(begin(), "d", ":next", ":key", ":next", ":key")
    found = [turn.feedback for turn in (first, second)]
    assert [each.cited for each in found if isinstance(each, quiz_session.Settled)] == [frozenset(), {"paper", "book"}]
    later = play(begin(*events([first])), ":key")[0].feedback
    assert isinstance(later, quiz_session.Settled)
    assert later.cited == {"paper"}


def test_skipped_items_are_counted() -> None:
    """Skipped items move to the end, so the number of the item stays; the card says how many will come again."""
    cards = [quiz_session.current(turn.session) for turn in play(begin(), *[":skip"] * 4)]
    assert [(card.number, card.skipped) for card in cards if card] == [(1, 1), (1, 2), (1, 3), (1, 3)]


def test_skipping_ends() -> None:
    """Whoever skips everything gets to the end: each item comes twice at most."""
    session, count = begin(), 0
    while not session.over:
        session, count = quiz_session.step(session, "skip", NOW).session, count + 1
    assert count <= 2 * len(session.order)
    assert quiz_session.summary(session).due == 4
    assert quiz_session.step(session, "skip", NOW).feedback == Navigation("quit")


def test_language_is_kept() -> None:
    """A switch of language is an event, and no answer is lost by it."""
    turns = play(begin(), "a", ":lang", ":lang")
    assert [turn.session.lang for turn in turns] == ["en", "zh", "en"]
    assert events(turns)[1:] == (Spoke(NOW, "test", "zh"), Spoke(NOW, "test", "en"))
    assert turns[-1].session.record("Q1.one").tries == 1


def test_an_item_about_just_this_comes_next() -> None:
    """Where the misconception has an item to ask next that is still open, it is moved to the front."""
    *_, settled, after = play(begin(), "b", "d", ":next")
    assert isinstance(settled.feedback, Settled) and settled.feedback.follows is not None
    assert settled.feedback.follows.id == asked(after.session) == "Q1.last"


def test_an_item_of_another_question_is_offered() -> None:
    """It comes if asked for, at once or instead of the one that came next."""
    *_, settled = turns = play(begin(), "c", "d")
    assert isinstance(settled.feedback, Settled) and settled.feedback.offer is not None
    assert settled.feedback.offer.id == "Q2.two"
    (at_once,) = play(settled.session, ":follow")
    assert at_once.feedback == Navigation("followed")
    assert asked(at_once.session) == "Q2.two"
    *_, later = play(turns[-1].session, ":next", ":follow")
    assert asked(later.session) == "Q2.two"
    *_, done = play(later.session, "d", ":next")
    assert asked(done.session) == "Q1.number"


def test_what_is_settled_is_not_asked_next() -> None:
    """An item that was settled before is neither moved nor offered."""
    known = Answered(NOW, "test", "Q1.last", "d", 1.0, Status.PASSED, None, 1, True)
    *_, turn = play(begin(known), "b", "d")
    assert isinstance(turn.feedback, Settled)
    assert (turn.feedback.follows, turn.feedback.offer) == (None, None)


# -------------------------------------------------------------------------------------------- going on


@pytest.mark.parametrize("stop", range(9))
def test_what_was_stored_is_all_that_is_needed(stop: int) -> None:
    """Killed after any answer, the next session stands where that one stood."""
    typed = ["a", "b", "d", ":next", ":skip", "a", "a, b", ":next", ":key"][: stop + 1]
    turns = play(begin(), *typed)
    before, after = turns[-1].session, begin(*events(turns))
    assert after.records == before.records
    still = [name for name in before.order if not before.record(name).settled]
    assert [name for name in after.order if not after.record(name).settled] == still
    assert asked(after) == next(iter(still), None)


def test_skipped_ones_come_last_in_the_order_of_skipping() -> None:
    """What was skipped once more comes last of all; what was answered since is skipped no more."""
    skips = [Skipped(NOW, "test", name) for name in ("Q1.one", "Q1.number", "Q1.one", "Q1.some")]
    answer = Answered(NOW, "test", "Q1.some", "c", 0.0, Status.FAILED, None, 1, False)
    assert begin(*skips, answer).order == ("Q1.some", "Q1.last", "Q1.number", "Q1.one")


def test_a_card_says_what_is_left() -> None:
    """Going on after a wrong answer: the next try, its worth, and the question to think about."""
    session = begin(*events(play(begin(), "a")))
    card = quiz_session.current(session)
    assert card is not None
    assert (card.number, card.total, card.record.tries, card.worth, card.reminder) == (1, 4, 1, 0.5, ASK)


def test_again_asks_anew() -> None:
    """With ``again`` nothing of the chosen items counts as settled, and the first answer begins anew."""
    log = events(play(begin(), "a", "d"))
    assert begin(*log).at == 1
    session = begin(*log, again=True)
    assert (session.at, session.record("Q1.one").tries) == (0, 0)
    (turn,) = play(session, "d")
    assert begin(*log, *turn.events).record("Q1.one").earned == 1.0


def test_unknown_items_in_the_log_do_no_harm() -> None:
    """A course may lose items."""
    gone = Answered(NOW, "test", "Q9.gone", {"a": 1}, 1.0, Status.PASSED, "gone", 1, True)
    session = begin(gone, Skipped(NOW, "test", "Q9.gone"), Named(NOW, "test", "ada"))
    assert asked(session) == "Q1.one"
    assert quiz_session.summary(session).met == ()


# -------------------------------------------------------------------------------------- code and the end


@pytest.mark.parametrize(
    ("coded", "expected"),
    [
        ([], "open"),
        ([(Status.PASSED, None)], "right"),
        ([(Status.FAILED, "halves")], "same"),
        ([(Status.FAILED, "halves"), (Status.PASSED, None)], "right"),
        ([(Status.FAILED, "other")], "open"),
    ],
)
def test_advice_knows_the_code(coded: list[tuple[Status, str | None]], expected: str) -> None:
    """What the learner's own code says about the same thing decides where to send them."""
    log = [Coded(NOW, "test", "half", status, belief) for status, belief in coded]
    *_, turn = play(begin(*log), "c", "b", "a")
    assert isinstance(turn.feedback, Settled) and turn.feedback.advice is not None
    assert turn.feedback.advice.state == expected


def test_summary() -> None:
    """Points by question, beliefs with whether they are overcome, and what is left."""
    *_, last = play(begin(), "a", "d", ":next", ":skip", "c", ":quit")
    found = quiz_session.summary(last.session)
    (tally,) = found.tallies
    assert (tally.settled, tally.count, tally.earned, tally.possible) == (1, 4, 1.0, 8.0)
    ((known, advice),) = found.met
    assert (known.belief.id, known.open, advice) == ("halves", False, None)
    assert found.due == 3
    *_, wrong = play(begin(), "c", "b", "a")
    names = {known.belief.id for known, _ in quiz_session.summary(wrong.session).met if known.open}
    assert names == {"halves", "jumps", "strays"}


def written(session: quiz_session.Session) -> str:
    """A new file with the answers of a session."""
    return answers_file.new_answers_file(session.learner, quiz_session.graded_answers(session))


def test_answers_file(tmp_path: Path) -> None:
    """The last answers to graded items, as a file that grading reads."""
    *_, last = play(begin(), "a", "d", ":next", ":skip", "a", "c")
    path = tmp_path / "answers.yaml"
    path.write_text(written(last.session), "utf-8")
    submission = read_submission(path)
    assert submission.learner == "ada"
    assert [(answer.item, answer.value) for answer in submission.answers or ()] == [("Q1.one", "d")]
    assert "answers: {}" in written(begin())


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("我　说：“{}”\t\\", "我　说：“{}”\t\\"),
        ("a\x7f\x85\u2028\ufeff\ufffe\x1b[0m", "a\x7f\x85\u2028\ufeff\ufffe\x1b[0m"),
        ("half \udc80 a \ud83d character", "half \ufffd a \ufffd character"),
    ],
)
def test_answers_file_of_anything(tmp_path: Path, typed: str, read: str) -> None:
    """What a terminal lets through stands in the file, too; only half characters, which no file can have, do not."""
    session = replace(begin(), learner=typed, records={"Q1.one": quiz_session.ItemRecord(1, answers=(typed,))})
    path = tmp_path / "answers.yaml"
    path.write_text(written(session), "utf-8")
    (answer,) = read_submission(path).answers or ()
    assert answer.value == read


# ------------------------------------------------------------------------------------- a file of answers


def graded(name: str | None, **given: object) -> tuple[list[tuple[str, Status]], list[str]]:
    """Items with their status, and notices."""
    answers = tuple(Answer(key.replace("_", "."), value, line) for line, (key, value) in enumerate(given.items(), 4))
    asked, stripped = answers_file.answers_only(
        COURSE, Submission("ada", (), answers), quiz_session.choose(COURSE, name)
    )
    report = grade(asked, stripped, lambda job, limits: pytest.fail("code was run"))
    assert not any(q.exercises for q in report.questions)
    found = [(each.id, each.status) for q in report.questions for each in q.items]
    return found, [notice.text.en for notice in report.notices]


def test_a_file_is_graded_without_code() -> None:
    """Items alone count, those for practice where they are answered; strange answers are named by their lines."""
    found, notices = graded(None, Q1_one="d", Q1_number=[1], Q1_some="a b", Q1_lost="a", Q2_two=None)
    assert found == [
        ("Q1.one", Status.PASSED),
        ("Q1.number", Status.FAILED),
        ("Q1.some", Status.PASSED),
        ("Q1.last", Status.MISSING),
        ("Q2.two", Status.MISSING),
    ]
    unknown, unreadable = notices
    assert unreadable.startswith("line 5: Q1.number: ")
    assert unknown.startswith("line 7: there is no item Q1.lost")


def test_a_file_is_graded_for_what_was_asked() -> None:
    """Answers to other questions neither count nor disturb."""
    found, notices = graded("Q2", Q1_one="x", Q2_two="d")
    assert (found, notices) == ([("Q2.two", Status.PASSED)], [])
    with pytest.raises(SubmissionError):
        graded("Q2", Q1_one="d")


def test_state_can_keep_every_event(tmp_path: Path) -> None:
    """What a session stores comes back as it was."""
    log = events(play(begin(), "a", ":lang", "d", ":next", ":skip", ":key"))
    path = tmp_path / "progress.jsonl"
    state.append(path, *log)
    assert state.read(path, "test") == log


# ------------------------------------------------------------------------------------- how it was read


FORMULA = Item("Q1.formula", "expression", WORDS, spec=Expression({"n": "positive integer"}, "n/2"), use="practice")
READING = course(question("Q1", HALF, items=[FORMULA]))


def reading(*typed: str, confirms: bool = True) -> list[StepResult]:
    """The turns of a session about a formula, with or without somebody who confirms."""
    session = quiz_session.begin(READING, "ada", "en", [FORMULA])
    return play(quiz_session.replace(session, confirms=confirms), *typed)


@pytest.mark.parametrize("yes", ["y", "YES", "是", "\\frac{n}{2} tokens"])
def test_what_looks_different_is_confirmed(yes: str) -> None:
    """Before it counts as an attempt; a yes, or the same answer once more, confirms it."""
    asked, done = reading("\\frac{n}{2} tokens", yes)
    assert asked.feedback == quiz_session.ReadingToConfirm(("n/2",)) and not asked.events
    assert isinstance(done.feedback, Settled) and done.feedback.record.status is Status.PASSED
    assert done.feedback.record.answers == ("\\frac{n}{2} tokens",)


@pytest.mark.parametrize("no", ["n", "No", "不", "否"])
def test_a_no_is_never_a_formula(no: str) -> None:
    """It takes the answer back, and costs no attempt; n without a question is the formula."""
    _, declined = reading("\\frac{n}{2} tokens", no)
    assert isinstance(declined.feedback, UnreadableAnswer) and not declined.events
    assert declined.session.doubted is None
    (wrong,) = reading("n")
    assert isinstance(wrong.feedback, WrongAnswer)


def test_another_answer_takes_its_place() -> None:
    """Then that one is judged, or asked about; what is obvious is judged at once."""
    first, second, third = reading("n^2 tokens", "n d", "n/2")
    assert isinstance(first.feedback, quiz_session.ReadingToConfirm) and isinstance(second.feedback, UnreadableAnswer)
    assert isinstance(third.feedback, Settled) and len(third.events) == 1
    (wrong,) = reading("n**2")
    assert isinstance(wrong.feedback, WrongAnswer)


def test_nobody_confirms_a_pipe() -> None:
    """There, the next line is the next answer; and a yes without a question is an answer like any other."""
    (turn,) = reading("\\frac{n}{2} tokens", confirms=False)
    assert isinstance(turn.feedback, Settled)
    assert isinstance(reading("y")[0].feedback, UnreadableAnswer)
