"""What is the same for every submission, computed once: inputs, and results of references and typical mistakes."""

from __future__ import annotations

import functools
import operator
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from grader.core.model import (
    Course,
    Exercise,
    ExerciseResult,
    Item,
    ItemResult,
    Job,
    Message,
    Observation,
    Observe,
    Observed,
    Program,
    Question,
    QuestionResult,
    SourceFile,
    Status,
    Verdict,
)
from grader.course import edits
from grader.grading import checks, verdicts
from grader.grading.checks import JudgeInput
from grader.grading.exercise_results import same_verdict
from grader.grading.explaining.mistakes import MistakeSignature
from grader.grading.inputs import Seed, draw, draw_for
from grader.grading.missing import not_defined
from grader.grading.plan import (
    NO_INPUTS,
    REFERENCE_LIMITS,
    CallingForm,
    Plan,
    PlannedCheck,
    module_of,
    programs,
    reference_target,
    run_all,
    signatures,
    sources_of,
)
from grader.grading.programs import Target
from grader.grading.reference_results import reference_observer
from grader.sandbox import Sandbox

#: How much is kept in a process: results of pairs of mistakes; for how many sets of cases the values of the reference,
#: and its results for other inputs.
_MOST = {"pairs": 2048, "landmarks": 64, "others": 256}

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class GradedCode:
    """The results of a submission's code by exercise, and how it was run: ``seen`` has no observations."""

    results: dict[str, ExerciseResult]
    seen: Observed


