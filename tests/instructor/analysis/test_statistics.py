from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from grader.classroom.gradebook import LearnerRow, Override, SubmissionRow
from grader.classroom.marks import GradedSubmission, Mark
from grader.core.model import ExerciseResult, ItemResult, Outcome, QuestionResult, Status, Text, Verdict
from grader.instructor.analysis.statistics import PartStatistics, PublicOnly, Statistics, class_statistics, correlation
from tests.classroom.test_marks import RUN

T = Text("t", "题")
Row = tuple[Mark, Mapping[str, object]]


def row(
    name: str, choice: float, number: float, code: float, *, belief: str | None = None, answer: object = "a"
) -> Row:
    """A learner's marks: two items of one point, and an exercise of four with one hidden case and one public."""
    items = (
        ItemResult("Q3.a", "choice", Status.PASSED if choice else Status.FAILED, choice, 1.0, None, belief),
        ItemResult("Q3.b", "number", Status.PASSED if number else Status.MISSING, number, 1.0),
    )
    passed, failed = Verdict(Status.PASSED), Verdict(Status.FAILED)
    outcomes = (
        Outcome("values", "basic", "public", passed if code >= 2 else failed, 2.0, 2.0),
        Outcome("values", "large", "hidden", passed if code == 4 else failed, 2.0, 2.0),
        Outcome("dtype", "basic", "hidden", failed, 0.0, 0.0),
        Outcome("gradients", "basic", "hidden", Verdict(Status.SKIPPED, applies=False), 0.0, 0.0),
    )
    status = Status.PASSED if code == 4 else Status.FAILED
    exercise = ExerciseResult("softmax", status, code, 4.0, outcomes, misconception=None if code else "exp-is-enough")
    result = QuestionResult("Q3", T, items, (exercise,))
    work = GradedSubmission(SubmissionRow(name, "", (name,)), ((result, RUN),))
    return Mark(LearnerRow(name, name), work, (("Q3", choice + number + code, 6.0),)), {"Q3.a": answer, "Q3.b": 3}


CLASS = [
    row("a", 1, 1, 4),
    row("b", 1, 1, 4, answer=" A"),
    row("c", 1, 0, 2),
    row("d", 0, 1, 2, belief="adds", answer="b"),
    row("e", 0, 0, 0, belief="adds", answer=["odd"]),
    row("f", 0, 0, 0, belief="other", answer="c"),
]


def part(found: Statistics, name: str) -> PartStatistics:
    """The statistics of one part."""
    return next(each for each in found.parts if each.name == name)


def test_difficulty_and_discrimination() -> None:
    """Shares over the whole class, and agreement with everything else, as computed by hand."""
    found = class_statistics(CLASS)
    choice = part(found, "Q3.a")
    assert (choice.question, choice.kind, choice.learners, choice.tried) == ("Q3", "item", 6, 6)
    assert choice.difficulty == 0.5
    # 1 1 1 0 0 0 beside 5 5 2 3 0 0 in everything else: 4.5 / √(1.5 · 25.5)
    assert choice.discrimination == pytest.approx(0.727607, abs=1e-6)
    assert part(found, "Q3.b").tried == 3
    assert part(found, "softmax").difficulty == pytest.approx(0.5)
    assert found.negative == ()


def test_what_was_believed_and_answered() -> None:
    """Counted by part and over all, the most frequent first; however an option was typed."""
    found = class_statistics(CLASS)
    assert part(found, "Q3.a").misconceptions == (("adds", 2), ("other", 1))
    assert part(found, "Q3.a").answers == (("a", 3), ("b", 1), ("c", 1))
    assert part(found, "Q3.b").answers == ()
    assert found.misconceptions == (("Q3", "adds", 2), ("Q3", "exp-is-enough", 2), ("Q3", "other", 1))


def test_options_of_several() -> None:
    """Each is counted by itself, and once for each learner."""
    mark, _ = CLASS[0]
    assert mark.work is not None
    ((result, run),) = mark.work.results
    item = ItemResult("Q3.c", "multi", Status.FAILED, 0.5, 1.0)
    marked = replace(mark, work=replace(mark.work, results=((replace(result, items=(item,)), run),)))
    found = class_statistics([(marked, {"Q3.c": ["a", "A ", "c"]})])
    assert part(found, "Q3.c").answers == (("a", 1), ("c", 1))


