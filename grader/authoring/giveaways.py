"""What lets somebody guess answers without knowing the subject, found over a whole course.

A single item says little: somewhere the right option has to be the longest. Over many items it must not be a rule. The
bounds hold for courses with at least ``ENOUGH`` single-choice items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from grader.authoring import letters
from grader.core.layout import cells
from grader.core.model import Course, Item, Lang, Question
from grader.course import items
from grader.course.items import derivation, expression, shape
from grader.course.items._options import Option
from grader.course.problems import Problem

#: From so many single-choice items on, shares mean something.
ENOUGH = 30
#: The right option is the longest, or the shortest, in such a share of the items.
LENGTHS = (0.20, 0.35)
#: The most by which two rates of a word among options may differ, as a factor, and the fewest options it takes.
FACTOR, FEWEST = 2.0, 8
#: A question with this many items has at least so many of the highest level.
MANY, HARD = 8, 2

_LANGS: tuple[Lang, ...] = ("en", "zh")
_ABSOLUTE: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:always|never|only|all|every|none|no one|nothing|must|cannot)\b", re.IGNORECASE),
    "zh": re.compile("总是|始终|永远|从不|绝不|只|仅|全部|所有|任何|必须|毫无|完全"),
}
_HEDGED: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(r"^(?:both|either|neither)\b|\bit depends\b|\b(?:sometimes|usually|in general)\b", re.IGNORECASE),
    "zh": re.compile("^(?:两者|都有可能|都不)|视情况|看情况|有时|通常|一般"),
}
_WORD: dict[Lang, re.Pattern[str]] = {"en": re.compile(r"[A-Za-z][A-Za-z-]{4,}"), "zh": re.compile("[一-鿿]+")}
#: Words that any stem and any option may share.
_COMMON = {
    "about", "after", "again", "always", "because", "before", "being", "between", "could", "every", "other", "others",
    "should", "still", "such", "than", "that", "their", "there", "these", "those", "through", "under", "until", "where",
    "which", "while", "whose", "with", "without", "would",
}  # fmt: skip
#: How a formula is written does not matter when texts are searched for it; shorter ones are found by chance.
_SPACING, _SHORTEST = re.compile(r"[\s*·`]"), 5
#: A shape in running text, and the fewest axes that are not shown by chance.
_SHAPE, _AXES = re.compile(r"\([^()=]+,[^()=]+\)"), 3
_DEFINES = "def {0}(", "class {0}(", "class {0}:"
#: Chinese is not split into words; a stretch of so many characters counts as one.
_STRETCH = 3


@dataclass(frozen=True, slots=True)
class Lengths:
    """In how many of ``items`` the right option is longer, or shorter, than all others."""

    items: int
    longest: int
    shortest: int


def problems(course: Course) -> Iterator[Problem]:
    """Everything that lets somebody guess in ``course``."""
    yield from levels(course.questions)
    for question in course.questions:
        for item in question.items:
            for lang in _LANGS:
                yield from echoes(question, item, lang)
    yield from shown_keys(course)
    yield from letters.problems(course)
    chosen = [item for question in course.questions for item in question.items if _is_single_choice(item)]
    if len(chosen) < ENOUGH:
        return
    for lang in _LANGS:
        yield from _lengths(chosen, lang)
        yield from _words(course, lang)


# ------------------------------------------------------------------------------------------ how hard items are


def _is_single_choice(item: Item) -> bool:
    return bool(items.options(item)) and items.ask(item, items.Context("", "", item.id)).form == "one"


def levels(questions: Sequence[Question]) -> Iterator[Problem]:
    """Once one item has a level, all need one; and a question with many items needs hard ones."""
    if not any(item.level for question in questions for item in question.items):
        return
    for question in questions:
        missing = [item.id for item in question.items if item.level is None]
        if missing:
            yield Problem("no-level", question.file, f"no level: {', '.join(missing)}")
        hard = sum(item.level == 3 for item in question.items)
        if len(question.items) >= MANY and hard < HARD:
            yield Problem("few-hard-items", question.file, f"{hard} items of level 3; expected at least {HARD}")


# ------------------------------------------------------------------------------------------ over all options


def lengths(chosen: Sequence[Item], lang: Lang) -> Lengths:
    """How often the length of the right option gives it away, in cells of a terminal."""
    longest = shortest = 0
    for item in chosen:
        right = next(cells(option.text.of(lang)) for option in items.options(item) if option.correct)
        others = [cells(option.text.of(lang)) for option in items.options(item) if not option.correct]
        longest += right > max(others)
        shortest += right < min(others)
    return Lengths(len(chosen), longest, shortest)


def _lengths(chosen: Sequence[Item], lang: Lang) -> Iterator[Problem]:
    counts = lengths(chosen, lang)
    low, high = LENGTHS
    for what, count in (("longest", counts.longest), ("shortest", counts.shortest)):
        if not low <= count / counts.items <= high:
            text = f"{lang}: the right option is the {what} in {count} of {counts.items} items of the kind choice"
            yield Problem("length-tells", "items", f"{text}; expected {low:.0%} to {high:.0%}")


def _words(course: Course, lang: Lang) -> Iterator[Problem]:
    """Absolutes, and “both” or “it depends”, are as frequent among right options as among wrong ones."""
    options = [option for question in course.questions for item in question.items for option in items.options(item)]
    for what, pattern in (("an absolute word", _ABSOLUTE[lang]), ("“both” or “it depends”", _HEDGED[lang])):
        right, wrong = _rate(options, True, lang, pattern), _rate(options, False, lang, pattern)
        if right[0] + wrong[0] < FEWEST:
            continue
        right_share, wrong_share = right[0] / right[1], wrong[0] / wrong[1]
        if max(right_share, wrong_share) > FACTOR * min(right_share, wrong_share):
            shares = f"{right_share:.0%} of the right options and in {wrong_share:.0%} of the wrong ones"
            yield Problem(
                "wording-tells",
                "items",
                f"{lang}: {what} is in {shares}; expected neither more than {FACTOR:g} times the other",
            )


def _rate(options: Sequence[Option], correct: bool, lang: Lang, pattern: re.Pattern[str]) -> tuple[int, int]:
    texts = [option.text.of(lang) for option in options if option.correct is correct]
    return sum(pattern.search(text) is not None for text in texts), len(texts)


# ------------------------------------------------------------------------------------------ in one item


def echoes(question: Question, item: Item, lang: Lang) -> Iterator[Problem]:
    """A word that the stem shares with the right option, and with no wrong one."""
    if not _is_single_choice(item):
        return
    words: Callable[[str], frozenset[str]] = _english if lang == "en" else _chinese
    right = next(option.text.of(lang) for option in items.options(item) if option.correct)
    wrong = frozenset[str]().union(
        *(words(option.text.of(lang)) for option in items.options(item) if not option.correct)
    )
    shared = words(item.ask.of(lang)) & words(right) - wrong
    if shared:
        text = f"{lang}: stem and right option share “{max(sorted(shared), key=len)}”, which no other option has"
        yield Problem("stem-tells", f"{question.file}, item {item.id}", text)


def _english(text: str) -> frozenset[str]:
    words = {word.casefold() for word in _WORD["en"].findall(text)} - _COMMON
    return frozenset(word.removesuffix("s") for word in words)


def _chinese(text: str) -> frozenset[str]:
    runs = _WORD["zh"].findall(text)
    return frozenset(run[start : start + _STRETCH] for run in runs for start in range(len(run) - _STRETCH + 1))


# ------------------------------------------------------------------------------------------ over all texts


def shown_keys(course: Course) -> Iterator[Problem]:
    """Formulas and shapes that are the key of a graded item and that a learner can read elsewhere in the course.

    Shapes of fewer than three axes are left out, as are short formulas, which occur by chance; so are numbers, which
    differ between learners.
    """
    texts = [(place, text) for question in course.questions for place, text in _texts(question)]
    yield from _shown_shapes(course, texts)
    for question in course.questions:
        for item in question.items:
            if item.use != "graded" or item.sealed or not isinstance(item.spec, expression.Spec):
                continue
            where = f"{question.file}, item {item.id}"
            key = _SPACING.sub("", str(item.spec.answer))
            for place, text in texts:
                if len(key) >= _SHORTEST and place != item.id and key in _SPACING.sub("", text):
                    yield Problem("key-shown", where, f"{place} shows its key {item.spec.answer}")
            for place in _same(item, question):
                yield Problem("key-shown", where, f"{place} shows a formula equal to its key {item.spec.answer}")
    names = [exercise.name for question in course.questions for exercise in question.exercises]
    every = {item.id for question in course.questions for item in question.items}
    for place, text in texts:
        for name in names if place in every else ():
            if any(form.format(name) in text for form in _DEFINES):
                yield Problem("key-shown", place, f"it defines {name}, which is an exercise")


def _shown_shapes(course: Course, texts: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    places = {written: place for place, text in reversed(texts) for written in _SHAPE.findall(text)}
    for question in course.questions:
        for item in question.items:
            if item.use != "graded" or item.sealed or not isinstance(item.spec, shape.Spec):
                continue
            where, commas = f"{question.file}, item {item.id}", item.spec.answer.count(",")
            right = partial(items.judge, item, context=items.Context("", "", item.id))
            for written, place in places.items() if commas >= _AXES - 1 else ():
                if written.count(",") == commas and right(written).fraction == 1:
                    yield Problem("key-shown", where, f"{place} shows its key {written}")


def _same(item: Item, question: Question) -> Iterator[str]:
    """The items of ``question`` that show a formula which is correct for ``item``."""
    right = partial(items.judge, item, context=items.Context("", "", item.id))
    for other in question.items:
        if other.id != item.id and any(right(formula).fraction == 1 for formula in _formulas(other)):
            yield other.id


def _formulas(item: Item) -> Sequence[str]:
    """The ends of a derivation, and the answer of an expression for practice."""
    spec = item.spec
    if isinstance(spec, derivation.Spec):
        return [spec.from_] if spec.hide_to else [spec.from_, spec.to]
    if isinstance(spec, expression.Spec) and item.use == "practice" and not item.sealed:
        return [str(spec.answer)]
    return []


def _texts(question: Question) -> Iterator[tuple[str, str]]:
    """What learners can read before they answer graded items, and where."""
    yield f"the prompt of {question.id}", question.prompt.en
    for belief in question.misconceptions:
        for text in (belief.truth, belief.ask, belief.ask_item):
            if text:
                yield f"misconception {belief.id} of {question.id}", text.en
    for exercise in question.exercises:
        for shown in (exercise.summary.en, str(exercise.result), *(hint.en for hint in exercise.hints)):
            yield exercise.name, shown
    for item in question.items:
        context = items.Context("", "", item.id)
        prompt = items.ask(item, context)
        named = (item.ask, prompt.how, *prompt.facts, *(option.text for option in (*prompt.choices, *prompt.partners)))
        settled = (item.explain, items.key(item, context)) if item.use == "practice" and not item.sealed else ()
        for text in (*named, *settled):
            if text:
                yield item.id, text.en
