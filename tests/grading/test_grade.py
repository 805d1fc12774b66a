from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grader.core.errors import SandboxError, SandboxKilled, SandboxUnavailable, SubmissionError, UsageError
from grader.core.marks import plain
from grader.core.model import (
    Answer,
    CheckSpec,
    Died,
    Edit,
    ExerciseResult,
    Item,
    ItemResult,
    Job,
    Limits,
    Misconception,
    Mistake,
    Normal,
    Notice,
    NotRun,
    Observation,
    Observed,
    Program,
    Raised,
    RandomMask,
    Report,
    Same,
    Status,
    Submission,
    Text,
    TimedOut,
    Unreadable,
    Variant,
)
from grader.core.text import same
from grader.course import items
from grader.course.items import multi, number
from grader.course.items.choice import Option, Spec
from grader.grading.answer_grading import as_written
from grader.grading.context import GradingContext
from grader.grading.grade import grade, grade_reference
from grader.grading.inputs import Seed
from grader.grading.missing import is_named_after
from grader.grading.selection import Selection
from grader.sandbox import Sandbox
from tests.helpers import (
    WORDS,
    Observe,
    answering,
    array,
    case,
    course,
    exercise,
    question,
    returned,
    source,
    submission,
)

X = Normal((3,))
RIGHT, WRONG = returned(array([1.0, 2.0, 3.0])), returned(array([1.0, 2.0, 4.0]))
TWO = (CheckSpec("values", 4.0), CheckSpec("dtype", 1.0, ("seen",)))


def item(name: str, **more: Any) -> Item:
    """A choice: a is right, b is believed by some, c is wrong."""
    spec = Spec((Option("a", WORDS, correct=True), Option("b", WORDS, misconception="sums"), Option("c", WORDS)))
    fields: dict[str, Any] = {"points": 2, "use": "graded"}
    return Item(name, "choice", WORDS, spec=spec, **fields | more)


SUMS = Misconception("sums", WORDS, WORDS)
COURSE = course(
    question(
        "Q5",
        exercise("double(x)", case("seen", x=X), case("unseen", public=False, x=X)),
        items=(item("Q5.output"), item("Q5.width"), item("Q5.more", use="practice")),
        misconceptions=(SUMS,),
    ),
    question("Q11", exercise("halve(x)", case("seen", x=X)), exercise("turn(x)", case("unseen", public=False, x=X))),
    question("Q12", items=(item("Q12.why"),), misconceptions=(SUMS,)),
    reference="import torch\ndef double(x): return 2 * x\ndef halve(x): return x / 2\ndef turn(x): return -x\n",
)
DOUBLE, HALVE, TURN = "def double(x): return 2 * x\n", "def halve(x): return x / 2\n", "def turn(x): return -x\n"
NEVER = answering(lambda program: pytest.fail("nothing should be run"))


def fake(answer: Callable[[Program], Observation] = lambda _: RIGHT, **by_module: Observation) -> Observe:
    """A sandbox in which references are right, and learners' modules say what they are told to, else ``answer``."""
    return answering(lambda p: RIGHT if p.module.startswith("reference.") else by_module.get(p.module) or answer(p))


EMPTY = Submission("ada", ())


def answered(given: Submission = EMPTY, **answers: Any) -> Submission:
    """The submission with these answers (``Q5_output`` for ``Q5.output``)."""
    found = tuple(Answer(name.replace("_", "."), value, at + 3) for at, (name, value) in enumerate(answers.items()))
    return replace(given, answers=found)


def graded(report: Report) -> dict[str, list[str]]:
    """The questions of a report with what was graded of them."""
    return {q.id: [part.id for part in q.items] + [part.name for part in q.exercises] for q in report.questions}


def result(report: Report, name: str) -> ExerciseResult:
    """One exercise of a report."""
    return next(e for q in report.questions for e in q.exercises if e.name == name)


def results_of(report: Report) -> dict[str, ItemResult]:
    """The items of a report."""
    return {i.id: i for q in report.questions for i in q.items}


# ------------------------------------------------------------------------------------------- choosing


