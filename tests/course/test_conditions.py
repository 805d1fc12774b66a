"""The table of conditions: whom each applies to, and how a case is seen to have it."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from grader.authoring import selfcheck
from grader.core.model import Course, Exercise
from grader.course import conditions, edits, loader
from grader.course.conditions import CONDITIONS
from grader.grading import courses
from grader.grading.inputs import Seed, draw


@functools.cache
def course() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


@functools.cache
def seen(name: str) -> dict[str, frozenset[str]]:
    """The conditions of every case of an exercise."""
    found = course().exercise(name)
    assert found is not None
    _, exercise = found
    drawn = {case.name: draw(case, name, Seed.public()) for case in exercise.cases}
    return {case.name: had(exercise, conditions.inputs_of(exercise, case, drawn[case.name])) for case in exercise.cases}


def had(exercise: Exercise, inputs: conditions.Inputs) -> frozenset[str]:
    """The ids of the conditions that inputs have, for any argument, whatever names the reference uses."""
    anything = frozenset(conditions.known("exponentials", "moments"))
    applicable = conditions.applicable(exercise, anything)
    return frozenset(condition.id for condition, name in applicable if conditions.has(condition, name, inputs))


def test_the_table() -> None:
    """Every condition stands under its own id, and has a name in both languages."""
    for name, condition in CONDITIONS.items():
        assert condition.id == name
        assert condition.what.en.isascii() or "²" in condition.what.en
        assert any("\u4e00" <= letter <= "\u9fff" for letter in condition.what.zh)


def test_the_guide_lists_every_condition() -> None:
    """The table of docs/author-guide.md has the ids and sentences of the code."""
    guide = (Path(__file__).parents[2] / "docs" / "author-guide.md").read_text("utf-8")
    table = "\n".join(f"| `{condition.id}` | {condition.what.en} |" for condition in CONDITIONS.values())
    assert table in guide, f"docs/author-guide.md needs this table:\n{table}"


def test_every_condition_tells_cases_apart() -> None:
    """Somewhere it applies to an exercise of which some cases have it, and others do not."""
    telling = {
        name
        for question in course().questions
        for exercise in question.exercises
        for name in CONDITIONS
        if {name in found for found in seen(exercise.name).values()} == {True, False}
    }
    assert telling == set(CONDITIONS)


@pytest.mark.parametrize(
    ("exercise", "case", "with_it", "without_it"),
    [
        ("causal_mask", "square", "omitted equal-lengths", "zero more-keys long"),
        ("causal_mask", "more keys than queries", "more-keys different-lengths not-default", "more-queries omitted"),
        ("causal_mask", "no keys at all", "zero more-queries", "omitted"),
        ("causal_mask", "a single position", "one-position", "equal-lengths"),
        ("scaled_dot_product_attention", "square mask per sample", "square-mask square-cross-mask", "mask-of-keys"),
        ("scaled_dot_product_attention", "padding mask", "mask-of-keys four-axes", "square-mask one-mask-for-all"),
        ("scaled_dot_product_attention", "no key allowed", "empty-row mask-per-sample", "omitted"),
        ("EncoderLayer", "mask per sample", "square-mask", "square-cross-mask"),
        ("shift_right", "one text", "id-zero", "id-last"),
        ("layer_norm", "far from zero", "large-offset", "tiny-numbers"),
        ("softmax", "counted from the end", "negative four-axes", "zero"),
        ("linear_attention", "no batch", "false two-axes", "batch-of-one"),
        ("linear_attention", "long and causal", "work-with-flag work-without-batch", "work-in-a-batch"),
        ("MultiHeadAttention", "other arguments in between", "second-call odd-count", "long"),
        ("DecoderLayer", "no key allowed", "empty-row", "one-position"),
    ],
)
def test_cases(exercise: str, case: str, with_it: str, without_it: str) -> None:
    """A case has what its inputs show, what it declares, and nothing else."""
    found = seen(exercise)[case]
    assert set(with_it.split()) <= found
    assert not set(without_it.split()) & found


def test_every_condition_is_tested_or_excused() -> None:
    """The bundled course has no holes, and no reasons that excuse nothing."""
    for question in course().questions:
        for exercise in question.exercises:
            assert [conditions.key(*hole) for hole in selfcheck.untested_conditions(course(), exercise)] == [], (
                exercise.name
            )
            assert list(selfcheck._needless_reasons(course(), exercise)) == [], exercise.name


def test_names_used_reach_through_helpers() -> None:
    """What an exercise is sensitive to may be in a function that its reference calls."""
    files = course().reference
    assert "softmax" in edits.names_used(files, "reference.heads", "head_importance")
    assert "softmax" not in edits.names_used(files, "reference.heads", "split_heads")
