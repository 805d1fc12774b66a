"""Runs a submission on inputs that no case has, to find out whether what is said of it holds there, too."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.core.model import CheckSpec, Job, Limits, Observation, Observed, Program, ResourceUsage, Returned, Status
from grader.grading import checks, verdicts
from grader.grading.checks import JudgeInput
from grader.grading.inputs import Drawn, Seed, draw_for
from grader.grading.plan import CallingForm, Plan, PlannedCheck, reference_target, run_all
from grader.grading.programs import Target, apply_variant
from grader.sandbox.wire import loads_late

if TYPE_CHECKING:
    from grader.core.model import Observe, SourceFile
    from grader.grading.context import GradingContext

#: The maximum number of inputs that are tried.
MOST = 48
_SEEDS = tuple(map(Seed.number, range(1, 5)))
#: What loading more of torch is charged with. A constant, because its real cost varies by a third.
_LATE_SECONDS = 0.5
_LIMITS = Limits(group_cpu=0.5, group_wall=2.0, import_cpu=1.0, import_wall=2.0, fresh_children=8)


@dataclass(slots=True)
class SearchBudget:
    """Runs the searches for one submission with ``run``, within a budget for all of them.

    ``tests`` is what the tests have used. Searches get limits as large again, so that code that ends its process or
    takes long in one exercise does not cost the others their explanations. ``cpu`` is in seconds of the child's clock,
    ``used`` what the searches have taken; ``reruns`` is the number of runs left.
    """

    run: Observe
    tests: ResourceUsage
    cpu: float
    reruns: float
    used: float = 0.0

    @property
    def left(self) -> float:
        """The CPU seconds that are left of the budget."""
        return self.cpu - self.used

    def observe(self, job: Job, limits: Limits) -> Observed:
        """Runs a job, and charges it to the budget."""
        past = self.tests
        own = replace(limits, total_cpu=limits.total_cpu + past.cpu, total_wall=limits.total_wall + past.wall)
        own = replace(own, total_bytes=own.total_bytes + past.received, fresh_children=own.fresh_children + past.deaths)
        seen = self.run(job, own)
        self.used += seen.cpu_seconds + _LATE_SECONDS * loads_late(job)
        return seen


@dataclass(frozen=True, slots=True)
class Reruns:
    """Runs one exercise of a submission in the form in which it was called, within the budget of ``child``."""

    plan: Plan
    form: CallingForm
    context: GradingContext
    files: tuple[SourceFile, ...]
    child: SearchBudget

    def verdicts_on(
        self,
        asked: Sequence[tuple[CheckSpec, Drawn]],
        files: tuple[SourceFile, ...] | None = None,
        reference: tuple[SourceFile, ...] | None = None,
    ) -> list[bool | None]:
        """Whether the code is correct for each of these inputs, which are in its form; None if that cannot be told.

        ``files`` run in place of the submission, and ``reference`` in place of that of the course.
        """
        plan, context, child = self.plan, self.context, self.child
        unable = plan.file is None or context.course.edition is not None  # which has no references to run
        if unable or not asked or child.left < 0:
            return [None] * len(asked)
        assert plan.file is not None
        exercise, given = plan.exercise, asked[:MOST]

        def submitted(programs: tuple[Program, ...]) -> tuple[Observation, ...]:
            hidden = tuple(replace(program, hidden=True) for program in programs)  # some are those of hidden cases
            return child.observe(Job(files or self.files, hidden), _LIMITS).observations

        theirs = reference_target(exercise)
        mine = Target(exercise, plan.file.module, self.form.array_type, group="other inputs", calls=plan.calls)
        compared = functools.partial(context.reference, files=reference)
        expected = run_all([_programs(theirs, *each) for each in given], compared)
        got = run_all([_programs(mine, *each) for each in given], submitted)
        found = [self._verdict(*each) for each in zip(given, got, expected, strict=True)]
        return found + [None] * (len(asked) - len(found))

    def _verdict(
        self, given: tuple[CheckSpec, Drawn], got: tuple[Observation, ...], expected: tuple[Observation, ...]
    ) -> bool | None:
        if not all(isinstance(each, Returned) for each in expected):
            return None
        exercise, (spec, drawn) = self.plan.exercise, given
        case = replace(exercise.cases[0], public=True)
        seen = JudgeInput(exercise, case, spec, drawn, got, expected, self.form.array_type)
        return _MEANING.get(verdicts.judge(seen).status)

    def drawn(self, seed: Seed) -> Iterator[tuple[PlannedCheck, Drawn]]:
        """Other inputs for each case of the check ``values``, drawn from ``seed``."""
        for entry in self.plan.entries:
            if entry.spec.kind == "values" and not entry.case.sealed:
                case = replace(entry.case, public=False)
                yield entry, draw_for(entry.spec, case, self.plan.exercise.name, seed)

    def fresh(self) -> list[tuple[CheckSpec, Drawn]]:
        """Inputs of the same kinds as those of the cases, in the form of the code: from other seeds, none twice."""
        found: dict[str, tuple[CheckSpec, Drawn]] = {}
        known = {repr(entry.drawn) for entry in self.plan.entries}
        for entry, drawn in itertools.chain.from_iterable(map(self.drawn, _SEEDS)):
            found.setdefault(repr(drawn), (entry.spec, apply_variant(self.form.variant, drawn)))
        return [each for key, each in found.items() if key not in known]


_MEANING = {Status.PASSED: True, Status.FAILED: False, Status.RAISED: False}


def _programs(target: Target, spec: CheckSpec, drawn: Drawn) -> tuple[Program, ...]:
    return checks.kinds()[spec.kind].calls(target, drawn, spec)
