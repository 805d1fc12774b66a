"""An explainer: the line at which the learner's code raises an exception in a public case."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.model import Diagnosis, Message, Part, Raised, Span, Submission
from grader.grading.explaining.evidence import WrongExercise

_STOPS = Message("The code stops at this line with {type} (case “{case}”).")
_STOPS_ELSEWHERE = Message("The code stops with {type} (case “{case}”).")
_NO_GRADIENTS = Message("Computing gradients through your result ends with {type} (case “{case}”).")


def raised(failure: WrongExercise) -> Iterator[Diagnosis]:
    """The line of the first public case that raises."""
    for each in failure.evidence:
        stopped = next((seen for seen in each.seen.got if isinstance(seen, Raised)), None)
        if stopped is None or not each.failed or not each.seen.case.public:
            continue
        span = _line_span(failure.submission, stopped.file, stopped.line)
        elsewhere = _NO_GRADIENTS if each.seen.spec.kind == "gradients" else _STOPS_ELSEWHERE
        text = (_STOPS if span else elsewhere).fill(type=stopped.type, case=each.seen.case.title)
        yield Diagnosis("place", text, span=span)
        return


def _line_span(submission: Submission, label: str | None, number: int | None) -> Span | None:
    """The whole line ``number`` of a part, without the spaces around it; None if the submission has no such line."""
    text = source_line(submission, label, number)
    if text is None or label is None or number is None or not text.strip():
        return None
    start = len(text) - len(text.lstrip())
    return Span(label, number, number, start, len(text.rstrip()))


def source_line(submission: Submission, label: str | None, number: int | None) -> str | None:
    """A line of the submitted source, as submitted."""
    parts: list[Part] = [part for file in submission.files for part in file.parts if part.label == label]
    lines = parts[0].text.split("\n") if parts else []
    return lines[number - 1].rstrip("\r") if number is not None and 0 < number <= len(lines) else None
