"""What authors write and learners answer: question files, items of all kinds, formulas, sizes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from grader import submission
from grader.core import arithmetic
from grader.core.errors import CourseError
from grader.core.marks import plain
from grader.core.model import Answer, Course, Item, Observed, Question, Status, Submission
from grader.course import items, loader
from grader.course.items import Context, Judgment
from grader.grading import courses, inputs
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.learning import quiz_session
from grader.learning.answers_file import new_answers_file
from tests import tiny
from tests.course.items.test_documented import read as item_of
from tests.formulas.test_hostile import CHAIN, FORMULAS, GROWTH, HOSTILE, PIECES, SOUP, VALUE
from tests.fuzz import bending
from tests.fuzz.reading import Reader, fuzzing, read
from tests.fuzz.test_submissions import PYTHON, YAML
from tests.helpers import WORDS

ROOT = Path(__file__).parents[2]
ADA = Context("test", "ada", "Q1.a")

# -------------------------------------------------------------------------------------------- courses

_SECOND = ROOT / "examples" / "course"
_FILES = {
    "questions/q01_tiny.yaml": (
        tiny.QUESTION,
        *(p.read_text("utf-8") for p in sorted(_SECOND.glob("questions/q*.yaml"))),
    ),
    "questions/sources.yaml": (tiny.SOURCES,),
    "reference/bank.py": (tiny.REFERENCE,),
    "course.yaml": (
        "title: {en: T, zh: 题}\npublic_id: t\ngroups: {self-attention: {en: S, zh: 自}}\nquestions: [Q1]\n"
        'due: "2026-11-30T23:59:00+08:00"\nlate: {percent: 10, grace_hours: 2, cut_off_days: 7}\n'
        "attempts: {count: best, percent: 5}\nhidden_results: after-due\n"
        "points: {Q1: 12}\nroster: class.csv\nseed_file: ../SEED\n",
    ),
}
_BANK = (
    *YAML, "normal: ", "integers: ", "mask: ", "causal: ", "value: ", "same_as: ", "draw: ", "n", '"n + 1"',
    '"n // 0"', "10**9", "1000000000", "[1, 2]", "{}", "[]", "{en: a, zh: b}", "en: ", "zh: ", "kind: choice",
    "kind: number", "kind: shape", "kind: text", "kind: order", "kind: match", "kind: multi", "kind: expression",
    "kind: derivation", "answer: ", "Q1", "Q2.a", "correct: true", "misconception: ", "points: ", "weight: ",
    "dtype: float32", "raises: ValueError", "only: [values]", "on: ", "replace: ", "with: ", "body: ", "in: ",
    "public: true", "forbids: ", "steps: ", "tolerance: ", "unit: ", "variants: ", "hints: ", "checks: [values]",
    "returns: attention", "class: ", "function: ", "construct: ", "forward: ", "signature: (x",
)  # fmt: skip
_WHICH = st.sampled_from([*["questions/q01_tiny.yaml"] * 4, *_FILES])
COURSES = _WHICH.flatmap(
    lambda name: st.tuples(
        st.just(name), bending.encoded(bending.texts(_FILES[name], _BANK if name.endswith(".yaml") else PYTHON))
    )
)


def a_course(example: tuple[str, bytes], scratch: Path) -> None:
    """A course is refused with its problems, or can be asked, answered and drawn from; the cache agrees."""
    name, data = example
    folder = scratch / "course"
    if not folder.exists():
        tiny.course(folder)
    for file in _FILES:
        (folder / file).unlink(missing_ok=True)
    tiny.course(folder)
    (folder / name).write_bytes(data)
    found = read(lambda: courses.load(folder), CourseError)
    if found is None:
        return
    again = courses.load(folder)
    assert repr(again) == repr(found)
    for question in found.questions:
        for item in question.items:
            context = Context(found.public_id, "ada", item.id)
            items.ask(item, context)
            key = items.key(item, context)
            assert type(key.en) is str and type(key.zh) is str
            proper(items.judge(item, plain(key.en), context), item.kind)
        for exercise in question.exercises:
            for case in exercise.cases:
                if not case.sealed:
                    read(lambda case=case, name=exercise.name: inputs.draw(case, name, Seed.public()), CourseError)


# ---------------------------------------------------------------------------------------------- items


#: Kinds whose lines or blanks earn their share even if one of them is not read.
_OF_PARTS = ("blanks", "derivation")


def proper(judged: Judgment, kind: str) -> None:
    """Checks a share of the points and its message."""
    assert type(judged.status) is Status and judged.status is not Status.UNMARKED
    assert 0 <= judged.fraction <= 1
    assert judged.readable or judged.fraction == 0 or (kind in _OF_PARTS and judged.fraction < 1)
    assert (judged.status is Status.PASSED) == (judged.fraction == 1) or judged.status is Status.PENDING
    assert judged.misconception is None or type(judged.misconception) is str
    for said in (judged.message.en, judged.message.zh) if judged.message else ():
        assert said and len(said) < 5000


@functools.cache
def guide() -> tuple[Item, ...]:
    """The items of the documentation, at least one of each kind."""
    return tuple(map(item_of, items.kinds()))


@functools.cache
def bank() -> tuple[Item, ...]:
    """All items of the course."""
    return tuple(item for question in courses.load(loader.find(None)).questions for item in question.items)


_TYPED = (
    ",", ", ", " ", "-", "–", ":", ";", "a", "b", "c", "A", "ａ", "a-1", "1", "2", "->", "→", "x", "×", "(", ")",
    "[", "]", "n", "d_k", "h", "batch", "…", "...", "*", "**", "/", "%", "‰", "kB", "MiB", "GB", "million", "千",
    "1.234,5", "1,234.5", "1e9", "1/3", "½", "π", "inf", "nan", "-0", "0x10", "１２", "٣", "一", "两", "~", "≈", "=",
    "==", "None", "torch.Size", "true", "yes", "是", "和", "and", "、", "，", "。", "\n", "\n= ", ";", "because",
    *PIECES[:40],
)  # fmt: skip


def answers(things: Callable[[], Sequence[Item]]) -> st.SearchStrategy[tuple[int, Any]]:
    """The number of an item, and a nearly correct answer, typed or as plain data."""

    @functools.cache
    def one(at: int) -> st.SearchStrategy[Any]:
        item = things()[at]
        key = items.key(item, Context("test", "ada", item.id))
        en, zh = plain(key.en), plain(key.zh)
        typed = bending.texts([en, zh, "a, b", "1 2 3"], _TYPED)
        split = en.replace(";", ",").split(", ")
        pairs = {each.partition("-")[0].strip(): each.partition("-")[2].strip() for each in split}
        return typed | typed | bending.data([en, split, pairs, 1, 2.5, {"en": en}])

    return st.deferred(lambda: st.integers(0, len(things()) - 1).flatmap(lambda at: st.tuples(st.just(at), one(at))))


def answer(things: Callable[[], Sequence[Item]]) -> Callable[[tuple[int, Any], Path], None]:
    """Any answer is judged, twice with the same result; in a submission it earns its share."""

    def check(example: tuple[int, Any], scratch: Path) -> None:
        at, value = example
        item = things()[at]
        context = Context("test", "ada", item.id)
        judged = items.judge(item, value, context)
        proper(judged, item.kind)
        assert items.judge(item, value, context) == judged
        asked = Question("Q1", WORDS, "group", WORDS, "q01.yaml", items=(item,))
        small = Course(WORDS, "test", (), (asked,), (), (), "digest", "")
        given = Submission("ada", (), (Answer(item.id, value, 1),))
        selection = Selection(everything=True)
        report = grade(small, given, lambda job, limits: Observed((), (), unsafe=False), selection=selection)
        for result in report.questions[0].items:
            assert 0 <= result.earned <= result.possible and result.status is not Status.UNMARKED

    return check


def formula(text: str, scratch: Path) -> None:
    """Any typed formula or chain of formulas is judged."""
    for spec in (VALUE, GROWTH):
        proper(items.kinds()["expression"].judge(spec, text, ADA), "expression")
    proper(items.kinds()["derivation"].judge(CHAIN, text, ADA), "derivation")


LONGER = bending.texts([*(text for text in HOSTILE if len(text) < 200), "Var(q·k) = Σ_i Var(q_i k_i)\n= d_k"], PIECES)

# ------------------------------------------------------------------------------ what the quiz writes


#: Not longer than what the quiz takes for an answer, and all of it not longer than a file of answers may be.
LINES = st.lists(bending.texts(["a, b", "x → y"], _TYPED).map(lambda text: text[:5000]), min_size=1, max_size=4)


def answers_file(said: list[str], scratch: Path) -> None:
    """What was typed in the quiz is in the file that it writes, so that the file can be graded."""
    named = guide()
    asked = Question("Q1", WORDS, "group", WORDS, "q01.yaml", items=named)
    small = Course(WORDS, "test", (), (asked,), (), (), "digest", "")
    name, *typed = said
    records = {item.id: quiz_session.ItemRecord(1, answers=(text,)) for item, text in zip(named, typed, strict=False)}
    session = quiz_session.Session(small, name, "en", tuple(item.id for item in named), records, ())
    path = scratch / "answers.yaml"
    path.write_text(new_answers_file(session.learner, quiz_session.graded_answers(session)), encoding="utf-8")
    found = submission.read(path)
    given = {item.item: item.value for item in found.answers or ()}
    assert given == {name: whole(record.answers[-1]) for name, record in records.items()}


def whole(text: str) -> str:
    """The text without lone surrogates, which no file can contain."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ---------------------------------------------------------------------------------------- arithmetic