@pytest.mark.parametrize(
    ("files", "selection", "expected"),
    [
        ({"q05": DOUBLE}, {}, {"Q5": ["double"]}),
        ({"anything": HALVE}, {}, {"Q11": ["halve", "turn"]}),
        ({"q05": DOUBLE, "q11": TURN}, {}, {"Q5": ["double"], "Q11": ["halve", "turn"]}),
        ({"all": DOUBLE + HALVE}, {}, {"Q5": ["double"], "Q11": ["halve", "turn"]}),
        ({"q11": DOUBLE + HALVE}, {}, {"Q11": ["halve", "turn"]}),
        ({"q05": DOUBLE + HALVE}, {}, {"Q5": ["double"]}),
        ({"q12": DOUBLE}, {}, {"Q5": ["double"]}),
        ({"q05": HALVE}, {}, {"Q11": ["halve", "turn"]}),
        ({"q05": DOUBLE, "helpers": HALVE}, {}, {"Q5": ["double"], "Q11": ["halve", "turn"]}),
        ({"q05": DOUBLE + HALVE, "beside": "x = 1\n"}, {}, {"Q5": ["double"]}),
        ({"q11": DOUBLE + HALVE}, {"questions": ("q5",)}, {"Q5": ["double"]}),
        ({"q11": DOUBLE + HALVE}, {"questions": ("Q5", "Q11")}, {"Q5": ["double"], "Q11": ["halve", "turn"]}),
        ({"q11": DOUBLE + HALVE}, {"exercises": ("turn", "halve")}, {"Q11": ["halve", "turn"]}),
        ({"q11": DOUBLE + HALVE}, {"exercises": ("HALVE",)}, {"Q11": ["halve"]}),
        (
            {"q11": DOUBLE + HALVE},
            {"questions": ("Q5",), "exercises": ("halve",)},
            {"Q5": ["double"], "Q11": ["halve"]},
        ),
        (
            {"q05": DOUBLE},
            {"everything": True},
            {"Q5": ["Q5.output", "Q5.width", "double"], "Q11": ["halve", "turn"], "Q12": ["Q12.why"]},
        ),
    ],
)
def test_what_is_graded(files: dict[str, str], selection: dict[str, Any], expected: dict[str, list[str]]) -> None:
    """What was asked for, else what the submission touches; one file named after a question is graded for it."""
    report = grade(COURSE, submission(**files), fake(), selection=Selection(**selection))
    assert graded(report) == expected
    assert report.not_attempted == tuple(q.id for q in COURSE.questions if q.id not in expected)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("q05.py", "Q5"),
        ("Q5.py", "Q5"),
        ("q5_anything.ipynb", "Q5"),
        ("week 2/q_11.py", "Q11"),
        ("q011.py", "Q11"),
        ("q1.py", None),
        ("q55.py", None),
        ("quiz5.py", None),
        ("homework.py", None),
    ],
)
def test_a_file_is_named_after_a_question(path: str, expected: str | None) -> None:
    """By its number, however it is written."""
    found = [question.id for question in COURSE.questions if is_named_after(path, question)]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (Selection(questions=("Q51",)), "There is no question “Q51” in this course. Did you mean Q5?"),
        (Selection(questions=("five",)), "no question “five” in this course. There are: Q5, Q11, Q12."),
        (Selection(exercises=("duoble",)), "graded item or question “duoble” in this course. Did you mean double?"),
        (Selection(exercises=("zzz",)), "or question “zzz” in this course. There are: double, halve, turn."),
    ],
)
def test_unknown_names_are_refused(selection: Selection, said: str) -> None:
    """With the nearest spelling, or what there is."""
    with pytest.raises(UsageError) as caught:
        grade(COURSE, submission(q05=DOUBLE), NEVER, selection=selection)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("given", "selection", "said"),
    [
        (submission(q05="def duoble(x): pass"), {}, "found duoble (did you mean double?)."),
        (submission(q05="x = 1"), {}, "ada: nothing to grade. Expected a top-level definition of double, halve, turn;"),
        (submission(q05="x = 1"), {}, "found no function and no class."),
        (submission(q05="def main(): pass\ndef helper(): pass"), {}, "found main, helper."),
        (submission(q05=DOUBLE), {"questions": ("q11",)}, "definition of halve, turn; found double"),
        (submission(q05=DOUBLE), {"exercises": ("Turn",)}, "definition of turn; found double"),
        (submission(q05=DOUBLE), {"questions": ("Q12",)}, "Expected answers in answers.yaml; found double"),
        (replace(submission(q05="x = 1"), origin="ada/q05.py"), {}, "ada/q05.py: nothing to grade"),
        (answered(), {}, "found no answers that belong to this course. `attncheck start Q5` creates"),
    ],
)
def test_nothing_to_grade(given: Submission, selection: dict[str, Any], said: str) -> None:
    """Says what was expected, what was found, and what comes near it; runs nothing."""
    with pytest.raises(SubmissionError) as caught:
        grade(COURSE, given, NEVER, selection=Selection(**selection))
    assert said in str(caught.value)


def test_a_whole_class_may_have_handed_in_nothing_of_the_course() -> None:
    """With everything selected, all of it is missing, and nothing is run."""
    report = grade(COURSE, submission(q05="x = 1"), NEVER, selection=Selection(everything=True))
    assert {e.status for q in report.questions for e in q.exercises} == {Status.MISSING}
    assert {i.status for q in report.questions for i in q.items} == {Status.MISSING}
    assert (report.earned, report.possible) == (0, sum(q.points for q in COURSE.questions))
    assert report.complete
    assert not report.passed


# ---------------------------------------------------------------------------------------------- items


def test_items_are_graded_where_there_are_answers() -> None:
    """Right, wrong with the belief behind it, unanswered; practice is not graded."""
    report = grade(COURSE, answered(submission(q05=DOUBLE), Q5_output="b", Q5_more="a"), fake())
    found = results_of(report)
    assert list(found) == ["Q5.output", "Q5.width"]
    assert (found["Q5.output"].status, found["Q5.output"].misconception) == (Status.FAILED, "sums")
    assert found["Q5.output"].message == SUMS.truth
    assert (found["Q5.width"].status, found["Q5.width"].possible) == (Status.MISSING, 2)
    assert found["Q5.width"].message is not None
    assert found["Q5.width"].message.en == "not answered"
    assert (report.earned, report.possible) == (4, 8)


@pytest.mark.parametrize(
    ("value", "status", "earned"),
    [("a", Status.PASSED, 2), ("c", Status.FAILED, 0), ("d", Status.FAILED, 0), (None, Status.MISSING, 0)],
)
def test_answers_alone_are_graded(value: Any, status: Status, earned: float) -> None:
    """Without any code; an answer touches its question and no other."""
    report = grade(COURSE, answered(Q12_why=value), NEVER)
    assert graded(report) == {"Q12": ["Q12.why"]}
    assert (results_of(report)["Q12.why"].status, report.earned) == (status, earned)


@pytest.mark.parametrize("learner", ["ada", "bo", "chen"])
def test_numbers_are_the_learners_own(learner: str) -> None:
    """What is right goes by the course, the learner and the item; parts of the points are possible, too."""
    size = number.Spec("2 * d", {"d": (1, 10, 100)})
    several = multi.Spec((Option("a", WORDS, correct=True), Option("b", WORDS, correct=True), Option("c", WORDS)))
    both = (
        replace(item("Q12.size"), kind="number", spec=size),
        replace(item("Q12.several"), kind="multi", spec=several),
    )
    bank = course(question("Q12", items=both))
    d = items.draw(size, items.Context(bank.public_id, learner, "Q12.size"))["d"]
    given = answered(Submission(learner, ()), Q12_size=f"2 × {d}", Q12_several=["a"])
    found = results_of(grade(bank, given, NEVER))
    assert (found["Q12.size"].status, found["Q12.size"].earned) == (Status.PASSED, 2)
    assert (found["Q12.several"].status, found["Q12.several"].earned) == (Status.FAILED, 1)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("  b\n", "b"),
        (0.88, "0.88"),
        (True, "true"),
        (["a", "c"], "[a, c]"),
        ({"a": "1", "b": 2}, "{a: 1, b: 2}"),
        ([[[[["deep"]]]]], "[[[[…]]]]"),
        pytest.param(1 << 60_000, "…", id="huge"),
        ("x" * 3000, "x" * 999 + "…"),
    ],
)
def test_an_answer_as_somebody_would_type_it(value: Any, said: str) -> None:
    """Whatever YAML can hold, in bounded length."""
    assert as_written(value) == said


