"""Quiz items for other systems: in one language, with one set of random numbers."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.errors import UsageError
from grader.core.marks import Kind, pieces
from grader.core.model import Course, Item, Lang, Message, Question
from grader.core.text import clean, clean_marked, name_list
from grader.core.typesetting.latex import written
from grader.course import items
from grader.course.items import Context, QuizItem
from grader.instructor.export import ExportOptions, ExportTarget

if TYPE_CHECKING:
    import jinja2

_LEFT_OUT = Message("Skipped, because {name} has no matching question type: {items}")
_GRADED = Message(
    "The file contains graded items with their keys: {count}. Anyone who can read it, or the question bank of your "
    "LMS, has the answers."
)
_KEY = Message("A correct answer: {key}")


@dataclass(frozen=True, slots=True)
class ExportItem:
    """A quiz item in one language. Texts have marks; ``explain`` is shown after the answer.

    ``quiz`` is what is asked; its ``pairs`` are here in the language, a distractor with an empty left side. ``truths``
    are what learners read after a mistake, by misconception.
    """

    id: str
    title: str
    points: float
    text: str
    explain: str
    quiz: QuizItem
    pairs: tuple[tuple[str, str], ...]
    truths: Mapping[str | None, str]


def export_items(
    course: Course, options: ExportOptions, out: ExportTarget, name: str, forms: frozenset[str]
) -> list[ExportItem]:
    """The practice items of the chosen questions and, with ``options.graded``, the graded ones.

    Items whose form is not in ``forms``, those of the format ``name``, are skipped and reported. Raises UsageError if
    nothing is left.
    """
    found, left_out, graded = [], [], 0
    for question in course.questions:
        for item in question.items if not options.questions or question.id in options.questions else ():
            if item.use == "practice" or options.graded:
                made = _item_of(course, question, item, options.lang)
                if made is None or made.quiz.form not in forms:
                    left_out.append(item.id)
                else:
                    found.append(made)
                    graded += item.use == "graded"
    if left_out:
        out.say(_LEFT_OUT.fill(name=name, items=name_list(left_out)))
    if graded:
        out.say(_GRADED.fill(count=graded))
    if not found:
        hint = "" if options.graded else Message(" --graded includes graded items.")
        said = Message("There are no practice items here that {name} can express.{hint}")
        raise UsageError(said.fill(name=name, hint=hint))
    return found


def _item_of(course: Course, question: Question, item: Item, lang: Lang) -> ExportItem | None:
    """The item in ``lang``; None if other systems have no equivalent."""
    context = Context(course.public_id, "", item.id)
    quiz = items.quiz_item(item, context)
    if quiz is None:
        return None
    symbols = items.draw(item.spec, context)
    explain = items.fill(item.explain, symbols).of(lang) if item.explain else ""
    if quiz.key is not None:
        explain = f"{_KEY.fill(key=quiz.key).of(lang)}\n\n{explain}".strip()

    return ExportItem(
        item.id,
        clean(f"{item.id} {item.title.of(lang)}") if item.title else item.id,
        item.points,
        "\n\n".join(text.of(lang) for text in (items.fill(item.ask, symbols), *quiz.facts)),
        explain,
        quiz,
        tuple((left.of(lang) if left else "", right.of(lang)) for left, right in quiz.pairs),
        {belief.id: clean_marked(belief.truth.of(lang), 2000, lines=True) for belief in question.misconceptions},
    )


def decimal(value: int | float | Decimal) -> str:
    """A number in decimal digits, without an exponent."""
    exact = Decimal(value) if isinstance(value, int) else Decimal(f"{value:.12g}")
    text = f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def markup(text: str) -> str:
    r"""Marked text as HTML: paragraphs, lines and indentation; formulas in LaTeX between ``\(`` and ``\)``."""
    paragraphs = re.split(r"\n\s*\n", clean_marked(text, 20000, lines=True).strip("\n"))
    return "".join(f"<p>{'<br/>'.join(map(_line, part.splitlines()))}</p>" for part in paragraphs)


def inline(text: str) -> str:
    """Marked text as HTML without paragraphs."""
    return "<br/>".join(_line(line) for line in clean_marked(text, 2000, lines=True).splitlines())


def _line(line: str) -> str:
    indented = line.lstrip(" ")
    return "&#160;" * (len(line) - len(indented)) + "".join(_piece(kind, said) for kind, said in pieces(indented))


def _piece(kind: Kind | None, text: str) -> str:
    if (formula := written(kind, text)) is not None:
        return html.escape(rf"\[{formula}\]" if kind == "display" else rf"\({formula}\)", quote=False)
    escaped = html.escape(text, quote=False)
    return f"<code>{escaped}</code>" if kind in ("code", "listing") else escaped


def collection_title(course: Course, found: list[ExportItem], lang: Lang) -> str:
    """A title for the items: the course and the range of questions."""
    names = list(dict.fromkeys(each.id.partition(".")[0] for each in found))
    several = f"{names[0]} – {names[-1]}" if len(names) > 1 else names[0]
    return clean(f"{course.title.of(lang)}: {several}", 200)


def by_question(course: Course, found: list[ExportItem]) -> Iterator[tuple[Question, list[ExportItem]]]:
    """The items of each question, in the order of the course."""
    for question in course.questions:
        own = [each for each in found if each.id.partition(".")[0] == question.id]
        if own:
            yield question, own


def template(name: str, **filters: Callable[[Any], object]) -> jinja2.Template:
    """The template of a format, with ``filters`` of its own; what it fills in is escaped in XML."""
    import jinja2  # slow to load, and `export --help` imports the formats

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=name.endswith(".xml"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(filters, clean=clean, decimal=decimal, inline=inline, markup=markup)
    return made.get_template(name)
