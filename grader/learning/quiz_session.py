"""The quiz as a pure state machine: ``step(session, action, now)`` returns the next session, feedback and events.

Nothing here reads, writes or prints. What has to be saved is returned as events (``grader.learning.log``), and
``begin`` rebuilds a session from such events, so a killed quiz continues where it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from grader.core import score
from grader.core.errors import UsageError
from grader.core.model import Course, Exercise, Item, Lang, Message, Misconception, Question, Source, Status, Text
from grader.core.tables import table
from grader.core.text import suggestion
from grader.course import items, misconceptions
from grader.learning import numbers, progress
from grader.learning.log import Answered, Coded, Event, Explained, Skipped, Spoke

#: Attempts per item. A choice with few options allows fewer: picking the last option left would prove nothing.
_TRIES = 3
#: The most characters in an answer.
_LONGEST = 10_000
_ANOTHER_WAY = Message("Then write your answer in another way. This did not count as an attempt.")
_SAME = Message("You have already tried this answer, and it is not correct.")
_WHICH = Message("Which of these points did your answer make? Go by what it says, not by what you meant.")
_WHICH_HOW = Message("Write the numbers, such as 1 3, or 0 for none.")
_NO_POINT = Message("Choose the points that your answer made, or none of them, but not both.")
#: The choice of somebody whose answer made no key point.
NONE = items.Choice(items.NONE, Message("None of these"))
_YES = frozenset({"y", "yes", "ok", "是", "对", "是的"})
_NO = frozenset({"n", "no", "nope", "不", "否", "不是"})
_TOO_LONG = Message("The answer is longer than {most} characters.")

# ------------------------------------------------------------------------------------------- typed input

Command: TypeAlias = Literal["skip", "back", "quit", "lang", "key", "follow", "help", "next"]


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """An answer, as written in a file: options by their ids."""

    text: str


@dataclass(frozen=True, slots=True)
class UnreadableAnswer:
    """The answer could not be parsed, or does not choose options by their numbers; it did not count as an attempt."""

    message: Text | None


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """A word after a colon that is not a command."""

    word: str


Action: TypeAlias = TypedAnswer | UnreadableAnswer | UnknownCommand | Command

_COMMAND = re.compile(r"\s*[:：]\s*(\S+)\s*")


def read(line: str, asked: items.Prompt | None = None) -> Action:
    """Parses a typed line: a command such as ``:skip``, ``?`` for help, or else an answer.

    If what is ``asked`` has options, the answer has to name them by the numbers that they are shown with.
    """
    if line.strip() in ("?", "？"):
        return "help"
    match = _COMMAND.fullmatch(line)
    if match is not None:
        commands = table(__file__, "commands.yaml").items()
        return next((name for name, words in commands if match[1].lower() in words), UnknownCommand(match[1]))
    if asked is None or not asked.choices or not line.strip():
        return TypedAnswer(line)
    answer = numbers.read(asked, line)
    return TypedAnswer(answer) if isinstance(answer, str) else UnreadableAnswer(answer)


# ------------------------------------------------------------------------------------------- the session


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """The attempts at one item since it was last started afresh.

    ``earned`` is a share of its points, from 0 to 1; ``met`` are the misconceptions shown, oldest first.
    """

    tries: int = 0
    earned: float = 0.0
    settled: bool = False
    status: Status = Status.MISSING
    answers: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """The state of a quiz: the item at index ``at`` of ``order`` is being asked.

    ``log`` holds all events ever stored. ``passed_over`` are the items skipped in this session; ``offer`` is the id
    of an item that the learner may follow up with; ``left`` is true once the learner has quit. While ``comparing``, the
    learner says which key points the answer just given has made. With ``confirms``, a formula that was read as
    something that looks different is shown before it is judged: ``doubted`` is the answer that waits for a yes.
    """

    course: Course
    learner: str
    lang: Lang
    order: tuple[str, ...]
    records: Mapping[str, ItemRecord]
    log: tuple[Event, ...]
    at: int = 0
    passed_over: frozenset[str] = frozenset()
    offer: str | None = None
    left: bool = False
    comparing: bool = False
    confirms: bool = False
    doubted: str | None = None

    @property
    def over(self) -> bool:
        """Whether there is nothing left to ask."""
        return self.left or self.at >= len(self.order)

    def record(self, item: str) -> ItemRecord:
        """The record of ``item``; empty if it was never answered."""
        return self.records.get(item, ItemRecord())


@dataclass(frozen=True, slots=True)
class QuizCard:
    """The item being asked, with this learner's numbers and option order.

    ``worth`` is the share of its points that the next attempt can earn, from 0 to 1; ``tries`` is how many attempts
    there are in all; ``reminder`` is the question to think about after an earlier mistake. With ``compares``, it asks
    which key points the answer to the item has made. ``skipped`` items will be asked again at the end.
    """

    number: int
    total: int
    question: Question
    item: Item
    context: items.Context
    ask: Text
    asked: items.Prompt
    record: ItemRecord
    tries: int
    worth: float
    reminder: Text | None
    compares: bool = False
    skipped: int = 0


def choose(course: Course, name: str | None) -> tuple[Item, ...]:
    """The items that ``name`` selects: those of a question or group (by id or title), an item, or (None) all of them.

    Raises UsageError if ``name`` does not exist or has no items.
    """
    folded = (name or "").lower()
    number = f"q{folded.removeprefix('q').lstrip('0')}"
    called = {group: {group.lower(), title.en.lower(), title.zh} for group, title in course.groups}
    chosen = [
        question
        for question in course.questions
        if name is None
        or folded in called.get(question.group, {question.group.lower()})
        or question.id.lower() == number
    ]
    chosen_items = tuple(item for question in chosen for item in question.items)
    chosen_items = chosen_items or tuple(i for i in course.items if i.id.lower() == folded)
    if chosen_items:
        return chosen_items
    if chosen:
        said = Message("{chosen} has no quiz items; `attncheck show {chosen}` lists what it has.")
        raise UsageError(said.fill(chosen=chosen[0].id))
    groups = [*(group for group, _ in course.groups), *(q.id for q in course.questions)]
    possible = (*groups, *(i.id for i in course.items))
    said = Message("There is no question, group or item “{name}”. {hint}")
    raise UsageError(said.fill(name=name, hint=suggestion(folded, possible, groups)))


def begin(
    course: Course, learner: str, lang: Lang, chosen: Sequence[Item], log: Sequence[Event] = (), *, again: bool = False
) -> Session:
    """A session on ``chosen`` that continues where the one that stored ``log`` stopped.

    Settled items come first and are not asked again; skipped items come last. With ``again``, all items are asked
    afresh.
    """
    records: dict[str, ItemRecord] = {}
    skipped: dict[str, None] = {}
    for event in log:
        if isinstance(event, Answered):
            records[event.item] = _after(records.get(event.item, ItemRecord()), event)
            skipped.pop(event.item, None)
        elif isinstance(event, Skipped):
            skipped.pop(event.item, None)
            skipped[event.item] = None
    ids = [item.id for item in chosen]
    if again:
        records = {name: record for name, record in records.items() if name not in ids}
        skipped = {}
    settled = [name for name in ids if name in records and records[name].settled]
    last = [name for name in skipped if name in ids and name not in settled]
    order = (*settled, *(name for name in ids if name not in {*settled, *last}), *last)
    session = Session(course, learner, lang, order, records, tuple(log), at=len(settled))
    return replace(session, order=_moved(order, _left_at(session, () if again else log), session.at))


def current(session: Session) -> QuizCard | None:
    """The item being asked; None when the session is over."""
    if session.over:
        return None
    question, item = _find(session.course, session.order[session.at])
    context = items.Context(session.course.public_id, session.learner, item.id)
    asked = items.ask(item, context)
    record = session.record(item.id)
    belief = question.misconception(record.met[-1]) if record.met else None
    if session.comparing:
        record, asked = ItemRecord(), items.Prompt("many", _WHICH_HOW, (*items.key_points(item), NONE))
    return QuizCard(
        number=session.at + 1,
        total=len(session.order),
        question=question,
        item=item,
        context=context,
        ask=_WHICH if session.comparing else items.fill(item.ask, items.draw(item.spec, context)),
        asked=numbers.asked_by_number(asked) if not session.comparing else asked,
        record=record,
        tries=_tries(asked),
        worth=score.practice(1.0, attempt=record.tries + 1),
        reminder=(belief.ask_item or belief.ask) if belief is not None and not record.settled else None,
        compares=session.comparing,
        skipped=sum(name in session.passed_over for name in session.order[session.at + 1 :]),
    )


def _tries(asked: items.Prompt) -> int:
    return max(2, min(_TRIES, len(asked.choices) - 1)) if asked.form == "one" else _TRIES


def _find(course: Course, name: str) -> tuple[Question, Item]:
    return next((q, item) for q in course.questions for item in q.items if item.id == name)


def _after(record: ItemRecord, event: Answered) -> ItemRecord:
    """``record`` with one more answer; attempt 1 starts a new record."""
    before = ItemRecord() if event.attempt == 1 else record
    value = event.value if isinstance(event.value, str) else ""
    return ItemRecord(
        tries=event.attempt,
        earned=max(before.earned, score.practice(event.fraction, attempt=event.attempt)),
        settled=event.settled,
        status=Status(event.status),
        answers=(*before.answers, value) if value else before.answers,
        met=(*before.met, event.misconception) if event.misconception else before.met,
    )


# ---------------------------------------------------------------------------------------------- feedback


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An incorrect answer with attempts left.

    ``fraction`` is the correct share of the answer. ``ask`` is the guiding question of the misconception.
    ``left`` is how many attempts remain, and ``worth`` the share of the points that the next one can earn. ``place`` is
    the part that is wrong, as in ``items.Judgment``.
    """

    fraction: float
    message: Text | None
    ask: Text | None
    left: int
    worth: float
    place: str | None = None


