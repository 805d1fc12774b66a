"""A check that breaks costs one verdict; a hidden case tells nothing that the code could choose."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from grader.core.errors import CourseError, LibrariesChanged
from grader.core.model import (
    CheckSpec,
    Course,
    Died,
    Exercise,
    Job,
    Limits,
    Normal,
    Observation,
    Observed,
    Outcome,
    Program,
    Raised,
    Report,
    Returned,
    SourceFile,
    Status,
    Text,
    TimedOut,
    TooBig,
    Unreadable,
    Verdict,
)
from grader.core.serialize import dump, load
from grader.core.text import same
from grader.course import loader
from grader.grading import checks, courses, verdicts
from grader.grading.checks import JudgeInput, kinds
from grader.grading.grade import grade
from grader.grading.plan import calling_forms
from grader.report.json import to_json
from tests.helpers import array, case, course, exercise, question, returned, submission

X = Normal((3,))
RIGHT, WRONG = returned(array([1.0, 2.0, 3.0])), returned(array([1.0, 2.0, 4.0]))
CODE = "import torch\ndef double(x): return 2 * x\n"
SECURITY = Path(__file__).parents[2] / "docs" / "security.md"


def bank(*kinds_: str, **more: Any) -> Course:
    """One exercise with two public cases and two hidden ones, judged by ``kinds_``."""
    cases = (case("one", x=X), case("two", x=X), *(case(name, public=False, x=X) for name in ("three", "four")))
    specs = tuple(CheckSpec(kind, 1.0, tuple(each.name for each in cases)) for kind in kinds_)
    made = exercise("double(x)", *cases, checks=specs, array_types=("torch",), **more)
    return course(question("Q5", made), reference=CODE)


def graded(where: Course, answer: Callable[[Program], Observation]) -> Report:
    """The report where the learner's module says what ``answer`` does, and the reference is right."""

    def observe(job: Job, limits: Limits) -> Observed:
        seen = (
            Returned(RIGHT.values * len(p.send)) if p.module.startswith("reference.") else answer(p)
            for p in job.programs
        )
        return Observed(tuple(seen), (), unsafe=False)

    return grade(where, submission(q05=CODE), observe)


def outcomes(report: Report) -> tuple[Outcome, ...]:
    """Of the one exercise."""
    ((result,),) = (each.exercises for each in report.questions)
    return result.outcomes


# ------------------------------------------------------------------------------------- a judge that breaks


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes the judge of ``values`` raise on everything that is not right."""

    def breaks(error: BaseException) -> None:
        honest = kinds()["values"]

        def judge(seen: JudgeInput) -> Verdict:
            if seen.got[0] is RIGHT:
                return honest.judge(seen)
            raise error

        names = ("KIND", "SECRETS", "calls")
        other: Any = SimpleNamespace(judge=judge, **{name: getattr(honest, name) for name in names})
        found = MappingProxyType({**kinds(), "values": other})
        monkeypatch.setattr(checks, "kinds", lambda: found)

    return breaks


@pytest.mark.parametrize("error", [KeyError("O"), OverflowError(), MemoryError(), RecursionError(), AssertionError()])
def test_a_judge_that_breaks_costs_its_own_check_only(
    error: Exception, broken: Callable[[BaseException], None]
) -> None:
    """It has failed and says so; its points stay in the sum, and everything else is judged as ever."""
    broken(error)
    seen = iter([RIGHT, WRONG, RIGHT, WRONG])
    report = graded(bank("values", "raises"), lambda p: next(seen, RIGHT))
    values = [outcome for outcome in outcomes(report) if outcome.check == "values"]
    assert [o.status for o in values] == ["passed", "failed", "passed", "failed"]
    assert [o.verdict.broken for o in values] == [False, True, False, True]
    assert [o.possible for o in outcomes(report)] == [0.5] * 8
    assert report.possible == 4
    assert report.earned == 1
    assert report.complete
    message = values[1].verdict.message
    assert message is not None
    assert "the check itself failed on this result" in message.en
    assert "检查程序本身" in message.zh


def test_broken_stands_in_json_and_is_kept(broken: Callable[[BaseException], None]) -> None:
    """The field is there for every check, in the report and in what a gradebook keeps."""
    broken(ValueError())
    report = graded(bank("values"), lambda p: WRONG)
    (found,) = (exercise["checks"] for q in to_json(report)["questions"] for exercise in q["exercises"])
    assert [each["broken"] for each in found] == [True] * 4
    verdict = outcomes(report)[0].verdict
    assert load(Verdict, dump(verdict)) == verdict


def test_what_we_raise_ourselves_is_no_learners_failure(broken: Callable[[BaseException], None]) -> None:
    """A check that does not fit its exercise is a fault of the bank, and told as one."""
    broken(CourseError(same("no such axis")))
    with pytest.raises(CourseError):
        graded(bank("values"), lambda p: WRONG)


def test_a_check_that_cannot_import_is_no_learners_failure(broken: Callable[[BaseException], None]) -> None:
    """A library that has vanished is nothing that a result could cause: nothing is graded."""
    broken(ModuleNotFoundError("No module named 'numpy.testing'"))
    with pytest.raises(LibrariesChanged, match=r"numpy\.testing.*run the command again"):
        graded(bank("values"), lambda p: WRONG)


def test_an_essence_that_breaks_is_all_that_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a mistake may stay without its name, and that is all."""

    def breaks(*_: object) -> None:
        raise OverflowError

    monkeypatch.setattr(checks, "signature", breaks)
    nothing: Any = None
    assert verdicts.signature(CheckSpec("memory", 1.0), nothing, (RIGHT,)) == (RIGHT,)


