"""Class statistics for instructors: findings with advice, a page in a terminal, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.core.layout import cells, pad, shorten
from grader.core.model import Course, Lang, Text
from grader.core.text import check_label, clean, name_list, same
from grader.course.items.choice import Spec as Choice
from grader.course.items.multi import Spec as Multi
from grader.instructor.analysis.statistics import FEW
from grader.report.json import number

if TYPE_CHECKING:
    from grader.core.page import Page
    from grader.instructor.analysis.statistics import CheckStatistics, PartStatistics, PublicOnly, Statistics

FORMAT = 1
#: Below this alpha, the ranking is partly chance.
_RELIABLE = 0.7
#: The share of the class from which a misconception deserves time in a lesson.
_MANY = 0.2
_MOST_TALKED_ABOUT = 3
_MOST_BELIEFS = 10
_MOST_NAMED = 6
_LONGEST_NAME = 26

# ---------------------------------------------------------------------------------------------- words

LEARNERS = Text("{learners} learners, {handed} submitted", "{learners} 人，{handed} 人提交")
MEAN = Text(
    "Mean {mean}, standard deviation {deviation}; quartiles {low}, {middle}, {high} of all points",
    "平均得分率 {mean}，标准差 {deviation}；四分位数 {low}、{middle}、{high}",
)
NOBODY = Text("This gradebook has no learners yet.", "这个成绩册里还没有人。")
ALPHA = Text("Reliability (Cronbach’s alpha): {alpha}", "信度（Cronbach α）：{alpha}")
NO_ALPHA = Text(
    "Reliability (Cronbach’s alpha): not computed; it needs five learners with different points, and two parts.",
    "信度（Cronbach α）：未计算；至少需要五名得分不全相同的学习者和两个小题。",
)
WARNING = Text(
    "Only {learners} learners. Below {few}, discrimination and reliability can be very different for the next class: "
    "treat them as hints where to look, never as a verdict on a question.",
    "只有 {learners} 名学习者。少于 {few} 人时，换一个班，区分度和信度可能大不相同："
    "只能用来提示该看哪里，不能据此评判题目。",
)
COLUMNS = (
    Text("part", "小题"),
    Text("earned", "得分率"),
    Text("discr.", "区分度"),
    Text("most frequent mistake", "最常见的错误"),
)
HOW_TO_READ = Text(
    "earned: mean share of its points (no submission counts as 0; what is not graded yet is left out). discr.: "
    "discrimination, the correlation with the points in everything else; above 0.3 is good, below 0 is suspicious. "
    "Names ending in () are code exercises.",
    "得分率：所得分数占满分的平均比例（未交按 0 计，尚未批改的不计入）。区分度：与其余各题总分的相关系数，"
    "高于 0.3 为好，低于 0 可疑。带 ( ) 的是代码题。",
)
UNTOUCHED = Text("Nobody has started: {names}.", "没有人作答：{names}。")
MISTAKE = Text("{option} ({times}×): {what}", "{option}（{times} 次）：{what}")
BELIEFS = Text("Common misconceptions", "误解，按出现次数排列")
MORE_BELIEFS = Text("and {count} more: see --html or --json", "还有 {count} 个，见 --html 或 --json")
FINDINGS = Text("Worth looking at", "值得看一看")
NOTHING = Text("Nothing here is suspicious.", "没有可疑之处。")
CASE = Text("{exercise}: {check}, case “{case}”", "{exercise}：{check}，用例“{case}”")
_MORE_CASES = Text("{names} and {more} more", "{names}；另有 {more} 个")

_NEGATIVE = (
    Text(
        "{part}: learners who do well elsewhere do worse here (discrimination {value}).",
        "{part}：其他题做得好的人，这里反而更差（区分度 {value}）。",
    ),
    Text(
        "Check its key and its wording first: a wrong key and an ambiguous question both look like this.",
        "先检查答案和措辞：答案有误或题意含糊时，正是这种表现。",
    ),
)
_EVERYBODY = (
    Text("Hidden cases that everyone passes: {names}.", "人人通过的隐藏用例：{names}。"),
    Text(
        "They do not discriminate; make them public as examples, or keep them as a safety net with little weight.",
        "它们起不到区分作用；可以公开作为示例，或者保留下来兜底，但权重宜小。",
    ),
)
_NOBODY = (
    Text("Hidden cases that nobody passes: {names}.", "无人通过的隐藏用例：{names}。"),
    Text(
        "Check whether the question says what they require. If it does not, add it and regrade. `attncheck explain` "
        "replays one.",
        "看看题目有没有说明这些用例的要求。如果没有说明，就补上并重新评分。`attncheck explain` 可以重新运行其中一个。",
    ),
)
_PUBLIC_ONLY = (
    Text(
        "{exercise}: {times} pass {check} on every public case and on no hidden one ({public} and {hidden}){who}.",
        "{exercise}：{times} 人的 {check} 检查通过了全部公开用例，却没有通过任何隐藏用例"
        "（分别为 {public} 个和 {hidden} 个）{who}。",
    ),
    Text(
        "A reason to ask, never proof: hard-coded answers to the public cases look like this, and so does honest code "
        "that works only for a few sizes. Read the code, and have it explained on a new input. --names says "
        "whose it is.",
        "这是询问的理由，绝不是证据：抄下公开用例的结果会是这样，老老实实写、却只适用于少数尺寸的代码也会是这样。"
        "先读代码，再请本人用你给的输入讲解一遍。--names 会列出是谁。",
    ),
)
_BORROWED = (
    Text(
        "Answers that are wrong for the learner’s own numbers and right for those of others in the class: {times}; "
        "learners with two or more of them: {several}{who}.",
        "对本人的数据是错的、对班上别人的数据却是对的答案：{times} 个；有两个以上的学习者：{several} 人{who}。",
    ),
    Text(
        "A reason to ask, never proof: there are only a few sets of numbers, so a single answer says nothing. Have "
        "those with several explain one. --names says who they are.",
        "这只是询问的理由，绝不是证据：数据只有几组，单个答案说明不了什么。"
        "请有好几个的人讲解其中一个。--names 会列出是谁。",
    ),
)
_WHO = Text(": {names}", "：{names}")
_TALK = (
    Text(
        "{part}: correct in the quiz ({items}), not in code ({exercises}).",
        "{part}：问答答得好（{items}），代码却没写对（{exercises}）。",
    ),
    Text(
        "They can explain it, but not write it: work through one public case by hand, with the shapes on the board.",
        "会说但写不出来：和全班一起手算一个公开用例，把形状写在黑板上。",
    ),
)
_CODE = (
    Text(
        "{part}: correct in code ({exercises}), not in the quiz ({items}).",
        "{part}：代码写对了（{exercises}），问答却答不好（{items}）。",
    ),
    Text(
        "The code works, but is not understood: have one solution explained line by line. "
        "`attncheck similar` finds solutions that are nearly the same.",
        "代码能运行，却没有真正理解：请一位学习者逐行讲解自己的解法。`attncheck similar` 会找出几乎相同的解法。",
    ),
)
_BELIEVED = (
    Text(
        "{part}: the misconception “{name}” came up {times} times ({learners} learners).",
        "{part}：误解“{name}”出现了 {times} 次（共 {learners} 人）。",
    ),
    Text("Ask the class: {ask}", "在课堂上问一问：{ask}"),
    Text("Explain in the next lesson: {truth}", "下节课讲清楚：{truth}"),
)
_UNRELIABLE = (
    Text("Reliability is low (alpha {alpha}).", "信度偏低（α = {alpha}）。"),
    Text(
        "Do not read much into small differences in points; look first at the parts with low discrimination.",
        "不要太看重细小的分数差别；先看区分度低的小题。",
    ),
)
_LEAST = (
    Text("{part}: hardly anyone gets points here ({value}).", "{part}：几乎没有人得分（{value}）。"),
    Text(
        "Look at its most frequent mistake: if everyone makes the same one, the lesson or the wording causes it.",
        "看看最常见的错误：如果大家都错在同一处，多半是讲解或措辞引起的。",
    ),
)
_HARD = 0.15


@dataclass(frozen=True, slots=True)
class NotableResult:
    """A finding, and what to do about it. ``kind`` is an id for programs; ``parts`` names what it is about."""

    kind: str
    parts: tuple[str, ...]
    found: Text
    todo: Text


def findings(statistics: Statistics, course: Course, *, names: bool = False) -> tuple[NotableResult, ...]:
    """Everything suspicious, the most urgent first. Learners are named only if ``names`` is true."""
    return tuple(_findings(statistics, course, names))


def _findings(found: Statistics, course: Course, names_too: bool) -> Iterator[NotableResult]:
    parts = {part.name: part for part in found.parts}
    for name in found.negative:
        said, todo = _NEGATIVE
        yield NotableResult("negative", (name,), said.fill(part=name, value=signed(parts[name].discrimination)), todo)
    for kind, checks, (said, todo) in (
        ("nobody-passes", found.nobody, _NOBODY),
        ("everybody-passes", found.everybody, _EVERYBODY),
    ):
        if checks:
            names = tuple(f"{check.exercise}: {check.check}, {check.case}" for check in checks)
            yield NotableResult(kind, names, said.fill(names=_listed([case(check) for check in checks])), todo)
    yield from _public_only(found, names_too)
    yield from _borrowed(found, names_too)
    if found.alpha is not None and found.alpha < _RELIABLE and not found.few:
        yield NotableResult("unreliable", (), _UNRELIABLE[0].fill(alpha=f"{found.alpha:.2f}"), _UNRELIABLE[1])
    for part in found.parts:
        if part.tried >= FEW // 6 and part.difficulty is not None and part.difficulty < _HARD:
            yield NotableResult(
                "hard", (part.name,), _LEAST[0].fill(part=part.name, value=share(part.difficulty)), _LEAST[1]
            )
    for one in found.disagreements:
        said, todo = _TALK if one.items > one.exercises else _CODE
        values = {"items": share(one.items), "exercises": share(one.exercises)}
        yield NotableResult("disagreement", (one.question,), said.fill(part=one.question, **values), todo)
    for question, name, times in found.misconceptions[:_MOST_TALKED_ABOUT]:
        if times >= max(2, _MANY * found.spread.learners):
            said, ask, tell = _BELIEVED
            told = said.fill(part=question, times=times, learners=found.spread.learners, name=name.replace("-", " "))
            known = course.question(question)
            belief = known.misconception(name) if known else None
            if belief is not None:
                todo = ask.fill(ask=belief.ask) if belief.ask else tell.fill(truth=belief.truth)
                yield NotableResult("misconception", (question, name), told, todo)


def _public_only(found: Statistics, names: bool) -> Iterator[NotableResult]:
    """One finding for each check that someone passes only on public cases."""
    grouped: dict[tuple[str, str], list[PublicOnly]] = {}
    for one in found.public_only:
        grouped.setdefault((one.exercise, one.check), []).append(one)
    for (exercise, check), those in grouped.items():
        said, todo = _PUBLIC_ONLY
        who = Text("", "")
        if names:
            who = _WHO.fill(names=_listed([same(clean(one.learner)) for one in those]))
        cases = {"public": those[0].public, "hidden": those[0].hidden}
        told = said.fill(exercise=exercise, check=check_label(check), times=len(those), who=who, **cases)
        yield NotableResult("public-only", (f"{exercise}: {check}",), told, todo)


def _borrowed(found: Statistics, names: bool) -> Iterator[NotableResult]:
    """One finding for all answers that fit another learner's numbers."""
    several = [name for name, times in Counter(one.learner for one in found.borrowed).most_common() if times > 1]
    if found.borrowed:
        said, todo = _BORROWED
        who = Text("", "")
        if names and several:
            who = _WHO.fill(names=_listed([same(clean(name)) for name in several]))
        told = said.fill(times=len(found.borrowed), several=len(several), who=who)
        yield NotableResult("others-numbers", tuple(dict.fromkeys(one.item for one in found.borrowed)), told, todo)


