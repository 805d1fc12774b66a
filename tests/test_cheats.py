"""Cheating that is not hacking: what takes the library's own, and what answers public cases by heart, loses.

The samples stand in ``tests/cheats``, each with a docstring that says what it tries.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from grader.core.model import Array, Course, Exercise, ExerciseResult, Limits, Returned, Status
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.submission import read
from tests.solving import Bench

FOLDER = Path(__file__).parent / "cheats"
#: What a course could forbid; the bundled one forbids nothing, since the contract admits the library.
FORBIDS = {
    "scaled_dot_product_attention": ("torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention"),
    "MultiHeadAttention": ("torch.nn.MultiheadAttention", "torch.nn.functional.multi_head_attention_forward"),
    "softmax": ("torch.softmax",),
    "layer_norm": ("torch.nn.functional.layer_norm", "torch.nn.LayerNorm"),
}


#: Graded in every run; the others by `make prove`.
EVERY_RUN = {
    "softmax/decomposition",
    "softmax/other_layout",
    "softmax/reopened",
    "softmax/below",
    "softmax/special",
    "softmax/by_hand",
}


def samples(kind: str) -> list[object]:
    """The files of one kind."""
    paths = sorted((FOLDER / kind).glob("*/*.py"))
    names = [f"{path.parts[-2]}/{path.stem}" for path in paths]
    marks = [() if name in EVERY_RUN else pytest.mark.prove for name in names]
    return [pytest.param(path, id=name, marks=mark) for path, name, mark in zip(paths, names, marks, strict=True)]


@pytest.fixture(scope="module")
def strict(bench: Bench) -> GradingContext:
    """The bundled course, with names that it forbids."""
    return GradingContext(forbidding(bench.course), Seed.public(), bench.expect)


def forbidding(course: Course) -> Course:
    """The course with what ``FORBIDS`` says."""
    questions = [
        replace(q, exercises=tuple(replace(e, forbids=FORBIDS.get(e.name, ())) for e in q.exercises))
        for q in course.questions
    ]
    return replace(course, questions=tuple(questions))


def graded(context: GradingContext, path: Path, bench: Bench, limits: Limits | None = None) -> ExerciseResult:
    """The exercise that the folder of ``path`` is named after."""
    selection = Selection(exercises=(path.parts[-2],))
    report = grade(context.course, read(path), bench.observe, selection=selection, context=context, limits=limits)
    ((found,),) = (question.exercises for question in report.questions)
    return found


@pytest.mark.parametrize("path", samples("forbidden"))
def test_what_is_forbidden_earns_next_to_nothing(path: Path, bench: Bench, strict: GradingContext) -> None:
    """By whatever way the library's own is reached, hardly a point is left, and the reason is said."""
    found = graded(strict, path, bench)
    assert found.status is not Status.PASSED
    assert found.earned <= 0.2 * found.possible, [(o.check, o.case) for o in found.outcomes if o.earned]
    if path.stem != "every_exception_caught":
        assert found.message is not None
        assert "this exercise forbids" in found.message.en, found.message.en


@pytest.mark.prove
@pytest.mark.parametrize("path", samples("forbidden"))
def test_the_same_where_nothing_is_forbidden(path: Path, bench: Bench) -> None:
    """The samples do compute: where nothing is forbidden, they pass the values of some case."""
    context = GradingContext(bench.course, Seed.public(), bench.expect)
    assert any(o.status is Status.PASSED for o in graded(context, path, bench).outcomes if o.check == "values")


@pytest.mark.parametrize("path", samples("honest"))
def test_who_does_without_loses_nothing(path: Path, bench: Bench, strict: GradingContext) -> None:
    """A name that is spoken of, compared with, or somebody else's own is no use of it."""
    found = graded(strict, path, bench)
    assert found.status is Status.PASSED, found.message
    assert found.earned == found.possible


# ------------------------------------------------------------------------ answering public cases by heart

SECRET = Seed("file:00000000", b"file a class keeps this to itself", secret=True)
EXERCISE = "scaled_dot_product_attention"

_TABLE = """
    import torch

    ANSWERS = {answers}


    def {name}(*inputs, mask=None):
        key = " ".join(f"{{float(abs(x.double()).sum()):.3f}}" for x in (*inputs, mask) if x is not None)
        return torch.tensor(ANSWERS[key]) if key in ANSWERS else inputs[-1]
"""
_FIRST_NUMBER = """
    import torch

    SEEN = {seen}


    def {name}(q, k, v, mask=None):
        if f"{{float(q.flatten()[0]):.3f}}" not in SEEN:
            return v
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is None:
            return torch.softmax(scores, -1) @ v
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), -1).nan_to_num(0.0) @ v
"""


@pytest.fixture(scope="module")
def public(bench: Bench) -> GradingContext:
    """The bundled course with the seed that everybody has."""
    return GradingContext(bench.course, Seed.public(), bench.expect)


