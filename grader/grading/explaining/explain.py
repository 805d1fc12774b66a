"""Asks every voice about a wrong exercise, the most telling one first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from grader.core.errors import LibrariesChanged
from grader.core.model import Diagnosis, Submission, Text
from grader.core.text import clean
from grader.grading.explaining.condition import condition
from grader.grading.explaining.evidence import WrongExercise
from grader.grading.explaining.mistake import mistake
from grader.grading.explaining.raised import raised, source_line
from grader.grading.explaining.relation import relation

#: The largest number of diagnoses for one exercise.
_MOST = 3
#: The longest line of source that is kept with a diagnosis, and the longest text.
_LONGEST = 500
_LONGEST_TEXT = 2000

Explainer = Callable[[WrongExercise], Iterator[Diagnosis]]


def _places(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The place that is wrong, as ``place.explain`` finds it."""
    yield from failure.places(failure.named)


#: Every voice, and whether it still has something to add if a mistake was named.
EXPLAINERS: tuple[tuple[Explainer, bool], ...] = (
    (mistake, False),
    (raised, False),
    (_places, True),
    (relation, False),
    (condition, False),
)


def explain(failure: WrongExercise, names_only: bool = False) -> tuple[Diagnosis, ...]:
    """What can be said, best first. A voice that fails is silent: the verdict is valid without it.

    With ``names_only``, only typical mistakes are asked for.
    """
    said: list[Diagnosis] = []
    for voice, beside_a_name in ((mistake, False),) if names_only else EXPLAINERS:
        named = any(each.voice == "mistake" for each in said)
        if beside_a_name or not named:
            said += _asked(voice, replace(failure, named=named))
    return tuple(_with_source(_bounded(each), failure.submission) for each in said[:_MOST])


def _bounded(diagnosis: Diagnosis) -> Diagnosis:
    """With a text that can be saved and shown: it may quote a key or a type that the code chose."""
    text = diagnosis.text
    return replace(
        diagnosis, text=Text(clean(text.en, _LONGEST_TEXT, lines=True), clean(text.zh, _LONGEST_TEXT, lines=True))
    )


def _with_source(diagnosis: Diagnosis, submission: Submission) -> Diagnosis:
    """With the line of source that it is about, so that no report has to look for it."""
    span = diagnosis.span
    if span is None or span.source:
        return diagnosis
    text = source_line(submission, span.file, span.line) or ""
    return replace(diagnosis, span=replace(span, source=text)) if len(text) <= _LONGEST else diagnosis


def _asked(voice: Explainer, failure: WrongExercise) -> list[Diagnosis]:
    try:
        return list(voice(failure))
    except LibrariesChanged:
        raise
    except Exception:  # as for a check that raises: our error must not cost the learner the result
        return []