def test_checks() -> None:
    """Those that applied, among those who tried; hidden cases that do not discriminate are named."""
    found = {(check.check, check.case): check for check in class_statistics(CLASS).checks}
    assert set(found) == {("values", "basic"), ("values", "large"), ("dtype", "basic")}
    assert (found["values", "basic"].passed, found["values", "large"].passed) == (
        pytest.approx(4 / 6),
        pytest.approx(2 / 6),
    )
    assert found["values", "large"].discrimination is not None
    assert [(check.check, check.case) for check in class_statistics(CLASS).nobody] == [("dtype", "basic")]
    assert class_statistics(CLASS[:2]).nobody == ()
    assert [check.case for check in class_statistics([row(f"x{n}", 1, n % 2, 4) for n in range(5)]).everybody] == [
        "large"
    ]


def solved(name: str, public: list[bool], hidden: list[bool]) -> Row:
    """The marks of somebody who passes these cases of ``values``."""
    mark, answers = row(name, 0, 0, 2)
    assert mark.work is not None
    ((result, run),) = mark.work.results
    cases = [("public", passed) for passed in public] + [("hidden", passed) for passed in hidden]
    outcomes = tuple(
        Outcome("values", str(at), kind, Verdict(Status.PASSED if passed else Status.FAILED), 0.0, 1.0)  # type: ignore[arg-type]
        for at, (kind, passed) in enumerate(cases)
    )
    exercises = (replace(result.exercises[0], outcomes=outcomes),)
    work = replace(mark.work, results=((replace(result, exercises=exercises), run),))
    return replace(mark, work=work), answers


@pytest.mark.parametrize(
    ("public", "hidden", "told"),
    [
        ([True, True], [False, False, False], True),
        ([True], [False] * 9, True),
        ([True, False], [False, False, False], False),
        ([True, True], [False, False, True], False),
        ([True, True], [False, False], False),
        ([], [False, False, False], False),
    ],
)
def test_who_passes_public_cases_alone(public: list[bool], hidden: list[bool], told: bool) -> None:
    """All that is public and nothing of three or more hidden cases: told once for each learner and check."""
    odd = solved("odd", public, hidden)
    found = class_statistics([solved("even", [True] * 2, [True] * 3), odd, odd]).public_only
    assert found == ((PublicOnly("odd", "softmax", "values", len(public), len(hidden)),) if told else ())


def test_the_class() -> None:
    """Its distribution, and how reliable its points are: alpha as Cronbach defines it, with a warning for few."""
    found = class_statistics(CLASS)
    # Variances 0.3, 0.3 and 3.2 of the parts, 7.2 of the sums 6 6 3 3 0 0: 3/2 · (1 - 3.8 / 7.2)
    assert found.alpha == pytest.approx(17 / 24)
    assert found.few
    assert (found.spread.learners, found.spread.handed_in) == (6, 6)
    assert found.spread.mean == pytest.approx(0.5)
    assert found.spread.quartiles[1] == pytest.approx(0.5)
    assert found.spread.tenths == (2, 0, 0, 0, 0, 2, 0, 0, 0, 2)
    assert found.grid[2] == (0.5,)
    assert found.learners == ("a", "b", "c", "d", "e", "f")
    assert not class_statistics([row(f"x{n}", n % 2, n % 3 == 0, n % 5) for n in range(30)]).few


def test_quiz_and_code_that_disagree() -> None:
    """A question that everybody can talk about and nobody can write."""
    (found,) = class_statistics([row(f"x{n}", 1, 1, 0) for n in range(6)]).disagreements
    assert (found.question, found.items, found.exercises) == ("Q3", 1.0, 0.0)
    assert class_statistics(CLASS).disagreements == ()


def test_parts_that_the_best_get_wrong() -> None:
    """Are suspicious: a wrong key, most likely."""
    found = class_statistics([row(f"x{n}", n < 3, n >= 3, 4 if n >= 3 else 0) for n in range(6)])
    assert found.negative == ("Q3.a",)


def test_who_handed_in_nothing_counts() -> None:
    """As nothing; attempts that another takes the place of do not count at all."""
    nothing = Mark(LearnerRow("z", "z"), None, (("Q3", 0.0, 6.0),))
    aside = replace(CLASS[0][0], counts=False)
    found = class_statistics([*CLASS, (nothing, {}), (aside, {})])
    assert (found.spread.learners, found.spread.handed_in) == (7, 6)
    assert part(found, "Q3.a").difficulty == pytest.approx(3 / 7)