def _listed(names: Sequence[Text]) -> Text:
    shown = names[:_MOST_NAMED]
    joined = Text("; ".join(name.en for name in shown), "；".join(name.zh for name in shown))
    return joined if len(shown) == len(names) else _MORE_CASES.fill(names=joined, more=len(names) - len(shown))


def case(check: CheckStatistics) -> Text:
    """A check on a case, in words."""
    return CASE.fill(exercise=check.exercise, check=check_label(check.check), case=clean(check.case))


def share(value: float | None) -> str:
    """A share as a percentage; a dash for None."""
    return "–" if value is None else f"{value:.0%}"


def signed(value: float | None) -> str:
    """A correlation with its sign; a dash for None."""
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")


def truth(course: Course, question: str, name: str) -> Text | None:
    """The text that corrects a misconception; None if the course does not have the misconception."""
    known = course.question(question)
    belief = known.misconception(name) if known else None
    return belief.truth if belief else None


@dataclass(frozen=True, slots=True)
class FrequentMistake:
    """The most frequent mistake in a part: the option or misconception, its count, and the correct idea, if known."""

    name: str
    times: int
    what: Text | None


def wrong(part: PartStatistics, course: Course) -> FrequentMistake | None:
    """The most frequent wrong option, else the most frequent misconception, else None."""
    options = _options(course, part)
    for answer, times in part.answers:
        option = options.get(answer)
        if option is not None and not option.correct:
            said = truth(course, part.question, option.misconception) if option.misconception else None
            return FrequentMistake(option.id, times, said or option.text)
    if not part.misconceptions:
        return None
    name, times = part.misconceptions[0]
    return FrequentMistake(name, times, truth(course, part.question, name))


