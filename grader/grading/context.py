"""What is the same for every submission, computed once: inputs, and results of references and typical mistakes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader.core.model import (
    Absent,
    Course,
    Exercise,
    ExerciseResult,
    Item,
    ItemResult,
    Job,
    Observation,
    Observed,
    Program,
    Status,
    Text,
    Verdict,
)
from grader.grading import checks, diagnosis
from grader.grading.exercise_results import same_verdict
from grader.grading.inputs import Seed, draw, draw_for
from grader.grading.missing import nowhere
from grader.grading.plan import (
    NO_INPUTS,
    REFERENCE_LIMITS,
    CallingForm,
    Entry,
    Plan,
    function_of,
    module_of,
    programs,
    regroup,
    signatures,
    sources_of,
)
from grader.grading.programs import Target

if TYPE_CHECKING:
    from grader.core.model import Observe


@dataclass(frozen=True, slots=True)
class GradedCode:
    """The results of a submission's code by exercise, and how it was run: ``seen`` has no observations."""

    results: dict[str, ExerciseResult]
    seen: Observed
    absent: tuple[Absent, ...]


@dataclass(frozen=True, slots=True)
class GradingContext:
    """What is the same for every submission: course, seed, inputs, and what references and mistakes return for them.

    With ``shared``, the results of the code of so many submissions are kept for others with the same files. Then every
    submission has to be graded with the same ``observe``.
    """

    course: Course
    seed: Seed
    observe_reference: Observe
    public_only: bool = False
    shared: int = 0
    kept: OrderedDict[str, GradedCode] = field(default_factory=OrderedDict)
    _entries: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    _expected: dict[str, list[tuple[Observation, ...]]] = field(default_factory=dict)
    _mistakes: dict[str, tuple[diagnosis.MistakeSignature, ...]] = field(default_factory=dict)
    _programs: dict[tuple[str, CallingForm, str], list[tuple[Program, ...]]] = field(default_factory=dict)
    _untouched: dict[str, ExerciseResult] = field(default_factory=dict)
    _unanswered: dict[str, ItemResult] = field(default_factory=dict)

    def entries(self, exercise: Exercise) -> tuple[Entry, ...]:
        """Every check of ``exercise`` with every case that it judges."""
        if exercise.name not in self._entries:
            drawn = {
                case.name: NO_INPUTS if case.sealed else draw(case, exercise.name, self.seed) for case in exercise.cases
            }
            self._entries[exercise.name] = tuple(
                Entry(
                    spec,
                    case,
                    draw_for(spec, case, exercise.name, self.seed)
                    if "at" in dict(spec.options) and not case.sealed
                    else drawn[case.name],
                )
                for spec in exercise.checks
                for case in checks.cases_for(spec, exercise)
                if case.public or not self.public_only
            )
        return self._entries[exercise.name]

    def expected(self, exercise: Exercise) -> list[tuple[Observation, ...]]:
        """What the reference returned for each entry; empty if the check does not use the reference."""
        if exercise.name not in self._expected:
            target = Target(exercise, module_of(exercise), "torch", "float64", calls=function_of(exercise))
            asked = programs(self.entries(exercise), target, None, reference=True)
            flat = tuple(program for each in asked for program in each)
            seen = self.observe_reference(Job(self.course.reference, flat), REFERENCE_LIMITS)
            self._expected[exercise.name] = regroup(asked, seen.observations)
        return self._expected[exercise.name]

    def mistake_signatures(self, exercise: Exercise) -> tuple[diagnosis.MistakeSignature, ...]:
        """What each typical mistake returns, called like learner code. Raises SandboxError if the sandbox fails."""
        if exercise.name not in self._mistakes:
            target = Target(exercise, module_of(exercise), "torch", "float32", calls=function_of(exercise))
            entries = self.entries(exercise)
            asked = programs(entries, target, None, reference=False)
            flat = tuple(program for each in asked for program in each)
            found = []
            for number, mistake in enumerate(exercise.mistakes):
                files = sources_of(number, exercise, self.course)
                seen = self.observe_reference(Job(files, flat), REFERENCE_LIMITS)
                found.append(
                    diagnosis.MistakeSignature(mistake, signatures(entries, regroup(asked, seen.observations)))
                )
            self._mistakes[exercise.name] = tuple(found)
        return self._mistakes[exercise.name]

    def programs(self, plan: Plan, form: CallingForm) -> list[tuple[Program, ...]]:
        """The programs of every entry of ``plan``, called in ``form``. They differ from file to file in ``module``."""
        assert plan.file is not None
        key = (plan.exercise.name, form, plan.calls)
        if key not in self._programs:
            group = f"{plan.exercise.name} {form.group}"
            target = Target(plan.exercise, "", form.array_type, group=group, calls=plan.calls)
            self._programs[key] = programs(plan.entries, target, form.variant, reference=False)
        return [tuple(replace(each, module=plan.file.module) for each in asked) for asked in self._programs[key]]

    def untouched(self, plan: Plan) -> ExerciseResult:
        """The result of an exercise if a submission has nothing like it."""
        name = plan.exercise.name
        if name not in self._untouched:
            self._untouched[name] = same_verdict(plan, Verdict(Status.MISSING, nowhere(name)))
        return self._untouched[name]

    def unanswered(self, item: Item) -> ItemResult:
        """The result of an item without an answer."""
        if item.id not in self._unanswered:
            said = Text("not answered", "没有作答")
            self._unanswered[item.id] = ItemResult(item.id, item.kind, Status.MISSING, 0.0, item.points, said)
        return self._unanswered[item.id]

    def prepare(self, questions: Container[str]) -> None:
        """Runs the references of these questions now."""
        for question in self.course.questions:
            for exercise in question.exercises if question.id in questions else ():
                self.expected(exercise)