def test_no_class() -> None:
    """Nothing is divided by."""
    found = class_statistics([])
    assert (found.spread.learners, found.alpha, found.parts, found.checks) == (0, None, (), ())
    assert class_statistics(CLASS[:1]).spread.deviation == 0
    assert class_statistics([row(f"x{n}", 1, 1, 4) for n in range(6)]).alpha is None


@pytest.mark.parametrize(
    ("own", "rest"), [([1.0] * 6, [1.0, 2, 3, 4, 5, 6]), ([1.0, 0, 1, 0, 1], [2.0] * 5), ([1.0, 0], [1.0, 0])]
)
def test_no_correlation(own: list[float], rest: list[float]) -> None:
    """Where something does not vary, or there are too few, there is no number that would mean anything."""
    assert correlation(np.array(own), np.array(rest)) is None


def test_a_belief_counts_once_for_each_learner() -> None:
    """However often one of them shows it; parts count it where it was shown."""
    found = class_statistics([row(f"x{n}", 0, 0, 0, belief="exp-is-enough") for n in range(3)])
    assert found.misconceptions == (("Q3", "exp-is-enough", 3),)
    assert part(found, "softmax").misconceptions == (("exp-is-enough", 3),)


def test_who_only_wrote_code_disagrees_with_nothing() -> None:
    """Items that nobody answered say nothing about what is known."""
    silent = []
    for name in "abcdef":
        mark, _ = row(name, 0, 0, 4)
        assert mark.work is not None
        ((result, run),) = mark.work.results
        items = tuple(replace(item, status=Status.MISSING) for item in result.items)
        silent.append((replace(mark, work=replace(mark.work, results=((replace(result, items=items), run),))), {}))
    assert class_statistics(silent).disagreements == ()


def changed(learner: Row, status: Status, *, given: float | None = None) -> Row:
    """The same marks, but that ``Q3.b`` is left open, and of the exercise so is what is unmarked."""
    mark, answers = learner
    assert mark.work is not None
    ((result, run),) = mark.work.results
    first, second = result.items
    possible = 1.0 if status is Status.PENDING else 0.0
    items = (first, replace(second, status=status, earned=0.0, possible=possible))
    exercises = result.exercises
    if status is Status.UNMARKED:
        outcome = Outcome("values", "basic", "public", Verdict(status), 0.0, 0.0)
        exercises = (replace(exercises[0], status=status, earned=0.0, possible=0.0, outcomes=(outcome,)),)
    work = replace(mark.work, results=((replace(result, items=items, exercises=exercises), run),))
    by_hand = () if given is None else (Override(mark.learner.id, "Q3.b", given, "", "", RUN.at),)
    return replace(mark, work=work, overridden=by_hand), answers


def test_what_is_not_marked_is_no_lost_point() -> None:
    """It is in no mean and no correlation, and whoever comes first decides about no part's points."""
    odd = changed(row("odd", 1, 1, 4), Status.UNMARKED)
    first, last = class_statistics([odd, *CLASS]), class_statistics([*CLASS, odd])
    alone = class_statistics(CLASS)
    for found in (first, last):
        assert (part(found, "softmax").learners, part(found, "softmax").tried) == (6, 6)
        for name in ("Q3.b", "softmax"):
            assert part(found, name).difficulty == part(alone, name).difficulty
            assert part(found, name).discrimination == pytest.approx(part(alone, name).discrimination)
        assert found.alpha == pytest.approx(alone.alpha)
        assert part(found, "Q3.a").discrimination == pytest.approx(part(alone, "Q3.a").discrimination)
        assert [check.tried for check in found.checks] == [6, 6, 6]


def test_answers_that_wait_for_a_person() -> None:
    """Say nothing, and those who did not answer alone would say too little; points by hand count."""
    waiting = [changed(each, Status.PENDING) for each in CLASS[:5]]
    found = class_statistics([*waiting, CLASS[5]])
    assert (part(found, "Q3.b").learners, part(found, "Q3.b").difficulty) == (0, None)
    assert found.alpha is not None
    marked = [changed(each, Status.PENDING, given=0.5) for each in CLASS[:5]]
    found = class_statistics([*marked, CLASS[5]])
    assert (part(found, "Q3.b").learners, part(found, "Q3.b").tried) == (6, 5)
    assert part(found, "Q3.b").difficulty == pytest.approx(2.5 / 6)