def test_without_answers_items_are_not_graded() -> None:
    """One who hands in code alone is not told that answers are missing; a whole class is."""
    given = submission(q05=DOUBLE)
    for selection in (Selection(), Selection(questions=("Q5",)), Selection(exercises=("double",))):
        assert graded(grade(COURSE, given, fake(), selection=selection)) == {"Q5": ["double"]}
    with_answers = answered(given, Q5_output="a")
    for selection, count in (
        (Selection(), 2),
        (Selection(questions=("Q5",)), 2),
        (Selection(exercises=("double",)), 0),
    ):
        assert len(results_of(grade(COURSE, with_answers, fake(), selection=selection))) == count


def test_an_answer_to_nothing_is_noticed() -> None:
    """With its line and the nearest id."""
    report = grade(COURSE, answered(submission(q05=DOUBLE), Q5_outptu="a", Zz="b"), fake())
    assert [notice.where for notice in report.notices] == ["answers.yaml", "answers.yaml"]
    assert [plain(notice.text.en) for notice in report.notices] == [
        "line 3: there is no item Q5.outptu (did you mean Q5.output?)",
        "line 4: there is no item Zz",
    ]
    assert all(notice.urgent for notice in report.notices)


def test_answers_below_a_question_are_noticed() -> None:
    """They say how to write them, with what was answered; keys that are no items do not."""
    nested = {"output": "b", "width": [1], "zz": 1}
    report = grade(COURSE, answered(submission(q05=DOUBLE), Q5=nested, Q12={"zz": 1}), fake())
    first, second = (plain(notice.text.en) for notice in report.notices)
    assert first.startswith("line 3: the answers below `Q5:` were not read.")
    assert first.endswith("with its full id: `Q5.output: b`, `Q5.width: …`.")
    assert second.startswith("line 4: there is no item Q12")


# ------------------------------------------------------------------------------------------ exercises


def test_right_code_gets_all_points() -> None:
    """And the report says on what it ran."""
    given = replace(submission(q05=DOUBLE), notices=(Notice("notes.txt", WORDS),))
    layered = answering(lambda _: RIGHT, layers=("seccomp",), unsafe=True, versions=(("torch", "2.13"),))
    report = grade(COURSE, given, layered, context=GradingContext(COURSE, Seed.number(3), layered))
    assert (report.earned, report.possible, report.passed, report.complete) == (4, 4, True, True)
    assert (report.learner, report.seed, report.course_digest) == ("ada", "3", "digest")
    assert (report.layers, report.unsafe, dict(report.versions)["torch"]) == (("seccomp",), True, "2.13")
    assert report.notices == given.notices
    assert report.seconds > 0
    found = result(report, "double")
    assert (found.status, found.file, found.array_type, found.message) == (Status.PASSED, "q05.py", "numpy", None)


def test_a_wrong_value_loses_its_cases() -> None:
    """The first loss is what the exercise says."""
    report = grade(COURSE, submission(q05=DOUBLE), fake(q05=WRONG))
    found = result(report, "double")
    assert (found.status, found.earned, found.possible) == (Status.FAILED, 0, 4)
    assert found.message == found.outcomes[0].verdict.message
    assert not report.passed


def test_a_name_that_is_nowhere_is_missing() -> None:
    """It costs its points, and the exercise beside it keeps its own."""
    report = grade(COURSE, submission(q11=HALVE), fake())
    assert result(report, "halve").earned == 4
    found = result(report, "turn")
    assert (found.status, found.earned, found.possible, found.file) == (Status.MISSING, 0, 4, None)
    assert found.message is not None
    assert found.message.en == "turn is not defined in the submission"


BROKEN = Notice("q11.py", Text("line 2: unreadable.", "第 2 行读不懂。"))
MAIN = 'if __name__ == "__main__":\n    '


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (submission(q11=HALVE), "turn is not defined in the submission"),
        (submission(q11=HALVE, a="def turns(x): ..."), "Is it turns, on line 1 of a.py? If so, rename it to turn."),
        (replace(submission(a=HALVE), broken=(BROKEN,)), "because q11.py could not be read: line 2: unreadable."),
        (replace(submission(a=HALVE), broken=(replace(BROKEN, where="q11.ipynb cell 3"),)), "because q11.ipynb cell 3"),
        (replace(submission(q11=HALVE), broken=(replace(BROKEN, where="mine.py"), BROKEN)), "because q11.py could"),
        (replace(submission(q11=HALVE), broken=(replace(BROKEN, where="mine.py"),)), "because mine.py could"),
        (replace(submission(q11=HALVE), broken=(replace(BROKEN, where="q05.py"),)), "turn is not defined in the sub"),
        (
            replace(EMPTY, files=(replace(source("q11.py", HALVE), guarded=(("turn", 7),)),), broken=(BROKEN,)),
            'only under `if __name__ == "__main__":` (line 7 of q11.py), and that block does not run',
        ),
    ],
)
def test_what_is_missing_names_its_cause(given: Submission, expected: str) -> None:
    """The main guard, a name that is nearly right, or a file that cannot be read; never one of another question."""
    found = result(grade(COURSE, given, fake()), "turn")
    assert found.status is Status.MISSING and found.message is not None
    assert expected in plain(found.message.en)