def _options(course: Course, part: PartStatistics) -> dict[str, Any]:
    """The options of an item, by id; empty if it has none."""
    question = course.question(part.question)
    items = question.items if question else ()
    spec = next((item.spec for item in items if item.id == part.name), None)
    return {option.id.lower(): option for option in spec.options} if isinstance(spec, Choice | Multi) else {}


def ordered(statistics: Statistics) -> list[PartStatistics]:
    """The parts in the order of the questions."""
    places = {name: at for at, name in enumerate(statistics.questions)}
    return sorted(statistics.parts, key=lambda part: places.get(part.question, len(places)))


def begun(statistics: Statistics) -> list[PartStatistics]:
    """The parts of the questions that somebody has started, in their order."""
    tried = _begun(statistics)
    return [part for part in ordered(statistics) if part.question in tried]


def _begun(statistics: Statistics) -> set[str]:
    """The questions that somebody has started, including answers that are not graded yet."""
    return {part.question for part in statistics.parts if part.tried or not part.learners}


def untouched(statistics: Statistics) -> Text | None:
    """Which questions nobody has started; None if there are none."""
    tried = _begun(statistics)
    names = [name for name in statistics.questions if name not in tried]
    return UNTOUCHED.fill(names=name_list(names)) if names else None


def label(part: PartStatistics) -> str:
    """The name of a part, with () if it is code."""
    return f"{part.name}()" if part.kind == "exercise" else part.name


