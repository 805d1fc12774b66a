"""Runs every explainer on a wrong exercise, the most informative one first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from grader.core.errors import LibrariesChanged
from grader.core.model import Diagnosis, Message, Status, Submission
from grader.core.text import cleaned
from grader.grading.explaining.condition import condition, unsteady
from grader.grading.explaining.evidence import WrongExercise
from grader.grading.explaining.mistake import mistake
from grader.grading.explaining.raised import raised, source_line
from grader.grading.explaining.relation import relation
from grader.grading.explaining.slip import slip, small_slip

_OVERWRITTEN = Message(
    "The call changes its arguments in place. Work on a copy first: whatever is read from them afterwards is no longer "
    "the input."
)
_CHANGE = "unchanged_inputs"
#: The largest number of diagnoses for one exercise.
_MOST = 3
#: The longest line of source that is kept with a diagnosis, and the longest text.
_LONGEST = 500
_LONGEST_TEXT = 2000

Explainer = Callable[[WrongExercise], Iterator[Diagnosis]]


def _places(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The place that is wrong, as ``place.explain`` finds it."""
    yield from failure.places(failure.named)


#: Every explainer, and whether it still runs after a mistake has been named.
EXPLAINERS: tuple[tuple[Explainer, bool], ...] = (
    (mistake, False),
    (slip, True),
    (unsteady, False),
    (raised, False),
    (_places, True),
    (relation, False),
    (small_slip, False),
    (condition, False),
)


def explain(failure: WrongExercise, names_only: bool = False) -> tuple[Diagnosis, ...]:
    """The diagnoses, best first. An explainer that fails gives none; the verdict is valid without it.

    With ``names_only``, only typical mistakes are looked for.
    """
    said: list[Diagnosis] = []
    for explainer, after_a_name in ((mistake, False),) if names_only else EXPLAINERS:
        named = tuple(each.misconception for each in said if each.voice == "mistake" and each.misconception)
        is_asked = explainer is unsteady or not any(each.repairs for each in said)
        if explainer is _places and _overwrites(failure):
            continue  # right values there would leave the arguments changed
        if is_asked and (after_a_name or not named):
            said += _diagnoses(explainer, replace(failure, named=named))
        if explainer is mistake and _overwrites(failure) and not _is_named(failure, said):
            said.append(Diagnosis("condition", _OVERWRITTEN))
            break
    return tuple(_with_source(_bounded(each), failure.submission) for each in said[:_MOST])


def _overwrites(failure: WrongExercise) -> bool:
    """Whether the call changes its arguments and values are wrong, too."""
    public = (each for each in failure.evidence if each.seen.case.public)
    failed = {each.seen.spec.kind for each in public if each.verdict.status is Status.FAILED}  # not: it raised
    return {"values", _CHANGE} <= failed


def _is_named(failure: WrongExercise, said: Sequence[Diagnosis]) -> bool:
    """Whether a mistake that was ``said`` changes arguments."""
    doing = {each.misconception for each in failure.exercise.mistakes if _CHANGE in "".join(each.fails)}
    return bool(doing & {each.misconception for each in said})


def _bounded(diagnosis: Diagnosis) -> Diagnosis:
    """``diagnosis`` with a text that is safe to show: it may quote a key or type that the code chose."""
    text = cleaned(diagnosis.text, _LONGEST_TEXT, lines=True)
    return replace(diagnosis, text=text)


def _with_source(diagnosis: Diagnosis, submission: Submission) -> Diagnosis:
    """``diagnosis`` with the source line that it is about, so that reports need not look for it."""
    span = diagnosis.span
    if span is None or span.source:
        return diagnosis
    text = source_line(submission, span.file, span.line) or ""
    return replace(diagnosis, span=replace(span, source=text)) if len(text) <= _LONGEST else diagnosis


def _diagnoses(explainer: Explainer, failure: WrongExercise) -> list[Diagnosis]:
    try:
        return list(explainer(failure))
    except LibrariesChanged:
        raise
    except Exception:  # an error of ours must not cost the learner the result
        return []