def test_what_is_urgent_comes_first() -> None:
    """Whatever a notice is about, and whoever found it."""
    given = replace(submission(q05=DOUBLE), notices=(Notice("a", WORDS), Notice("b", WORDS, urgent=True)))
    report = grade(COURSE, answered(given, Zz="a"), fake())
    assert [(notice.where, notice.urgent) for notice in report.notices] == [
        ("b", True),
        ("answers.yaml", True),
        ("a", False),
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (replace(submission(a="x = 1"), broken=(BROKEN,), lost=Notice("answers.yaml", WORDS)), "nothing to grade. "
         "answers.yaml: words q11.py: line 2: unreadable. Expected"),
        (replace(EMPTY, files=(replace(source("a.py", "x = 1"), guarded=(("turn", 7),)),)), "found turn under `if"),
        (answered(Q99_x="a"), "nothing to grade. answers.yaml: line 3: there is no item Q99.x. Expected"),
    ],
)  # fmt: skip
def test_nothing_to_grade_names_its_cause(given: Submission, said: str) -> None:
    """First what could not be read, then what was found instead of what the course asks for."""
    with pytest.raises(SubmissionError) as caught:
        grade(COURSE, given, NEVER)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("names", "used"),
    [(("a", "q05"), "q05"), (("q05", "z"), "q05"), (("a", "b"), "a"), (("q5_old", "q5_new"), "q5_old")],
)
def test_of_two_definitions_one_is_used(names: tuple[str, str], used: str) -> None:
    """The one in the file that is named after the question, else the first; a notice says so."""
    wrong = {name: WRONG for name in names if name != used}
    report = grade(COURSE, submission(**{name: DOUBLE for name in names}), fake(**wrong))
    assert (result(report, "double").file, report.earned) == (f"{used}.py", 4)
    (notice,) = report.notices
    assert notice.where == f"{used}.py"
    assert plain(notice.text.en) == (f"double is defined in {names[0]}.py, {names[1]}.py; the one in {used}.py counts")


def test_a_call_of_compile_is_remarked_on() -> None:
    """Once for a line, however many exercises lead to it; a mere mention is none."""
    code = "import torch\n\n@torch.compile\ndef double(x):\n    return 2 * x\n"
    report = grade(COURSE, submission(q05=code), fake())
    assert [(notice.where, plain(notice.text.en).partition(";")[0]) for notice in report.notices] == [
        ("q05.py", "line 3: torch.compile does nothing here")
    ]
    assert not grade(COURSE, submission(q05=f"{DOUBLE}\n# torch.compile"), fake()).notices


# ------------------------------------------------------------------------------- array types and forms


class Counting:
    """A sandbox that remembers what was graded in it on behalf of learners, not what explains a failure."""

    def __init__(self, observe: Observe) -> None:
        self.observe = observe
        self.jobs: list[Job] = []

    def __call__(self, job: Job, limits: Limits) -> Observed:
        """Observes, and counts what is neither the reference nor run again with a change."""
        if not job.programs[0].module.startswith("reference.") and job.programs[0].group != "other inputs":
            self.jobs.append(job)
        return self.observe(job, limits)

    @property
    def forms(self) -> list[set[tuple[str, str]]]:
        """Array type and group of the programs of each job."""
        return [{(p.array_type, p.group) for p in job.programs} for job in self.jobs]


NAMES = {"numpy": "NumPy arrays", "torch": "torch tensors"}


@pytest.mark.parametrize(
    ("text", "first", "other"), [(DOUBLE, "numpy", "torch"), ("import torch\n" + DOUBLE, "torch", "numpy")]
)
def test_the_other_array_type_is_tried_after_a_failure(text: str, first: str, other: str) -> None:
    """What the file imports comes first; the better outcome counts, and the report says which."""
    for works in (first, other):
        observe = Counting(fake(lambda p, works=works: RIGHT if p.array_type == works else WRONG))
        found = result(grade(COURSE, submission(q05=text), observe), "double")
        assert (found.array_type, found.earned) == (works, 4)
        assert [form for (form, _), *_ in map(list, observe.forms)] == [first, other][: 1 + (works == other)]
    half = fake(lambda p: RIGHT if p.array_type == other and not p.hidden else WRONG)
    found = result(grade(COURSE, submission(q05=text), half), "double")
    assert found.array_type == other and f"tried with {NAMES[first]} first" in found.remarks[-1].en


USES_TORCH = "import torch\ndef double(x): return torch.add(x, x)\n"
USES_NUMPY = "import numpy\ndef double(x): return numpy.add(x, x)\n"


@pytest.mark.parametrize(
    ("texts", "other", "types"),
    [
        ([USES_TORCH], WRONG, ["torch"]),
        ([USES_NUMPY], WRONG, ["numpy", "torch"]),
        (["import torch\ndef double(x):\n    return torch.add(torch.as_tensor(x), x)\n"], WRONG, ["torch", "numpy"]),
        (
            ["import torch\ndef double(x):\n    try: return torch.add(x, x)\n    except TypeError: return x\n"],
            WRONG,
            ["torch", "numpy"],
        ),
        ([USES_TORCH], Raised("TypeError", "", "q05.py", 1), ["torch", "numpy"]),
        ([USES_NUMPY], Unreadable("dtype"), ["numpy", "torch"]),
        ([USES_NUMPY], Died(11, None), ["numpy", "torch"]),
        ([DOUBLE], WRONG, ["numpy", "torch"]),
        (["import torch\n" + DOUBLE], WRONG, ["torch", "numpy"]),
        (["import torch.nn as nn\n" + DOUBLE], WRONG, ["torch", "numpy"]),
        (["def double(x):\n    from torch import add\n    return x\n"], WRONG, ["torch", "numpy"]),
        ([USES_TORCH + "from numpy import e\n"], WRONG, ["torch", "numpy"]),
        ([USES_TORCH + "# as in numpy\n"], WRONG, ["torch", "numpy"]),
        ([USES_TORCH, "import numpy\n"], WRONG, ["torch", "numpy"]),
    ],
)
def test_the_other_array_type_is_tried_only_if_it_may_help(
    texts: list[str], other: Observation, types: list[str]
) -> None:
    """Code that works on tensors alone, and returns from every call, has wrong values whatever it is given."""
    observe = Counting(fake(lambda p: RIGHT if p.array_type != types[0] else other))
    given = submission(**{f"q05{'_b' * at}": text for at, text in enumerate(texts)})
    found = result(grade(COURSE, given, observe), "double")
    assert [form for (form, _), *_ in map(list, observe.forms)] == types
    assert found.earned == (4 if len(types) > 1 else 0)


