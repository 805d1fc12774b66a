"""A learner's progress as a map of the questions, as the details of one question, and as JSON data."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.core import score
from grader.core.layout import cells, pad
from grader.core.model import Course, Exercise, Message, Status, Text
from grader.core.serialize import picked
from grader.core.tables import table, texts
from grader.core.text import LABELED, LONGEST_NAME, PARENTHESIZED, STATUS, clean, points
from grader.course.starter import file_name
from grader.learning import next_step

if TYPE_CHECKING:
    from grader.core.page import Page
from grader.learning.progress import ExerciseProgress, ItemProgress, MisconceptionProgress, Progress, QuestionProgress

# ---------------------------------------------------------------------------------------------- texts

_TITLE = Message("Your progress")
_OF_LEARNER = Message("Progress of {learner}")
_SHARE = Message("items {right}/{items} · code {passed}/{exercises}")
_MARKS = Message("✓ correct  ✗ incorrect  ~ in progress  ? not auto-graded  . not started")
_MORE = Message("and {count} more; `attncheck progress Q…` shows those of one question")
_ONCE = Message("seen once")
_DONE = Message("cleared up")
_ITEM = Message("{item} asks about exactly this: `attncheck quiz {item}`")

_RIGHT_AT = {1: Message("correct on the first attempt"), 2: Message("correct on the second attempt")}
_MADE = Message("{said} of {points} key points, in your own judgement")

HINT = Message("{name}, hint {rung} of {rungs}:")
_LAST = Message("This was the last hint for {name}.")
_NO_MORE = Message("There are no more hints for {name}; --rung N shows an earlier one again.")
_COST = Message("Hints cost practice points only ({left} of {all} left here); they never affect your grade.")

_BELIEFS_SHOWN = 5
_GAP = 3

# ------------------------------------------------------------------------------------------------ map


def overview(page: Page, progress: Progress, course: Course, due: int, present: Sequence[str] = ()) -> None:
    """All questions on one page, open misconceptions, and what to do next; see ``next_step``."""
    title = _OF_LEARNER.fill(learner=clean(progress.learner, LONGEST_NAME)) if progress.learner else _TITLE
    page.row([(page.say(title), "bold")], _share(page, progress.questions), style="bold")
    page.rule()
    if not progress.begun:
        _begin(page, progress)
        return
    if page.plain:
        _in_words(page, progress)
        _open(page, progress)
        _next(page, progress, due, present)
        return
    name = max(cells(known.question.id) for known in progress.questions)
    width = max(_width(_cell(known, name)) for known in progress.questions)
    for group, title in _groups(course, progress):
        questions = [known for known in progress.questions if known.question.group == group]
        page.row([(page.say(title), "bold")], _share(page, questions), style="dim")
        _cells(page, questions, name, width)
    page.blank()
    page.lines(page.say(Message("One mark per item; marks [in brackets] are exercises:")), style="dim")
    page.lines(page.say(_MARKS), style="dim", indent=2)
    _open(page, progress)
    _next(page, progress, due, present)


def _begin(page: Page, progress: Progress) -> None:
    page.lines(page.say(Message("Nothing is saved here yet. To begin:")))
    first = progress.questions[0].question
    values = {"id": first.id, "file": file_name(first)}
    commands = texts(__file__, "words.yaml", "begin").items()
    rows = [(text.format(**values), page.say(description.fill(**values))) for text, description in commands]
    wide = max(cells(text) for text, _ in rows)
    for text, description in rows:
        page.lines(description, lead=f"  {pad(text, wide)}  ")


def _in_words(page: Page, progress: Progress) -> None:
    """A line for each question that was begun, and one for all others."""
    words = texts(__file__, "words.yaml", "standings")
    for known in progress.questions:
        if known.begun:
            counts: Counter[str] = Counter(known.standings)
            counted = [
                page.say(Message("{count} {what}"), count=counts[standing], what=what)
                for standing, what in words.items()
                if counts[standing]
            ]
            page.lines(page.say(LABELED, who=known.question.id, said=page.listed(counted)))
    rest = [known.question.id for known in progress.questions if not known.begun]
    if rest:
        page.lines(page.say(LABELED, who=words["new"], said=page.listed(rest)))


def _groups(course: Course, progress: Progress) -> Iterator[tuple[str, Text]]:
    """The groups that have questions, with their titles, in course order."""
    titles = dict(course.groups)
    used = dict.fromkeys(known.question.group for known in progress.questions)
    ordered = [name for name in titles if name in used] + [name for name in used if name not in titles]
    yield from ((name, titles.get(name, Text(name, name))) for name in ordered)


def _share(page: Page, questions: Sequence[QuestionProgress]) -> str:
    items = [item.standing for known in questions for item in known.items]
    exercises = [exercise.standing for known in questions for exercise in known.exercises]
    right, passed = items.count("right"), exercises.count("right")
    return page.say(_SHARE, right=right, items=len(items), passed=passed, exercises=len(exercises))


def _mark(known: ItemProgress | ExerciseProgress) -> tuple[str, str]:
    sign, style = table(__file__, "words.yaml")["marks"][known.standing]
    return sign, style


def _cell(known: QuestionProgress, name: int) -> list[tuple[str, str]]:
    """A question on the map, as styled pieces; its id is padded to ``name`` cells."""
    marks = [*map(_mark, known.items)]
    pieces = [(f"{pad(known.question.id, name)} ", "bold" if known.begun else ""), *marks]
    if known.exercises:
        pieces += [(" [" if marks else "[", "dim"), *map(_mark, known.exercises), ("]", "dim")]
    return pieces


def _cells(page: Page, questions: Sequence[QuestionProgress], name: int, width: int) -> None:
    per_row = max(1, (page.width - 2 + _GAP) // (width + _GAP))
    for first in range(0, len(questions), per_row):
        pieces = [("  ", "")]
        for number, known in enumerate(questions[first : first + per_row]):
            if number:
                pieces.append((" " * (2 + number * (width + _GAP) - _width(pieces)), ""))
            pieces += _cell(known, name)
        page.pieces(pieces)


def _width(pieces: Sequence[tuple[str, str]]) -> int:
    return sum(cells(text) for text, _ in pieces)


def _open(page: Page, progress: Progress) -> None:
    """Misconceptions: open ones with something to think about, resolved ones by name."""
    still = [known for known in progress.beliefs if known.open]
    cleared = [known for known in progress.beliefs if not known.open]
    if still:
        page.blank()
        page.lines(page.say(Message("Open misconceptions ({count})"), count=len(still)), style="bold")
    for known in still[:_BELIEFS_SHOWN]:
        _think(page, known, progress)
    if len(still) > _BELIEFS_SHOWN:
        page.lines(page.say(_MORE, count=len(still) - _BELIEFS_SHOWN), indent=2, style="dim")
    if cleared:
        names = page.listed(dict.fromkeys(page.say(known.title) for known in cleared[:_BELIEFS_SHOWN]))
        if len(cleared) > _BELIEFS_SHOWN:
            names = page.say(Message("{names} and others"), names=names)
        page.blank()
        page.lines(page.say(Message("Resolved ({count}): {names}"), count=len(cleared), names=names), style="green")


def _think(page: Page, known: MisconceptionProgress, progress: Progress) -> None:
    """An open misconception: its guiding question, and the item about it unless that is already correct."""
    page.lines(_met(page, known), lead="  ✗ ", style="red")
    if known.belief.ask is not None:
        page.lines(page.say(known.belief.ask), indent=4, lead="→ ", style="cyan")
    asks = next((item for item in progress.items if item.item.id == known.belief.ask_next), None)
    if asks is not None and asks.standing != "right":
        page.lines(page.say(_ITEM, item=asks.item.id), indent=4, lead="→ ", style="cyan")


def _met(page: Page, known: MisconceptionProgress) -> str:
    times = page.say(_ONCE) if known.times == 1 else page.say(Message("seen {times} times"), times=known.times)
    return page.say(PARENTHESIZED, what=known.title, more=times)


def _next(page: Page, progress: Progress, due: int, present: Sequence[str]) -> None:
    page.blank()
    for line in next_step.told(next_step.next_step(progress, due, present), due, page.lang, page.width):
        page.lines(line)


# ----------------------------------------------------------------------------------------------- a hint


def hint(page: Page, exercise: Exercise, rung: int, taken: int, *, no_more: bool, ask: Text | None = None) -> None:
    """One hint and its cost.

    Args:
        page: where to write.
        exercise: the exercise that the hint is for.
        rung: the number of the hint, from 1.
        taken: how many hints were taken so far, this one included.
        no_more: whether the learner asked for one hint more than there are.
        ask: a question about the misconception that the code showed last; it costs nothing.
    """
    rungs = len(exercise.hints)
    if ask is not None:
        page.lines(page.say(ask), lead="→ ", style="cyan")
    page.lines(page.say(HINT, name=exercise.name, rung=rung, rungs=rungs))
    page.lines(page.say(exercise.hints[rung - 1]), indent=2)
    page.blank()
    if rung == rungs:
        page.lines(page.say(_NO_MORE if no_more else _LAST, name=exercise.name), style="dim")
    left = score.tidy(exercise.points * score.practice(1.0, hints=taken))
    page.lines(page.say(_COST, left=points(left), all=points(exercise.points)), style="dim")


# ----------------------------------------------------------------------------------------- one question


def detail(page: Page, progress: Progress, name: str) -> None:
    """The items, exercises and misconceptions of one question."""
    known = progress.question(name)
    title = f"{known.question.id}  {page.say(known.question.title)}"
    page.row([(title, "bold")], _share(page, [known]), style="bold")
    page.rule()
    names = [*(item.item.id for item in known.items), *(each.exercise.name for each in known.exercises)]
    wide = max(map(cells, names), default=0)
    for item in known.items:
        title = f"{page.say(item.item.title)} · " if item.item.title else ""
        _line(page, item, pad(item.item.id, wide), f"{title}{_said_of_item(page, item)}")
    for exercise in known.exercises:
        _line(page, exercise, pad(exercise.exercise.name, wide), _said_of_code(page, exercise))
    if known.beliefs:
        page.blank()
        page.lines(page.say(Message("Misconceptions found")), style="bold")
    for belief in known.beliefs:
        if belief.open:
            _think(page, belief, progress)
        else:
            page.lines(f"{_met(page, belief)}  {page.say(_DONE)}", lead="  ✓ ", style="green")
            if belief.told:
                page.lines(page.say(belief.belief.truth), indent=4)


def _day(at: datetime) -> str:
    """The local date as ISO 8601; UTC where the local date would leave the calendar."""
    with contextlib.suppress(OverflowError):
        at = at.astimezone()
    return at.date().isoformat()


def _line(page: Page, known: ItemProgress | ExerciseProgress, name: str, said: str) -> None:
    mark, style = _mark(known)
    when = _day(known.at) if known.at is not None else ""
    page.row([(f"  {mark} ", style), (name, ""), (f"  {said}", "dim")], when, style="dim")


def _said_of_item(page: Page, known: ItemProgress) -> str:
    if known.standing == "right":
        return page.say(_RIGHT_AT.get(known.tries, Message("correct on attempt {tries}")).fill(tries=known.tries))
    if known.made is not None:
        return page.say(_MADE.fill(said=known.made[0], points=known.made[1]))
    return page.say(texts(__file__, "words.yaml", "one_standing")[known.standing])


def _said_of_code(page: Page, known: ExerciseProgress) -> str:
    not_graded = texts(__file__, "words.yaml", "standings")["new"]
    parts = [page.say(not_graded if known.status is None else STATUS[known.status])]
    if known.hints:
        parts.append(page.say(Message("{hints} of {all} hints used"), hints=known.hints, all=len(known.exercise.hints)))
    if known.status is Status.PASSED and known.hints:
        earned, possible = points(known.practice), points(known.exercise.points)
        parts.append(page.say(Message("practice points {earned} of {possible}"), earned=earned, possible=possible))
    return page.clauses(parts)


# --------------------------------------------------------------------------------------------- as data


def as_json(progress: Progress, due: int) -> dict[str, Any]:
    """The progress as JSON data (docs/json.md). ``format`` changes only when readers have to change."""
    return {
        "format": 1,
        "learner": progress.learner,
        "due": due,
        "questions": [of_question(known) for known in progress.questions],
    }


def of_question(known: QuestionProgress) -> dict[str, Any]:
    """One question of ``as_json``."""
    return {
        "id": known.question.id,
        "group": known.question.group,
        "items": [
            {"id": item.item.id, **picked(item, "standing", "tries"), "at": _time(item.at), "made": item.made}
            for item in known.items
        ],
        "exercises": [
            {"function": each.exercise.name, **picked(each, "standing", "status", "hints"), "at": _time(each.at)}
            for each in known.exercises
        ],
        "misconceptions": [
            {"id": each.belief.id, "open": each.open, "times": each.times, "at": _time(each.at)}
            for each in known.beliefs
        ],
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")