@dataclass(frozen=True, slots=True)
class ExerciseAdvice:
    """An exercise that detects the misconception.

    ``state`` says how far the learner's code is: ``right``, making the ``same`` mistake, or ``open``.
    """

    exercise: str
    question: str
    state: Literal["right", "same", "open"]


@dataclass(frozen=True, slots=True)
class Settled:
    """The item is settled: the record, whose status is the outcome, and the full feedback.

    ``key`` is None in editions without answer keys. ``follows`` is an item about the same misconception that comes
    next; ``offer`` is one from elsewhere that the learner may ask for. ``words`` is the learner's answer, if there are
    key points to compare it with, and ``unlike`` corrects the misconceptions it should not be confused with. ``cited``
    are the ids of sources that the feedback on another item has named already.
    """

    record: ItemRecord
    points: float
    message: Text | None
    truth: Text | None
    key: Text | None
    explain: Text | None
    sources: tuple[Source, ...]
    advice: ExerciseAdvice | None = None
    follows: Item | None = None
    offer: Item | None = None
    words: str | None = None
    unlike: tuple[Text, ...] = ()
    cited: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Navigation:
    """A command was carried out, or could not be; ``why`` says which."""

    why: Literal[
        "next", "skipped", "left", "back", "first", "lang", "help", "followed", "nothing to follow", "no key", "quit"
    ]


