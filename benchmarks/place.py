"""How often a place is found, and how near it is: ``python -m benchmarks.place [EXERCISE …]``.

Each wrong solution in ``tests/solutions`` is graded, and the correct solutions of the same exercise and library are
compared with it line by line. If the nearest one differs in at most two lines, the place should be within one line of
these. The last line has the shares.
"""

from __future__ import annotations

import difflib
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from grader.core.model import Diagnosis, Status
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection
from grader.sandbox import Sandbox, open_sandbox
from tests.samples import Sample, samples


def changed_lines(wrong: Sample) -> set[int] | None:
    """The lines that differ from the nearest correct solution; None if more than two do."""
    text = wrong.text.split('"""', 2)[-1].split("\n")
    skipped = len(wrong.text.split("\n")) - len(text)
    found: list[set[int]] = []
    for right in samples("right", wrong.exercise):
        other = right.text.split('"""', 2)[-1].split("\n")
        blocks = difflib.SequenceMatcher(None, text, other, autojunk=False).get_opcodes()
        differing = [(i, max(j, i + 1)) for tag, i, j, _, _ in blocks if tag != "equal"]
        found.append({line + skipped + 1 for i, j in differing for line in range(i, j)})
    nearest = min(found, key=len, default=set[int]())
    return nearest if 0 < len(nearest) <= 2 else None


def near(places: Iterable[Diagnosis], lines: set[int]) -> bool:
    """Whether one of the places is within one line of the change."""
    spans = [each.span for each in places if each.span is not None]
    return any(span.line - 1 <= line <= span.end_line + 1 for span in spans for line in lines)


def main(names: list[str]) -> None:
    """Prints one line for each wrong solution without a name, and the shares."""
    course = courses.load(Path(__file__).parents[1])
    with open_sandbox(mode="require") as sandbox:
        context = GradingContext(course, Seed.public(), reference_observer(sandbox.observe, Seed.public()))
        rows = [
            row
            for sample in samples("wrong")
            if not names or sample.exercise in names
            if (row := _row(sample, context, sandbox)) is not None
        ]
    placed = [row for row in rows if row[0]]
    known = [row for row in placed if row[1] is not None]
    print(f"{len(rows)} wrong in public cases, {len(placed)} with a place; ", end="")
    print(f"{sum(bool(row[1]) for row in known)} of {len(known)} within one line of the change")
    seconds = sorted(row[2] for row in rows)
    print(f"CPU seconds of grading, median {seconds[len(seconds) // 2]:.3f}, most {seconds[-1]:.3f}")


def _row(sample: Sample, context: GradingContext, sandbox: Sandbox) -> tuple[bool, bool | None, float] | None:
    started = time.process_time()
    selection = Selection(exercises=(sample.exercise,))
    report = grade(context.course, sample.submission, sandbox.observe, selection=selection, context=context)
    seconds = time.process_time() - started
    (result,) = report.questions[0].exercises
    wrong = [o for o in result.outcomes if o.status in (Status.FAILED, Status.RAISED) and o.check == "values"]
    if not any(outcome.visibility == "public" for outcome in wrong):
        return None
    places = [each for each in result.diagnosis if each.voice == "place"]
    lines = changed_lines(sample)
    close = near(places, lines) if lines and places else None
    mark = {True: "near", False: "FAR", None: "-"}[close] if places else "none"
    print(f"{mark:5}{sample.exercise}/{sample.name} {sorted(lines or ())}", result.misconception or "")
    for each in places:
        print("       ", each.text.en)
    return bool(places), close, seconds


if __name__ == "__main__":
    main(sys.argv[1:])
