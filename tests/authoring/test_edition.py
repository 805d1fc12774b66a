"""The learners' edition: nothing in it of what has to stay at home, and everything that learners do with it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from grader.authoring import edition as publishing
from grader.commands import run
from grader.core import cache
from grader.core.errors import CourseError, UsageError
from grader.core.marks import plain
from grader.core.model import Answer, Course, Edition, ExerciseResult, Job, Limits, Report, Status, Submission, Text
from grader.core.text import points
from grader.core.yaml_positions import parse
from grader.course import items, loader, starter
from grader.grading import courses, grade, public_arrays, reference_results
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection
from grader.learning import log, review
from grader.report import html, terminal
from grader.report.figures import kinds
from grader.report.figures import run as picturing
from grader.sandbox import Sandbox
from tests.helpers import Observe, submission
from tests.samples import Sample
from tests.solving import RIGHT, WRONG, Bench, some

#: Stands in everything that learners must not see, and nowhere else.
SECRET = "zeisig"
NUMBERS = ("48151", "62342", "4711", "5623", "217")
QUESTION = """\
id: Q1
title: {en: Twice, zh: 两倍}
group: self-attention
prompt: {en: "Write it:\\n\\n  2 x\\n", zh: 写。}
sources: [made2020]
misconceptions:
  squares:
    truth: {en: Twice is not squared., zh: 两倍不是平方。}
    ask: {en: Twice 3?, zh: 3 的两倍？}
    ask_next: Q1.one
  halves:
    truth: {en: Twice is not half., zh: 两倍不是一半。}
    ask: {en: Half of 3?, zh: 3 的一半？}
    ask_next: Q1.again
  stays: {truth: {en: Twice is more., zh: 两倍更多。}}
  asked: {truth: {en: "No zeisig, but 4.", zh: "不是 zeisig。"}, ask: {en: "A zeisig?", zh: "zeisig？"}}
items:
  - id: Q1.one
    kind: choice
    title: {en: Twice, zh: 两倍}
    ask: {en: Twice 2?, zh: 2 的两倍？}
    options:
      - {id: a, text: {en: "4", zh: "4"}, correct: true}
      - {id: b, text: {en: "5", zh: "5"}, misconception: asked}
      - {id: c, text: {en: "6", zh: "6"}, misconception: squares}
    explain: {en: "So says the zeisig.", zh: "zeisig 说。"}
    sources: [made2020]
  - id: Q1.many
    kind: multi
    ask: {en: Even?, zh: 偶数？}
    options:
      - {id: a, text: {en: two, zh: 二}, correct: true}
      - {id: b, text: {en: three, zh: 三}, misconception: asked}
      - {id: c, text: {en: four, zh: 四}, correct: true}
  - id: Q1.number
    kind: number
    points: 2
    draw: {n: [3, 5, 7, 9]}
    ask: {en: "How many for {n}?", zh: "{n} 时是多少？"}
    answer: 48151 * n
    tolerance: 0.02
    digits: 3
    wrong: [{answer: 62342 + n, misconception: asked}]
  - id: Q1.formula
    kind: expression
    ask: {en: A formula., zh: 公式。}
    symbols: {n: positive integer}
    answer: 4711 n
    wrong: [{answer: n + 5623, misconception: asked}]
  - id: Q1.chain
    kind: derivation
    ask: {en: Step by step., zh: 一步一步。}
    symbols: {a: real, b: real}
    from: log(exp(a) exp(b))
    to: a + b
    routes:
      - stages:
          - is: {mentions: [log], every: {op: [log], inside: {not_both: [a, b]}}}
            missing: {en: What is the zeisig of a product?, zh: 积的 zeisig 是什么？}
        end: {free_of: [log]}
    chain:
      - {line: log(exp(a)) + log(exp(b)), because: {en: "the zeisig multiplies", zh: 是 zeisig 相乘}}
      - {line: a + b}
    wrong: [{line: a + b + 5623, misconception: asked}]
  - id: Q1.blanks
    kind: blanks
    ask: {en: Fill in., zh: 填空。}
    symbols: {a: real, b: real}
    frame: ["[a] = [b]"]
    blanks:
      a:
        answer: 4711 (a + b)
        asks: {en: a product, zh: 积}
        is: {mentions: [a]}
        missing: {en: A zeisig., zh: zeisig}
      b:
        answer: 4711 a + 4711 b
        asks: {en: a sum, zh: 和}
        wrong: [{answer: a + 5623, misconception: asked}]
  - id: Q1.proof
    kind: proof
    ask: {en: Prove it., zh: 证明。}
    lines: [{id: a, text: {en: one, zh: 一}}, {id: b, text: {en: two, zh: 二}}, {id: c, text: {en: three, zh: 三}}]
    reasons:
      - {id: "1", text: {en: I, zh: 壹}}
      - {id: "2", text: {en: II, zh: 贰}}
      - {id: "3", text: {en: III, zh: 叁}}
    proof: [[c, "1"], [a, "3"]]
    wrong: [{line: b, misconception: asked}]
  - id: Q1.order
    kind: order
    ask: {en: In order., zh: 排序。}
    things:
      - {id: c, text: {en: first, zh: 一}}
      - {id: a, text: {en: second, zh: 二}}
      - {id: b, text: {en: third, zh: 三}}
      - {id: d, text: {en: fourth, zh: 四}}
    wrong: [{before: [a, c], misconception: asked}]
  - id: Q1.match
    kind: match
    ask: {en: Who belongs to whom?, zh: 配对。}
    left: [{id: a, text: {en: one, zh: 一}}, {id: b, text: {en: two, zh: 二}}, {id: c, text: {en: three, zh: 三}}]
    right:
      - {id: "1", text: {en: I, zh: 壹}}
      - {id: "2", text: {en: II, zh: 贰}}
      - {id: "3", text: {en: III, zh: 叁}}
    pairs: {a: "3", b: "1", c: "2"}
    wrong: [{pair: [a, "1"], misconception: asked}]
  - id: Q1.shape
    kind: shape
    ask: {en: Which shape?, zh: 形状？}
    sizes: {n: {en: how many, zh: 个数}, d: {en: how wide, zh: 宽度}}
    aliases: {n: [length]}
    answer: (4711, n, d)
    wrong: [{answer: "(d, 4711)", misconception: asked}]
  - id: Q1.words
    kind: text
    ask: {en: In your own words., zh: 用自己的话。}
    key_points: [{en: The zeisig sings., zh: zeisig 在唱歌。}, {en: It sings at zeisig., zh: 它在 zeisig 唱。}]
    answer: {en: It is the zeisig that sings., zh: 是 zeisig 在早上唱歌给大家听。}
  - id: Q1.again
    kind: choice
    use: practice
    ask: {en: Twice 4?, zh: 4 的两倍？}
    options:
      - {id: a, text: {en: "8", zh: "8"}, correct: true}
      - {id: b, text: {en: "2", zh: "2"}, misconception: halves}
      - {id: c, text: {en: "4", zh: "4"}, misconception: stays}
    explain: {en: 4 + 4 is 8., zh: 4 + 4 等于 8。}
