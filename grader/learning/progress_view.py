"""A learner's progress as a map of the questions, as the details of one question, and as JSON data."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.core import score
from grader.core.layout import cells, pad
from grader.core.model import Course, Exercise, Status, Text
from grader.core.text import COMMA, LABELED, LONGEST_NAME, PARENTHESIZED, SEMICOLON, STATUS, clean, points
from grader.course.starter import file_name
from grader.learning.words import HINT

if TYPE_CHECKING:
    from grader.core.page import Page
    from grader.learning.progress import (
        ExerciseProgress,
        ItemProgress,
        MisconceptionProgress,
        Progress,
        QuestionProgress,
        Standing,
    )

# ---------------------------------------------------------------------------------------------- texts

_TITLE = Text("Your progress", "学习进度")
_OF_LEARNER = Text("Progress of {learner}", "{learner} 的学习进度")
_SHARE = Text("items {right}/{items} · code {passed}/{exercises}", "题目 {right}/{items} · 代码 {passed}/{exercises}")
_LEGEND = Text("One mark per item; marks [in brackets] are exercises:", "每个记号代表一题，[方括号里]代表一个练习：")
_MARKS = Text(
    "✓ correct  ✗ incorrect  ~ in progress  ? not auto-graded  . not started",
    "✓ 正确  ✗ 不正确  ~ 进行中  ? 不自动评分  . 还没做",
)
_EMPTY = Text("Nothing is saved here yet. To begin:", "这里还没有记录。可以这样开始：")
_BEGIN = (
    ("attncheck questions", Text("list the questions", "看看有哪些题")),
    ("attncheck quiz {id}", Text("answer the quiz of {id}", "回答 {id} 的小题")),
    ("attncheck start {id}", Text("create a file for your code", "生成写代码的文件")),
    ("attncheck grade {file}", Text("grade it and save the result here", "评分，并把结果记在这里")),
)
_OPEN = Text("Open misconceptions ({count})", "还没理清的误解（{count}）")
_CLEARED = Text("Resolved ({count}): {names}", "已经理清（{count}）：{names}")
_AMONG = Text("{names} and others", "{names} 等")
_MORE = Text(
    "and {count} more; `attncheck progress Q…` shows those of one question",
    "还有 {count} 个；`attncheck progress Q…` 显示某一题的",
)
_TIMES = Text("seen {times} times", "出现过 {times} 次")
_ONCE = Text("seen once", "出现过 1 次")
_DONE = Text("cleared up", "已理清")
_ITEM = Text(
    "{item} asks about exactly this: `attncheck quiz {item}`", "{item} 问的正是这一点：`attncheck quiz {item}`"
)
_NEXT = Text("Next", "接下来")
_DUE_ONE = Text("1 card is due: `attncheck review`", "有 1 张卡片该复习了：`attncheck review`")
_DUE = Text("{due} cards are due: `attncheck review`", "有 {due} 张卡片该复习了：`attncheck review`")
_QUIZ = Text("{id} has unanswered items: `attncheck quiz {id}`", "{id} 还有没答完的题：`attncheck quiz {id}`")
_CODE = Text(
    "{id} has code to write: `attncheck start {id}`, then `attncheck watch {file}`",
    "{id} 还有代码要写：`attncheck start {id}`，然后 `attncheck watch {file}`",
)
_AGAIN = Text(
    "Incorrect items come up again in reviews; `attncheck quiz --again` asks them now",
    "还没答对的会在复习时再问；`attncheck quiz --again` 可以马上重答",
)
_ALL = Text("Everything is correct. Review now and then to remember it.", "全部正确。按时复习就不会忘。")
_BELIEFS = Text("Misconceptions found", "出现过的误解")

_RIGHT_AT = {
    1: Text("correct on the first attempt", "一次答对"),
    2: Text("correct on the second attempt", "第二次答对"),
}
_RIGHT = Text("correct on attempt {tries}", "第 {tries} 次答对")
_ITEM_STANDING = {
    "new": Text("not started", "还没做"),
    "begun": Text("in progress", "进行中"),
    "waiting": Text("not auto-graded", "不自动评分"),
    "wrong": Text("incorrect", "没有答对"),
}
_HINTS = Text("{hints} of {all} hints used", "用了 {hints}/{all} 条提示")
_PRACTICE = Text("practice points {earned} of {possible}", "练习分 {earned}/{possible}")

_LAST = Text("This was the last hint for {name}.", "这是 {name} 的最后一条提示。")
_NO_MORE = Text(
    "There are no more hints for {name}; --rung N shows an earlier one again.",
    "{name} 没有更多提示了；--rung N 可以重看前面的。",
)
_COST = Text(
    "Hints cost practice points only ({left} of {all} left here); they never affect your grade.",
    "提示只扣练习分（这里还剩 {left}/{all}），不影响计入成绩的分数。",
)

_MARK: dict[Standing, tuple[str, str]] = {
    "new": (".", "dim"),
    "begun": ("~", "yellow"),
    "waiting": ("?", "cyan"),
    "wrong": ("✗", "red"),
    "right": ("✓", "green"),
}
_STANDING: dict[Standing, Text] = {
    "right": Text("correct", "正确"),
    "wrong": Text("incorrect", "不正确"),
    "begun": Text("in progress", "进行中"),
    "waiting": Text("not auto-graded", "不自动评分"),
    "new": Text("not started", "还没做"),
}
_COUNTED = Text("{count} {what}", "{what} {count} 个")
_BELIEFS_SHOWN = 5
_GAP = 3

# ------------------------------------------------------------------------------------------------ map


def overview(page: Page, progress: Progress, course: Course, due: int) -> None:
    """All questions on one page, open misconceptions, and what to do next. ``due`` is how many cards are due."""
    title = _OF_LEARNER.fill(learner=clean(progress.learner, LONGEST_NAME)) if progress.learner else _TITLE
    page.row([(page.say(title), "bold")], _share(page, progress.questions), style="bold")
    page.rule()
    if not progress.begun:
        _begin(page, progress)
        return
    if page.plain:
        _in_words(page, progress)
        _open(page, progress)
        _next(page, progress, due)
        return
    name = max(cells(known.question.id) for known in progress.questions)
    width = max(_width(_cell(known, name)) for known in progress.questions)
    for group, title in _groups(course, progress):
        found = [known for known in progress.questions if known.question.group == group]
        page.row([(page.say(title), "bold")], _share(page, found), style="dim")
        _cells(page, found, name, width)
    page.blank()
    page.lines(page.say(_LEGEND), style="dim")
    page.lines(page.say(_MARKS), style="dim", indent=2)
    _open(page, progress)
    _next(page, progress, due)


def _begin(page: Page, progress: Progress) -> None:
    page.lines(page.say(_EMPTY))
    first = progress.questions[0].question
    values = {"id": first.id, "file": file_name(first)}
    rows = [(text.format(**values), page.say(said.fill(**values))) for text, said in _BEGIN]
    wide = max(cells(text) for text, _ in rows)
    for text, said in rows:
        page.lines(said, lead=f"  {pad(text, wide)}  ")


def _in_words(page: Page, progress: Progress) -> None:
    """A line for each question that was begun, and one for all others."""
    for known in progress.questions:
        if known.begun:
            counts = Counter(known.standings)
            said = [page.say(_COUNTED, count=counts[each], what=_STANDING[each]) for each in _STANDING if counts[each]]
            page.lines(page.say(LABELED, who=known.question.id, said=page.say(COMMA).join(said)))
    rest = [known.question.id for known in progress.questions if not known.begun]
    if rest:
        page.lines(page.say(LABELED, who=_STANDING["new"], said=page.say(COMMA).join(rest)))


def _groups(course: Course, progress: Progress) -> Iterator[tuple[str, Text]]:
    """The groups that have questions, with their titles, in course order."""
    titles = dict(course.groups)
    used = dict.fromkeys(known.question.group for known in progress.questions)
    ordered = [name for name in titles if name in used] + [name for name in used if name not in titles]
    yield from ((name, titles.get(name, Text(name, name))) for name in ordered)


def _share(page: Page, found: Sequence[QuestionProgress]) -> str:
    items = [item.standing for known in found for item in known.items]
    exercises = [exercise.standing for known in found for exercise in known.exercises]
    right, passed = items.count("right"), exercises.count("right")
    return page.say(_SHARE, right=right, items=len(items), passed=passed, exercises=len(exercises))


def _cell(known: QuestionProgress, name: int) -> list[tuple[str, str]]:
    """A question on the map, as styled pieces; its id is padded to ``name`` cells."""
    marks = [_MARK[item.standing] for item in known.items]
    pieces = [(f"{pad(known.question.id, name)} ", "bold" if known.begun else ""), *marks]
    if known.exercises:
        code = [_MARK[exercise.standing] for exercise in known.exercises]
        pieces += [(" [" if marks else "[", "dim"), *code, ("]", "dim")]
    return pieces


def _cells(page: Page, found: Sequence[QuestionProgress], name: int, width: int) -> None:
    per_row = max(1, (page.width - 2 + _GAP) // (width + _GAP))
    for at in range(0, len(found), per_row):
        pieces = [("  ", "")]
        for number, known in enumerate(found[at : at + per_row]):
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
        page.lines(page.say(_OPEN, count=len(still)), style="bold")
    for known in still[:_BELIEFS_SHOWN]:
        _think(page, known, progress)
    if len(still) > _BELIEFS_SHOWN:
        page.lines(page.say(_MORE, count=len(still) - _BELIEFS_SHOWN), indent=2, style="dim")
    if cleared:
        names = page.say(COMMA).join(k.name for k in cleared[:_BELIEFS_SHOWN])
        if len(cleared) > _BELIEFS_SHOWN:
            names = page.say(_AMONG, names=names)
        page.blank()
        page.lines(page.say(_CLEARED, count=len(cleared), names=names), style="green")


def _think(page: Page, known: MisconceptionProgress, progress: Progress) -> None:
    """An open misconception: its guiding question, and the item about it unless that is already correct."""
    page.lines(_met(page, known), lead="  ✗ ", style="red")
    if known.belief.ask is not None:
        page.lines(page.say(known.belief.ask), indent=4, lead="→ ", style="cyan")
    asks = next((item for item in progress.items if item.item.id == known.belief.ask_next), None)
    if asks is not None and asks.standing != "right":
        page.lines(page.say(_ITEM, item=asks.item.id), indent=4, lead="→ ", style="cyan")


def _met(page: Page, known: MisconceptionProgress) -> str:
    times = page.say(_ONCE) if known.times == 1 else page.say(_TIMES, times=known.times)
    return page.say(PARENTHESIZED, what=known.name, more=times)


def _next(page: Page, progress: Progress, due: int) -> None:
    said = [page.say(_DUE_ONE) if due == 1 else page.say(_DUE, due=due)] if due else []
    # Finish what was started before anything new.
    ordered = sorted(progress.questions, key=lambda known: not known.begun)
    quiz = next((k for k in ordered if any(item.standing in ("new", "begun") for item in k.items)), None)
    code = next((k for k in ordered if any(each.standing != "right" for each in k.exercises)), None)
    if quiz is not None:
        said.append(page.say(_QUIZ, id=quiz.question.id))
    if code is not None:
        said.append(page.say(_CODE, id=code.question.id, file=file_name(code.question)))
    if all(standing == "right" for known in progress.questions for standing in known.standings):
        said.append(page.say(_ALL))
    page.blank()
    page.lines(page.say(_NEXT), style="bold")
    for line in said or [page.say(_AGAIN)]:
        page.lines(line, lead="  – ")


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
    wide = max((cells(name) for name in _names(known)), default=0)
    for item in known.items:
        _line(page, item.standing, item.item.id, wide, _said_of_item(page, item), item.at)
    for exercise in known.exercises:
        _line(page, exercise.standing, exercise.exercise.name, wide, _said_of_code(page, exercise), exercise.at)
    if known.beliefs:
        page.blank()
        page.lines(page.say(_BELIEFS), style="bold")
    for belief in known.beliefs:
        if belief.open:
            _think(page, belief, progress)
        else:
            page.lines(f"{_met(page, belief)}  {page.say(_DONE)}", lead="  ✓ ", style="green")
            if belief.told:
                page.lines(page.say(belief.belief.truth), indent=4)


def _names(known: QuestionProgress) -> Iterator[str]:
    yield from (item.item.id for item in known.items)
    yield from (exercise.exercise.name for exercise in known.exercises)


def _day(at: datetime) -> str:
    """The local date as ISO 8601; UTC where the local date would leave the calendar."""
    with contextlib.suppress(OverflowError):
        at = at.astimezone()
    return at.date().isoformat()


def _line(page: Page, standing: Standing, name: str, wide: int, said: str, at: datetime | None) -> None:
    mark, style = _MARK[standing]
    when = _day(at) if at is not None else ""
    page.row([(f"  {mark} ", style), (pad(name, wide), ""), (f"  {said}", "dim")], when, style="dim")


def _said_of_item(page: Page, known: ItemProgress) -> str:
    if known.standing == "right":
        return page.say(_RIGHT_AT.get(known.tries, _RIGHT).fill(tries=known.tries))
    return page.say(_ITEM_STANDING[known.standing])


def _said_of_code(page: Page, known: ExerciseProgress) -> str:
    said = [page.say(_ITEM_STANDING["new"] if known.status is None else STATUS[known.status])]
    if known.hints:
        said.append(page.say(_HINTS, hints=known.hints, all=len(known.exercise.hints)))
    if known.status is Status.PASSED and known.hints:
        earned, possible = points(known.practice), points(known.exercise.points)
        said.append(page.say(_PRACTICE, earned=earned, possible=possible))
    return page.say(SEMICOLON).join(said)


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
            {"id": item.item.id, "standing": item.standing, "tries": item.tries, "at": _time(item.at)}
            for item in known.items
        ],
        "exercises": [
            {
                "function": each.exercise.name,
                "standing": each.standing,
                "status": each.status,
                "hints": each.hints,
                "at": _time(each.at),
            }
            for each in known.exercises
        ],
        "misconceptions": [
            {"id": each.belief.id, "open": each.open, "times": each.times, "at": _time(each.at)}
            for each in known.beliefs
        ],
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")