@dataclass(frozen=True, slots=True)
class ReadingToConfirm:
    """How the formulas of an answer were read, where that looks different; judged only if the learner says yes."""

    formulas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyPointsCompared:
    """The learner has said which key points their answer made: ``said`` of ``points``; ``missing`` are the others."""

    said: int
    points: int
    missing: tuple[Text, ...]


Feedback: TypeAlias = (
    UnreadableAnswer | UnknownCommand | WrongAnswer | Settled | KeyPointsCompared | ReadingToConfirm | Navigation
)


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of an action: the next session, the feedback, and the events to save before showing it."""

    session: Session
    feedback: Feedback
    events: tuple[Event, ...] = ()


def step(session: Session, action: Action, now: datetime) -> StepResult:
    """The result of ``action`` at time ``now``. Pure."""
    card = current(session)
    if card is None or action == "quit":
        return StepResult(replace(session, left=True), Navigation("quit"))
    turn = _anywhere(session, card, action, now)
    if turn is not None:
        return turn
    if card.compares:
        return _compare(session, card, action, now)
    if card.record.settled:
        return StepResult(_onward(session), Navigation("next"))
    match action:
        case TypedAnswer(text):
            return _answer(session, card, text, now)
        case "key" if card.item.sealed:
            return StepResult(session, Navigation("no key"))
        case "key":
            return _settle(session, card, "", items.Judgment(Status.MISSING, 0.0), now)
        case _:  # "skip" or "next"
            return _skip(session, card, now)


def _anywhere(session: Session, card: QuizCard, action: Action, now: datetime) -> StepResult | None:
    """The result of a command that works at any item, settled or not; None for other actions."""
    match action:
        case UnknownCommand() | UnreadableAnswer():
            return StepResult(session, action)
        case "help":
            return StepResult(session, Navigation("help"))
        case "lang":
            lang: Lang = "en" if session.lang == "zh" else "zh"
            return _store(replace(session, lang=lang), Navigation("lang"), Spoke(now, session.course.public_id, lang))
        case "back":
            before = replace(session, at=max(0, session.at - 1), comparing=False, doubted=None)
            return StepResult(before, Navigation("back" if session.at else "first"))
        case "follow":
            return _follow(session, card)
    return None


def _answer(session: Session, card: QuizCard, text: str, now: datetime) -> StepResult:
    """The result of an answer to an item that is not settled."""
    if len(text) > _LONGEST:
        return StepResult(session, UnreadableAnswer(_TOO_LONG.fill(most=_LONGEST)))
    if _normalized(text) in map(_normalized, card.record.answers):
        return StepResult(session, UnreadableAnswer(_SAME))
    if session.doubted is not None and _normalized(text) in _NO:  # never the formula n
        return StepResult(replace(session, doubted=None), UnreadableAnswer(_ANOTHER_WAY))
    if session.doubted is not None and _normalized(text) in _YES:
        text = session.doubted
    elif session.confirms and (formulas := items.doubtful(card.item, text.strip())) and text != session.doubted:
        return StepResult(replace(session, doubted=text), ReadingToConfirm(formulas))
    session = replace(session, doubted=None)
    judged = items.judge(card.item, text.strip(), card.context)
    if not judged.readable:
        return StepResult(session, UnreadableAnswer(judged.message))
    return _settle(session, card, text.strip(), judged, now)


def _compare(session: Session, card: QuizCard, action: Action, now: datetime) -> StepResult:
    """The result of ticking key points; a command leaves all of them open."""
    done = replace(session, comparing=False)
    if not isinstance(action, TypedAnswer):
        return StepResult(done, Navigation("next"))
    points = items.key_points(card.item)
    chosen = set(re.sub(r"[\W_]", "", action.text).casefold())
    if not chosen or not (chosen <= {point.id for point in points} or chosen == {NONE.id}):
        return StepResult(session, UnreadableAnswer(_NO_POINT))
    chosen -= {NONE.id}
    event = Explained(now, session.course.public_id, card.item.id, tuple(sorted(chosen)), len(points))
    missing = tuple(point.text for point in points if point.id not in chosen)
    return _store(done, KeyPointsCompared(len(chosen), len(points), missing), event)


def _normalized(text: str) -> str:
    """``text`` without white space and case, to compare answers."""
    return "".join(text.split()).casefold()


def _store(session: Session, feedback: Feedback, *events: Event) -> StepResult:
    return StepResult(replace(session, log=(*session.log, *events)), feedback, events)


def _onward(session: Session) -> Session:
    """``session`` at the next item that is not settled."""
    session = replace(session, doubted=None)
    later = range(session.at + 1, len(session.order))
    index = next((index for index in later if not session.record(session.order[index]).settled), len(session.order))
    return replace(session, at=index)


def _skip(session: Session, card: QuizCard, now: datetime) -> StepResult:
    """Moves the item to the end the first time it is skipped, and past it the second time."""
    name = card.item.id
    event = Skipped(now, session.course.public_id, name)
    if name in session.passed_over or session.at == len(session.order) - 1:
        return _store(_onward(session), Navigation("left"), event)
    order = (*(item for item in session.order if item != name), name)
    moved = replace(session, order=order, passed_over=session.passed_over | {name}, at=session.at - 1)
    return _store(_onward(moved), Navigation("skipped"), event)


def _follow(session: Session, card: QuizCard) -> StepResult:
    """Inserts the offered item before the one being asked (after it, if that is settled)."""
    if session.offer is None:
        return StepResult(session, Navigation("nothing to follow"))
    place = session.at + (card.record.settled or card.compares)
    order = (*session.order[:place], session.offer, *session.order[place:])
    return StepResult(replace(session, order=order, at=place, offer=None, comparing=False), Navigation("followed"))


def _settle(session: Session, card: QuizCard, value: str, judged: items.Judgment, now: datetime) -> StepResult:
    attempt = card.record.tries + 1
    final = judged.status is not Status.FAILED or attempt >= card.tries
    event = Answered(
        at=now,
        course=session.course.public_id,
        item=card.item.id,
        value=value,
        fraction=judged.fraction,
        status=judged.status,
        misconception=judged.misconception,
        attempt=attempt,
        settled=final,
    )
    record = _after(card.record, event)
    after = replace(session, records={**session.records, card.item.id: record}, log=(*session.log, event))
    if not final:
        belief = card.question.misconception(judged.misconception)
        worth = score.practice(1.0, attempt=attempt + 1)
        ask = (belief.ask_item or belief.ask) if belief else None
        wrong = WrongAnswer(judged.fraction, judged.message, ask, card.tries - attempt, worth, judged.place)
        return StepResult(after, wrong, (event,))
    after = replace(after, offer=None, comparing=bool(value and items.key_points(card.item)))
    feedback = replace(settled(replace(after, comparing=False)), message=None if after.comparing else judged.message)
    after, feedback = _joined(after, feedback)
    return StepResult(after, feedback, (event,))


def settled(session: Session) -> Settled:
    """The full feedback on the current item, which must be settled."""
    card = current(session)
    assert card is not None and card.record.settled
    record, question, item = card.record, card.question, card.item
    belief = question.misconception(record.met[-1]) if record.met else None
    cited = item.sources or question.sources
    return Settled(
        record=record,
        points=item.points,
        message=items.kept_without_key(item) if item.sealed and record.status is Status.PENDING else None,
        truth=belief.truth if belief else None,
        key=None if item.sealed else items.key_by_number(item, card.context),
        explain=items.fill(item.explain, items.draw(item.spec, card.context)) if item.explain else None,
        sources=tuple(source for source in session.course.sources if source.id in cited),
        advice=_advice(session, question, belief) if belief else None,
        words=record.answers[-1] if record.answers and items.key_points(item) else None,
        unlike=_unlike(question, item),
        cited=_cited(session, item),
    )


def _cited(session: Session, current: Item) -> frozenset[str]:
    """The sources that were named after other items."""
    done = {name for name, record in session.records.items() if record.settled and name != current.id}
    return frozenset(
        source
        for question in session.course.questions
        for item in question.items
        if item.id in done
        for source in item.sources or question.sources
    )


def _unlike(question: Question, item: Item) -> tuple[Text, ...]:
    """What corrects the misconceptions that the right answer to an item with key points is not to be confused with."""
    if not items.key_points(item):
        return ()
    beliefs = (question.misconception(name) for name in sorted(misconceptions.misconceptions_of(item)))
    return tuple(belief.truth for belief in beliefs if belief is not None)


def _joined(session: Session, feedback: Settled) -> tuple[Session, Settled]:
    """Schedules an item about the misconception next; one outside the session is only offered."""
    name = _asks_next(session, session.order[session.at])
    if name is None or name in session.order[: session.at]:
        return session, feedback
    item = _find(session.course, name)[1]
    if name not in session.order:
        return replace(session, offer=name), replace(feedback, offer=item)
    return replace(session, order=_moved(session.order, name, session.at + 1)), replace(feedback, follows=item)


def _left_at(session: Session, log: Sequence[Event]) -> str | None:
    """The item to resume at: the one answered last, or if that is settled, its follow-up."""
    last = next((event for event in reversed(log) if isinstance(event, (Answered, Skipped))), None)
    if not isinstance(last, Answered) or last.item not in session.order:
        return None
    return _asks_next(session, last.item) if session.record(last.item).settled else last.item


def _asks_next(session: Session, name: str) -> str | None:
    """An unsettled item that asks about the misconception shown last at item ``name`` again, if there is one."""
    record = session.record(name)
    if not record.met:
        return None
    question, item = _find(session.course, name)
    candidates = misconceptions.follow_ups(session.course, record.met[-1], question, item)
    return next((candidate.id for candidate in candidates if not session.record(candidate.id).settled), None)


def _moved(order: tuple[str, ...], name: str | None, to: int) -> tuple[str, ...]:
    """``order`` with ``name`` moved to index ``to``; unchanged if ``name`` is not at or after ``to``."""
    if name is None or name not in order[to:]:
        return order
    return (*order[:to], name, *(item for item in order[to:] if item != name))


def _advice(session: Session, question: Question, belief: Misconception) -> ExerciseAdvice | None:
    """An exercise about the misconception; one that the learner has already coded comes first."""
    exercises = misconceptions.exercises_about(session.course, belief.id, question)
    last = {event.exercise: event for event in session.log if isinstance(event, Coded)}
    advices = [_advise(session.course, exercise, belief.id, last.get(exercise.name)) for exercise in exercises]
    rank = {"same": 0, "right": 1, "open": 2}
    return min(advices, key=lambda advice: rank[advice.state], default=None)


def _advise(course: Course, exercise: Exercise, belief: str, coded: Coded | None) -> ExerciseAdvice:
    home = next(q.id for q in course.questions if exercise in q.exercises)
    state: Literal["right", "same", "open"] = "open"
    if coded is not None and coded.misconception == belief:
        state = "same"
    elif coded is not None and coded.status == Status.PASSED:
        state = "right"
    return ExerciseAdvice(exercise.name, home, state)


# ------------------------------------------------------------------------------------------------ the end


@dataclass(frozen=True, slots=True)
class Tally:
    """The points of one question's items; items that are not graded automatically are left out of both sums."""

    question: Question
    settled: int
    count: int
    earned: float
    possible: float