exercises:
  - function: double
    signature: (x, times=1)
    summary: {en: Twice x., zh: x 的两倍。}
    result: {en: "(n,)", zh: "(n,)"}
    reference: bank.double
    alternatives: [{code: bank.double, note: {en: As a zeisig does., zh: zeisig 的写法。}}]
    points: 10
    hints: [{en: Add., zh: 加。}, {en: x + x, zh: x + x}]
    cases:
      - {name: the first zeisig, zh: 第一只 zeisig, args: {x: {normal: [217]}}}
      - {name: basic, zh: 基本, public: true, args: {x: {normal: [3]}}}
      - {name: hidden 1, public: true, args: {x: {value: [1, 2], dtype: float32}}}
      - {name: the zeisig of two, draw: {n: [217, 218]}, args: {x: {normal: [n, 2]}}, only: [values, dtype]}
      - {name: no zeisig, raises: ValueError, args: {x: {normal: [217]}, times: -1}}
    checks:
      - values
      - {gradients: {on: [basic, the zeisig of two], weight: 2}}
      - {dtype: {on: [the zeisig of two], weight: 2, rtol: 0.04711}}
      - repeatable
      - raises
    mistakes:
      - {misconception: squares, edits: [{replace: x + x, with: x * x + 0 * zeisig}], fails: [values/basic]}
      - {misconception: squares, edits: [{replace: x + x, with: x * x * x + 0 * zeisig}], fails: [values/basic]}
      - {misconception: halves, body: "return x / 2  # zeisig", fails: [values]}
equivalent: [{mutant: "double: 2 → zeisig", why: it is}]
"""
REFERENCE = '''\
"""A reference that the zeisig wrote."""

from __future__ import annotations

from torch import Tensor

zeisig = 1


def double(x: Tensor, times: int = 1) -> Tensor:
    """Twice x."""
    if times < 0:
        raise ValueError("a zeisig")
    return x + x
'''
COURSE = """\
title: {en: Doubling, zh: 加倍}
public_id: doubling
groups: {self-attention: {en: Attention, zh: 注意力}, unused: {en: No, zh: 无}}
due: "2026-11-30T23:59:00+08:00"
late: {percent: 10, grace_days: 2, cut_off_days: 3}
points: {Q1: 36.3}
roster: zeisig.csv
seed_file: ../zeisig
forbids: {double: [torch.cumsum]}
packages: [sortedcontainers]
"""
SOURCES = """\
made2020: {title: Made up, authors: Nobody, year: 2020, where: nowhere}
zeisig: {title: A, authors: B, year: 1, where: C}
"""
FILES = {
    "course.yaml": COURSE,
    "questions/q01_twice.yaml": QUESTION,
    "questions/sources.yaml": SOURCES,
    "reference/bank.py": REFERENCE,
}
GUARD = "    if times < 0:\n        raise ValueError\n"
SOLUTIONS = {
    "numpy": f"def double(x, times=1):\n{GUARD}    return x + x\n",
    "right": f"import torch\ndef double(x, times=1):\n{GUARD}    return x + x\n",
    "squares": f"import torch\ndef double(x, times=1):\n{GUARD}    return x * x\n",
    "halves": f"def double(x, times=1):\n{GUARD}    return x / 2\n",
    "detached": f"import torch\ndef double(x, times=1):\n{GUARD}    return (x + x).detach()\n",
    "slip": f"def double(x, times=1):\n{GUARD}    return x + x + 1\n",
    "never-raises": "def double(x, times=1):\n    return x + x\n",
    "crash": "def double(x, times=1):\n    return x[99]\n",
}
ANSWERS = {
    "Q1.one": "a",
    "Q1.many": ["a", "c"],
    "Q1.number": 144000,
    "Q1.formula": "4711 n",
    "Q1.chain": ["log(exp(a) exp(b))", "log(exp(a)) + log(exp(b))", "a + b"],
    "Q1.blanks": {"a": "4711 (a + b)", "b": "4711 a + 4711 b"},
    "Q1.proof": "c1 a3",
    "Q1.order": ["c", "a", "b", "d"],
    "Q1.match": {"a": 3, "b": 1, "c": 2},
    "Q1.shape": "(4711, n, d)",
    "Q1.words": "It is the zeisig that sings.",
}


def written(folder: Path) -> Path:
    """The course, in ``folder``."""
    for file, text in FILES.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The course of the instructor."""
    return courses.load(written(tmp_path_factory.mktemp("whole")))