def test_a_context_keeps_the_results_of_equal_files() -> None:
    """Learners with the same files share what their code did, up to a number of them; answers stay their own."""
    observe = Counting(fake())
    context = GradingContext(COURSE, Seed.public(), observe, max_graded_code=2)

    def run(given: Submission, **more: Any) -> Report:
        return grade(COURSE, given, observe, context=context, **more)

    one = run(answered(submission(q05=DOUBLE), Q5_output="a"))
    other = run(replace(answered(submission(q05=DOUBLE), Q5_output="b"), learner="bo"))
    assert len(observe.jobs) == 1
    assert other.learner == "bo" and (other.versions, other.layers) == (one.versions, one.layers)
    assert [q.exercises for q in other.questions] == [q.exercises for q in one.questions]
    assert [i.earned for q in one.questions for i in q.items] != [i.earned for q in other.questions for i in q.items]
    for count, given in enumerate((submission(q5=DOUBLE), submission(q05=DOUBLE + "# more")), 2):
        run(given)
        assert len(observe.jobs) == count
    run(submission(q5=DOUBLE))
    run(submission(q05=DOUBLE))  # dropped meanwhile
    run(submission(q05=DOUBLE), limits=Limits(group_cpu=1.0))
    assert len(observe.jobs) == 5


@pytest.mark.parametrize(
    ("seen", "runs"),
    [
        (WRONG, 2),  # one run in each array type, for both
        (Raised("NotImplementedError", "", "q05.py", 1), 1),
        (TimedOut(2.0, "cpu"), 2),
        (Died(11, None, "import"), 2),
        (NotRun("memory"), 4),
    ],
)
def test_what_may_have_been_chance_is_not_shared(seen: Observation, runs: int) -> None:
    """Everybody has a run of their own if time or memory ran out or a process died."""
    observe = Counting(fake(q05=seen))
    context = GradingContext(
        course(question("Q5", exercise("double(x)", case(x=X)))), Seed.public(), observe, max_graded_code=9
    )
    reports = [grade(context.course, submission(q05=DOUBLE), observe, context=context) for _ in range(2)]
    assert len(observe.jobs) == runs
    assert reports[0].questions == reports[1].questions


def test_the_first_array_type_wins_a_tie() -> None:
    """A second failure changes nothing that is reported."""
    found = result(grade(COURSE, submission(q05=DOUBLE), fake(q05=WRONG)), "double")
    assert found.array_type == "numpy"


def test_an_exercise_for_torch_alone_is_tried_in_torch_alone() -> None:
    """Even where the file does not import it."""
    only = course(question("Q5", exercise("double(x)", case(x=X), array_types=("torch",))))
    observe = Counting(fake(q05=WRONG))
    grade(only, submission(q05=DOUBLE), observe)
    assert observe.forms == [{("torch", "double")}]


def test_only_what_failed_is_tried_again() -> None:
    """And what failed together is tried together."""
    observe = Counting(fake(lambda p: WRONG if "turn" in p.group else RIGHT))
    grade(COURSE, submission(all=DOUBLE + HALVE + TURN), observe)
    assert [sorted({group.split()[0] for _, group in form}) for form in observe.forms] == [
        ["double", "halve", "turn"],
        ["turn"],
    ]


def test_progress_goes_from_the_first_step_to_the_last() -> None:
    """Two steps for each exercise that was submitted, in order, also if a failure is tried again in another form."""
    told: list[tuple[str, int, int]] = []
    observe = fake(lambda program: RIGHT if program.module == "q05" else WRONG)
    context = GradingContext(COURSE, Seed.public(), observe, progress=lambda *step: told.append(step))
    grade(COURSE, submission(q05=DOUBLE, q11=HALVE), observe, context=context)
    assert told == [("double", 0, 4), ("halve", 1, 4), ("double", 2, 4), ("halve", 3, 4)]


VARIANT = Variant("per sample", expand=(("mask", ("x", "x")),))
MASKED = exercise(
    "attend(x, mask=None)",
    case("plain", x=Normal((2, 3, 4))),
    case("masked", x=Normal((2, 3, 4)), mask=RandomMask((2, 1, 3, 3))),
    variants=(VARIANT,),
)
ATTEND = """
    import torch

    def attend(x, mask=None):
        scores = x @ x.transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask{}, -torch.inf)
        return torch.softmax(scores, -1) @ x
    """


def test_another_form_of_the_arguments_is_tried() -> None:
    """A mask of shape (batch, n_q, n_k) is given after the form with a head axis has failed."""
    observe = Counting(fake(lambda p: RIGHT if p.group == "attend torch per sample" else WRONG))
    found = result(grade(course(question("Q5", MASKED)), submission(q05=ATTEND.format("")), observe), "attend")
    assert (found.array_type, found.earned) == ("torch", 4)
    assert [sorted(form) for form in observe.forms] == [[("torch", "attend")], [("torch", "attend torch per sample")]]
    shapes = [
        [step.value.values.shape for p in job.programs for step in p.steps if getattr(step, "value", None) is not None]
        for job in observe.jobs
    ]
    assert shapes == [[(2, 3, 4), (2, 3, 4), (2, 1, 3, 3)], [(2, 3, 4), (2, 3, 4), (2, 3, 3)]]


def test_a_mask_without_head_axis_is_accepted(sandbox: Sandbox) -> None:
    """Through the real sandbox: both ways of reading a mask get all points, a wrong way does not."""
    bank = course(question("Q5", MASKED), reference=ATTEND.format("[:, 0]"))
    for index, earned in (("[:, 0]", 4), ("", 4), ("[:, 0].transpose(-2, -1)", 2)):
        report = grade(bank, submission(q05=ATTEND.format(index)), sandbox.observe)
        assert report.earned == earned


