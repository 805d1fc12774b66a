"""The bank's self-check: every broken promise is found, and said with its remedy."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from grader.authoring.selfcheck import READINGS, check, item_problems, pairs, without_follow_up
from grader.core.model import Item, Job, Limits, Misconception, Observed, Status, Text, Verdict
from grader.course import loader
from grader.course.items._values import KnownWrongAnswer
from grader.course.items.expression import Spec as Expression
from grader.course.items.number import Spec as Number
from grader.course.problems import Problem
from grader.grading import courses
from grader.grading.checks import JudgeInput, values
from grader.grading.context import GradingContext
from grader.grading.explaining import place
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox
from grader.sandbox.observation_cache import memoized
from tests import tiny
from tests.commands.test_bank import change, written
from tests.helpers import WORDS, exercise, question
from tests.helpers import course as made_course

QUESTION, REFERENCE = "questions/q25_scaling.yaml", "reference/question_25.py"
MEMORY: dict[str, bytes] = {}
ONE = "- {misconception: squares, edits: [{replace: x + x, with: x * x}], fails: [values/basic]}"
OTHER = "- {misconception: squares, edits: [{replace: x + x, with: x ** 3}], fails: [values/basic]}"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A course that can be broken."""
    return written(tmp_path / "course")


def problems(folder: Path, sandbox: Sandbox) -> list[Problem]:
    """What the self-check finds."""
    course = courses.load(folder)
    observe = memoized(sandbox.observe, MEMORY.get, MEMORY.__setitem__)
    return list(check(course, GradingContext(course, Seed.public(), observe), sandbox.observe))


def has(found: list[Problem], kind: str, said: str) -> bool:
    """Whether a problem of this kind says so."""
    return any(problem.id == kind and said in str(problem) for problem in found)