@pytest.fixture(scope="module")
def folder(whole: Course, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its learners' edition, which lies where nothing else of the course is."""
    target = tmp_path_factory.mktemp("handed out") / "edition"
    publishing.publish(whole, target, (), sandbox.observe)
    return target


@pytest.fixture(scope="module")
def edition(folder: Path) -> Course:
    """The edition, read as learners' machines read it."""
    return courses.load(folder)


def nothing_runs(job: Job, limits: Limits) -> Any:
    """A sandbox that must not be asked."""
    raise AssertionError("references are not run")


def graded(course: Course, given: Submission, observe: Observe, **selection: Any) -> Report:
    """A submission, with the references of the course or what an edition has in their place."""
    expect = reference_observer(nothing_runs if course.edition else observe, Seed.public(), course=course)
    chosen = Selection(**selection)
    context = GradingContext(course, Seed.public(), expect, chosen.public_only)
    return grade.grade(course, given, observe, selection=chosen, context=context)


def only(report: Report) -> ExerciseResult:
    """Its only exercise."""
    ((found,),) = (question.exercises for question in report.questions)
    return found


def contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of an edition by name, with all that can be read in it."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".bin":
                data = zlib.decompress(data.partition(b"\n")[2])
            yield path.relative_to(folder).as_posix(), data.decode("utf-8", "replace")


# ------------------------------------------------------------------------------------------- secrets


def test_nothing_of_what_is_secret_is_in_it(folder: Path) -> None:
    """Neither keys, explanations, wrong answers and beliefs of graded items, nor references, mistakes, hidden cases."""
    names = {file for file, _ in contents(folder)}
    assert names == {"course.yaml", "questions/q01_twice.yaml", "questions/sources.yaml", "expected/double.bin"}
    for file, text in contents(folder):
        assert SECRET not in text.lower(), file
        if not file.endswith(".bin"):
            said = re.sub("[0-9a-f]{64}", "", text)  # a digest may have any number in it
            assert [number for number in NUMBERS if number in said] == [], file


def test_secrets_are_found_where_they_are(whole: Course) -> None:
    """The words that are searched for stand in every part of the course that has to stay at home."""
    raw = parse(QUESTION, "q01", CourseError).value
    texts = [
        str(of)
        for of in raw["items"]
        if of.get("use") != "practice" and of["kind"] not in ("multi", "order", "match", "proof")
    ]
    texts += [str(case) for case in raw["exercises"][0]["cases"] if not case.get("public")]
    texts += [str(mistake) for mistake in raw["exercises"][0]["mistakes"]]
    assert texts
    for text in texts:
        assert any(word in text for word in (SECRET, *NUMBERS)), text


def test_items_say_nothing_that_is_not_named(edition: Course, whole: Course) -> None:
    """A graded item is its question and how to answer it; a practice item is whole."""
    for question, of in zip(edition.questions, whole.questions, strict=True):
        for item, original in zip(question.items, of.items, strict=True):
            assert item.sealed == (original.use == "graded")
            assert item == (items.without_key(original) if item.sealed else original)


@pytest.mark.parametrize("kind", sorted(items.kinds()))
def test_every_kind_forgets_its_key(kind: str, whole: Course) -> None:
    """Two items that differ in what is right, and in nothing that is asked, are the same without their keys."""
    item = next(item for question in whole.questions for item in question.items if item.kind == kind)
    assert items.without_key(item).explain is None
    other = replace(item, spec=_another(item.spec))
    assert other.spec != item.spec
    assert items.without_key(other) == items.without_key(item)


def _another(spec: Any) -> Any:
    """The spec with another key."""
    match type(spec).__module__.rpartition(".")[2]:
        case "choice" | "multi":
            return replace(
                spec, options=tuple(replace(o, correct=not o.correct, misconception=None) for o in spec.options)
            )
        case "order":
            return replace(spec, things=spec.things[::-1], wrong=(), either=(("a", "c"),))
        case "match":
            return replace(spec, pairs={"a": "1", "b": "2", "c": "3"}, wrong=())
        case "text":
            return replace(spec, key_points=(), answer=replace(spec.answer, en="Else."), wrong=())
        case "blanks":
            return replace(
                spec,
                blanks={name: replace(blank, answer="7", is_=None, wrong=()) for name, blank in spec.blanks.items()},
            )
        case "proof":
            return replace(spec, proof=spec.proof[::-1], wrong=())
        case "derivation":
            return replace(spec, chain=spec.chain[::-1], wrong=(), routes=())
        case "number":
            return replace(spec, answer=3, tolerance=0.5, wrong=())
    return replace(spec, answer="7", wrong=())


def test_beliefs_stay_where_something_here_can_show_them(edition: Course) -> None:
    """Those of code and practice items; what only graded items are about is gone, and no link leads there."""
    (question,) = edition.questions
    assert [belief.id for belief in question.misconceptions] == ["squares", "halves", "stays"]
    squares, halves, _ = question.misconceptions
    assert squares.ask_next is None  # a graded item
    assert halves.ask_next == "Q1.again"


def test_hidden_cases_leave_their_place_alone(edition: Course, whole: Course) -> None:
    """How many there are, for which checks, and how many points they decide; not a word more."""
    (exercise,), (original,) = (q.exercises for q in (*edition.questions, *whole.questions))
    assert [case.name for case in exercise.cases] == ["hidden 2", "basic", "hidden 1", "hidden 3", "hidden 4"]
    assert [case.title.zh for case in exercise.cases] == ["第 2 个", "基本", "hidden 1", "第 3 个", "第 4 个"]
    assert [case.sealed for case in exercise.cases] == [not case.public for case in original.cases]
    for case in exercise.cases:
        assert not case.sealed or (case.args, case.draw, case.construct, case.parameters) == ((), (), (), ())
    assert [check.on for check in exercise.checks] == [(), ("basic", "hidden 3"), ("hidden 3",), (), ()]
    assert [check.weight for check in exercise.checks] == [check.weight for check in original.checks]
    assert exercise.hints == original.hints and exercise.points == original.points
    assert exercise.forbids == original.forbids == ("torch.cumsum",)
    assert edition.packages == ("sortedcontainers",)
    assert [(m.edits, m.fails) for m in exercise.mistakes] == [((), ())] * 3
    assert edition.reference == ()


def test_what_is_stored_is_public(folder: Path, edition: Course, sandbox: Sandbox) -> None:
    """Every entry belongs to a program that this edition asks for, and none to another."""
    assert edition.edition is not None
    asked: set[str] = set()

    def ask(job: Job, limits: Limits) -> Any:
        asked.update(reference_results.key(job.files, program) for program in job.programs)
        return answering(job, limits)

    answering = reference_results.stored_observer(edition, edition.edition)
    (exercise,) = edition.questions[0].exercises
    context = GradingContext(edition, Seed.public(), ask)
    context.expected(exercise), context.mistake_signatures(exercise)
    public_arrays.prepare(edition, exercise, ask)
    assert asked == set(reference_results.unpack((folder / "expected/double.bin").read_bytes()))


# ------------------------------------------------------------------------------------------- grading


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_public_cases_are_judged_as_ever(solution: str, edition: Course, whole: Course, sandbox: Sandbox) -> None:
    """The same verdicts, words and points as with the whole course, and the same misconception; nothing else is run."""
    given = submission(q01=SOLUTIONS[solution])
    here = only(graded(edition, given, sandbox.observe))
    there = only(graded(whole, given, sandbox.observe))
    alone = only(graded(whole, given, sandbox.observe, public_only=True))
    public = [o for o in here.outcomes if o.visibility == "public"]
    assert [o.verdict for o in public] == [o.verdict for o in alone.outcomes]
    assert (here.misconception, here.array_type) == (alone.misconception, alone.array_type)
    assert here.possible == there.possible == pytest.approx(16.5)
    # Hidden cases may decide which form of a call counts, and in which cases a check has something to say.
    if there.array_type == here.array_type and solution != "crash":
        assert public == [o for o in there.outcomes if o.visibility == "public"]
        hidden = [(o.possible, o.earned) for o in here.outcomes if o.visibility == "hidden"]
        assert hidden == [(o.possible, 0.0) for o in there.outcomes if o.visibility == "hidden"]
    assert {o.status for o in here.outcomes if o.visibility == "hidden"} <= {Status.PENDING, Status.SKIPPED}
    named = solution if solution in ("squares", "halves") else None
    assert here.misconception == named
    if solution in ("right", "numpy", "never-raises"):  # that it has to raise is seen with a hidden case
        assert here.status is Status.PASSED and here.first_failure is None


def test_answers_to_graded_items_are_kept_for_later(edition: Course, whole: Course, sandbox: Sandbox) -> None:
    """They neither give nor take points, whatever they are; what cannot be read is said at once."""
    given = Submission("ada", (), tuple(Answer(item, value, 3) for item, value in ANSWERS.items()))
    report = graded(edition, given, sandbox.observe)
    found = {item.id: item for item in report.questions[0].items}
    assert set(found) == set(ANSWERS)
    assert {item.status for item in found.values()} == {Status.PENDING}
    assert not any(item.earned for item in found.values()) and report.complete
    assert report.pending_points == pytest.approx(19.8)  # with the exercise missing, which is known here
    there = graded(whole, given, sandbox.observe)
    assert [item.possible for item in there.questions[0].items] == [item.possible for item in found.values()]
    for item in edition.questions[0].items:
        context = items.Context(edition.public_id, "ada", item.id)
        values: tuple[Any, ...] = ("", None, {}, [[]], True)
        for nonsense in values:
            if item.sealed:
                judged = items.judge(item, nonsense, context)
                assert judged.status is (Status.PENDING if judged.readable else Status.FAILED)
    one = edition.questions[0].items[0]
    assert not items.judge(one, "z", items.Context("doubling", "ada", one.id)).readable


LEARNERS = ("", "ada", "grace", "王小明", "émilie", "a b", "x" * 60)


def test_numbers_and_orders_are_those_of_the_whole_course(edition: Course, whole: Course) -> None:
    """What a learner is asked is the same, so that answers mean the same."""
    for item, original in zip(edition.questions[0].items, whole.questions[0].items, strict=True):
        for learner in LEARNERS:
            context = items.Context(edition.public_id, learner, item.id)
            there = items.Context(whole.public_id, learner, item.id)
            here, asked = items.ask(item, context), items.ask(original, there)
            assert items.draw(item.spec, context) == items.draw(original.spec, there)
            if item.kind != "order":  # the whole course turns a right order round, which an edition cannot know
                assert here == asked
            assert (here.form, here.how, here.facts) == (asked.form, asked.how, asked.facts)
            assert set(here.choices) == set(asked.choices)


def test_everything_right_is_said_as_far_as_it_is_known(edition: Course, sandbox: Sandbox) -> None:
    """The report says what is decided elsewhere, in both languages, on the terminal and on the page."""
    answers = tuple(Answer(item, value, 3) for item, value in ANSWERS.items())
    given = replace(submission(q01=SOLUTIONS["right"]), answers=answers)
    report = graded(edition, given, sandbox.observe)
    assert report.passed and report.complete and 0 < report.earned < report.possible
    assert report.earned + report.pending_points == pytest.approx(report.possible)
    for lang, said, worth in (
        ("en", "{} more points are not graded here", "graded here is correct"),
        ("zh", "另有 {} 分不在这里评定", "评定的内容全部正确"),
    ):
        out = io.StringIO()
        terminal.render(report, edition, lang, Console(file=out, width=100))  # type: ignore[arg-type]
        page = html.render(report, edition, lang)  # type: ignore[arg-type]
        for text in (out.getvalue(), page):
            assert said.format(points(report.pending_points)) in text and worth in text


def test_pictures_and_scripts_come_from_what_is_stored(edition: Course, whole: Course, sandbox: Sandbox) -> None:
    """The page shows the same arrays; a picture needs no reference either."""
    given = submission(q01=SOLUTIONS["squares"])
    report = graded(edition, given, sandbox.observe)
    expect = reference_observer(nothing_runs, Seed.public(), course=edition)
    here = public_arrays.compare_public_cases(edition, given, report, sandbox.observe, expect)
    there = public_arrays.compare_public_cases(whole, given, report, sandbox.observe, sandbox.observe)
    assert [(s.case, s.expected.tolist()) for s in here] == [(s.case, s.expected.tolist()) for s in there] != []


# ------------------------------------------------------------------------------------------- commands


@pytest.fixture
def attncheck(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: Path, sandbox: Sandbox
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command on the edition, on a machine that has no other course, in the sandbox that is open already."""
    monkeypatch.setattr("grader.sandbox.open_sandbox", lambda **settings: contextlib.nullcontext(sandbox))
    monkeypatch.setattr(loader, "_bundled", lambda: None)
    monkeypatch.setenv("ATTNCHECK_STATE", str(tmp_path / "state.jsonl"))
    monkeypatch.setenv("ATTNCHECK_COURSE", str(folder))
    monkeypatch.setenv("ATTNCHECK_LANG", "en")

    def execute(*args: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = run(args)
        out, err = capsys.readouterr()
        return code, out, err

    return execute


Attncheck = Callable[..., tuple[int, str, str]]


def _numbers(course: Course, name: str) -> dict[str, str]:
    """The numbers that ada sees beside the options of an item."""
    item = next(item for question in course.questions for item in question.items if item.id == name)
    return items.numbers(items.ask(item, items.Context(course.public_id, "ada", name)).choices)


def test_learners_work_with_it(attncheck: Attncheck, tmp_path: Path) -> None:
    """From looking at a question to handing in."""
    work = tmp_path / "work"
    assert attncheck("questions")[0] == 0
    code, out, _ = attncheck("show", "Q1", "--full")
    assert code == 0 and "Public cases: basic, hidden 1; hidden: 3" in out and "ValueError" in out
    assert attncheck("start", "Q1", str(work), "--learner", "ada")[0] == 0
    assert starter.file_name(courses.load(loader.find(None)).questions[0]) == "q01.py"
    assert "Add." in attncheck("hint", "Q1")[1]
    (work / "q01.py").write_text(SOLUTIONS["halves"], encoding="utf-8")
    (work / "answers.yaml").unlink()
    course = courses.load(loader.find(None))
    one, many = (_numbers(course, name) for name in ("Q1.one", "Q1.many"))
    typed = f"z\n:key\n{one['b']}\n{many['a']} {many['c']}\n:quit\n"
    code, out, _ = attncheck("quiz", "--to", str(work / "answers.yaml"), "--learner", "ada", typed=typed)
    said = " ".join(out.split())
    for part in ("Choose by number", "It is graded after you submit", "no answer key for this item"):
        assert part in said
    assert "Correct answer" not in out and "Sample answer" not in out
    assert parse((work / "answers.yaml").read_text("utf-8"), "a", CourseError).value["answers"] == {
        "Q1.one": "b",
        "Q1.many": "a, c",
    }
    code, out, err = attncheck("grade", str(work))
    assert code == 1 and "Twice is not half." in out and "graded by your instructor" in out, err
    assert "attncheck quiz Q1.again" in out
    code, out, _ = attncheck("debug", str(work), "-e", "double", "--case", "basic", "--to", "-")
    assert code == 0 and "expected = np.array(" in out
    (tmp_path / "inbox").mkdir()
    code, out, err = attncheck("submit", str(work), "--to", str(tmp_path / "inbox"))
    assert code == 0, err
    assert attncheck("progress")[0] == 0
    assert attncheck("quiz", "--answers", str(work / "answers.yaml"))[0] == 1
    assert attncheck("review", typed="")[0] == 0


def test_right_code_and_answered_items_are_a_success(attncheck: Attncheck, tmp_path: Path) -> None:
    """What is decided elsewhere does not make the exit code a failure; the page and the JSON say what it is."""
    (tmp_path / "q01.py").write_text(SOLUTIONS["right"], encoding="utf-8")
    code, out, _ = attncheck("grade", str(tmp_path), "--json", "--html", str(tmp_path / "page.html"))
    report = json.loads(out)
    statuses = [check["status"] for check in report["questions"][0]["exercises"][0]["checks"]]
    assert code == 0 and set(statuses) == {"passed", "pending"}
    assert "graded by your instructor" in (tmp_path / "page.html").read_text("utf-8")


def test_watching_ends_where_nothing_is_left_to_mend(
    attncheck: Attncheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right code is done; that hidden cases wait is said."""
    from grader.learning import watching

    (tmp_path / "q01.py").write_text(SOLUTIONS["right"], encoding="utf-8")
    monkeypatch.setattr(watching, "events", lambda path, keys: iter(("saved",)))
    code, out, _ = attncheck("watch", str(tmp_path))
    assert code == 0 and "Everything that is graded here is correct" in out and "more points are not graded here" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["batch", "{work}", "--out", "{work}/out"],
        ["export", "qti", "--to", "{work}/quiz.zip"],
        ["export", "gradescope-autograder", "--to", "{work}/grader.zip"],
        ["bank", "mutate"],
        ["bank", "publish", "{work}/again"],
        ["grade", "{work}", "--seed", "1"],
    ],
)
def test_what_needs_the_whole_course_is_refused(arguments: list[str], attncheck: Attncheck, tmp_path: Path) -> None:
    """With what to do, and exit code 2; nothing is written."""
    (tmp_path / "q01.py").write_text(SOLUTIONS["right"], encoding="utf-8")
    code, _, err = attncheck(*(each.format(work=tmp_path) for each in arguments))
    assert code == 2 and "is a learners' edition" in err and "--course" in err
    assert {path.name for path in tmp_path.iterdir()} <= {"q01.py", "state.jsonl"}