def test_masks_of_heads_have_no_form_without_heads(sandbox: Sandbox) -> None:
    """Code without an axis of heads gets all points; code that is wrong about heads gains nothing by the other form."""
    cases = tuple(case(f"{h}", x=Normal((2, 4, 3, 5)), mask=RandomMask((2, h, 3, 3))) for h in (1, 4))
    bank = course(question("Q5", replace(MASKED, cases=cases)), reference=ATTEND.format(""))
    for index, earned in (("", 4), ("[:, None]", 4), (".reshape(2, -1, 3, 3)[:, :1]", 2)):
        report = grade(bank, submission(q05=ATTEND.format(index)), sandbox.observe)
        assert report.earned == earned


@pytest.mark.parametrize(
    "final",
    [
        TimedOut(2.0, "cpu"),
        Raised("NameError", "", "q05.py", 1, "import"),
        Raised("NotImplementedError", "", "q05.py", 1),
        Died(11, None, "import"),
    ],
)
def test_what_is_final_is_not_tried_again(final: Observation) -> None:
    """Another form would take as long, or fail as the import did."""
    observe = Counting(fake(q05=final))
    report = grade(COURSE, submission(q05=DOUBLE), observe)
    assert len(observe.jobs) == 1
    assert report.earned == 0


@pytest.mark.parametrize("other", [Died(11, None), Raised("TypeError", "", "q05.py", 1), NotRun("budget")])
def test_what_may_be_another_matter_in_another_form_is(other: Observation) -> None:
    """A crash on arrays may be none on tensors."""
    observe = Counting(fake(lambda p: RIGHT if p.array_type == "torch" else other))
    assert grade(COURSE, submission(q05=DOUBLE), observe).earned == 4


# ------------------------------------------------------------------------------------------- our fault


def broken(job: Job, limits: Limits) -> Observed:
    """A sandbox that does not work."""
    raise SandboxError(same("the zygote is gone"))


def test_a_broken_sandbox_costs_nobody_a_point() -> None:
    """Unmarked: the points leave both sums, the report is incomplete, and what is missing stays missing."""
    report = grade(
        COURSE,
        answered(submission(q05=DOUBLE, q11=HALVE), Q5_output="a"),
        broken,
        context=GradingContext(COURSE, Seed.public(), fake()),
    )
    for name in ("double", "halve"):
        found = result(report, name)
        assert (found.status, found.earned, found.possible) == (Status.UNMARKED, 0, 0)
        assert found.message is not None
        assert "through no fault of yours: the zygote is gone" in found.message.en
    assert result(report, "turn").status is Status.MISSING
    assert (report.earned, report.possible) == (2, 8)
    assert not report.complete
    assert not report.passed


def test_a_sandbox_that_is_killed_gives_no_report() -> None:
    """There may be memory later: a report in part would be kept."""

    def killed(job: Job, limits: Limits) -> Observed:
        raise SandboxKilled(same("short of memory"))

    with pytest.raises(SandboxKilled):
        grade(
            COURSE,
            answered(submission(q05=DOUBLE), Q5_output="a"),
            killed,
            context=GradingContext(COURSE, Seed.public(), fake()),
        )


def test_a_reference_that_cannot_be_run_costs_nobody_a_point() -> None:
    """Whether its sandbox breaks or it fails by itself."""
    failing = answering(lambda program: Raised("TypeError", "", "reference/bank.py", 1))
    for observe_reference in (broken, failing):
        report = grade(
            COURSE, submission(q05=DOUBLE), fake(), context=GradingContext(COURSE, Seed.public(), observe_reference)
        )
        assert (result(report, "double").status, report.possible, report.complete) == (Status.UNMARKED, 0, False)


def test_a_machine_that_cannot_confine_is_told_at_once() -> None:
    """That is not a matter of one submission."""

    def unavailable(job: Job, limits: Limits) -> Observed:
        raise SandboxUnavailable(same("no Landlock"))

    with pytest.raises(SandboxUnavailable, match="no Landlock"):
        grade(COURSE, submission(q05=DOUBLE), unavailable, context=GradingContext(COURSE, Seed.public(), fake()))


# --------------------------------------------------------------------------------------- named mistakes

MISTAKEN = replace(
    COURSE.questions[0].exercises[0], mistakes=(Mistake("sums", (Edit("double", "2 * x", "x + x + x"),), ("values",)),)
)
NAMING = replace(COURSE, questions=(replace(COURSE.questions[0], exercises=(MISTAKEN,)),))


def expecting(mistaken: Observation) -> Observe:
    """References are right, and their edits do what ``mistaken`` says."""
    return lambda job, limits: (
        fake() if "x + x + x" not in job.files[0].parts[0].text else answering(lambda _: mistaken)
    )(job, limits)


@pytest.mark.parametrize(("error", "jobs"), [("NotImplementedError", 1), ("ValueError", 3)])
def test_a_stub_is_not_compared_with_mistakes(error: str, jobs: int) -> None:
    """Otherwise mistakes run, and the reference once more, to see if a case alone is right."""
    seen: list[Job] = []

    def observe_reference(job: Job, limits: Limits) -> Observed:
        if not any(program.probing for program in job.programs):  # those look for the place, not for mistakes
            seen.append(job)
        return fake()(job, limits)

    stub = fake(q05=Raised(error, "", None, None))
    grade(NAMING, submission(q05=DOUBLE), stub, context=GradingContext(NAMING, Seed.public(), observe_reference))
    assert len(seen) == jobs


@pytest.mark.parametrize(("mistaken", "named"), [(WRONG, True), (returned(array([0.0, 0.0, 0.0])), False)])
def test_a_typical_mistake_is_named(mistaken: Observation, named: bool) -> None:
    """Where the edited reference returns just the same, its misconception speaks; the points stay."""
    found = result(
        grade(
            NAMING,
            submission(q05=DOUBLE),
            fake(q05=WRONG),
            context=GradingContext(NAMING, Seed.public(), expecting(mistaken)),
        ),
        "double",
    )
    assert (found.status, found.earned) == (Status.FAILED, 0)
    assert found.misconception == ("sums" if named else None)
    assert (found.message == SUMS.truth) == named