# ------------------------------------------------------------------------------------------- terminal


def render(page: Page, statistics: Statistics, course: Course, *, names: bool = False) -> None:
    """Print the statistics, in 80 columns or more."""
    spread, lang = statistics.spread, page.lang
    counted = page.say(LEARNERS, learners=spread.learners, handed=spread.handed_in)
    page.row([(page.say(course.title), "bold")], counted, style="bold")
    page.rule()
    if not spread.learners:
        page.lines(page.say(NOBODY))
        return
    page.lines(page.say(mean(statistics)))
    page.blank()
    for line in histogram(spread.tenths):
        page.lines(line, indent=2)
    page.blank()
    page.lines(page.say(alpha(statistics)))
    if statistics.few:
        page.lines(page.say(WARNING, learners=spread.learners, few=FEW), lead="! ", style="yellow")
    page.blank()
    for line, style in _table(statistics, course, lang, page.width):
        page.pieces([(line, style)])
    page.blank()
    page.lines(page.say(HOW_TO_READ), style="dim")
    if (nothing := untouched(statistics)) is not None:
        page.blank()
        page.lines(page.say(nothing))
    _beliefs(page, statistics, course)
    page.blank()
    page.lines(page.say(FINDINGS), style="bold")
    found = findings(statistics, course, names=names)
    for each in found:
        page.lines(page.say(each.found), lead="• ", indent=1)
        page.lines(page.say(each.todo), lead="→ ", indent=3, style="cyan")
    if not found:
        page.lines(page.say(NOTHING), indent=1)