#: A misconception that answers showed, with an exercise about it if it is open and may be told.
SeenMisconception: TypeAlias = tuple[progress.MisconceptionProgress, ExerciseAdvice | None]


@dataclass(frozen=True, slots=True)
class QuizSummary:
    """The end of a quiz. ``due`` is how many items are not settled."""

    tallies: tuple[Tally, ...]
    met: tuple[SeenMisconception, ...]
    due: int


def summary(session: Session) -> QuizSummary:
    """The points by question, the misconceptions shown, and how many items are left."""
    pairs = [_find(session.course, name) for name in session.order]
    tallies = []
    for question in session.course.questions:
        own = [item for q, item in pairs if q.id == question.id]
        done = [(item, session.record(item.id)) for item in own if session.record(item.id).settled]
        if own:
            earned = sum(item.points * record.earned for item, record in done if record.status is not Status.PENDING)
            waiting = sum(item.points for item, record in done if record.status is Status.PENDING)
            possible = sum(item.points for item in own) - waiting
            tallies.append(Tally(question, len(done), len(own), score.tidy(earned), possible))
    due = sum(not session.record(name).settled for name in session.order)
    return QuizSummary(tuple(tallies), tuple(_met(session, pairs)), due)


def _met(session: Session, pairs: Iterable[tuple[Question, Item]]) -> Iterator[SeenMisconception]:
    home = {item.id: question.id for question, item in pairs}
    answered = [event for event in session.log if isinstance(event, Answered) and event.item in home]
    shown = {(home[event.item], event.misconception) for event in answered}
    for misconception in progress.progress_of(session.course, session.log).beliefs:
        question, belief = misconception.question, misconception.belief
        if (question.id, belief.id) in shown:
            tells = misconception.open and misconception.told
            advice = _advice(session, question, belief) if tells else None
            yield misconception, advice


def graded_answers(session: Session, *, settled: bool = False) -> dict[str, str]:
    """The last answer to each graded item of the session, correct or not; with ``settled``, to settled items only."""
    asked = {*session.order}
    graded = [i.id for i in session.course.items if i.use == "graded" and i.id in asked]
    records = {name: session.record(name) for name in graded}
    return {
        name: record.answers[-1]
        for name, record in records.items()
        if record.answers and (record.settled or not settled)
    }


def all_graded_answers(course: Course, log: Sequence[Event], *, settled: bool = False) -> dict[str, str]:
    """The last answer in ``log`` to each graded item of ``course``; see ``graded_answers``."""
    return graded_answers(begin(course, "", "en", course.items, log), settled=settled)