def test_there_is_nothing_to_prove(attncheck: Attncheck, folder: Path) -> None:
    """``bank check`` says so in one line; ``bank preview`` shows what learners see."""
    code, out, _ = attncheck("bank", "check", str(folder))
    assert code == 0 and out.count("\n") == 1 and "has nothing else to check" in out
    code, out, _ = attncheck("bank", "check", str(folder), "--json")
    assert code == 0 and json.loads(out) == []
    assert attncheck("bank", "preview", "Q1")[0] == 0


def test_sealed_items_are_not_reviewed(edition: Course) -> None:
    """A card that says nothing back teaches nothing."""
    events = [
        log.Answered(log.now(), edition.public_id, item.id, "a", 0.0, Status.PENDING, None, 1, True)
        for item in edition.questions[0].items
    ]
    assert [card.name for card in review.cards(edition, events)] == ["Q1.again"]


# ------------------------------------------------------------------------------------------- publishing


def test_keys_cannot_be_guessed_from_an_edition(whole: Course, folder: Path, tmp_path: Path) -> None:
    """What it says of its course needs a key of the publisher: the seed file, else one that only this user can read."""
    course = replace(whole, folder=str(tmp_path), seed_file="seed")
    own = publishing.keyed_digest(course)
    assert own == publishing.keyed_digest(whole), "without a seed file, the same key for every course"
    (key,) = (cache.folder() / publishing._OWN_KEY[0]).iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    found = [own]
    for secret in ("a secret of sixteen bytes or more", "another secret, as long as the first"):
        (tmp_path / "seed").write_text(secret)
        found += [publishing.keyed_digest(course)]
        assert publishing.keyed_digest(course) == found[-1] != publishing.keyed_digest(replace(course, digest="d"))
    assert len({*found, whole.digest}) == 4
    assert not any(whole.digest in text for _, text in contents(folder))