@pytest.mark.parametrize("got", [RIGHT, TimedOut(2.0, "cpu"), Died(11, None)])
def test_what_is_right_or_was_stopped_has_no_name(got: Observation) -> None:
    """Mistakes are run after an ordinary failure only."""
    observe_reference, jobs = expecting(WRONG), list[Job]()

    def recorded(job: Job, limits: Limits) -> Observed:
        jobs.append(job)
        return observe_reference(job, limits)

    context = GradingContext(NAMING, Seed.public(), recorded)
    assert result(grade(NAMING, submission(q05=DOUBLE), fake(q05=got), context=context), "double").misconception is None
    assert all(job.files == NAMING.reference for job in jobs)


def test_a_verdict_stands_without_its_name() -> None:
    """When the mistakes cannot be run, the failure is reported as it is."""

    def observe_reference(job: Job, limits: Limits) -> Observed:
        return (broken if "x + x + x" in job.files[0].parts[0].text else fake())(job, limits)

    found = result(
        grade(
            NAMING,
            submission(q05=DOUBLE),
            fake(q05=WRONG),
            context=GradingContext(NAMING, Seed.public(), observe_reference),
        ),
        "double",
    )
    assert (found.status, found.misconception) == (Status.FAILED, None)


def test_a_reference_can_be_graded_itself() -> None:
    """With the same checks, and with the names of mistakes."""
    context = GradingContext(NAMING, Seed.public(), expecting(WRONG))
    for observe, earned, misconception in ((fake(), 4, None), (answering(lambda _: WRONG), 0, "sums")):
        found = grade_reference(context, NAMING.questions[0], MISTAKEN, NAMING.reference, observe)
        assert (found.earned, found.misconception) == (earned, misconception)


# ------------------------------------------------------------------------------------- public and hidden


def test_public_only_leaves_the_hidden_cases_out() -> None:
    """All points are then those of the public ones."""
    report = grade(COURSE, submission(q05=DOUBLE), fake(), selection=Selection(public_only=True))
    found = result(report, "double")
    assert [o.case for o in found.outcomes] == ["seen"]
    assert (found.earned, found.possible) == (4, 4)


@pytest.mark.parametrize(
    "wrong", [WRONG, returned(array([1.0, 2.0])), Raised("ValueError", "x = [0.5, 0.25]", "q05.py", 1)]
)
def test_hidden_cases_show_no_numbers(wrong: Observation) -> None:
    """No differences, no shapes, no words of exceptions; in public all of these are shown."""
    seen, unseen = result(grade(COURSE, submission(q05=DOUBLE), fake(q05=wrong)), "double").outcomes
    assert (seen.visibility, unseen.visibility) == ("public", "hidden")
    assert unseen.verdict.difference is None
    for outcome, shown in ((seen, True), (unseen, False)):
        assert outcome.verdict.message is not None
        said = outcome.verdict.message.en + repr(outcome.verdict.difference)
        assert any(word in said for word in ("(2,)", "0.5", "expected='3'")) == shown


def test_a_memo_is_worked_out_once() -> None:
    """References are run once for many submissions; all get the same inputs."""
    asked: list[str] = []

    def observe_reference(job: Job, limits: Limits) -> Observed:
        asked.extend(program.group for program in job.programs)
        return fake()(job, limits)

    context = GradingContext(COURSE, Seed.number(5), observe_reference)
    context.prepare({question.id for question in COURSE.questions})
    once = list(asked)
    assert set(once) == {"double", "halve", "turn"}
    observe = Counting(fake())
    for _ in range(2):
        assert grade(COURSE, submission(q05=DOUBLE), observe, context=context).seed == "5"
    assert asked == once
    inputs = [[step.value.values.tobytes() for p in job.programs for step in p.steps[:1]] for job in observe.jobs]
    assert inputs[0] == inputs[1]


# ------------------------------------------------------------------------------- through the real sandbox


def test_grading_end_to_end(sandbox: Sandbox) -> None:
    """Right, wrong and unwritten code beside each other, in either library."""
    torch = "import torch\n" + DOUBLE + "def halve(x): return x / 3\n" + "def turn(x): raise NotImplementedError\n"
    for text in (torch, torch.replace("import torch\n", "")):
        report = grade(COURSE, submission(all=text), sandbox.observe)
        statuses = {e.name: e.status for q in report.questions for e in q.exercises}
        assert statuses == {"double": Status.PASSED, "halve": Status.FAILED, "turn": Status.MISSING}
        assert (report.earned, report.possible) == (4, 12)
        assert dict(report.versions).keys() == {"python", "numpy", "torch", "attncheck"}
        assert report.layers == sandbox.layers


@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        ("1 / 0", Status.RAISED),
        ("from numpy import pandas", Status.RAISED),
        ("import os; os._exit(3)", Status.DIED),
        ("import ctypes; ctypes.string_at(0)", Status.DIED),
        ("while True: pass", Status.TIMED_OUT),
    ],
)
def test_an_import_that_fails_loses_its_own_file(sandbox: Sandbox, trouble: str, status: Status) -> None:
    """The other file's exercises are graded in full, also those that were asked for later."""
    limits = Limits(import_cpu=0.3, import_wall=2.0)
    for bad, good in (("q05", "q11"), ("q11", "q05")):
        texts = {"q05": DOUBLE, "q11": HALVE + TURN}
        texts[bad] = f"{texts[bad]}{trouble}\n"
        report = grade(COURSE, submission(**texts), sandbox.observe, limits=limits)
        by_file = {e.file: e for q in report.questions for e in q.exercises}
        assert by_file[f"{bad}.py"].status is status
        assert by_file[f"{bad}.py"].earned == 0
        assert by_file[f"{good}.py"].status is Status.PASSED
        assert report.possible == 12


