"""A report as one HTML page, with both languages and pictures of arrays; it loads nothing and contains no script.

All text that a learner may have written passes through two filters, which apply to every template: ``visible``, which
replaces control characters and bidirectional overrides, and Jinja's escaping.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import jinja2
from markupsafe import Markup, escape

from grader import __version__
from grader.core import text as core_text
from grader.core.cache import SizedCache
from grader.core.marks import bare
from grader.core.model import (
    ArrayComparison,
    Course,
    Diagnosis,
    Difference,
    ExerciseResult,
    Item,
    ItemResult,
    Lang,
    Message,
    Misconception,
    Outcome,
    QuestionResult,
    Report,
    Status,
    Text,
)
from grader.core.serialize import number
from grader.core.text import LABELED, clean, points
from grader.core.typesetting.html import formula, python, typeset, visible
from grader.course import items, misconceptions
from grader.report import explained, words
from grader.report.array_svg import ArrayPicture, Slice, array_picture, mask, rules
from grader.report.terminal import mark, ranges
from grader.report.words import check_label

_TEMPLATES = Path(__file__).parent / "templates"
_LONGEST = 2000


#: The sections of pages that were made before, for the pages of a class: many learners have the same results.
#:
#: A result is recognised by identity; it is kept as well, so that no other one can get its identity. Pages must be
#: about one course.
SectionCache: TypeAlias = SizedCache[tuple[int, Hashable], tuple[QuestionResult, Markup]]


@dataclass(frozen=True, slots=True)
class PageLearner:
    """The learner of a page: what they are called, and the name that the numbers in items are drawn for."""

    name: str
    draws: str


def render(
    report: Report,
    course: Course,
    lang: Lang,
    shown: Iterable[ArrayComparison] = (),
    whose: PageLearner | None = None,
    sections: SectionCache | None = None,
) -> str:
    """The page, in ``lang`` until the reader switches languages. ``shown`` are the arrays to draw.

    ``whose`` is the learner, by default as in the report. ``sections`` are those of earlier pages of this course.
    """
    page = _Page(report, course, tuple(shown), whose or _named(report), sections)
    return _rendered("report.html", page, course.language(lang), sheet())


def render_body(report: Report, course: Course, lang: Lang, whose: PageLearner) -> str:
    """What ``render`` shows below the name, as a part of a page with the rules of ``sheet``."""
    return _rendered("report_body.html", _Page(report, course, (), whose), lang, "")


def render_part(
    report: Report, course: Course, lang: Lang, shown: Iterable[ArrayComparison] = (), *, style: bool = True
) -> str:
    """The exercises of ``report`` as a part of another page, such as a notebook. Its style applies to nothing else.

    Without ``style``, it is a page of the course, which has the rules of ``sheet`` already, and a page for each item.
    """
    page = _Page(report, course, tuple(shown), _named(report))
    if not style:
        return _rendered("notebook.html", page, lang, "", "/items/")
    page = replace(page, practise=words.ASK_NEXT_IN_NOTEBOOK)
    own = sheet(_TEMPLATES / "notebook.css").replace(":root", ":scope").replace("body {", ":scope {")
    return _rendered("notebook.html", page, lang, f"@scope (.attncheck) {{ {own} }}")


def _named(report: Report) -> PageLearner:
    return PageLearner(report.learner, report.learner)


def _rendered(template: str, page: _Page, lang: Lang, style: str, items: str = "") -> str:
    return self_contained(
        template,
        style,
        report=page.report,
        page=page,
        course=page.course,
        lang=lang,
        words=words,
        explained=explained,
        mark=mark,
        text=core_text,
        items=items,
        Status=Status,
        EXPECTED=Message("Expected", "table"),
        YOURS=Message("Yours"),
    )


def self_contained(template: str, style: str, *folders: Path, scripts: bool = False, **given: Any) -> str:
    """The page that ``template`` makes of what is ``given``, with its ``style`` and a policy that allows only that.

    The template is in one of ``folders``; ``scripts`` beside the page are allowed on demand.
    """
    rules = policy(style, scripts=scripts)
    page = environment(*folders).get_template(template).render(style=Markup(style), policy=rules, **given)
    return page.lstrip() + "\n"


@functools.cache
def environment(*more: Path) -> jinja2.Environment:
    """The Jinja environment of all pages, with the filters that make text harmless.

    ``more`` are folders of templates in addition to that of the report.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([_TEMPLATES, *more]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    named = (points, brief, breakable, exact, formula, number, python, typeset)
    made.filters.update({each.__name__: each for each in named}, plain=check_label)
    return made


def brief(text: str, limit: int = 80) -> str:
    """``text`` on one line of at most ``limit`` characters, for names."""
    return clean(visible(text[: limit + 1]), limit)


def breakable(name: str) -> Markup:
    """A name of the course, with line breaks allowed after underscores and before capitals."""
    parts = re.sub(r"(?<=_)(?=.)|(?<=[a-z])(?=[A-Z])", "\n", name).split("\n")
    return Markup("<wbr>").join(parts)


def exact(code: str) -> Markup:
    """Source code with its spaces; unprintable characters are visible."""
    return escape(visible(code))


def _harmless(value: object) -> object:
    """A value for a template: markup unchanged, other text visible and at most ``_LONGEST`` characters."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return clean(visible(bare(value[: _LONGEST + 1])), _LONGEST, lines=True)


@functools.lru_cache(8)
def policy(style: str, *, scripts: bool = False) -> str:
    """A Content-Security-Policy that allows this style sheet, with ``scripts`` files beside the page, nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    beside = " script-src 'self';" if scripts else ""
    return f"default-src 'none';{beside} style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@functools.lru_cache(8)
def sheet(*more: Path) -> str:
    """The style sheet of all pages, the files ``more``, and the colours of pictures."""
    own = "".join(path.read_text(encoding="utf-8") for path in (_TEMPLATES / "report.css", *more))
    return f"{own}{rules('light')}@media screen and (prefers-color-scheme: dark){{{rules('dark')}}}"


@dataclass(frozen=True, slots=True)
class DrawnArrays:
    """A pair of arrays with its picture and the masks among the inputs."""

    shown: ArrayComparison
    picture: ArrayPicture
    masks: tuple[tuple[str, tuple[Slice, ...]], ...]

    @property
    def correct(self) -> bool:
        """Whether the arrays do not differ."""
        return self.shown.difference is None and self.shown.expected.shape == self.shown.actual.shape


@dataclass(frozen=True, slots=True)
class FirstProblem:
    """What to fix first: what is wrong and where, what is true instead, and a question about it."""

    heading: Text | None
    message: Text | None
    difference: Difference | None
    truth: Text | None = None
    ask: Text | None = None
    ask_next: str | None = None
    diagnosis: tuple[Diagnosis, ...] = ()


@dataclass(frozen=True)
class _Page:
    """The functions that the template calls. See ``render``."""

    report: Report
    course: Course
    shown: tuple[ArrayComparison, ...]
    whose: PageLearner
    sections: SectionCache | None = None
    practise: Text = words.ASK_NEXT_ON_PAGE

    @functools.cached_property
    def item_ids(self) -> frozenset[str]:
        """The ids of all items in the report."""
        return frozenset(item.id for question in self.report.questions for item in question.items)

    def section(self, question: QuestionResult, caller: Callable[[], Markup]) -> Markup:
        """The section of ``question``: the one of an earlier page if that had the same, else what ``caller`` makes."""
        of = self._like(question)
        if self.sections is None or of is None:
            return caller()
        kept = self.sections.get((id(question), of))
        if kept is None:
            kept = question, caller()
            self.sections.put((id(question), of), kept, len(kept[1]))
        return kept[1]

    def _like(self, question: QuestionResult) -> Hashable:
        """What the section of ``question`` depends on besides its results; None if only this learner has it."""
        asked = self.course.question(question.id)
        shown = {item.id for item in question.items if item.status is not Status.MISSING}
        drawn = asked is not None and any(items.draw_choices(each.spec) for each in asked.items if each.id in shown)
        if self.shown or drawn:
            return None
        return self.item_ids, self.report.edition

    @property
    def versions(self) -> dict[str, str]:
        """The versions of attncheck and its libraries."""
        return {"attncheck": __version__} | dict(self.report.versions)

    @property
    def not_attempted(self) -> list[str]:
        """Questions without code or answers, as ranges."""
        return ranges(self.report.not_attempted)

    def tone(self, result: ItemResult | ExerciseResult | Outcome) -> str:
        """The status of a result as a class of the style sheet: what could not be read is open, not incorrect."""
        unread = isinstance(result, ItemResult) and result.unread
        return Status.PENDING.value if unread else result.status.value

    def said(self, result: ItemResult | ExerciseResult | Outcome) -> Text:
        """The status of a result in words."""
        if self.report.edition and result.status is Status.PENDING:
            return words.DECIDED_ELSEWHERE
        if isinstance(result, ExerciseResult) and words.is_stub(result):
            return words.exercise_status(result)
        if isinstance(result, ItemResult) and not result.readable:
            return words.NOT_READABLE
        return core_text.STATUS[result.status]

    def item(self, result: ItemResult) -> Item | None:
        """The item of a result; None if the course does not have it any more."""
        return self.course.item(result.id)

    def asked(self, result: ItemResult) -> Text | None:
        """The question of an item, with this learner's numbers."""
        if (item := self.item(result)) is None:
            return None
        context = items.Context(self.course.public_id, self.whose.draws, item.id)
        return items.fill(item.ask, items.draw(item.spec, context))

    def formulas(self, result: ItemResult) -> tuple[Markup, ...]:
        """The formulas of an incorrect answer as they were read, in MathML."""
        item = self.item(result)
        if result.reading is None or item is None:
            return ()
        return tuple(map(formula, items.formulas(item, result.reading)))

    def given(self, result: ItemResult) -> Text | None:
        """The learner's answer; the letter of an option is followed by what it says. None if it is not known."""
        if not result.given:
            return None
        answer, item = Text(result.given, result.given), self.item(result)
        if item is None:
            return answer
        context = items.Context(self.course.public_id, self.whose.draws, item.id)
        options = {choice.id.casefold(): choice for choice in items.ask(item, context).choices}
        chosen = options.get(result.given.casefold())
        return answer if chosen is None else LABELED.fill(who=chosen.id, said=chosen.text)

    def key_points(self, result: ItemResult) -> tuple[Text, tuple[Text, ...]] | None:
        """The model answer to an item that a person marks, and its key points, once it was answered."""
        item = self.item(result)
        if item is None or item.sealed or result.status is Status.MISSING or not result.readable:
            return None
        points = tuple(point.text for point in items.key_points(item))
        context = items.Context(self.course.public_id, self.whose.draws, item.id)
        return (items.key(item, context), points) if points else None

    def of_item(self, question: QuestionResult, item: ItemResult) -> FirstProblem | None:
        """What to say about an item; None if it passed."""
        if item.status is Status.PASSED:
            return None
        belief = self.course.misconception(question.id, item.misconception)
        if belief is not None:
            belief = misconceptions.after_answer(belief, item.id)
        problem = FirstProblem(None, item.message, None, ask_next=belief.ask_next if belief else None)
        return _with_truth(problem, belief)

    def of_exercise(self, question: QuestionResult, exercise: ExerciseResult) -> FirstProblem | None:
        """What to say about the first failure of an exercise; None if it passed or is a stub."""
        if exercise.status is Status.PASSED or words.is_stub(exercise):
            return None
        first = None if exercise.status in (Status.MISSING, Status.SKIPPED) else exercise.first_failure
        belief = self.course.misconception(question.id, exercise.misconception)
        asked = self.course.question(question.id)
        about = misconceptions.items_about(self.course, belief.id, asked) if belief and asked else ()
        problem = FirstProblem(
            words.failure_heading(exercise, first, self.course) if first else None,
            (first.verdict.message if first else None) or exercise.message,
            difference(first) if first else None,
            ask_next=about[0].id if about else belief.ask_next if belief else None,
        )
        problem = _with_truth(problem, belief)
        sentences = "\n".join(text.en for text in (problem.message, problem.truth) if text is not None)
        return replace(problem, diagnosis=tuple(explained.to_say(exercise, sentences, "en")))

    def pictures(self, exercise: ExerciseResult) -> list[DrawnArrays]:
        """The pictures of an exercise, those that differ first, and of these the case to fix first."""
        drawn = [
            DrawnArrays(arrays, array_picture(arrays), tuple((name, mask(values)) for name, values in arrays.masks))
            for arrays in self.shown
            if arrays.exercise == exercise.name
        ]
        first = exercise.first_failure.case if exercise.first_failure is not None else None
        return sorted(drawn, key=lambda each: (each.correct, each.shown.case != first))


def _with_truth(problem: FirstProblem, belief: Misconception | None) -> FirstProblem:
    """``problem`` with what is true instead of ``belief``, and a question about it; no sentence appears twice."""
    if belief is None:
        return problem
    message = None if problem.message == belief.truth else problem.message
    english = message.en if message is not None else ""
    truth = None if belief.truth.en in english else belief.truth
    ask = None if belief.ask is None or belief.ask.en in english else belief.ask
    return replace(problem, message=message, truth=truth, ask=ask)


def difference(outcome: Outcome) -> Difference | None:
    """The first difference between values; None for a hidden case."""
    return outcome.verdict.difference if outcome.visibility == "public" else None