def test_the_same_course_gives_the_same_bytes(whole: Course, folder: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    """Run anew, and in the place of an earlier edition."""
    target = tmp_path / "again"
    for _ in range(2):
        done = publishing.publish(whole, target, ("Q1",), sandbox.observe)
        assert list(contents(target)) == list(contents(folder))
        assert [path.name for path in tmp_path.iterdir()] == ["again"]
    assert asdict(done) == {
        "folder": target, "files": 4, "questions": 1, "exercises": 1, "sealed": 11, "practice": 1, "hidden": 3,
        "size": done.size,
    }  # fmt: skip


def test_the_command_publishes(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says what is in it, what is not, and how it is used."""
    monkeypatch.setattr("grader.sandbox.open_sandbox", lambda **settings: contextlib.nullcontext(sandbox))
    home = written(tmp_path / "home")
    assert run(["bank", "publish", str(tmp_path / "out"), "-q", "q1", "--course", str(home)]) == 0
    said = capsys.readouterr().out
    assert "11 graded items, 3 hidden cases" in said and "1 practice items" in said and "--course" in said
    assert run(["bank", "publish", str(tmp_path / "out"), "--course", str(home), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sealed"] == 11
    assert run(["bank", "publish", str(tmp_path / "out"), "-q", "Q7", "--course", str(home)]) == 2


def _with(name: str, text: str = "edition:") -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        folder.mkdir()
        (folder / name).write_text(text, encoding="utf-8")

    return fill


@pytest.mark.parametrize(
    ("fill", "said"),
    [
        (_with("thesis.txt"), "not empty"),
        (_with("course.yaml", "title: x\n"), "not empty"),
        (lambda folder: folder.write_text("x"), "not a folder"),
        (lambda folder: (_with("course.yaml")(folder), (folder / "notes").mkdir()), "notes is in it"),
    ],
)
def test_nothing_else_is_replaced(fill: Callable[[Path], object], said: str, whole: Course, tmp_path: Path) -> None:
    """A folder with something else in it, an ordinary course or a file stays as it is."""
    target = tmp_path / "there"
    fill(target)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=said):
        publishing.publish(whole, target, (), nothing_runs)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_what_stops_half_way_leaves_nothing_behind(whole: Course, folder: Path, tmp_path: Path) -> None:
    """Whatever goes wrong: the place is as it was before."""
    target = tmp_path / "edition"
    shutil.copytree(folder, target)
    before = list(contents(target))
    with pytest.raises(AssertionError, match="references are not run"):
        publishing.publish(whole, target, (), nothing_runs)
    assert [path.name for path in tmp_path.iterdir()] == ["edition"]
    assert list(contents(target)) == before


def test_a_place_that_cannot_be_written_is_said(whole: Course, tmp_path: Path) -> None:
    """Before anything is run."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        publishing.publish(whole, tmp_path / "file" / "edition", (), nothing_runs)


def test_a_disk_that_fails_is_said(folder: Path, tmp_path: Path) -> None:
    """While files are written, and when the folder takes its place: what was there stays."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="nothing was published"):
        publishing._write(tmp_path / "file", {"course.yaml": b""})
    shutil.copytree(folder, tmp_path / "edition")
    with pytest.raises(UsageError, match="cannot be replaced"), publishing._beside(tmp_path / "edition") as new:
        new.rmdir()
        publishing._put(new, tmp_path / "edition")
    assert list(contents(tmp_path / "edition")) == list(contents(folder))


def killed(target: Path) -> Path:
    """What is left of a process that was killed while one edition took the place of the other."""
    work = target.with_name(f".publishing-{target.name}")
    work.mkdir(parents=True)
    (work / "new").mkdir()
    target.rename(work / "before")
    return work


def test_what_a_killed_process_has_left_is_put_right(tmp_path: Path) -> None:
    """The earlier edition comes back before anything else is done, and nothing else stays."""
    target = tmp_path / "edition"
    _with("course.yaml", "edition: 1")(target)
    killed(target)
    with publishing._beside(target) as new:
        assert (target / "course.yaml").read_text() == "edition: 1"
        assert list(new.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["edition"]
    work = killed(target)
    _with("course.yaml", "edition: 2")(target)
    with publishing._beside(target) as new:
        publishing._put(new, target)
    assert not work.exists() and list(target.iterdir()) == []


def test_an_edition_that_cannot_be_put_back_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where that is, is said."""
    target = tmp_path / "edition"
    _with("course.yaml")(target)
    work = killed(target)

    def refused(*paths: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(publishing.os, "rename", refused)
    with pytest.raises(UsageError, match=r"not permitted.*move it back from .*before"), publishing._beside(target):
        pass
    assert (work / "before" / "course.yaml").exists()


def test_one_at_a_time_publishes(tmp_path: Path) -> None:
    """What another process is writing is not taken for what one has left."""
    with publishing._beside(tmp_path / "edition") as new:
        with (
            pytest.raises(UsageError, match="Another attncheck is publishing"),
            publishing._beside(tmp_path / "edition"),
        ):
            pass
        assert new.is_dir()


def test_learners_may_read_it_whatever_the_umask(tmp_path: Path) -> None:
    """Files and folders are readable for everybody: an edition is handed out."""
    before = os.umask(0o077)
    try:
        with publishing._beside(tmp_path / "edition") as new:
            publishing._write(new, {"course.yaml": b"", "questions/q01.yaml": b""})
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (new, *new.rglob("*"))}
    finally:
        os.umask(before)
    assert modes == {"new": 0o755, "questions": 0o755, "course.yaml": 0o644, "q01.yaml": 0o644}


def test_what_is_written_is_read_the_same() -> None:
    """Texts of every shape; what could not be read back would not be written."""
    texts = [
        "on",
        "no",
        "1e5",
        "0x1F",
        "012",
        "-",
        "",
        " a",
        "a: b",
        "#",
        "a\nb",
        "a\n",
        "\na\n\n",
        "a \n b",
        "两倍：x",
        "'",
        '"',
        "~",
    ]
    value = {"texts": texts, "on": True, "more": {"1": [1, 1.5, None, 1e-05, -0.0]}, "same": [texts[:2], texts[:2]]}
    assert parse(publishing._text(value).decode(), "text", CourseError).value == value
    with pytest.raises(CourseError, match="reads back differently"):
        publishing._text({"x": float("nan")})


# ------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    ("damage", "said"), [(lambda data: data[:-1], "does not match its checksum"), (lambda data: None, "No such file")]
)
def test_damage_is_said(
    damage: Callable[[bytes], bytes | None], said: str, folder: Path, sandbox: Sandbox, tmp_path: Path
) -> None:
    """A file that was lost or changed on the way is our fault, and names the file."""
    shutil.copytree(folder, tmp_path / "copy")
    place = tmp_path / "copy" / "expected" / "double.bin"
    data = damage(place.read_bytes())
    place.unlink()
    if data is not None:
        place.write_bytes(data)
    with pytest.raises(CourseError, match=f"double.bin.*{said}"):
        graded(courses.load(tmp_path / "copy"), submission(q01=SOLUTIONS["right"]), sandbox.observe)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"attncheck expected 2\n",
        b"attncheck expected 1\nxyz",
        *(b"attncheck expected 1\n" + zlib.compress(each) for each in (b"", b"i", b"N", b"m\x01\0\0\0s\x01\0\0\0aN")),
    ],
)
def test_a_table_that_is_none_is_refused(data: bytes) -> None:
    """As a ValueError, whatever it is."""
    with pytest.raises(ValueError):
        reference_results.unpack(data)


