"""Class statistics for instructors: findings with advice, in a terminal, as a page with pictures, and as JSON."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.layout import columns, shorten
from grader.core.model import Course, Lang, Message, Text
from grader.core.serialize import Unrounded
from grader.core.tables import table, text_of
from grader.core.text import EMPTY, SEMICOLON, clean, cleaned, join, name_list, same
from grader.course import items
from grader.instructor.analysis.statistics import (
    FEW,
    CheckStatistics,
    Disagreement,
    GradedPart,
    PartStatistics,
    PublicOnly,
    Spread,
    Statistics,
)
from grader.report.array_svg import Scale
from grader.report.words import check_label

if TYPE_CHECKING:
    from grader.core.page import Page
    from grader.instructor.analysis.answers import BorrowedAnswer

#: Below this alpha, the ranking is partly chance.
_RELIABLE = 0.7
#: The share of the class from which a misconception deserves time in a lesson.
_MANY = 0.2
_MOST_TALKED_ABOUT = 3
_MOST_BELIEFS = 10
_MOST_NAMED = 6
_LONGEST_NAME = 26
_ON_LINES = same("\n– ")

# ---------------------------------------------------------------------------------------------- words

LEARNERS = Message("{learners} learners, {handed} submitted")
MEAN = Message("Mean {mean}, standard deviation {deviation}; quartiles {low}, {middle}, {high} of all points")
NOBODY = Message("This gradebook has no learners yet.")
ALPHA = Message("Reliability (Cronbach’s $α$): {alpha}")
NO_ALPHA = Message(
    "Reliability (Cronbach’s $α$): not computed; it needs five learners with different points, and two parts."
)
WARNING = Message(
    "Only {learners} learners. Below {few}, discrimination and reliability can be very different for the next class: "
    "treat them as hints where to look, never as a verdict on a question."
)
COLUMNS = (Message("part"), Message("earned"), Message("discr."), Message("most frequent mistake"))
HOW_TO_READ = Message(
    "Mean score (earned): the mean share of its points; no submission counts as 0, and what is not graded yet is left "
    "out. Discrimination (discr.): the correlation with the points in everything else; above 0.3 is good, below 0 is "
    "suspicious. Names ending in () are code exercises."
)
MISTAKE = Message("{option} ({times}×): {what}")
BELIEFS = Message("Common misconceptions", "table")
MORE_BELIEFS = Message("and {count} more: see --html or --json")
FINDINGS = Message("Worth looking at")
NOTHING = Message("Nothing here is suspicious.")
CASE = Message("{exercise}: {check}, case “{case}”")
_MORE_CASES = Message("{names} and {more} more")

_HARD = 0.15


@dataclass(frozen=True, slots=True)
class NotableResult:
    """A finding, and what to do about it.

    - `kind`: `negative`, `nobody-passes`, `everybody-passes`, `public-only`, `others-numbers`, `unreliable`, `hard`,
      `disagreement` or `misconception`
    - `parts`: what it is about
    - `found`: what was found
    - `todo`: what to do about it
    """

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
        yield _finding("negative", (name,), part=name, value=signed(parts[name].discrimination))
    for kind, checks in (("nobody-passes", found.nobody), ("everybody-passes", found.everybody)):
        if checks:
            names = tuple(f"{check.exercise}: {check.check}, {check.case}" for check in checks)
            yield _finding(kind, names, names=_listed([case(check, course) for check in checks], _ON_LINES))
    yield from _public_only(found, names_too)
    yield from _borrowed(found, names_too)
    if found.alpha is not None and found.alpha < _RELIABLE and not found.few:
        yield _finding("unreliable", (), alpha=f"{found.alpha:.2f}")
    for part in found.parts:
        if part.tried >= FEW // 6 and part.difficulty is not None and part.difficulty < _HARD:
            yield _finding("hard", (part.name,), part=part.name, value=share(part.difficulty))
    for one in found.disagreements:
        words = "quiz-only" if one.items > one.exercises else "code-only"
        values = {"items": share(one.items), "exercises": share(one.exercises)}
        yield _finding("disagreement", (one.question,), words, part=one.question, **values)
    for question, name, times in found.misconceptions[:_MOST_TALKED_ABOUT]:
        belief = course.misconception(question, name)
        if belief is not None and times >= max(2, _MANY * found.spread.learners):
            words = "misconception-to-ask" if belief.ask else "misconception"
            counted = {"times": times, "learners": found.spread.learners}
            said = {"ask": belief.ask, "truth": belief.truth}
            yield _finding("misconception", (question, name), words, part=question, **counted, **said)


def _finding(kind: str, parts: tuple[str, ...], words: str = "", **values: object) -> NotableResult:
    """A finding in the ``words`` of ``findings.yaml``, which are by default those of its kind."""
    row = table(__file__, "findings.yaml")[words or kind]
    todo = text_of(row["todo"])
    if "advice" in row:
        todo = todo.with_advice(text_of(row["advice"]))
    return NotableResult(kind, parts, text_of(row["found"]).fill(**values), todo.fill(**values))


def _public_only(found: Statistics, names: bool) -> Iterator[NotableResult]:
    """One finding for each check that someone passes only on public cases."""
    grouped: dict[tuple[str, str], list[PublicOnly]] = {}
    for one in found.public_only:
        grouped.setdefault((one.exercise, one.check), []).append(one)
    for (exercise, check), those in grouped.items():
        who = _who(one.learner or "" for one in those) if names else EMPTY
        values: dict[str, Any] = {"times": len(those), "public": those[0].public, "hidden": those[0].hidden, "who": who}
        where = (f"{exercise}: {check}",)
        yield _finding("public-only", where, exercise=exercise, check=check_label(check), **values)


def _borrowed(found: Statistics, names: bool) -> Iterator[NotableResult]:
    """One finding for all answers that fit another learner's numbers."""
    several = [name for name, times in Counter(one.learner for one in found.borrowed).most_common() if times > 1]
    if found.borrowed:
        who = _who(several) if names and several else EMPTY
        parts = tuple(dict.fromkeys(one.item for one in found.borrowed))
        yield _finding("others-numbers", parts, times=len(found.borrowed), several=len(several), who=who)