@dataclass(frozen=True, slots=True)
class GradingContext:
    """What is the same for every submission: course, seed, inputs, and what references and mistakes return for them.

    ``graded_code`` keeps the results of up to ``max_graded_code`` submissions' code, for others with the same files; if
    it is not 0, every submission must be graded with the same ``observe``. With ``names_only``, wrong code gets the
    name of a typical mistake, and no further explanation. ``progress`` is called as each of the two steps of an
    exercise begins, with the exercise's name, the number of the step, and the number of steps: first come all
    references, then all explanations.
    """

    course: Course
    seed: Seed
    observe_reference: Observe
    public_only: bool = False
    max_graded_code: int = 0
    names_only: bool = False
    progress: Callable[[str, int, int], None] | None = None
    graded_code: OrderedDict[str, GradedCode] = field(default_factory=OrderedDict)
    _once: dict[Hashable, Any] = field(default_factory=dict)
    _kept: dict[str, OrderedDict[Hashable, Any]] = field(default_factory=lambda: defaultdict(OrderedDict))
    _in_module: dict[tuple[str, CallingForm, str], tuple[str, list[tuple[Program, ...]]]] = field(default_factory=dict)
    _left_out: dict[str, QuestionResult] = field(default_factory=dict)

    @property
    def for_class(self) -> bool:
        """Whether many submissions are graded, so that explanations get less time."""
        return self.max_graded_code > 0

    def _computed(self, key: tuple[Hashable, ...], compute: Callable[[], _T]) -> _T:
        """The result of ``compute``, which is called the first time that ``key`` is asked for."""
        if key not in self._once:
            self._once[key] = compute()
        result: _T = self._once[key]
        return result

    def entries(self, exercise: Exercise) -> tuple[PlannedCheck, ...]:
        """Every check of ``exercise`` with every case that it judges."""
        return self._computed(("entries", exercise.name), lambda: tuple(self._planned(exercise)))

    def _planned(self, exercise: Exercise) -> Iterator[PlannedCheck]:
        drawn = {
            case.name: NO_INPUTS if case.sealed else draw(case, exercise.name, self.seed) for case in exercise.cases
        }
        for spec in exercise.checks:
            for case in checks.cases_for(spec, exercise):
                if self.public_only and not case.public:
                    continue
                sized = "at" in dict(spec.options) and not case.sealed
                inputs = draw_for(spec, case, exercise.name, self.seed) if sized else drawn[case.name]
                yield PlannedCheck(spec, case, inputs)

    def expected(self, exercise: Exercise) -> list[tuple[Observation, ...]]:
        """What the reference returned for each entry; empty if the check does not use the reference."""

        def compute() -> list[tuple[Observation, ...]]:
            asked = programs(self.entries(exercise), reference_target(exercise), None, reference=True)
            return run_all(asked, self.reference)

        return self._computed(("expected", exercise.name), compute)

    def mistake_signatures(self, exercise: Exercise) -> tuple[MistakeSignature, ...]:
        """What each typical mistake returns, called like learner code. Raises SandboxError if the sandbox fails."""

        def compute() -> tuple[MistakeSignature, ...]:
            files = [sources_of(number, exercise, self.course) for number in range(len(exercise.mistakes))]
            results = self._edited(exercise, self.entries(exercise), files)
            return tuple(map(MistakeSignature, exercise.mistakes, results))

        return self._computed(("mistakes", exercise.name), compute)

    def _edited(
        self, exercise: Exercise, entries: tuple[PlannedCheck, ...], edited: Iterable[tuple[SourceFile, ...]]
    ) -> Iterator[list[tuple[Observation, ...]]]:
        """What edited references return for each of ``entries``, called like learner code."""
        asked = programs(entries, reference_target(exercise, "float32"), None, reference=False)
        for files in edited:
            yield signatures(entries, run_all(asked, functools.partial(self.reference, files=files)))

    def pair(
        self, exercise: Exercise, first_index: int, second_index: int, numbers: tuple[int, ...]
    ) -> list[tuple[Observation, ...]] | None:
        """What the reference with mistakes ``one`` and ``two`` returns for the entries ``numbers`` (all are indices).

        None if the edits of the two overlap.
        """

        def find() -> tuple[list[tuple[Observation, ...]] | None]:
            first, second = exercise.mistakes[first_index], exercise.mistakes[second_index]
            files = edits.apply_both(self.course.reference, first.edits, second.edits, module_of(exercise))
            entries = tuple(self.entries(exercise)[number] for number in numbers)
            return (None if files is None else next(self._edited(exercise, entries, [files])),)

        # A tuple: only what is not empty is cached.
        return self.kept("pairs", (exercise.name, first_index, second_index, numbers), find)[0]

    def changed_by_mistakes(self, exercise: Exercise) -> tuple[frozenset[int], ...]:
        """For each typical mistake, the entries whose values it makes wrong."""
        return self._computed(
            ("changed", exercise.name),
            lambda: tuple(self._changed_by(mistake, exercise) for mistake in self.mistake_signatures(exercise)),
        )

    def _changed_by(self, mistake: MistakeSignature, exercise: Exercise) -> frozenset[int]:
        """The entries whose values a typical mistake makes wrong."""
        wrong = set()
        for index, (entry, expected) in enumerate(zip(self.entries(exercise), self.expected(exercise), strict=True)):
            if entry.spec.kind != "values" or entry.case.sealed:
                continue
            got = tuple(mistake.observations[index])
            seen = JudgeInput(exercise, entry.case, entry.spec, entry.drawn, got, expected, "torch")
            if verdicts.judge(seen).status is not Status.PASSED:
                wrong.add(index)
        return frozenset(wrong)

    def reference(
        self, programs_: tuple[Program, ...], files: tuple[SourceFile, ...] | None = None
    ) -> tuple[Observation, ...]:
        """What the references, or these ``files`` in their place, return for ``programs_``."""
        return self.observe_reference(Job(files or self.course.reference, programs_), REFERENCE_LIMITS).observations

    def kept(self, what: Literal["pairs", "landmarks", "others"], key: Hashable, find: Callable[[], _T]) -> _T:
        """The result of ``find``, kept by ``key`` unless it is empty; the least recently used are dropped."""
        cached = self._kept[what]
        value: _T = cached.pop(key, None) or find()
        if value:
            cached[key] = value  # as the latest
            if len(cached) > _MOST[what]:
                cached.popitem(last=False)
        return value

    def programs(self, plan: Plan, form: CallingForm) -> list[tuple[Program, ...]]:
        """The programs of every entry of ``plan``, called in ``form``; only ``module`` depends on the file."""
        assert plan.file is not None
        key = (plan.exercise.name, form, plan.calls)
        module = plan.file.module
        if key not in self._in_module or self._in_module[key][0] != module:  # most files of a class have the same name
            asked = self._computed(("programs", *key), lambda: self._in_form(plan, form))
            placed = [tuple(replace(program, module=module) for program in programs_) for programs_ in asked]
            self._in_module[key] = module, placed
        return self._in_module[key][1]

    def _in_form(self, plan: Plan, form: CallingForm) -> list[tuple[Program, ...]]:
        """The programs of ``plan`` in no module yet."""
        # The first form is that of ``_edited``, so that a mistake that is graded like a submission runs once.
        group = "" if form == CallingForm("torch", None) else f"{plan.exercise.name} {form.group}"
        target = Target(plan.exercise, "", form.array_type, group=group, calls=plan.calls)
        return programs(plan.entries, target, form.variant, reference=False)

    def untouched(self, plan: Plan) -> ExerciseResult:
        """The result of an exercise if a submission has nothing like it."""
        name = plan.exercise.name
        return self._computed(
            ("untouched", name), lambda: same_verdict(plan, Verdict(Status.MISSING, not_defined(name)))
        )

    def unanswered(self, item: Item) -> ItemResult:
        """The result of an item without an answer."""
        return self._computed(
            ("unanswered", item.id),
            lambda: ItemResult(item.id, item.kind, Status.MISSING, 0.0, item.points, Message("not answered")),
        )

    def question_result(
        self, question: Question, items: tuple[ItemResult, ...], exercises: tuple[ExerciseResult, ...]
    ) -> QuestionResult:
        """The result of ``question``. If nothing of it was submitted, it is always the same object, to save time."""
        earlier = self._left_out.get(question.id)
        if earlier is not None and _identical(earlier.items, items) and _identical(earlier.exercises, exercises):
            return earlier
        made = QuestionResult(question.id, question.title, items, exercises)
        untouched = all(self._once.get(("untouched", result.name)) is result for result in exercises)
        if untouched and all(self._once.get(("unanswered", result.id)) is result for result in items):
            self._left_out[question.id] = made
        return made

    def prepare(self, questions: Container[str]) -> None:
        """Runs the references of these questions now."""
        for question in self.course.questions:
            for exercise in question.exercises if question.id in questions else ():
                self.expected(exercise)


def _identical(left: Sequence[object], right: Sequence[object]) -> bool:
    """Whether two sequences have the same objects."""
    return len(left) == len(right) and all(map(operator.is_, left, right))


def public_context(course: Course, sandbox: Sandbox) -> GradingContext:
    """What to grade with under the public seed, in ``sandbox``, which then lets code import what the course allows."""
    sandbox.allow_packages(course.packages)
    seed = Seed.public()
    return GradingContext(course, seed, reference_observer(sandbox.observe, seed, course=course))