def test_another_version_that_asks_otherwise_is_told(edition: Course, sandbox: Sandbox) -> None:
    """It names both versions, and nothing is judged by guess."""
    (exercise,) = edition.questions[0].exercises
    changed = replace(
        exercise,
        cases=tuple(replace(case, name=f"{case.name}!") for case in exercise.cases),
        checks=exercise.checks[:1],
    )
    question = replace(edition.questions[0], exercises=(changed,))
    other = replace(edition, questions=(question,))
    with pytest.raises(CourseError, match=r"published with attncheck .* lacks results that attncheck"):
        graded(other, submission(q01=SOLUTIONS["right"]), sandbox.observe)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("basic, zh: 基本, public: true,", "basic, zh: 基本, public: true, sealed: true,"),
        ("    points: 10\n", "    points: 10\n    recognised: [squares]\n"),
        ("    kind: multi\n", "    kind: multi\n    sealed: true\n"),
    ],
)
def test_an_ordinary_course_has_nothing_sealed(old: str, new: str, tmp_path: Path) -> None:
    """What only an edition may leave out is a fault elsewhere."""
    place = written(tmp_path) / "questions" / "q01_twice.yaml"
    assert QUESTION.count(old) == 1
    place.write_text(QUESTION.replace(old, new), encoding="utf-8")
    with pytest.raises(CourseError, match="learners' edition only"):
        courses.load(tmp_path)


