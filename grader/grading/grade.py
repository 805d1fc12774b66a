"""Grades a submission: select, plan, observe, judge, score; the result is a ``Report``.

``selection`` says what is graded, ``context`` and ``plan`` which programs are needed, ``code_grading`` runs and judges
them, ``answer_grading`` judges the answers, ``exercise_results`` scores, and ``notices`` adds what else to say.

Nothing here runs learner code. The caller passes ``observe``, a function that does.
"""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass, replace
from functools import cache

from grader import __version__
from grader.core.model import (
    Alternative,
    Course,
    Exercise,
    ExerciseResult,
    Limits,
    Message,
    Notice,
    Observation,
    Observe,
    Question,
    Report,
    SourceFile,
    Submission,
    Verdict,
)
from grader.course import answer_ids
from grader.grading import verdicts
from grader.grading.answer_grading import AnswerGrading
from grader.grading.checks import JudgeInput
from grader.grading.code_grading import CodeGrading, graded_code, with_shared_budget
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.grading.notices import not_available, remarks, urgent_first
from grader.grading.plan import REFERENCE_LIMITS, CallingForm, Plan, PlannedCheck, function_of, module_of
from grader.grading.programs import apply_variant
from grader.grading.selection import Selection, choose, source_of
from grader.sandbox import policy


def grade(
    course: Course,
    submission: Submission,
    observe: Observe,
    *,
    selection: Selection | None = None,
    limits: Limits | None = None,
    context: GradingContext | None = None,
) -> Report:
    """Grades ``submission``, whose code ``observe`` runs within ``limits``.

    ``context`` holds what does not depend on the submission: the seed, and what the references return. Pass the same
    one for each of several submissions. By default, the seed is public and ``observe`` runs the references, too.

    Raises UsageError for names in ``selection`` that the course does not have, and SubmissionError if the submission
    contains nothing to grade.
    """
    started = time.perf_counter()
    selection = selection or Selection()
    submission = answer_ids.matched(course, without_shadows(submission, course))
    chosen = choose(course, submission, selection)
    context = context or GradingContext(course, Seed.public(), observe, selection.public_only)
    plans = [
        Plan(part.question, exercise, source_of(exercise.name, part.question, submission), context.entries(exercise))
        for part in chosen
        for exercise in part.exercises
    ]
    answers = AnswerGrading(context, submission, chosen)
    code = graded_code(plans, submission, observe, context, limits or Limits())
    questions = tuple(
        context.question_result(
            part.question,
            tuple(answers.result(item, part.question) for item in part.items),
            tuple(code.results[exercise.name] for exercise in part.exercises),
        )
        for part in chosen
    )
    return Report(
        learner=submission.learner,
        course_title=course.title,
        course_digest=course.digest,
        seed=context.seed.label,
        questions=questions,
        layers=code.seen.layers,
        unsafe=code.seen.unsafe,
        versions=(*code.seen.versions, ("attncheck", __version__)),
        seconds=time.perf_counter() - started,
        notices=urgent_first(
            (*submission.notices, *not_available(code.seen.absent, course), *remarks(course, submission, chosen))
        ),
        not_attempted=tuple(q.id for q in course.questions if q.id not in {part.question.id for part in chosen}),
        edition=course.edition is not None,
    )


def grade_reference(
    context: GradingContext,
    question: Question,
    exercise: Exercise,
    files: tuple[SourceFile, ...],
    observe: Observe,
    *,
    diagnosed: bool = True,
) -> ExerciseResult:
    """Grades the reference of an exercise, or an edited version of it, as if a learner had submitted it."""
    code = CodeGrading(Submission("reference", files), observe, context, REFERENCE_LIMITS)
    file = next(file for file in files if file.module == module_of(exercise))
    plan = Plan(question, exercise, file, context.entries(exercise), function_of(exercise))
    (tried,) = code.attempt([(plan, CallingForm("torch", None))])
    return code.diagnosed(plan, tried) if diagnosed else tried.result


def grade_alternative(
    context: GradingContext, question: Question, exercise: Exercise, alternative: Alternative
) -> ExerciseResult:
    """Grades an alternative of an exercise as if a learner had submitted it; a file without torch gets NumPy arrays."""
    files = context.course.reference
    code = CodeGrading(Submission("reference", files), context.observe_reference, context, REFERENCE_LIMITS)
    named = replace(exercise, reference=alternative.code)
    file = next(file for file in files if file.module == module_of(named))
    plan = Plan(question, exercise, file, context.entries(exercise), function_of(named))
    (tried,) = code.attempt([(plan, CallingForm("torch" if file.imports_torch else "numpy", None))])
    return tried.result


@dataclass(frozen=True, slots=True)
class Replay:
    """An exercise graded again, with inputs and observations for each entry. ``form`` is None if nothing ran."""

    result: ExerciseResult
    entries: tuple[PlannedCheck, ...]
    form: CallingForm | None = None
    got: tuple[tuple[Observation, ...], ...] = ()
    expected: tuple[tuple[Observation, ...], ...] = ()

    def unredacted(self, exercise: Exercise, index: int) -> Verdict:
        """What the check of entry ``at`` says if nothing has to be hidden. Not for learners."""
        entry = self.entries[index]
        if self.form is None:
            return self.result.outcomes[index].verdict
        case = replace(entry.case, public=True)
        drawn = apply_variant(self.form.variant, entry.drawn)
        seen = JudgeInput(
            exercise, case, entry.spec, drawn, self.got[index], self.expected[index], self.form.array_type
        )
        return verdicts.judge(seen)


def replay(
    context: GradingContext, question: Question, exercise: Exercise, submission: Submission, observe: Observe
) -> Replay:
    """Grades one exercise of ``submission`` as ``grade`` does, and keeps what was observed. Not for learners."""
    submission = without_shadows(submission, context.course)
    code = CodeGrading(submission, with_shared_budget(observe), context, Limits())
    plan = Plan(question, exercise, source_of(exercise.name, question, submission), context.entries(exercise))
    tried = code.best([plan])[exercise.name]
    result = code.diagnosed(plan, tried)
    if tried.form is None:
        return Replay(result, plan.entries)
    return Replay(result, plan.entries, tried.form, tuple(tried.observations), tuple(context.expected(exercise)))


_HIDES = Message(
    "not used, because `import {name}` imports the library `{name}` in this course. If this is your own code, rename "
    "it, for example to `my_{name}`, and update its imports."
)


def without_shadows(submission: Submission, course: Course) -> Submission:
    """``submission`` without modules named like a package that ``course`` allows, or like one that torch needs.

    Each such module or folder gets one notice, at its first file.
    """
    shadows: dict[str, str] = {}
    for file in submission.files:
        top = file.module.partition(".")[0]
        if top not in shadows and _is_installed(top) and top in _importable(course.packages):
            shadows[top] = file.path
    if not shadows:
        return submission
    notices = tuple(Notice(path, _HIDES.fill(name=name)) for name, path in shadows.items())
    files = tuple(file for file in submission.files if file.module.partition(".")[0] not in shadows)
    return replace(
        submission, files=files, broken=(*submission.broken, *notices), notices=(*submission.notices, *notices)
    )


def _is_installed(name: str) -> bool:
    """Whether this process could import ``name``: a cheap test, which most submissions' modules fail."""
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # something in sys.modules without a spec
        return True


@cache
def _importable(packages: tuple[str, ...]) -> frozenset[str]:
    """The third-party modules that submissions can import."""
    return frozenset(entry.partition(".")[0] for entry in policy.packages(packages))
