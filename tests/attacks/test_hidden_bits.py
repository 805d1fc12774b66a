"""Code that signals hidden inputs by how it ends: reports for two secret seeds are identical."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Exercise, Outcome, Report
from grader.course import loader
from grader.grading import courses, verdicts
from grader.grading.checks import kinds
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox
from grader.submission import read
from tests.attacks import arena
from tests.attacks.test_attacks import LONG

#: Each ends in one way in every hidden case, and chooses among the many looks of that way by the input.
SPELLING = [attack for attack in arena.attacks() if attack.name.startswith("read/hidden_inputs_in_")]
CASES = [
    pytest.param(attack, id=attack.name, marks=pytest.mark.prove if attack.aim in LONG else ()) for attack in SPELLING
]


@pytest.fixture(scope="module")
def memos(sandbox: Sandbox) -> tuple[GradingContext, ...]:
    """Two secret seeds for a course in which every case is hidden, so that no public one is told anything.

    Without mistakes: the name of a misconception is counted in docs/security.md, and takes long.
    """
    bundled = courses.load(loader.find(None))
    questions = tuple(replace(q, exercises=tuple(map(_hidden, q.exercises))) for q in bundled.questions)
    secretive = replace(bundled, questions=questions)
    return tuple(
        GradingContext(secretive, Seed("file:x", key, secret=True), sandbox.observe) for key in (b"0" * 16, b"1" * 16)
    )


def _hidden(exercise: Exercise) -> Exercise:
    return replace(exercise, mistakes=(), cases=tuple(replace(case, public=False) for case in exercise.cases))


def outcomes(report: Report) -> Iterator[Outcome]:
    """All ways in which a call can end."""
    return (o for q in report.questions for exercise in q.exercises for o in exercise.outcomes)


@pytest.mark.prove
@pytest.mark.parametrize("attack", CASES)
def test_two_seeds_are_told_alike(
    attack: arena.Attack, memos: tuple[GradingContext, ...], sandbox: Sandbox, tmp_path: Path
) -> None:
    """Everything that a learner sees is identical for both, and consists of the known sentences."""
    armed = tmp_path / f"attack{attack.path.suffix}"
    armed.write_bytes(attack.path.read_bytes())
    one, other = (
        grade(context.course, read(armed), sandbox.observe, limits=attack.limits, context=context) for context in memos
    )
    for outcome in outcomes(one):
        message = outcome.verdict.message
        assert (
            message is None
            or outcome.status == "missing"
            or message in (*kinds()[outcome.check].SECRETS, *verdicts.COMMON)
        )
    assert arena.told(one, memos[0].course) == arena.told(other, memos[0].course)
