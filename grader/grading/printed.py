"""What learner code printed, attached to the public cases that failed."""

from __future__ import annotations

from dataclasses import replace

from grader.core.model import ExerciseResult, Outcome, Status
from grader.core.text import clean

#: How much of one case is shown: lines, and characters in a line.
MOST_LINES = 20
MOST_IN_A_LINE = 160


def with_printed(result: ExerciseResult, printed: list[str]) -> ExerciseResult:
    """The result with what was printed for each outcome, if that is public and failed: once for each case."""
    if not any(printed):
        return result
    outcomes: list[Outcome] = []
    said: set[tuple[str, str]] = set()
    for outcome, raw in zip(result.outcomes, printed, strict=True):
        failed = outcome.visibility == "public" and outcome.status not in (Status.PASSED, Status.PENDING)
        text = printable_output(raw) if failed and outcome.verdict.applies else ""
        if text and (outcome.case, text) not in said:
            said.add((outcome.case, text))
            outcome = replace(outcome, verdict=replace(outcome.verdict, printed=text))
        outcomes.append(outcome)
    return replace(result, outcomes=tuple(outcomes))


def printable_output(raw: str) -> str:
    """Printed text, safe to show: without control characters, its first lines, each of limited length."""
    lines = [clean(line, MOST_IN_A_LINE, lines=True) for line in clean(raw, len(raw) + 1, lines=True).split("\n")]
    more = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *(["…"] if more > 0 else [])])