def _who(names: Iterable[str]) -> Text:
    return Message(": {names}").fill(names=_listed([same(clean(name)) for name in names]))


def _listed(names: Sequence[Text], separator: Text = SEMICOLON) -> Text:
    shown = names[:_MOST_NAMED]
    joined = join(shown, separator)
    return joined if len(shown) == len(names) else _MORE_CASES.fill(names=joined, more=len(names) - len(shown))


def case(check: CheckStatistics, course: Course) -> Text:
    """A check on a case, in words."""
    title = cleaned(course.case_title(check.exercise, check.case))
    return CASE.fill(exercise=check.exercise, check=check_label(check.check), case=title)


def share(value: float | None) -> str:
    """A share as a percentage; a dash for None."""
    return "–" if value is None else f"{value:.0%}"


def signed(value: float | None) -> str:
    """A correlation with its sign; a dash for None."""
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")


def truth(course: Course, question: str, name: str) -> Text | None:
    """The text that corrects a misconception; None if the course does not have the misconception."""
    belief = course.misconception(question, name)
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
    item = course.item(part.name)
    return {option.id.lower(): option for option in items.options(item)} if item else {}


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
    return Message("Nobody has started: {names}.").fill(names=name_list(names)) if names else None


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
    page.lines(page.say(mean(statistics.spread)))
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


def mean(spread: Spread) -> Text:
    """The mean, deviation and quartiles, as a sentence."""
    low, middle, high = map(share, spread.quartiles)
    return MEAN.fill(mean=share(spread.mean), deviation=share(spread.deviation), low=low, middle=middle, high=high)


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
    head, *lines = (shorten(line, width) for line in columns([heads, *rows], right=[1, 2]))
    yield head, "bold"
    for part, line in zip(begun(statistics), lines, strict=True):
        yield line, "red" if part.name in statistics.negative else ""


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


# ----------------------------------------------------------------------------------------------- page

_TEMPLATES = Path(__file__).parent / "templates"
#: With more learners, each row of the heat map is the mean of several.
_ROWS = 200
_SCALE = Scale("rising", 0.0, 1.0)

_LEARNER = Message("One row per learner, the best first; one column per question; the last row is the class mean.")
_SEVERAL = Message(
    "Each row is the mean of {each} learners, the best first; one column per question; the last row is the class mean."
)


