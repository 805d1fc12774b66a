"""Grades the code of a submission: runs it in each calling form, judges, and names misconceptions."""

from __future__ import annotations

import functools
import hashlib
import math
from dataclasses import dataclass, field, replace

from grader.core import bounded
from grader.core.errors import LibrariesChanged, SandboxError, SandboxKilled, SandboxUnavailable
from grader.core.model import (
    ExerciseResult,
    Job,
    Limits,
    Message,
    MissingModule,
    Observation,
    Observe,
    Observed,
    Outcome,
    Raised,
    ResourceUsage,
    Returned,
    Status,
    Submission,
    Verdict,
)
from grader.grading import definitions
from grader.grading.context import GradedCode, GradingContext
from grader.grading.definitions import only_raises, unwritten
from grader.grading.exercise_results import judge_inputs, judged_exercise, same_verdict, unmarked, with_printed
from grader.grading.explaining import place
from grader.grading.explaining.dependencies import with_dependencies
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.explain import explain
from grader.grading.explaining.reruns import Reruns, SearchBudget
from grader.grading.failures import is_not_written, not_written
from grader.grading.missing import Leftovers
from grader.grading.outline import outline_of
from grader.grading.plan import CallingForm, Plan, calling_forms, signatures


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of an exercise called in one form, with the observations for each entry (empty if nothing was run).

    ``saw_secrets`` is the value of ``CodeGrading.saw_secrets`` before this attempt ran.
    """

    result: ExerciseResult
    observations: list[tuple[Observation, ...]]
    form: CallingForm | None = None
    saw_secrets: bool = False


def graded_code(
    plans: list[Plan], submission: Submission, observe: Observe, context: GradingContext, limits: Limits
) -> GradedCode:
    """The graded code of ``submission``; results of a submission with the same files are reused."""
    if not context.for_class:
        return CodeGrading(submission, with_shared_budget(observe), context, limits).graded(plans)
    # Everything that the results depend on, except what is the same in the whole ``context``.
    names = [plan.exercise.name for plan in plans]
    key = hashlib.sha256(repr((submission.files, submission.broken, names, limits)).encode()).hexdigest()
    earlier = context.graded_code.pop(key, None)
    code = earlier or CodeGrading(submission, with_shared_budget(observe), context, limits).graded(plans)
    if all(map(_would_repeat, code.results.values())):
        context.graded_code[key] = code  # as the latest
        if len(context.graded_code) > context.max_graded_code:
            context.graded_code.popitem(last=False)
    return code


def _would_repeat(result: ExerciseResult) -> bool:
    """Whether a second run would give the same. Not if a limit was reached, a process died, or an error was ours."""
    if result.file is None:
        return True  # nothing was run
    counted = {result.status, *(outcome.status for outcome in result.outcomes if outcome.verdict.applies)}
    return not counted & {Status.TIMED_OUT, Status.DIED, Status.SKIPPED, Status.UNMARKED}


@dataclass(slots=True)
class CodeGrading:
    """Grades the code of one submission.

    ``saw_secrets`` is true once the code has been given secret inputs. What it returns after that could reveal them,
    even in a public case, so all its results are then reported as for hidden cases.
    """

    submission: Submission
    observe: Observe
    context: GradingContext
    limits: Limits
    seen: Observed = field(default_factory=lambda: Observed((), (), unsafe=False))
    saw_secrets: bool = False
    absent: tuple[MissingModule, ...] = ()
    searches: SearchBudget | None = None
    begun: int = -1

    def _begin(self, name: str, number: int, total: int) -> None:
        """Reports that a step of an exercise begins. Steps that are repeated in another form are reported only once."""
        if self.context.progress is not None and number > self.begun:
            self.begun = number
            self.context.progress(name, number, total)

    def graded(self, plans: list[Plan]) -> GradedCode:
        """The results by exercise, each with its misconception."""
        best = self.best(plans)
        written = [plan.exercise.name for plan in plans if plan.file is not None]
        results = {}
        for plan in plans:
            name = plan.exercise.name
            if plan.file is None:
                results[name] = best[name].result
                continue
            self._begin(name, len(written) + written.index(name), 2 * len(written))
            results[name] = self.diagnosed(plan, best[name])
        results = with_dependencies(plans, results, self.submission.files)
        return GradedCode(results, replace(self.seen, observations=(), usage=None, absent=self.absent))

    def best(self, plans: list[Plan]) -> dict[str, AttemptResult]:
        """The best result for every plan. Plans share one job; those that fail are tried again in other forms."""
        leftovers = Leftovers.of(self.submission, self.context.course)
        unrun = {plan.exercise.name: self._unrun(plan, leftovers) for plan in plans}
        best = {name: AttemptResult(result, []) for name, result in unrun.items() if result is not None}
        present = [plan for plan in plans if plan.exercise.name not in best]
        forms = {
            plan.exercise.name: calling_forms(plan.exercise, plan.file) for plan in present if plan.file is not None
        }
        unreturned: set[str] = set()
        for number in range(max(map(len, forms.values()), default=0)):
            tried = []
            for plan in present:
                name, mine = plan.exercise.name, forms[plan.exercise.name][number : number + 1]
                if number and not (mine and _worth_another(best[name].result)):
                    continue
                if number and name not in unreturned and self._is_settled(forms[name][0], mine[0]):
                    continue
                tried += [(plan, form) for form in mine]
            for attempt in self.attempt(tried) if tried else ():
                name = attempt.result.name
                unreturned |= {name} if _something_did_not_return(attempt) else set()
                if name not in best:
                    best[name] = attempt
                elif _is_better(attempt, best[name].result):
                    best[name] = _after(best[name].result, attempt)
        return best

    def _is_settled(self, first: CallingForm, form: CallingForm) -> bool:
        """Whether code that returned from every call in its ``first`` form cannot do better in ``form``.

        True for NumPy arrays if the code works with torch tensors only. An import of torch does not prove that: code
        that never calls it may work with either. NumPy's functions accept tensors, so torch is always tried.
        """
        if (first.array_type, form.array_type) != ("torch", "numpy"):
            return False
        code = "\n".join(part.text for file in self.submission.files for part in file.parts)
        lines = [line.lstrip() for line in code.splitlines() if "torch" in line]
        uses = any(not line.startswith(("import ", "from ")) for line in lines)
        return uses and not any(word in code for word in _ADAPTING)

    def _unrun(self, plan: Plan, leftovers: Leftovers) -> ExerciseResult | None:
        """The result if nothing has to be run: no code, an unwritten stub, or a forbidden name. Otherwise None."""
        if plan.file is None:
            why = leftovers.why(plan.exercise.name, plan.question, self.context.course)
            return same_verdict(plan, Verdict(Status.MISSING, why)) if why else self.context.untouched(plan)
        kinds = {entry.spec.kind for entry in plan.entries}
        if "values" in kinds or "raises" not in kinds:  # a stub that raises may be what an exercise asks for
            stub = only_raises(plan.exercise.name, plan.file, self.submission.files)
            if stub is not None:
                return same_verdict(plan, Verdict(Status.MISSING, not_written(*stub)))
        names = plan.exercise.forbids
        try:
            used = definitions.first_use(plan.exercise.name, names, plan.file, self.submission.files) if names else None
        except bounded.Exceeded:
            return same_verdict(plan, Verdict(Status.FAILED, definitions.TOO_COSTLY, final=True))
        return None if used is None else same_verdict(plan, Verdict(Status.FAILED, used.text(), final=True))

    def diagnosed(self, plan: Plan, tried: AttemptResult) -> ExerciseResult:
        """The result: missing if it is still a stub; otherwise with an explanation of why it is wrong."""
        result = tried.result
        if (place := _stub_place(plan, tried)) is not None:
            return same_verdict(plan, Verdict(Status.MISSING, not_written(*place)))
        if (elsewhere := _stub_elsewhere(plan, tried)) is not None:
            return replace(result, message=not_written(elsewhere.file or "", elsewhere.line, needed=True))
        if not _is_worth_explaining(result) or _is_stub(tried.observations):
            return result
        try:
            failure = self._failure(plan, tried)
        except LibrariesChanged:
            raise
        except SandboxError:
            return result  # the verdict is valid without an explanation
        if failure is None:
            return result
        diagnosis = explain(failure, self.context.names_only)
        named = next((explanation for explanation in diagnosis if explanation.voice == "mistake"), None)
        if named is None:
            return replace(result, diagnosis=diagnosis)
        return replace(result, diagnosis=diagnosis, misconception=named.misconception, message=named.text)

    def _failure(self, plan: Plan, tried: AttemptResult) -> WrongExercise | None:
        """The evidence for explainers; None if nothing was run. Raises SandboxError if the mistakes cannot be run."""
        if plan.file is None or tried.form is None:
            return None
        context, exercise = self.context, plan.exercise
        expected, verdicts = context.expected(exercise), [outcome.verdict for outcome in tried.result.outcomes]
        inputs = judge_inputs(plan, tried.form, tried.observations, expected, tried.saw_secrets)
        identifying = signatures(plan.entries, tried.observations)
        evidence = tuple(map(Evidence, inputs, verdicts, identifying))
        again = Reruns(plan, tried.form, context, self.submission.files, self._budget())
        runs = context.course.edition is None  # a learners' edition has no references to run
        return WrongExercise(
            course=context.course,
            question=plan.question,
            exercise=exercise,
            submission=self.submission,
            file=plan.file,
            array_type=tried.form.array_type,
            evidence=evidence,
            known=context.mistake_signatures(exercise),
            changed=functools.partial(context.changed_by_mistakes, exercise),
            run=context.reference if runs else None,
            pair=functools.partial(context.pair, exercise) if runs else None,
            places=functools.partial(place.explain, again, [outcome.status for outcome in tried.result.outcomes]),
            # The inputs of what is cached depend on the form.
            cached=lambda key, find: context.kept("others", (key, tried.form), find),
            landmarks=functools.partial(place.named_values, context, exercise) if runs else lambda cases: (),
            rerun=again.verdicts_on,
            fresh=again.fresh,
        )

    def _budget(self) -> SearchBudget:
        """The budget of all searches for this submission."""
        for_class = self.context.for_class
        most = (place.CPU_OF_A_SUBMISSION, place.RERUNS_OF_A_SUBMISSION) if for_class else (math.inf, math.inf)
        self.searches = self.searches or SearchBudget(self.observe, self.seen.usage or ResourceUsage(), *most)
        return self.searches

    def attempt(self, tried: list[tuple[Plan, CallingForm]]) -> list[AttemptResult]:
        """Runs several exercises in one job."""
        asked = [self.context.programs(plan, form) for plan, form in tried]
        try:
            expected = []
            for number, (plan, _) in enumerate(tried):
                self._begin(plan.exercise.name, number, 2 * len(tried))
                expected.append(self.context.expected(plan.exercise))
            flat = tuple(program for entries in asked for programs_ in entries for program in programs_)
            seen = self.observe(Job(self.submission.files, flat), self.limits)
            self.absent = self.absent or seen.absent
        except (LibrariesChanged, SandboxKilled, SandboxUnavailable):
            raise
        except SandboxError as error:
            return [AttemptResult(unmarked(plan, str(error)), []) for plan, _ in tried]
        if seen.versions or not self.seen.versions:  # a job that had no time left reports no versions
            self.seen = seen
        saw_secrets = self.saw_secrets
        self.saw_secrets = saw_secrets or (self.context.seed.secret and any(program.hidden for program in flat))
        observations, output = iter(seen.observations), iter(() if saw_secrets else seen.printed)
        results = []
        for (plan, form), wanted, entries in zip(tried, expected, asked, strict=True):
            mine = [tuple(next(observations) for _ in programs_) for programs_ in entries]
            printed = ["".join(next(output, "") for _ in programs_) for programs_ in entries]
            inputs = judge_inputs(plan, form, mine, wanted, saw_secrets)
            result = with_printed(judged_exercise(plan, inputs, form.array_type), printed)
            results.append(AttemptResult(result, mine, form, saw_secrets))
        return results


#: Words in code that may treat NumPy arrays differently from tensors. If any occurs, even by chance, both are tried.
_ADAPTING = ("numpy", "except", "isinstance", "hasattr", "is_tensor", "as_tensor", "tensor(")


_TRIED = {
    "torch": Message("tried with torch tensors first, which earned less"),
    "numpy": Message("tried with NumPy arrays first, which earned less"),
}


def _after(before: ExerciseResult, attempt: AttemptResult) -> AttemptResult:
    """``attempt``, which is better than ``before``; if it failed, too, it says with which other arrays that was."""
    result = attempt.result
    if result.status is Status.PASSED or before.array_type in (None, result.array_type):
        return attempt
    return replace(attempt, result=replace(result, remarks=(*result.remarks, _TRIED[before.array_type])))


def _is_better(attempt: AttemptResult, before: ExerciseResult) -> bool:
    """Whether this form of the exercise earns more, and passes a check that failed before.

    Otherwise code could earn more only because some inputs have no such form, or no gradients.
    """
    pairs = zip(attempt.result.outcomes, before.outcomes, strict=True)
    mended = [now for now, was in pairs if was.verdict.applies and was.status is not Status.PASSED is now.status]
    return attempt.result.earned > before.earned and bool(mended)


def _something_did_not_return(tried: AttemptResult) -> bool:
    """Whether a call did not return, or returned nothing readable, where it should have."""
    return any(
        outcome.status is not Status.PASSED and not all(isinstance(observation, Returned) for observation in seen)
        for outcome, seen in zip(tried.result.outcomes, tried.observations, strict=False)
    )


def _worth_another(result: ExerciseResult) -> bool:
    """Whether another array type or form could pass: not if a failure is final or our own error."""
    counted = [outcome for outcome in result.outcomes if outcome.verdict.applies]
    if any(o.verdict.final or o.status is Status.UNMARKED for o in counted):
        return False
    if _graph_is_cut(counted):
        return False
    return any(o.status not in (Status.PASSED, Status.PENDING) for o in counted)


def _graph_is_cut(counted: list[Outcome]) -> bool:
    """Whether values are correct but gradients are not: torch code that cuts the graph, which NumPy arrays would hide.

    NumPy code is not affected: it raises an exception for tensors that require gradients.
    """
    values = [o.status for o in counted if o.check == "values" and o.status is not Status.PENDING]
    cut = any(o.check == "gradients" and o.status is Status.FAILED for o in counted)
    return cut and bool(values) and all(status is Status.PASSED for status in values)


def _stub_place(plan: Plan, tried: AttemptResult) -> tuple[str, int] | None:
    """Where the exercise is still a stub; None if it is not, or if its values are correct nevertheless.

    A function that does nothing can pass other checks, such as ``unchanged_inputs``. Those points do not count.
    """
    if plan.file is None or tried.form is None or tried.result.status is Status.PASSED:
        return None
    values = [outcome.status for outcome in tried.result.outcomes if outcome.check == "values"]
    if Status.PASSED in values or (not values and tried.result.earned):
        return None
    return unwritten(plan.exercise.name, plan.file)


def _is_worth_explaining(result: ExerciseResult) -> bool:
    """Whether to explain why it is wrong: the code ran to its end and failed, not because of an error of ours."""
    counted = [outcome.status for outcome in result.outcomes if outcome.verdict.applies]
    stopped = {Status.UNMARKED, Status.TIMED_OUT, Status.DIED, Status.MISSING, Status.SKIPPED}
    return result.status is not Status.PASSED and not stopped & set(counted)


def _stub_elsewhere(plan: Plan, tried: AttemptResult) -> Raised | None:
    """What raised NotImplementedError, if that was no line of the exercise itself."""
    if plan.file is None or not is_not_written(tried.result.message):
        return None  # the usual case; a file is parsed for the rest
    raised = [one for observed in tried.observations for one in observed if isinstance(one, Raised)]
    stub = next((one for one in raised if one.type == "NotImplementedError" and one.line), None)
    label, own = outline_of(plan.file).nodes.get(plan.exercise.name, ("", None))
    if stub is None or own is None:
        return None
    inside = label == stub.file and own.lineno <= (stub.line or 0) <= (own.end_lineno or 0)  # type: ignore[attr-defined]
    return None if inside else stub


def _is_stub(observations: list[tuple[Observation, ...]]) -> bool:
    """Whether every program raised NotImplementedError, as stubs do and no typical mistake does."""
    return all(isinstance(o, Raised) and o.type == "NotImplementedError" for observed in observations for o in observed)


def with_shared_budget(observe: Observe) -> Observe:
    """``observe`` for all jobs of one submission: each job starts from the ``usage`` of those before it."""
    usage = ResourceUsage()

    def observed(job: Job, limits: Limits) -> Observed:
        nonlocal usage
        seen = observe(replace(job, usage=usage), limits)
        usage = seen.usage or usage
        return seen

    return observed