@pytest.mark.parametrize("check", ["values", "repeatable"])
def test_warnings_of_numpy_are_none_of_a_judges_business(check: str) -> None:
    """Sums that overflow are wrong results, and nothing that is printed."""
    large, small = array([1e308, -1e308, 1e308], "float64"), array([-1e308] * 3, "float64")
    report = graded(bank(check), lambda p: returned(*[large if len(p.send) > 1 else small] * len(p.send)))
    assert {outcome.verdict.broken for outcome in outcomes(report)} == {False}


# ------------------------------------------------------------------------------------------- hidden cases


def raised(kind: str, line: int, **more: Any) -> Raised:
    """An exception in the learner's file."""
    return Raised(kind, f"text {line}", "q05.py", line, "call", (kind, "Exception"), **more)


def told(public: Observation, hidden: Observation, kind: str = "values") -> Verdict:
    """What is said of hidden cases where they, and the public ones, end like this. ``final`` stays with us."""
    where = bank(kind)
    report = graded(where, lambda p: hidden if p.hidden else public)
    (found,) = {outcome.verdict for outcome in outcomes(report) if outcome.visibility == "hidden"}
    return replace(found, final=False)


#: Pairs of endings that code can choose between, by an input.
CHOSEN = [
    ("line", raised("ValueError", 1), raised("ValueError", 2)),
    ("type", raised("ValueError", 1), raised("KeyError", 1)),
    ("not implemented", raised("ValueError", 1), raised("NotImplementedError", 1)),
    ("out of memory", raised("ValueError", 1), raised("MemoryError", 1)),
    ("while loading", raised("ValueError", 1), Raised("ImportError", "12345", None, None, "import")),
    ("exit code", Died(None, 7), Died(None, 8)),
    ("signal", Died(6, None), Died(None, 3)),
    ("clock", TimedOut(2.0, "cpu"), TimedOut(6.0, "wall")),
    ("limit", TimedOut(2.0, "cpu"), TimedOut(20.0, "cpu")),
    ("kind", Unreadable("type", ("x",)), Unreadable("state", ("x",))),
    ("reason", Unreadable("nested"), Unreadable("12345")),
    ("size", TooBig(1 << 24), Unreadable("nested")),
    ("shape", returned(array([[1.0]])), returned(array([[1.0, 2.0]]))),
    ("thing", returned("a"), returned({"a": 1})),
    ("length", returned([[1], [2]]), returned([[1], [2], [3]])),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in CHOSEN], ids=[row[0] for row in CHOSEN])
@pytest.mark.parametrize("kind", ["values", "dtype", "fully_masked_rows", "non_contiguous", "gradients"])
def test_what_code_can_choose_is_not_told(kind: str, one: Observation, other: Observation) -> None:
    """Two endings of one status are told alike, where no public case ended like that."""
    assert told(RIGHT, one, kind) == told(RIGHT, other, kind)


def test_what_a_public_case_was_told_is_told_again() -> None:
    """The same type in the same line helps, and spells nothing; another line is not told."""
    same, another = (told(raised("ValueError", 1), raised("ValueError", line)) for line in (1, 2))
    assert same.message is not None
    assert another.message is not None
    assert "ValueError at q05.py, line 1" in same.message.en
    assert "text" not in same.message.en
    assert another.message.en == "it raised an exception"


