"""What lets somebody guess answers without knowing the subject, found over a whole course.

A single item says little: somewhere the right option has to be the longest. Over many items it must not be a rule. The
bounds hold for courses with at least ``ENOUGH`` single-choice items.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from grader.core.layout import cells
from grader.core.model import Course, Item, Lang, Question
from grader.core.tables import patterns, table
from grader.course import items
from grader.course.items import derivation, expression, shape
from grader.course.items._options import Option, normalize_id
from grader.course.problems import Problem

#: From so many single-choice items on, shares mean something.
ENOUGH = 30
#: The right option is the longest, or the shortest, in such a share of the items.
LENGTHS = (0.20, 0.35)
#: The most by which two rates of a word among options may differ, as a factor, and the fewest options it takes.
FACTOR, FEWEST = 2.0, 8
#: A question with this many items has at least so many of the highest level.
MANY, HARD = 8, 2

_phrase = patterns(__file__, "words.yaml")
#: How a formula is written does not matter when texts are searched for it; shorter ones are found by chance.
_SPACING, _SHORTEST = re.compile(r"[\s*·`]"), 5
#: A shape in running text, and the fewest axes that are not shown by chance.
_SHAPE, _AXES = re.compile(r"\([^()=]+,[^()=]+\)"), 3
_DEFINES = "def {0}(", "class {0}(", "class {0}:"
#: Chinese is not split into words; a stretch of so many characters counts as one.
_STRETCH = 3


def problems(course: Course) -> Iterator[Problem]:
    """Everything that lets somebody guess in ``course``."""
    yield from levels(course.questions)
    for question in course.questions:
        for item in question.items:
            for lang in course.languages:
                yield from echoes(question, item, lang)
    yield from shown_keys(course)
    yield from letter_problems(course)
    chosen = [item for item in course.items if _is_single_choice(item)]
    if len(chosen) < ENOUGH:
        return
    for lang in course.languages:
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


def _lengths(chosen: Sequence[Item], lang: Lang) -> Iterator[Problem]:
    """How often the length of the right option gives it away, in cells of a terminal."""
    counts = {"longest": 0, "shortest": 0}
    for item in chosen:
        right = next(cells(option.text.of(lang)) for option in items.options(item) if option.correct)
        others = [cells(option.text.of(lang)) for option in items.options(item) if not option.correct]
        counts["longest"] += right > max(others)
        counts["shortest"] += right < min(others)
    low, high = LENGTHS
    for what, count in counts.items():
        if not low <= count / len(chosen) <= high:
            text = f"{lang}: the right option is the {what} in {count} of {len(chosen)} items of the kind choice"
            yield Problem("length-tells", "items", f"{text}; expected {low:.0%} to {high:.0%}")


def _words(course: Course, lang: Lang) -> Iterator[Problem]:
    """Absolutes, and “both” or “it depends”, are as frequent among right options as among wrong ones."""
    options = [option for item in course.items for option in items.options(item)]
    for what, name in (("an absolute word", "absolute"), ("“both” or “it depends”", "hedged")):
        pattern = _phrase(f"{name}-{lang}")
        right, wrong = _rate(options, True, lang, pattern), _rate(options, False, lang, pattern)
        if right[0] + wrong[0] < FEWEST:
            continue
        right_share, wrong_share = right[0] / right[1], wrong[0] / wrong[1]
        if max(right_share, wrong_share) > FACTOR * min(right_share, wrong_share):
            shares = f"{right_share:.0%} of the right options and in {wrong_share:.0%} of the wrong ones"
            text = f"{lang}: {what} is in {shares}; expected neither more than {FACTOR:g} times the other"
            yield Problem("wording-tells", "items", text)


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
    others = [words(option.text.of(lang)) for option in items.options(item) if not option.correct]
    wrong = frozenset[str]().union(*others)
    shared = words(item.ask.of(lang)) & words(right) - wrong
    if shared:
        text = f"{lang}: stem and right option share “{max(sorted(shared), key=len)}”, which no other option has"
        yield Problem("stem-tells", f"{question.file}, item {item.id}", text)


def _english(text: str) -> frozenset[str]:
    common = table(__file__, "words.yaml")["common"]
    words = {word.casefold() for word in _phrase("word-en").findall(text)}.difference(common)
    return frozenset(word.removesuffix("s") for word in words)


def _chinese(text: str) -> frozenset[str]:
    runs = _phrase("word-zh").findall(text)
    return frozenset(run[start : start + _STRETCH] for run in runs for start in range(len(run) - _STRETCH + 1))


# ------------------------------------------------------------------------------------------ over all texts


def shown_keys(course: Course) -> Iterator[Problem]:
    """Formulas and shapes that are the key of a graded item and that a learner can read elsewhere in the course.

    Shapes of fewer than three axes are left out, as are short formulas, which occur by chance; so are numbers, which
    differ between learners.
    """
    texts = [(place, text) for question in course.questions for place, text in _texts(question)]
    yield from _shown_shapes(course, texts)
    for question, item in _graded(course, expression.Spec):
        where, answer = f"{question.file}, item {item.id}", str(item.spec.answer)
        key = _SPACING.sub("", answer)
        for place, text in texts:
            if len(key) >= _SHORTEST and place != item.id and key in _SPACING.sub("", text):
                yield Problem("key-shown", where, f"{place} shows its key {answer}")
        for place in _same(item, question):
            yield Problem("key-shown", where, f"{place} shows a formula equal to its key {answer}")
    names = [exercise.name for question in course.questions for exercise in question.exercises]
    every = {item.id for item in course.items}
    for place, text in texts:
        for name in names if place in every else ():
            if any(form.format(name) in text for form in _DEFINES):
                yield Problem("key-shown", place, f"it defines {name}, which is an exercise")


def _shown_shapes(course: Course, texts: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    places = {written: place for place, text in reversed(texts) for written in _SHAPE.findall(text)}
    for question, item in _graded(course, shape.Spec):
        where, commas = f"{question.file}, item {item.id}", item.spec.answer.count(",")
        for written, place in places.items() if commas >= _AXES - 1 else ():
            if written.count(",") == commas and _share(item, written) == 1:
                yield Problem("key-shown", where, f"{place} shows its key {written}")


def _graded(course: Course, spec: type) -> Iterator[tuple[Question, Item]]:
    """The graded items of the kind of ``spec`` that have a key, each with its question."""
    for question in course.questions:
        for item in question.items:
            if item.use == "graded" and not item.sealed and isinstance(item.spec, spec):
                yield question, item


def _share(item: Item, answer: object) -> float:
    """The share of the points that an answer to ``item`` earns; none if it cannot be read."""
    judged = items.judge(item, answer, items.Context("", "", item.id))
    return judged.fraction if judged.readable else 0.0


def _same(item: Item, question: Question) -> Iterator[str]:
    """The items of ``question`` that show a formula which is correct for ``item``."""
    for other in question.items:
        if other.id != item.id and any(_share(item, formula) == 1 for formula in _formulas(other)):
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


# --------------------------------------------------------------------------- one letter for every item
# Whether letters tell answers: what somebody earns who gives the same letters, pairs or order everywhere.
#
# Letters are names: learners find them in files, and none of them may be right more often than chance. Over all items
# of a kind, an answer that never looks at the item is judged as any other; the best one found may earn at most
# ``MARGIN`` above chance. Letters count by their place in the alphabet of an item, so that "the second" is one answer
# for all.
#
# Chance is the mean share of the points that answers drawn at random earn:
#
# * ``choice``: one option;
# * ``multi``: as many options as are right, which is more than a set of any size earns;
# * ``match``: a partner for each entry, drawn each for itself;
# * ``order``: any order.
#
# All choices are counted where there are at most ``_COUNTED`` of them, else as many are drawn with a fixed seed.


#: A constant answer may earn so much more than chance, as a share of the points.
MARGIN = 0.1
#: In fewer items of a kind, letters fall unevenly without telling anything.
FEWEST_ASKED = 10
#: How many random answers to an item are tried at most.
_COUNTED = 120
#: How many items a message names.
_NAMED = 4

#: Places in the alphabet of an item: of the options chosen, of the partner of each entry, or of the entries in order.
Places: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConstantAnswer:
    """The best constant answer to items of one kind: its ``places``, what it ``earns``, and ``chance`` (shares).

    ``items`` are those it does best, best first.
    """

    kind: str
    places: Places
    earns: float
    chance: float
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """An item with the ids of its options and partners in the order of the alphabet."""

    item: Item
    ids: tuple[str, ...]
    partners: tuple[str, ...]
    known: dict[Places, float]

    def share(self, places: Places) -> float:
        """The share of the points that the answer at ``places`` earns; places that the item lacks are left out."""
        count = len(self.ids)
        places = places[:count] if self.partners else tuple(place for place in places if place < count)
        if places not in self.known:
            self.known[places] = _share(self.item, self._written(places))
        return self.known[places]

    def _written(self, places: Places) -> object:
        if self.partners:
            placed = zip(self.ids, places, strict=False)
            return {name: self.partners[place] for name, place in placed if place < len(self.partners)}
        chosen = [self.ids[place] for place in places]
        return chosen if self.item.kind != "choice" else next(iter(chosen), None)


def letter_problems(course: Course) -> Iterator[Problem]:
    """The kinds of items whose letters tell answers: among the graded items, and among all of them."""
    every = course.items
    graded = [item for item in every if item.use == "graded"]
    told: set[str] = set()  # of kinds whose graded items tell answers, no more is said
    for name, of in (("graded ", graded), ("", every)):
        for kind in KINDS:
            best = best_constant(kind, of)
            if best is not None and best.earns > best.chance + MARGIN and kind not in told:
                told.add(kind)
                yield Problem("given-away", "questions/", _said(best, name))


def _said(best: ConstantAnswer, name: str) -> str:
    named = ", ".join(item.id for item in best.items[:_NAMED])
    return (
        f"“{_as_text(best)}” as the answer to every {name}{best.kind} item earns {best.earns:.0%} of the points; "
        f"expected at most {best.chance + MARGIN:.0%} (chance is {best.chance:.0%}): exchange the ids of "
        f"{'partners' if best.kind == 'match' else 'options'} in some of them, such as {named}"
    )


def _as_text(best: ConstantAnswer) -> str:
    if best.kind == "match":
        return ", ".join(f"{_letter(index)}-{place + 1}" for index, place in enumerate(best.places))
    return " ".join(map(_letter, best.places))


def _letter(place: int) -> str:
    return chr(ord("a") + place)


def best_constant(kind: str, of: Sequence[Item]) -> ConstantAnswer | None:
    """The best constant answer found to those ``of`` the items that are of ``kind``; None if they are too few.

    Sealed items are left out: their edition has no key to compare with. For ``choice`` and ``multi`` all answers are
    tried; for ``match`` and ``order`` the best is approached step by step from several beginnings.
    """
    asked = [_asked(item) for item in of if item.kind == kind and not item.sealed and item.points > 0]
    if len(asked) < FEWEST_ASKED:
        return None
    possible = sum(question.item.points for question in asked)

    def earns(places: Places) -> float:
        return sum(question.item.points * question.share(places) for question in asked) / possible

    places = _MOVES[kind](asked, earns)
    chance = sum(question.item.points * _chance(question) for question in asked) / possible
    ranked = sorted(asked, key=lambda question: question.share(places) * question.item.points, reverse=True)
    return ConstantAnswer(kind, places, earns(places), chance, tuple(question.item for question in ranked))


def _asked(item: Item) -> _Asked:
    prompt = items.ask(item, items.Context("", "", item.id))
    ids, partners = (
        tuple(sorted((choice.id for choice in group), key=normalize_id)) for group in (prompt.choices, prompt.partners)
    )
    return _Asked(item, ids, partners, {})


# --------------------------------------------------------------------------------------------------- chance


def _chance(asked: _Asked) -> float:
    """The mean share that random answers to one item earn."""
    answers = list(_random_answers(asked))
    return sum(map(asked.share, answers)) / len(answers)


def _random_answers(asked: _Asked) -> Iterator[Places]:
    count, partners = len(asked.ids), len(asked.partners)
    dice = random.Random(asked.item.id)
    match asked.item.kind:
        case "choice" | "multi":
            spec: Any = asked.item.spec
            yield from itertools.combinations(range(count), sum(option.correct for option in spec.options))
        case "match":
            if partners**count <= _COUNTED:
                yield from itertools.product(range(partners), repeat=count)
            else:
                yield from (tuple(dice.choices(range(partners), k=count)) for _ in range(_COUNTED))
        case _:
            if math.factorial(count) <= _COUNTED:
                yield from itertools.permutations(range(count))
            else:
                yield from (tuple(dice.sample(range(count), count)) for _ in range(_COUNTED))


# ------------------------------------------------------------------------------------------- constant answers

_Earns: TypeAlias = Callable[[Places], float]


def _best_set(asked: Sequence[_Asked], earns: _Earns) -> Places:
    places = range(_longest(asked))
    return max(itertools.chain.from_iterable(itertools.combinations(places, size + 1) for size in places), key=earns)


def _best_pairing(asked: Sequence[_Asked], earns: _Earns) -> Places:
    """The best pairing that one change of a partner, repeated, leads to."""
    partners = range(max(len(item.partners) for item in asked))
    count = _longest(asked)

    def near(places: Places) -> Iterator[Places]:
        for index in range(count):
            yield from ((*places[:index], partner, *places[index + 1 :]) for partner in partners)

    beginnings = [tuple((at + by) % len(partners) for at in range(count)) for by in (0, 1)]
    return max((_climb(begin, near, earns) for begin in beginnings), key=earns)


def _best_order(asked: Sequence[_Asked], earns: _Earns) -> Places:
    """The best order that moving one entry, repeated, leads to."""
    count = _longest(asked)

    def near(places: Places) -> Iterator[Places]:
        for index, to in itertools.permutations(range(count), 2):
            rest = [*places[:index], *places[index + 1 :]]
            yield (*rest[:to], places[index], *rest[to:])

    forward = tuple(range(count))
    dice = random.Random(1)
    beginnings = [forward, forward[::-1], *(tuple(dice.sample(forward, count)) for _ in range(4))]
    return max((_climb(begin, near, earns) for begin in beginnings), key=earns)


def _climb(places: Places, near: Callable[[Places], Iterator[Places]], earns: _Earns) -> Places:
    """The answer that the best of the answers ``near`` it, taken again and again, leads to."""
    while earns(better := max(near(places), key=earns)) > earns(places):
        places = better
    return places


def _longest(asked: Sequence[_Asked]) -> int:
    return max(len(item.ids) for item in asked)


_MOVES: dict[str, Callable[[Sequence[_Asked], _Earns], Places]] = {
    "choice": _best_set,
    "multi": _best_set,
    "match": _best_pairing,
    "order": _best_order,
}
#: The kinds of items whose answers consist of ids.
KINDS = tuple(_MOVES)