def render_html(statistics: Statistics, course: Course, lang: Lang, *, names: bool = False) -> str:
    """The page, self-contained and without scripts, in ``lang`` until its reader chooses the other language.

    Learners are rows with numbers, sorted by points, unless ``names`` is true.
    """
    from grader.report.html import self_contained, sheet  # loads jinja2

    parts = groupby(begun(statistics), key=lambda part: part.question)
    return self_contained(
        "statistics.html",
        sheet(_TEMPLATES / "statistics.css"),
        _TEMPLATES,
        view=sys.modules[__name__],  # it has the words
        found=statistics,
        spread=statistics.spread,
        course=course,
        title=Message("Class statistics"),
        FEW=FEW,
        OF_CLASS=Message("{times} of {learners} learners"),
        MORE=Message("{count} more", "chart"),
        findings=findings(statistics, course, names=names),
        parts=[(question, list(inside)) for question, inside in parts],
        bar=_SCALE.bar(),
        map=heat_map(statistics, names=names) if statistics.questions else None,
        lang=course.language(lang),
    )


def heat_map(statistics: Statistics, *, names: bool) -> dict[str, Any]:
    """What the heat map shows: the labels and cells of its rows, and the means of the class with their cells."""
    from grader.report.html import brief  # loads jinja2

    order = by_points(statistics)
    each = -(-len(order) // _ROWS) or 1  # learners in one row
    grid = np.array([statistics.grid[at] for at in order])
    firsts = range(0, len(order), each)
    labels = [str(at + 1) for at in firsts]
    if each > 1:
        labels = [f"{at + 1}–{min(at + each, len(order))}" for at in firsts]
    elif names:
        labels = [brief(statistics.learners[at], 18) for at in order]
    means = grid.mean(axis=0)
    return {
        "each": each,
        "said": _LEARNER if each == 1 else _SEVERAL.fill(each=each),
        "named": names,
        "labels": labels,
        "cells": _cells([grid[at : at + each].mean(axis=0) for at in firsts]),
        "means": list(zip(means.tolist(), _SCALE.levels(means).tolist(), strict=True)),
        "mean_cells": _cells([means]),
    }


def _cells(rows: Sequence[np.ndarray]) -> dict[int, list[tuple[int, int]]]:
    """The cells of each colour, as (row, column)."""
    places: dict[int, list[tuple[int, int]]] = {}
    for at, row in enumerate(rows):
        for column, level in enumerate(_SCALE.levels(row).tolist()):
            places.setdefault(level, []).append((at, column))
    return dict(sorted(places.items()))


# ----------------------------------------------------------------------------------------------- data


@dataclass(frozen=True, slots=True)
class GradedCourse:
    """A course.

    - `title`: in the language asked for
    - `digest`: names the exact content that graded
    """

    title: Text
    digest: str


@dataclass(frozen=True, slots=True)
class MisconceptionCount:
    """A misconception.

    - `misconception`: its id
    - `times`: how many learners showed it
    - `truth`: the text that corrects it
    """

    misconception: str
    times: int
    truth: Text | None


@dataclass(frozen=True, slots=True)
class QuestionMisconception(MisconceptionCount):
    """A misconception of a question.

    - `misconception`: its id
    - `times`: how many learners showed it
    - `truth`: the text that corrects it
    - `question`: the id of the question
    """

    question: str


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """An answer to an item with options.

    - `option`: the id of an option, or what stands in its place
    - `times`: how many learners gave it
    - `correct`: whether it is correct; `null` if there is no such option
    """

    option: str
    times: int
    correct: bool | None


@dataclass(frozen=True, slots=True)
class PartJson(GradedPart):
    """An item or exercise.

    - `name`: the id of the item, or the name of the exercise
    - `question`: the id of its question
    - `kind`: `item` or `exercise`
    - `learners`: for how many it is graded
    - `tried`: how many submitted something for it
    - `difficulty`: the mean share of its points, so 1 is the easiest; 0 for learners without a submission
    - `discrimination`: the correlation with the points in everything else
    - `misconceptions`: those that learners showed in it, the most frequent first
    - `answers`: to an item with options, the most frequent first
    """

    misconceptions: tuple[MisconceptionCount, ...]
    answers: tuple[AnswerCount, ...]


@dataclass(frozen=True, slots=True)
class BorrowedJson:
    """An answer that is wrong for the learner's own numbers and right for those of others.

    - `learner`: the id of the learner, with `--names`
    - `item`: the id of the item
    - `answer`: what was answered
    - `own`: the learner's numbers
    - `theirs`: the numbers for which it is right
    - `sources`: the ids of those who have such numbers, with `--names`; else how many they are
    - `signed`: with `--names`, the name in answers.yaml, if it is not the id in the roster and the answer is right for
      the numbers of that name
    """

    learner: str | None
    item: str
    answer: str
    own: Mapping[str, int | float]
    theirs: Mapping[str, int | float]
    sources: tuple[str, ...] | int
    signed: str | None


@dataclass(frozen=True, slots=True)
class StatisticsJson:
    """What a class's results say. Shares are between 0 and 1; what cannot be computed is `null`.

    What is `unmarked`, `pending` or `unread`, without points given by hand, is left out.

    - `format`: 1
    - `course`: the course
    - `learners`: how many there are
    - `handed_in`: how many submitted something
    - `few`: whether there are so few (below 30) that `discrimination` and `alpha` say little
    - `mean`: of the shares of all points
    - `deviation`: their standard deviation
    - `quartiles`: their quartiles
    - `tenths`: the number of learners in each tenth of the range of points
    - `alpha`: the reliability (Cronbach's alpha)
    - `parts`: all items and exercises
    - `checks`: all checks on all cases
    - `misconceptions`: of the whole class, the most frequent first
    - `disagreements`: questions where quiz and code differ
    - `findings`: what is worth looking at, the most urgent first
    - `public_only`: learners who pass a check on all public cases and on none of three or more hidden ones: a reason to
      ask, never proof
    - `others_numbers`: answers that are right for the numbers of others
    - `questions`: the ids of all questions
    - `names`: with `--names`, the ids of the learners in the order of `grid`
    - `grid`: a row for each learner, the best first, and a column for each question, with shares of points
    """

    format: int
    course: GradedCourse
    learners: int
    handed_in: int
    few: bool
    mean: float
    deviation: float
    quartiles: tuple[float, float, float]
    tenths: tuple[int, ...]
    alpha: float | None
    parts: tuple[PartJson, ...]
    checks: tuple[CheckStatistics, ...]
    misconceptions: tuple[QuestionMisconception, ...]
    disagreements: tuple[Disagreement, ...]
    findings: tuple[NotableResult, ...]
    public_only: tuple[PublicOnly, ...]
    others_numbers: tuple[BorrowedJson, ...]
    questions: tuple[str, ...]
    names: tuple[str, ...] | None
    grid: tuple[tuple[float, ...], ...]


def as_data(statistics: Statistics, course: Course, *, names: bool = False) -> StatisticsJson:
    """The statistics as data for ``serialize.to_json``. Learners are named only if ``names`` is true."""
    spread = statistics.spread
    rows = by_points(statistics)
    return StatisticsJson(
        format=1,
        course=GradedCourse(course.title, course.digest),
        learners=spread.learners,
        handed_in=spread.handed_in,
        few=statistics.few,
        mean=spread.mean,
        deviation=spread.deviation,
        quartiles=spread.quartiles,
        tenths=spread.tenths,
        alpha=statistics.alpha,
        parts=tuple(_part(part, course) for part in ordered(statistics)),
        checks=statistics.checks,
        misconceptions=tuple(
            QuestionMisconception(name, times, truth(course, question, name), question)
            for question, name, times in statistics.misconceptions
        ),
        disagreements=statistics.disagreements,
        findings=findings(statistics, course, names=names),
        public_only=tuple(finding if names else replace(finding, learner=None) for finding in statistics.public_only),
        others_numbers=tuple(_borrowed_json(answer, names) for answer in statistics.borrowed),
        questions=statistics.questions,
        names=tuple(clean(statistics.learners[row]) for row in rows) if names else None,
        grid=tuple(statistics.grid[row] for row in rows),
    )


def _borrowed_json(answer: BorrowedAnswer, names: bool) -> BorrowedJson:
    return BorrowedJson(
        clean(answer.learner) if names else None,
        answer.item,
        answer.answer,
        {name: Unrounded(value) if isinstance(value, float) else value for name, value in answer.own},
        {name: Unrounded(value) if isinstance(value, float) else value for name, value in answer.theirs},
        tuple(map(clean, answer.sources)) if names else len(answer.sources),
        clean(answer.signed) if names and answer.signed else None,
    )


def by_points(statistics: Statistics) -> list[int]:
    """The indices of the rows of ``grid``, the best first: an order that reveals nothing about names."""
    return sorted(range(len(statistics.grid)), key=lambda at: [-sum(statistics.grid[at]), *statistics.grid[at]])


def _part(part: PartStatistics, course: Course) -> PartJson:
    options = _options(course, part)
    shared = {field.name: getattr(part, field.name) for field in fields(GradedPart)}
    return PartJson(
        **shared,
        misconceptions=tuple(
            MisconceptionCount(name, times, truth(course, part.question, name)) for name, times in part.misconceptions
        ),
        answers=tuple(
            AnswerCount(clean(answer), times, options[answer].correct if answer in options else None)
            for answer, times in part.answers
        ),
    )