def test_another_check_says_nothing_for_this_one() -> None:
    """What a public case of one check was told opens no sentence for another check."""
    order = iter([RIGHT, RIGHT, *[raised("KeyError", 1)] * 6])  # the public cases of values are right
    report = graded(bank("values", "non_contiguous"), lambda p: next(order))
    said = [o.verdict.message.en for o in outcomes(report) if o.verdict.message]
    assert said[:2] == ["it raised an exception"] * 2
    assert all(each.startswith("it raised KeyError") for each in said[2:])


def test_no_difference_and_no_foreign_remark_of_a_hidden_case() -> None:
    """Values never leave, whatever a judge returns."""
    found = told(RIGHT, WRONG)
    assert found.difference is None
    assert found.message is not None
    assert found.message.en == "the values are wrong"


# ------------------------------------------------------------------------------------------- what is left


@pytest.fixture(scope="module")
def bundled() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


def ways(exercise_: Exercise) -> Iterator[int]:
    """For each check on each hidden case, in how many ways it can be told: passed, or one of its sentences."""
    for spec in exercise_.checks:
        cases = checks.cases_for(spec, exercise_)
        alike = [other for other in exercise_.checks if other.kind == spec.kind]
        public = sum(each.public for other in alike for each in checks.cases_for(other, exercise_))
        for _ in (each for each in cases if not each.public):
            yield 1 + len(set(kinds()[spec.kind].SECRETS) | set(verdicts.COMMON)) + public


def bits(exercise_: Exercise) -> float:
    """What one submission can learn of the hidden inputs of an exercise: verdicts, limited points, names, form.

    No, one or two misconceptions are named. What else is said about a failure follows from public cases and from what
    the verdicts tell.
    """
    tried = len(calling_forms(exercise_, SourceFile("q.py", "q", (), imports_torch=True)))
    names = len({mistake.misconception for mistake in exercise_.mistakes})
    named = sum(math.comb(names, count) for count in range(3))
    return sum(map(math.log2, ways(exercise_))) + math.log2(2) + math.log2(named) + math.log2(tried)


#: ``seconds`` of a report: powers of two from 1 to 512.
SECONDS = math.log2(10)


def test_the_number_of_bits_is_the_one_in_the_documentation(bundled: Course) -> None:
    """docs/security.md says how much one submission can learn; the number follows from bank and checks."""
    text = " ".join(SECURITY.read_text(encoding="utf-8").split())
    found = {each.name: bits(each) for question_ in bundled.questions for each in question_.exercises}
    most = max(found, key=lambda name: found[name])
    said = re.search(
        r"at most (\d+) bits about all hidden inputs.*? (\d+) about those of one exercise \(`(\w+)`\)", text
    )
    assert said is not None
    everything, one = math.ceil(sum(found.values()) + SECONDS), math.ceil(found[most] + SECONDS)
    assert said.groups() == (str(everything), str(one), most)
    row = re.search(r"\| a check on a hidden case \| .*? \| (\d+) to (\d+) \|", text)
    assert row is not None
    every = [number for q in bundled.questions for each in q.exercises for number in ways(each)]
    assert row.groups() == (str(min(every)), str(max(every)))


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_sentences_for_hidden_cases_have_nothing_to_fill_in(kind: str) -> None:
    """A list of constants, in both languages, each once."""
    secrets = kinds()[kind].SECRETS
    assert len(set(secrets)) == len(secrets) > 0
    for text in secrets:
        assert isinstance(text, Text)
        assert not set("{}") & set(text.en + text.zh)


@pytest.mark.parametrize(
    ("seed", "seconds", "said"),
    [
        ("public", 3.25, 3.25),
        ("file:0123", 0.0, 1),
        ("file:0123", 0.9, 1),
        ("file:0123", 3.25, 4),
        ("file:0123", 4.0, 4),
        ("file:0123", 61.0, 64),
    ],
)
def test_seconds_spell_nothing(seed: str, seconds: float, said: float) -> None:
    """With a secret seed they are rounded up to a power of two."""
    report = Report("ada", Text("", ""), "", seed, (), (), False, (), seconds)
    assert report.shown_seconds == said
    assert to_json(report)["seconds"] == said


def test_a_hidden_case_keeps_what_is_our_fault() -> None:
    """That the reference failed is no word of the learner's code."""
    where = bank("values")

    def observe(job: Job, limits: Limits) -> Observed:
        failed = Raised("ValueError", "ours", None, None)
        found = tuple(failed if p.module.startswith("reference.") else RIGHT for p in job.programs)
        return Observed(found, (), unsafe=False)

    report = grade(where, submission(q05=CODE), observe)
    assert {o.status for o in outcomes(report)} == {Status.UNMARKED}
    assert all("own reference failed" in o.verdict.message.en for o in outcomes(report) if o.verdict.message)