def test_a_judge_that_breaks(bank: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that cannot cope with what a mistake returns is a fault, though the mistake fails it as declared."""
    honest = values.judge

    def judge(seen: JudgeInput) -> Verdict:
        found = honest(seen)
        if found.status is Status.FAILED:
            raise OverflowError
        return found

    monkeypatch.setattr(values, "judge", judge)
    found = problems(bank, sandbox)
    assert found
    assert {each.id for each in found} == {"broken-check"}
    assert all("raises an exception on the result" in each.text for each in found)


DOUBLED = 'with: "x * 2.0", fails: [values]'
#: The kind of problem, the file, what is replaced there, what by, and what is said. Without a kind all is well.
CODE: list[tuple[str | None, str, str, str, str]] = [
    ("reference-fails", REFERENCE, "return x * factor  #", "return (x * factor).float()  #", "not pass: dtype"),
    ("mistake-fails-elsewhere", QUESTION, '/ factor", fails: [', '/ factor", fails: [repeatable, ', "fail repeatable"),
    ("mistake-passes", QUESTION, DOUBLED, 'with: "factor * x", fails: [values]', "passes"),
    ("mistakes-alike", QUESTION, DOUBLED, 'with: "factor + x", fails: [values]', "no check distinguishes"),
    ("mistake-not-named", QUESTION, DOUBLED, 'with: "x * factor.nothing", fails: [values]', "is not recognised"),
    ("untested-condition", QUESTION, "normal: [1, 131, 2]", "normal: [1, 9, 2]", "no case has long: a sequence of"),
    ("untested-condition", QUESTION, ",\n         then: [{factor: 3.0}, {x: {normal: [4, 3]}}]", "", "has second-call"),
    ("untested-condition", QUESTION, "{normal: [2, 3, 4, 2]}", "{normal: [2, 4, 2]}", "no case has four-axes of x"),
    (None, QUESTION, "    cases:", "    not_applicable: {long: x is short}\n    cases:", ""),
    (
        "needless-reason",
        QUESTION,
        "    cases:",
        "    not_applicable: {empty-row: there is no mask}\n    cases:",
        "empty-row does not apply",
    ),
    (
        "unknown-landmark",
        QUESTION,
        "    cases:",
        "    landmarks: [{expression: x / factor, en: the share, zh: 份额}]\n    cases:",
        "no expression `x / factor`",
    ),
    (
        "few-landmarks",
        REFERENCE,
        "    return x * factor  #",
        "    twice = x + x\n    rest = twice - x\n    return rest * 0.0 + x * factor  #",
        "0 landmarks; expected at least 2",
    ),
    (None, QUESTION, ", factor: 3.0", ", factor: 0.5", ""),
    (None, QUESTION, "    checks:", "    forbids: [torch.softmax]\n    checks:", ""),
    ("reference-fails", QUESTION, "    checks:", "    forbids: [torch.soft_max]\n    checks:", "no torch.soft_max"),
    ("reference-fails", QUESTION, "    checks:", "    forbids: [torch.mul]\n    checks:", "does not pass: values"),
]


@pytest.mark.parametrize(("kind", "file", "old", "new", "said"), CODE)
def test_code(bank: Path, sandbox: Sandbox, kind: str | None, file: str, old: str, new: str, said: str) -> None:
    """References that fail, mistakes that pass or fail elsewhere, and names that are not kept away, are problems."""
    change(bank, old, new, file)
    found = problems(bank, sandbox)
    assert found == [] if kind is None else has(found, kind, said)


def test_an_alternative_that_is_wrong(bank: Path, sandbox: Sandbox) -> None:
    """Other ways to write an exercise are graded like the reference, whichever array library they use."""
    with (bank / REFERENCE).open("a", encoding="utf-8") as file:
        file.write("\n\ndef wrong(x, factor=2.0):\n    return x + factor\n")
        file.write("\n\ndef right(x, factor=2.0):\n    return factor * x\n")
    (bank / "reference" / "plain.py").write_text("def right(x, factor=2.0):\n    return factor * x\n", encoding="utf-8")
    named = ["plain.right", "question_25.right", "question_25.wrong"]
    listed = "".join(f"      - {{code: {name}, note: {{en: other, zh: 另}}}}\n" for name in named)
    change(bank, "    checks:", f"    alternatives:\n{listed}    checks:")
    found = problems(bank, sandbox)
    (problem,) = found
    assert problem.id == "alternative-fails" and problem.where.endswith("alternative question_25.wrong")
    assert "does not pass: values" in problem.text


def test_two_mistakes_with_one_misconception(bank: Path, sandbox: Sandbox) -> None:
    """One belief may show in several mistakes."""
    change(bank, "divides-instead, replace", "adds-instead, replace")
    found = problems(bank, sandbox)
    assert {each.id for each in found} <= {"unused-misconception", "few-mistakes"}


def test_a_check_without_bite(bank: Path, sandbox: Sandbox) -> None:
    """A stub that earns points shows a check that checks nothing."""
    change(bank, "    return x * factor  # (..., n)", "    raise ValueError(factor)", REFERENCE)
    text = (bank / QUESTION).read_text(encoding="utf-8")
    start, end = text.index("    cases:"), text.index("    checks:")
    case = "    cases:\n      - {name: never, public: true, raises: NotImplementedError, args: {x: 1.0}}\n"
    tail = "    checks: [raises]\n    mistakes: []\n"
    (bank / QUESTION).write_text(text[:start] + case + tail if end else "", encoding="utf-8")
    found = problems(bank, sandbox)
    assert has(found, "stub-passes", "passes raises")
    assert has(found, "no-hidden-case", "scaled_by_25")


def test_a_name_that_is_not_kept_away(tmp_path: Path, sandbox: Sandbox) -> None:
    """What is written in C outside of torch can be kept before it is closed: forbidding it is a problem."""
    folder = tiny.course(tmp_path)
    tiny.change(folder, "    checks: [values", "    forbids: [operator.abs]\n    checks: [values")
    place = folder / "reference" / "bank.py"
    place.write_text(place.read_text("utf-8").replace("return x + x", "return x.abs()"), encoding="utf-8")
    tiny.change(folder, "replace: x + x, with: x * x", "replace: x.abs(), with: x * x")
    found = problems(folder, sandbox)
    assert has(found, "reachable", "operator.abs itself, under the name of the exercise, passes dtype, values")


COUNTS = {
    "stray-file": "this file is never read",
    "few-items": "0 items",
    "few-hints": "1 hints",
    "few-mistakes": "3 mistakes",
    "unused-misconception": "no item and no mistake refers to it",
    "no-guiding-question": "no guiding question",
    "no-public-case": "no public case",
    "unknown-case": "no case is called “gone”",
}
#: Shown by tests/course/items/test_course_derivations.py.
DERIVATIONS = {"few-stages", "empty-derivation", "chain-earns"}
#: The kinds of problem that the tests of this file show.
SHOWN_BY_RUNNING = {
    *(kind for kind, *_ in CODE if kind is not None),
    *COUNTS,
    *DERIVATIONS,
    *("circular-follow-up", "answers-alike", "asks-about-code"),
    *("marks", "title"),  # in test_typesetting.py
    *("alternative-fails", "broken-check", "stub-passes", "no-hidden-case", "reachable"),
}


BELIEFS = [Misconception(name, WORDS, WORDS, ask_next="Q1.alone") for name in ("doubles", "halves")]
ALIKE = (KnownWrongAnswer("2 * d", "doubles"), KnownWrongAnswer(4, "halves"))
FORMULAS = (KnownWrongAnswer("2 n", "doubles"), KnownWrongAnswer("n + n", "halves"))


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        ("number", Number("d * 3", {"d": (5, 2)}, 0, wrong=ALIKE), "doubles and halves give the same answer for d = 2"),
        ("number", Number("d * 3", {"d": (5, 7)}, 0, wrong=ALIKE), None),
        ("expression", Expression({"n": "integer"}, "3 n", wrong=FORMULAS), "“n + n” stands for halves, but is named"),
        ("expression", Expression({"n": "integer"}, "3 n", wrong=FORMULAS[:1]), None),
    ],
)
def test_items(kind: str, spec: object, said: str | None) -> None:
    """A wrong answer shows one misconception, whatever is drawn; and what is asked next is another item."""
    alone = Item("Q1.alone", kind, WORDS, spec=spec)
    home = question("Q1", exercise("half(x)"), items=[alone], misconceptions=BELIEFS)
    found = list(item_problems(made_course(home), home))
    assert has(found, "circular-follow-up", "only answers to Q1.alone show it")
    assert [problem.id for problem in found].count("answers-alike") == (said is not None)
    assert said is None or has(found, "answers-alike", said)
    assert without_follow_up(made_course(home))["Q1"] == sorted({wrong.misconception for wrong in spec.wrong})  # type: ignore[attr-defined]
    assert not has(found, "asks-about-code", "")
    other = dataclasses.replace(alone, id="Q1.other")
    pair = dataclasses.replace(home, items=(alone, other))
    assert not has(list(item_problems(made_course(pair), pair)), "circular-follow-up", "")
    assert without_follow_up(made_course(pair)) == {}


@pytest.mark.parametrize(
    ("ask", "ask_item", "said"),
    [
        (Text("Where does your code halve?", "哪里减半？"), None, "your code"),
        (Text("Where is it halved?", "你的函数在哪里减半？"), None, "你的函数"),
        (Text("Where does your code halve?", "哪里减半？"), Text("Is it half?", "是一半吗？"), None),
        (Text("Does your formula halve?", "你的公式减半吗？"), None, None),
    ],
)
def test_questions_after_items(ask: Text, ask_item: Text | None, said: str | None) -> None:
    """Whoever answered an item has written no code that the guiding question could be about."""
    belief = Misconception("halves", WORDS, ask, ask_item=ask_item)
    item = Item("Q1.n", "number", WORDS, spec=Number("3", wrong=(KnownWrongAnswer(1, "halves"),)))
    home = question("Q1", exercise("half(x)"), items=[item], misconceptions=[belief])
    found = [problem for problem in item_problems(made_course(home), home) if problem.id == "asks-about-code"]
    assert len(found) == (said is not None) and (said is None or said in str(found[0]))


def test_counts(bank: Path, sandbox: Sandbox) -> None:
    """Too few items, hints and mistakes, one-sided cases, stray files, idle misconceptions: each is a problem."""
    path = bank / QUESTION
    text = path.read_text(encoding="utf-8").replace("public: true, ", "")
    text = text[: text.index("items:")] + "items: []\n" + text[text.index("\nexercises:") :]
    dropped = ("One multiplication", "squares-input, replace", "What does a negative entry become")
    lines = [line for line in text.splitlines() if not any(word in line for word in dropped)]
    path.write_text("\n".join(lines), encoding="utf-8")
    (bank / "questions" / "notes.txt").write_text("x")
    (bank / "questions" / "case-names.yaml").write_text("gone: 没有了\n", encoding="utf-8")
    found = problems(bank, sandbox)
    for kind, said in COUNTS.items():
        assert has(found, kind, said), (kind, found)
    assert not has(found, "stray-file", "case-names.yaml")


def test_each_mistake_runs_once(bank: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """To be graded and to be recognised it runs as one job, and nobody looks for the place that is wrong.

    A bank that keeps its promises has no problems, and every step is announced.
    """
    searched, steps = list[object](), list[str]()
    monkeypatch.setattr(place, "explain", lambda *given: searched.append(given) or ())
    ran: list[Job] = []

    def observe(job: Job, limits: Limits) -> Observed:
        ran.append(job)
        return sandbox.observe(job, limits)

    memory: dict[str, bytes] = {}
    course = courses.load(bank)
    context = GradingContext(course, Seed.public(), memoized(observe, memory.get, memory.__setitem__))
    assert list(check(course, context, sandbox.observe, steps.append)) == []
    assert steps == ["Q25", "scaled_by_25"]
    edited = [job.files for job in ran if job.files != course.reference]
    assert len(edited) == len(set(edited)) == len(course.questions[0].exercises[0].mistakes)
    assert searched == []


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    """A course in which two mistakes are told the same."""
    tiny.change(tiny.course(tmp_path), ONE, f"{ONE}\n      {OTHER}")
    return tmp_path


def test_a_text_that_is_said_of_several_mistakes(twins: Path) -> None:
    """Has to be read by two people, for each of them."""
    first, second = pairs(courses.load(twins))
    assert (first.question, first.exercise, first.misconception.id) == ("Q1", "double", "squares")
    assert first.key != second.key and not first.is_read and not second.is_read
    noted = f"Q1:\n  squares: {{{first.key}: [A, B], {second.key}: [A, A]}}\n"
    (twins / "questions" / READINGS).write_text(noted, "utf-8")
    first, second = pairs(courses.load(twins))
    assert first.is_read and first.readers == ("A", "B")
    assert not second.is_read


def test_what_was_changed_has_to_be_read_again(twins: Path) -> None:
    """A new text, or another edit; but not the other mistake."""
    first, second = pairs(courses.load(twins))
    tiny.change(twins, "x ** 3", "x ** 4")
    same, edited = pairs(courses.load(twins))
    assert same.key == first.key and edited.key != second.key
    tiny.change(twins, "Twice is not squared.", "Twice is no square.")
    assert next(pairs(courses.load(twins))).key != first.key


def test_the_bundled_course() -> None:
    """Two people have read every pair."""
    unread = [pair for pair in pairs(courses.load(loader.find(None))) if not pair.is_read]
    assert [(pair.question, pair.exercise, pair.misconception.id, pair.key) for pair in unread] == []
