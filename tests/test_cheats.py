"""Cheating that is not hacking: what takes the library's own, and what answers public cases by heart, loses.

The samples stand in ``tests/cheats``, each with a docstring that says what it tries.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.grade import Memo, Selection, grade
from grader.inputs import Seed
from grader.model import Course, ExerciseResult, Status
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
EVERY_RUN = {"name_put_together", "renamed_import", "compared_with_the_library"}


def samples(kind: str) -> list[object]:
    """The files of one kind."""
    return [
        pytest.param(
            path, id=f"{path.parts[-2]}/{path.stem}", marks=() if path.stem in EVERY_RUN else pytest.mark.prove
        )
        for path in sorted((FOLDER / kind).glob("*/*.py"))
    ]


@pytest.fixture(scope="module")
def strict(bench: Bench) -> Memo:
    """The bundled course, with names that it forbids."""
    return Memo(forbidding(bench.course), Seed.public(), bench.expect)


def forbidding(course: Course) -> Course:
    """The course with what ``FORBIDS`` says."""
    questions = [
        replace(q, exercises=tuple(replace(e, forbids=FORBIDS.get(e.name, ())) for e in q.exercises))
        for q in course.questions
    ]
    return replace(course, questions=tuple(questions))


def graded(memo: Memo, path: Path, bench: Bench) -> ExerciseResult:
    """The exercise that the folder of ``path`` is named after."""
    selection = Selection(exercises=(path.parts[-2],))
    report = grade(memo.course, read(path), bench.observe, selection=selection, memo=memo)
    ((found,),) = (question.exercises for question in report.questions)
    return found


@pytest.mark.parametrize("path", samples("forbidden"))
def test_what_is_forbidden_earns_next_to_nothing(path: Path, bench: Bench, strict: Memo) -> None:
    """By whatever way the library's own is reached, hardly a point is left, and the reason is said."""
    found = graded(strict, path, bench)
    assert found.status is not Status.PASSED
    assert found.earned <= 0.2 * found.possible, [(o.check, o.case) for o in found.outcomes if o.earned]
    if path.stem != "every_exception_caught":
        assert found.message is not None
        assert "is to be solved without" in found.message.en, found.message.en


@pytest.mark.prove
@pytest.mark.parametrize("path", samples("forbidden"))
def test_the_same_where_nothing_is_forbidden(path: Path, bench: Bench) -> None:
    """The samples do compute: where nothing is forbidden, they pass the values of some case."""
    memo = Memo(bench.course, Seed.public(), bench.expect)
    assert any(o.status is Status.PASSED for o in graded(memo, path, bench).outcomes if o.check == "values")


@pytest.mark.parametrize("path", samples("honest"))
def test_who_does_without_loses_nothing(path: Path, bench: Bench, strict: Memo) -> None:
    """A name that is spoken of, compared with, or somebody else's own is no use of it."""
    found = graded(strict, path, bench)
    assert found.status is Status.PASSED, found.message
    assert found.earned == found.possible