def test_a_module_that_is_not_available_costs_what_uses_it(sandbox: Sandbox) -> None:
    """Only that; the report names the module, its file and line once, and says whose it is to bring."""
    using = "def double(x): return tqdm(x)\n"
    text = "import tqdm, numpy\nfrom q05 import softmax\nimport grader.course.schema\nimport tqdm\n"
    files = {"work": f"{text}{using}{HALVE}{TURN}", "beside": "import matplotlib\n"}
    report = grade(replace(COURSE, packages=("einops",)), submission(**files), sandbox.observe)
    found = {e.name: e for q in report.questions for e in q.exercises}
    statuses = {name: each.status for name, each in found.items()}
    assert statuses == {"double": Status.RAISED, "halve": Status.PASSED, "turn": Status.PASSED}
    assert "tqdm is not available here (imported in work.py, line 1) at work.py, line 5" in found["double"].message.en  # type: ignore[union-attr]
    assert [
        (notice.where, plain(notice.text.en).partition("; submit")[0].partition(". ")[0]) for notice in report.notices
    ] == [
        ("work.py", "line 1: tqdm is not available here; only NumPy, torch, einops and the standard library are"),
        ("work.py", "line 2: the module q05 is not among the submitted files"),
        ("work.py", "line 3: grader belongs to the grader, and submitted code cannot import it"),
    ]
    assert all("第" in plain(notice.text.zh) for notice in report.notices)


def test_a_module_named_like_an_allowed_package_does_not_hide_it(sandbox: Sandbox) -> None:
    """The package is imported, and a notice says that the submitted one is not used; elsewhere it is a module."""
    text = "import sortedcontainers\ndef double(x): return 2 * x * len(sortedcontainers.SortedList([1]))\n"
    own = replace(submission(a="def SortedList(x): return x + x\n").files[0], path="sortedcontainers/__init__.py")
    own = replace(own, module="sortedcontainers", is_package=True)
    inner = replace(own, path="sortedcontainers/more.py", module="sortedcontainers.more", is_package=False)
    given = submission(q05=text)
    given = replace(given, files=(*given.files, own, inner))
    sandbox.allow_packages(("sortedcontainers",))
    try:
        report = grade(replace(COURSE, packages=("sortedcontainers",)), given, sandbox.observe)
    finally:
        sandbox.allow_packages(())
    assert result(report, "double").status is Status.PASSED
    (notice,) = report.notices
    assert notice.where == own.path and "imports the library `sortedcontainers" in plain(notice.text.en)
    report = grade(COURSE, given, sandbox.observe)
    assert result(report, "double").status is not Status.PASSED and not report.notices


def test_a_file_named_like_a_dependency_of_torch_is_left_out() -> None:
    """Torch imports it later. A submission of nothing else has nothing to grade, and hears why."""
    with pytest.raises(SubmissionError, match=r"networkx.*rename it, for example to `my_networkx"):
        grade(COURSE, submission(networkx=DOUBLE), NEVER)


def test_a_loop_costs_its_exercise_alone(sandbox: Sandbox) -> None:
    """Its time is used up once, the rest of it is not tried, and the others are graded in full."""
    looping = exercise("double(x)", case("seen", x=X), case("unseen", public=False, x=X), checks=TWO)
    bank = replace(COURSE, questions=(replace(COURSE.questions[0], exercises=(looping,)), COURSE.questions[1]))
    text = "def double(x):\n  while True: pass\n" + HALVE + TURN
    report = grade(bank, submission(all=text), sandbox.observe, limits=Limits(group_cpu=0.3))
    found = result(report, "double")
    assert [o.status for o in found.outcomes] == [Status.TIMED_OUT, Status.SKIPPED, Status.SKIPPED]
    assert (found.status, found.earned) == (Status.TIMED_OUT, 0)
    assert (result(report, "halve").earned, result(report, "turn").earned) == (4, 4)


def test_files_import_each_other(sandbox: Sandbox) -> None:
    """A learner's second file may use the first; the reference is not there to be used."""
    texts = {"q05": DOUBLE, "q11": "from q05 import double\ndef halve(x): return double(x) / 4\n" + TURN}
    assert grade(COURSE, submission(**texts), sandbox.observe).earned == 12
    stolen = "from reference.bank import double\ndef double(x, double=double): return double(x)\n"
    report = grade(COURSE, submission(q05=stolen), sandbox.observe)
    assert result(report, "double").status is Status.RAISED


def test_the_same_array_twice(sandbox: Sandbox) -> None:
    """Writing into one of two names of an array is seen under the other, too."""
    product = exercise("product(x, y)", case(x=X, y=Same("x")))
    bank = course(question("Q5", product), reference="def product(x, y): return x * y")
    assert grade(bank, submission(q05="def product(x, y): return x * y"), sandbox.observe).earned == 4
    overwriting = "def product(x, y):\n  x += 1\n  return (x - 1) * y\n"
    assert grade(bank, submission(q05=overwriting), sandbox.observe).earned == 0


# -------------------------------------------------------------------------------------------- misspelled


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"q05": DOUBLE, "q11": "def halv(x): return x\n"}, ["q11.py: line 1: did you mean halve instead of halv?"]),
        ({"q05": DOUBLE, "mine": "x = 1\ndef HALVE_(x): return x\n"}, ["mine.py: line 2: did you mean halve"]),
        ({"q05": DOUBLE, "q11": "def halve(x): return x / 2\ndef halves(x): return x\n"}, []),
        ({"q05": DOUBLE, "q11": "def _halve(x): return x\n"}, []),
        ({"q05": DOUBLE + "def halves(x): return x\n"}, []),
    ],
    ids=["its own file", "another file", "defined as well", "private", "a file of another question"],
)
def test_a_misspelled_name_comes_first_whatever_else_is_graded(files: dict[str, str], said: list[str]) -> None:
    """An urgent notice, even if its question has nothing else; not for helpers."""
    given = answered(submission(**files), Q5_output="a")
    notices = grade(COURSE, given, fake()).notices
    found = [f"{each.where}: {plain(each.text.en)}" for each in notices if "did you mean" in plain(each.text.en)]
    assert [each.startswith(start) for each, start in zip(found, said, strict=True)] == [True] * len(said)
    assert all(each.urgent and "是不是应当写成" in plain(each.text.zh) for each in notices[: len(said)])