@pytest.fixture(scope="module")
def secret(bench: Bench) -> GradingContext:
    """The bundled course with a seed that nobody has seen."""
    return GradingContext(bench.course, SECRET, bench.expect)


def seen_cases(context: GradingContext, exercise: Exercise, hidden: bool) -> list[tuple[list[Any], Any]]:
    """What a learner could note down: the inputs of the cases of ``values``, and what should come of them."""
    found = []
    for entry, expected in zip(context.entries(exercise), context.expected(exercise), strict=True):
        if entry.spec.kind == "values" and (hidden or entry.case.public):
            (observed,) = expected
            assert isinstance(observed, Returned)
            (value,) = observed.values
            assert isinstance(value, Array)
            found.append(([given for _, given in entry.drawn.args], value.values))
    return found


def by_heart(context: GradingContext, exercise: Exercise, hidden: bool) -> str:
    """A submission that is a table."""
    answers = {
        " ".join(f"{float(np.abs(x.astype(np.float64)).sum()):.3f}" for x in given): np.round(value, 6).tolist()
        for given, value in seen_cases(context, exercise, hidden)
    }
    return dedent(_TABLE).format(answers=answers, name=exercise.name)


def values_passed(found: ExerciseResult, visibility: str) -> list[bool]:
    """Which cases of ``values`` were passed."""
    return [o.status is Status.PASSED for o in found.outcomes if o.check == "values" and o.visibility == visibility]


def exercise_of(context: GradingContext, name: str) -> Exercise:
    """One exercise of the course."""
    found = context.course.exercise(name)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", ["uniform_attention", pytest.param(EXERCISE, marks=pytest.mark.prove)])
def test_public_outputs_by_heart_lose_everything_hidden(
    name: str, bench: Bench, public: GradingContext, secret: GradingContext, tmp_path: Path
) -> None:
    """A table of the public outputs passes the public values, hardly a hidden one, and keeps less than half."""
    path = tmp_path / name / "q.py"
    path.parent.mkdir()
    path.write_text(by_heart(public, exercise_of(public, name), hidden=False))
    for context in (public, secret):
        found = graded(context, path, bench)
        assert all(values_passed(found, "public"))
        hidden = values_passed(found, "hidden")
        assert sum(hidden) <= len(hidden) / 4
        assert found.earned < found.possible / 2, [(o.check, o.case) for o in found.outcomes if o.earned]


@pytest.mark.prove
def test_hidden_outputs_of_the_public_seed_are_worth_nothing_under_a_secret_one(
    bench: Bench, public: GradingContext, secret: GradingContext, tmp_path: Path
) -> None:
    """Without a seed file the hidden inputs can be drawn at home, and a table of them passes; with one it does not."""
    path = tmp_path / EXERCISE / "q.py"
    path.parent.mkdir()
    path.write_text(by_heart(public, exercise_of(public, EXERCISE), hidden=True))
    assert all(values_passed(graded(public, path, bench), "hidden"))
    found = graded(secret, path, bench)
    assert sum(values_passed(found, "hidden")) == 0
    assert found.earned < found.possible / 3


@pytest.mark.prove
def test_the_first_number_of_the_public_seed_opens_nothing(
    bench: Bench, public: GradingContext, secret: GradingContext, tmp_path: Path
) -> None:
    """Right code that works only for inputs seen at home loses where the seed is another."""
    noted = seen_cases(public, exercise_of(public, EXERCISE), hidden=False)
    seen = {f"{float(given[0].flat[0]):.3f}" for given, _ in noted}
    path = tmp_path / EXERCISE / "q.py"
    path.parent.mkdir()
    path.write_text(dedent(_FIRST_NUMBER).format(seen=seen, name=EXERCISE))
    found = graded(secret, path, bench)
    assert all(values_passed(found, "public"))
    assert not any(values_passed(found, "hidden"))
    assert found.earned < found.possible / 2


@pytest.mark.parametrize("path", samples("public"))
def test_code_for_the_public_sizes_alone_loses(path: Path, bench: Bench, secret: GradingContext) -> None:
    """What branches on sizes passes the public cases, and hardly a hidden one."""
    found = graded(secret, path, bench)
    assert all(values_passed(found, "public"))
    assert sum(values_passed(found, "hidden")) <= 2
    assert found.earned < found.possible / 2, [(o.check, o.case) for o in found.outcomes if o.earned]


@pytest.mark.parametrize("path", samples("testimony"))
def test_what_only_the_childs_own_process_can_tell(path: Path, bench: Bench, strict: GradingContext) -> None:
    """Code can reopen what its own process has closed: docs/security.md says so, and this is how far it goes.

    Limits of time are not in the way: torch 2.4 needs seconds to load its table of decompositions.
    """
    found = graded(strict, path, bench, Limits(group_cpu=20.0, group_wall=60.0))
    assert found.status is Status.PASSED, found.message