SUMS = bending.texts(
    ["h * d_k + 1", "4 * n**2 * d + sqrt(d)", "n // (h - 2)", "-exp(2) / log(n) ** 0.5"],
    (
        "**",
        "//",
        "%",
        "n",
        "h",
        "d",
        "d_k",
        "(",
        ")",
        "exp(",
        "log(",
        "9" * 50,
        "1e308",
        "0",
        "~",
        "<<",
        "lambda: ",
        "[",
        "]",
        ",",
    ),
)


def arithmetical(text: str, scratch: Path) -> None:
    """A number, or a ValueError with a sentence."""
    numbers = {"n": 7, "h": 3, "d": 2, "d_k": 4}
    for evaluate in (arithmetic.evaluate_size, arithmetic.evaluate):
        with contextlib.suppress(ValueError):
            value = evaluate(text, numbers)
            assert type(value) in (int, float) and abs(value) < float("inf")
    for grammar in (arithmetic.SIZES, arithmetic.REALS):
        with contextlib.suppress(ValueError):
            assert all(name.isidentifier() for name in arithmetic.names(text, grammar))


test_sample, test_long = fuzzing(
    Reader("courses", COURSES, a_course, sample=8),
    Reader("items of the guide", answers(guide), answer(guide)),
    Reader("items of the bank", answers(bank), answer(bank), sample=0),
    Reader("formulas", SOUP | FORMULAS | LONGER | st.text(max_size=200), formula, sample=12),
    Reader("answers files of the quiz", LINES, answers_file),
    Reader("sums", SUMS, arithmetical),
)