def mean(statistics: Statistics) -> Text:
    """The mean, deviation and quartiles, as a sentence."""
    low, middle, high = map(share, statistics.spread.quartiles)
    values = {"mean": share(statistics.spread.mean), "deviation": share(statistics.spread.deviation)}
    return MEAN.fill(**values, low=low, middle=middle, high=high)


def alpha(statistics: Statistics) -> Text:
    """Cronbach's alpha, as a sentence."""
    return NO_ALPHA if statistics.alpha is None else ALPHA.fill(alpha=f"{statistics.alpha:.2f}")


def histogram(tenths: Sequence[int], width: int = 40) -> Iterator[str]:
    """A text histogram: one line for each tenth of the range of points."""
    most = max(tenths) or 1
    for at, count in enumerate(tenths):
        eighths = round(count / most * width * 8)
        bar = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")
        yield f"{f'{at * 10}–{at * 10 + 10}%':>7} {bar}{' ' if bar else ''}{count or '·'}"


def _table(statistics: Statistics, course: Course, lang: Lang, width: int) -> Iterator[tuple[str, str]]:
    rows = []
    for part in begun(statistics):
        mistake = wrong(part, course)
        said = ""
        if mistake is not None:
            what = mistake.what.of(lang) if mistake.what else ""
            said = MISTAKE.fill(option=mistake.name, times=mistake.times, what=clean(what)).of(lang)
        name = shorten(label(part), _LONGEST_NAME)
        rows.append((name, share(part.difficulty), signed(part.discrimination), said))
    heads = tuple(text.of(lang) for text in COLUMNS)
    widths = [max(map(cells, column)) for column in zip(heads, *(row for row in rows), strict=True)]
    yield _line(heads, widths, width), "bold"
    for part, row in zip(begun(statistics), rows, strict=True):
        yield _line(row, widths, width), "red" if part.name in statistics.negative else ""