def test_a_mark_that_is_none_is_a_fault(tmp_path: Path) -> None:
    """Of another format, or with digests that are none."""
    place = written(tmp_path) / "course.yaml"
    place.write_text(COURSE + "edition: {format: 2, of: abc, attncheck: x}\n", encoding="utf-8")
    with pytest.raises(CourseError, match="digest of 64"):
        courses.load(tmp_path)


def test_points_are_those_of_the_course(whole: Course, tmp_path: Path) -> None:
    """Of the question in all and of each part, whether its file is copied or written anew."""
    files = publishing._files(whole, whole.questions, Edition(whole.digest, "0", ()))
    publishing._write(tmp_path, files)
    (edition,), (question,) = courses.load(tmp_path).questions, whole.questions
    assert edition.points == question.points == pytest.approx(36.3)
    assert [part.points for part in edition.items] == [part.points for part in question.items]
    assert [part.points for part in edition.exercises] == [part.points for part in question.exercises]
    assert question.exercises[0].points == pytest.approx(36.3 * 10 / 22)


def test_a_mark_is_read_as_it_is_written(edition: Course, whole: Course) -> None:
    """With what it was made from; rules stay, groups that nothing is in go."""
    assert isinstance(edition.edition, Edition) and edition.edition.of == publishing.keyed_digest(whole)
    assert edition.rules == whole.rules
    assert edition.title == whole.title and [name for name, _ in edition.groups] == ["self-attention"]
    assert [source.id for source in edition.sources] == ["made2020"]


# ------------------------------------------------------------------------------------------- the whole bank


