"""Grades a submission: select, plan, observe, judge, score; the result is a ``Report``.

``selection`` says what is graded, ``context`` and ``plan`` which programs are needed, ``code_grading`` runs and judges
them, ``answer_grading`` judges the answers, ``exercise_results`` scores, and ``notices`` adds what else to say.

Nothing here runs learner code. The caller passes ``observe``, a function that does.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from grader import __version__
from grader.core.model import (
    Alternative,
    Course,
    Exercise,
    ExerciseResult,
    Limits,
    Question,
    Report,
    SourceFile,
    Submission,
)
from grader.course import answer_ids
from grader.grading.answer_grading import AnswerGrading
from grader.grading.code_grading import CodeGrading, graded_code
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.grading.notices import not_available, remarks, urgent_first
from grader.grading.plan import REFERENCE_LIMITS, CallingForm, Plan, function_of, module_of
from grader.grading.selection import Selection, choose, source_of
from grader.grading.shadowing import without_shadows

if TYPE_CHECKING:
    from grader.core.model import Observe


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
        Plan(each.question, exercise, source_of(exercise.name, each.question, submission), context.entries(exercise))
        for each in chosen
        for exercise in each.exercises
    ]
    answers = AnswerGrading(context, submission, chosen)
    code = graded_code(plans, submission, observe, context, limits or Limits())
    questions = tuple(
        context.question_result(
            each.question,
            tuple(answers.result(item, each.question) for item in each.items),
            tuple(code.results[exercise.name] for exercise in each.exercises),
        )
        for each in chosen
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
            (*submission.notices, *not_available(code.absent, course), *remarks(course, submission, chosen))
        ),
        not_attempted=tuple(q.id for q in course.questions if q.id not in {each.question.id for each in chosen}),
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
