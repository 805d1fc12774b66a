"""Whether texts are marked for typesetting, and items have titles (see ``grader.core.marks``)."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from grader.core.layout import cells
from grader.core.marks import pieces
from grader.core.model import Course, Item, Question, Text
from grader.core.typesetting.layout import LayoutError, layout
from grader.course import items
from grader.course.problems import Problem

_LONGEST_TITLE = 32
_PLACEHOLDER = re.compile(r"\{[A-Za-z_]\w*\}")
#: What only formulas and names in programs have.
_UNMARKED = re.compile(r"\w*(?:[_^√∑∂∇ᵀ⊤⊙⊗]|[Α-Ωα-ω]|[⁰¹²³⁴-⁹⁻₀-₉ᵢⱼ])\w*")
_WORD = re.compile(r"[a-z]{4,}|[一-鿿]")


def problems(question: Question, course: Course) -> Iterator[Problem]:
    """Mathematics and code without marks, formulas that cannot be laid out, marks of one language alone; titles."""
    functions = frozenset(exercise.name for exercise in question.exercises if "_" in exercise.name)
    for where, text in texts_of(question):
        for lang, what in wrong_marks(text, functions):
            if lang[1:] in ("", *course.languages):
                yield Problem("marks", f"{question.file}, {where}{lang}", what)
    if any(item.title for each in course.questions for item in each.items):
        yield from _titles(question)


def texts_of(value: Any, path: str = "") -> Iterator[tuple[str, Text]]:
    """Every text in a dataclass, with its place."""
    if isinstance(value, Text):
        yield path, value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from texts_of(getattr(value, field.name), f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, part in enumerate(value):
            yield from texts_of(part, f"{path}[{getattr(part, 'id', index)}]")


def wrong_marks(text: Text, functions: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """What is wrong with the marks of ``text``: in ``.en``, in ``.zh``, or (empty) where the two differ."""
    for lang, words in ((".en", text.en), (".zh", text.zh)):
        yield from ((lang, what) for what in _wrong(_PLACEHOLDER.sub("7", words), functions))
    en, zh = (frozenset(piece for piece in pieces(words) if piece[0]) for words in (text.en, text.zh))
    if en != zh:
        yield "", f"marked in only one language: {', '.join(sorted(words for _, words in en ^ zh))}"


def _wrong(text: str, functions: frozenset[str]) -> Iterator[str]:
    for kind, said in pieces(text):
        if kind in ("formula", "display"):
            try:
                layout(said, display=kind == "display")
            except LayoutError as error:
                yield f"the formula “{said}” cannot be laid out: {error}"
        elif kind is None:
            bare = [found[0] for found in _UNMARKED.finditer(said)]
            bare += [word for word in re.findall(r"[a-z]\w+", said) if word in functions]
            if bare:
                yield f"expected $…$ or `…` around {', '.join(dict.fromkeys(bare))}"


def _titles(question: Question) -> Iterator[Problem]:
    counts = Counter(
        words for item in question.items if item.title for words in dict.fromkeys((item.title.en, item.title.zh))
    )
    for item in question.items:
        where = f"{question.file}, item {item.id}"
        if item.title is None:
            yield Problem("title", where, "has no title")
            continue
        for words in dict.fromkeys((item.title.en, item.title.zh)):
            if cells(words) > _LONGEST_TITLE:
                yield Problem("title", where, f"“{words}” is longer than {_LONGEST_TITLE} characters")
            if counts[words] > 1:
                yield Problem("title", where, f"another item of the question is called “{words}”, too")
        if told := _told(item, item.title):
            yield Problem("title", where, f"the title tells a part of the answer: {', '.join(told)}")


def _told(item: Item, title: Text) -> list[str]:
    """The words of a title that the answer has and the question has not."""
    if item.sealed:
        return []
    context = items.Context("", "", item.id)
    prompt = items.ask(item, context)
    asked = [item.ask, *prompt.facts, *(option.text for option in (*prompt.choices, *prompt.partners))]
    shown = {word for text in asked for word in _WORD.findall(text.en.lower() + text.zh)}
    key = items.key(item, context)
    return sorted({*_WORD.findall(title.en.lower() + title.zh)} & {*_WORD.findall(key.en.lower() + key.zh)} - shown)
