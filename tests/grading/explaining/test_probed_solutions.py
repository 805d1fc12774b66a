"""Probes change nothing: correct code returns the same with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Job, Limits, Probing, Returned
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.explaining import traces
from grader.grading.inputs import Seed
from grader.grading.plan import CallingForm, Plan, calling_forms
from grader.grading.selection import source_of
from grader.sandbox import Sandbox
from grader.submission import read

SOLUTIONS = Path(__file__).parents[2] / "solutions"


@pytest.mark.prove
def test_probes_change_nothing(sandbox: Sandbox) -> None:
    """Every correct solution, in its first form, returns or raises the same on every public case."""
    context = GradingContext(courses.load(loader.find(None)), Seed.public(), sandbox.observe, public_only=True)
    different = []
    for path in sorted(SOLUTIONS.glob("*/right/*.py")):
        found = context.course.exercise(path.parent.parent.name)
        assert found is not None
        submission = read(path)
        plan = Plan(*found, source_of(found[1].name, found[0], submission), context.entries(found[1]))
        assert plan.file is not None
        form: CallingForm = calling_forms(plan.exercise, plan.file)[0]
        asked = [
            program
            for entry, programs in zip(plan.entries, context.programs(plan, form), strict=True)
            for program in programs
            if entry.spec.kind == "values"
        ]
        plain = sandbox.observe(Job(submission.files, tuple(asked)), Limits()).observations
        probed_programs = tuple(replace(program, probing=Probing()) for program in asked)
        probed = sandbox.observe(Job(submission.files, probed_programs), Limits()).observations
        for one, other in zip(plain, probed, strict=True):
            trace = traces.read_trace(other)
            same = trace is not None and traces.equal_results(
                one.values if isinstance(one, Returned) else (), trace.result
            )
            different += [] if same else [f"{path.parent.parent.name}/{path.name}"]
    assert not different