def _line(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    """A row of the table; its last cell is cut to the width of the page."""
    fixed = "  ".join(pad(cell, widths[at], right=at > 0) for at, cell in enumerate(row[:-1]))
    return f"{fixed}  {shorten(row[-1], width - cells(fixed) - 2)}".rstrip()


def _beliefs(page: Page, statistics: Statistics, course: Course) -> None:
    if not statistics.misconceptions:
        return
    page.blank()
    page.lines(page.say(BELIEFS), style="bold")
    for question, name, times in statistics.misconceptions[:_MOST_BELIEFS]:
        page.row([(f"{times:>4}  ", "bold"), (f"{question} {name}", "")], share(times / statistics.spread.learners))
        known = truth(course, question, name)
        if known is not None:
            page.lines(page.say(known), indent=6, style="dim")
    if len(statistics.misconceptions) > _MOST_BELIEFS:
        page.lines(page.say(MORE_BELIEFS, count=len(statistics.misconceptions) - _MOST_BELIEFS), indent=6)


# ----------------------------------------------------------------------------------------------- data


def to_json(statistics: Statistics, course: Course, lang: Lang, *, names: bool = False) -> dict[str, Any]:
    """The statistics as JSON values, documented in docs/json.md. Learners are named only if ``names`` is true."""
    spread = statistics.spread
    rows = by_points(statistics)
    return {
        "format": FORMAT,
        "course": {"title": course.title.of(lang), "digest": course.digest},
        "learners": spread.learners,
        "handed_in": spread.handed_in,
        "few": statistics.few,
        "mean": number(spread.mean),
        "deviation": number(spread.deviation),
        "quartiles": [number(value) for value in spread.quartiles],
        "tenths": list(spread.tenths),
        "alpha": _maybe(statistics.alpha),
        "parts": [_part(part, course, lang) for part in ordered(statistics)],
        "checks": [_check(check) for check in statistics.checks],
        "misconceptions": [
            _belief(course, question, name, times, lang) | {"question": question}
            for question, name, times in statistics.misconceptions
        ],
        "disagreements": [
            {"question": one.question, "items": number(one.items), "exercises": number(one.exercises)}
            for one in statistics.disagreements
        ],
        "findings": [
            {"kind": one.kind, "parts": list(one.parts), "found": one.found.of(lang), "todo": one.todo.of(lang)}
            for one in findings(statistics, course, names=names)
        ],
        "public_only": [
            {
                "learner": clean(one.learner) if names else None,
                "exercise": one.exercise,
                "check": one.check,
                "public": one.public,
                "hidden": one.hidden,
            }
            for one in statistics.public_only
        ],
        "others_numbers": [
            {
                "learner": clean(one.learner) if names else None,
                "item": one.item,
                "answer": one.answer,
                "own": dict(one.own),
                "theirs": dict(one.theirs),
                "sources": [clean(name) for name in one.sources] if names else len(one.sources),
                "signed": clean(one.signed) if names and one.signed else None,
            }
            for one in statistics.borrowed
        ],
        "questions": list(statistics.questions),
        "names": [clean(statistics.learners[at]) for at in rows] if names else None,
        "grid": [[number(value) for value in statistics.grid[at]] for at in rows],
    }


def by_points(statistics: Statistics) -> list[int]:
    """The indices of the rows of ``grid``, the best first: an order that reveals nothing about names."""
    return sorted(range(len(statistics.grid)), key=lambda at: [-sum(statistics.grid[at]), *statistics.grid[at]])


def _part(part: PartStatistics, course: Course, lang: Lang) -> dict[str, Any]:
    options = _options(course, part)
    return {
        "name": part.name,
        "question": part.question,
        "kind": part.kind,
        "learners": part.learners,
        "tried": part.tried,
        "difficulty": _maybe(part.difficulty),
        "discrimination": _maybe(part.discrimination),
        "misconceptions": [_belief(course, part.question, name, times, lang) for name, times in part.misconceptions],
        "answers": [
            {"option": clean(answer), "times": times, "correct": options[answer].correct if answer in options else None}
            for answer, times in part.answers
        ],
    }


def _belief(course: Course, question: str, name: str, times: int, lang: Lang) -> dict[str, Any]:
    known = truth(course, question, name)
    return {"misconception": name, "times": times, "truth": known.of(lang) if known else None}


def _check(check: CheckStatistics) -> dict[str, Any]:
    return {
        "exercise": check.exercise,
        "check": check.check,
        "case": check.case,
        "visibility": check.visibility,
        "tried": check.tried,
        "passed": number(check.passed),
        "discrimination": _maybe(check.discrimination),
    }


def _maybe(value: float | None) -> int | float | None:
    return None if value is None else number(value)