@pytest.fixture(scope="module")
def bank(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The learners' edition of the bundled course."""
    target = tmp_path_factory.mktemp("bank") / "edition"
    done = publishing.publish(bench.course, target, (), bench.expect)
    assert done.hidden > 100 and done.sealed > 100
    return courses.load(target)


def learners_may_read(whole: Course) -> str:
    """What of the whole course is written for learners to read."""
    texts: list[Text | None] = []
    for question in whole.questions:
        texts += [question.title, question.prompt, *(belief.truth for belief in question.misconceptions)]
        texts += [belief.ask for belief in question.misconceptions]
        for item in question.items:
            texts += [item.ask, *(choice.text for choice in items.ask(item, items.Context("", "", item.id)).choices)]
            texts += [item.explain] if item.use == "practice" else []
        for exercise in question.exercises:
            texts += [exercise.summary, exercise.result, *exercise.hints]
    return "\n".join(f"{text.en}\n{text.zh}" for text in texts if text is not None)


def lines_of(*codes: str) -> Iterator[str]:
    """The lines of code that are long enough to be known again."""
    for code in codes:
        yield from (line.strip() for line in code.splitlines() if len(line.strip()) >= 15)


def secrets(whole: Course) -> Iterator[str]:
    """Texts of the bundled course that learners must not have."""
    for question in whole.questions:
        for item in question.items:
            if item.use == "graded" and item.explain is not None:
                yield from lines_of(item.explain.en, item.explain.zh)
        for exercise in question.exercises:
            for mistake in exercise.mistakes:
                yield from (line for edit in mistake.edits for line in lines_of(edit.by, edit.replace or ""))
        for remark in question.equivalent:
            yield from lines_of(remark.mutant, remark.why)
        for exercise in question.exercises:
            yield from (line for other in exercise.alternatives for line in lines_of(other.note.en, other.note.zh))
    for file in whole.reference:
        yield from (line for part in file.parts for line in lines_of(part.text))


@pytest.mark.prove
def test_nothing_of_the_bundled_course_is_secret_and_in_it(bank: Course, bench: Bench) -> None:
    """Neither explanations of graded items, nor a line of a reference or of a mistake, nor a hidden case."""
    known, found = learners_may_read(bench.course), list(contents(Path(bank.folder)))
    everything = "\n".join(text for _, text in found)
    searched = [
        secret for secret in dict.fromkeys(secrets(bench.course)) if secret not in known
    ]  # hints say some lines
    assert len(searched) > 2000
    assert [secret for secret in searched if secret in everything] == []
    for question, original in zip(bank.questions, bench.course.questions, strict=True):
        for item, whole in zip(question.items, original.items, strict=True):
            assert item == (items.without_key(whole) if whole.use == "graded" else whole)
        for exercise, of in zip(question.exercises, original.exercises, strict=True):
            public = [case for case in of.cases if case.public]
            assert [case for case in exercise.cases if case.public] == public
            for case in exercise.cases:
                named = {case.name} & {each.name for each in of.cases if not each.public}
                assert case.public or (case.sealed and not named and not (case.args or case.construct or case.draw))


@pytest.mark.prove
@pytest.mark.parametrize("learner", LEARNERS)
def test_everybody_is_asked_the_same(learner: str, bank: Course, bench: Bench) -> None:
    """Numbers and the order of options of every item are those of the whole course."""
    for question, original in zip(bank.questions, bench.course.questions, strict=True):
        for item, whole in zip(question.items, original.items, strict=True):
            context = items.Context(bank.public_id, learner, item.id)
            assert items.draw(item.spec, context) == items.draw(whole.spec, context)
            if item.kind != "order":
                assert items.ask(item, context) == items.ask(whole, context)


#: Answers of all forms: some can be read as what an item asks for, and some as nothing.
WRITTEN: tuple[Any, ...] = (
    *("", "zzz ?? zzz", "a", "7", "n", "(n, d)", "(..., n)", "a2 b1", "x = = 2", "O(n)", "It is so because of that."),
    *(["a", "c"], 3.5, {"lines": ["1", "2"]}, None),
)


@pytest.mark.prove
def test_what_can_be_read_is_read_without_a_key(bench: Bench) -> None:
    """An answer that the whole course could not read is refused here too, with the same words; no other is."""
    for item in (item for question in bench.course.questions for item in question.items if item.use == "graded"):
        context = items.Context(bench.course.public_id, "ada", item.id)
        key = plain(items.key(item, context).en)
        for value in (*WRITTEN, key, key.splitlines(), [line.partition(":")[0] for line in key.splitlines()]):
            there, here = (items.judge(each, value, context) for each in (item, items.without_key(item)))
            assert here.readable == there.readable, (item.id, value)
            assert here.readable or here.message == there.message, (item.id, value)


def few(solutions: Iterable[Sample]) -> list[Any]:
    """The solutions that every run of the other tests takes, here for ``make prove``."""
    taken = [each for each in some(solutions) if not each.marks]
    return [pytest.param(*each.values, id=each.id, marks=pytest.mark.prove) for each in taken]


@pytest.mark.parametrize("sample", few([*RIGHT, *WRONG]))
def test_solutions_are_judged_as_by_the_whole_course(sample: Sample, bank: Course, bench: Bench) -> None:
    """On public cases: verdicts, the form of the call that counts, and the misconception that is named."""
    selection = {"exercises": (sample.exercise,)}
    here = only(graded(bank, sample.submission, bench.observe, **selection))
    chosen = Selection(exercises=(sample.exercise,), public_only=True)
    context = GradingContext(bench.course, Seed.public(), bench.expect, public_only=True)
    there = only(grade.grade(bench.course, sample.submission, bench.observe, selection=chosen, context=context))
    public = [outcome for outcome in here.outcomes if outcome.visibility == "public"]
    assert [(o.check, o.case, o.status) for o in public] == [(o.check, o.case, o.status) for o in there.outcomes]
    assert (here.misconception, here.array_type) == (there.misconception, there.array_type)


@pytest.mark.prove
@pytest.mark.parametrize("picture", sorted(kinds.kinds()))
def test_pictures_need_no_reference(picture: str, bank: Course, bench: Bench) -> None:
    """They are drawn from what is stored."""
    kind = kinds.kinds()[picture]
    here = picturing.reference(bank, kind, reference_observer(nothing_runs, Seed.public(), course=bank))
    there = picturing.reference(bench.course, kind, bench.expect)
    assert here.values.keys() == there.values.keys()
    assert repr(kind.draw((here,))) == repr(kind.draw((there,)))
