"""What is said of wrong submissions that nothing was tuned on: tests/unseen, with one or two mistakes each.

    python -m benchmarks.unseen [WORD …]     only those with WORD in their name

A file is named after its exercise, how many mistakes it has, and its style. Lines with a mistake end in ``#!``. Prints
what is said of each, then the shares: with any diagnosis, by first voice, and of the places, how many are within one
line of a mistake. Whether a name is right is for the reader to judge.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from grader.core.model import Status
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection
from grader.sandbox import open_sandbox
from grader.submission import read

UNSEEN = sorted((Path(__file__).parents[1] / "tests" / "unseen").glob("*.py"))


def main(words: list[str]) -> None:
    """Grades the set and prints the shares."""
    chosen = [path for path in UNSEEN if not words or any(word in path.name for word in words)]
    if not chosen:
        sys.exit(f"no file in tests/unseen has {' or '.join(words)} in its name")
    course = courses.load(loader.find(None))
    voices: Counter[str] = Counter()
    near = placed = graded = 0
    with open_sandbox(mode="require") as sandbox:
        context = GradingContext(course, Seed.public(), reference_observer(sandbox.observe, Seed.public()))
        for path in chosen:
            name = path.stem.rsplit("_", 2)[0]
            selection = Selection(exercises=(name,))
            report = grade(course, read(path), sandbox.observe, selection=selection, context=context)
            ((result,),) = (question.exercises for question in report.questions)
            marked = [at for at, line in enumerate(path.read_text("utf-8").split("\n"), 1) if line.endswith("#!")]
            graded += 1
            print(f"{path.stem}: {'PASSED' if result.status is Status.PASSED else f'lines {marked}'}")
            for each in result.diagnosis:
                line = f" line {each.span.line}" if each.span is not None else ""
                print(f"    {each.voice}{line}: {each.misconception or ''} {each.text.en}")
            if result.diagnosis:
                voices[result.diagnosis[0].voice] += 1
            places = [each.span.line for each in result.diagnosis if each.voice == "place" and each.span is not None]
            placed += bool(places)
            near += any(abs(line - at) <= 1 for line in places for at in marked)
    print(f"\n{graded} graded, {sum(voices.values())} with a diagnosis ({sum(voices.values()) / graded:.1%})")
    print("first voice:", ", ".join(f"{voice} {count}" for voice, count in voices.most_common()))
    print(f"with a place: {placed}, within one line of a mistake: {near}")


if __name__ == "__main__":
    main(sys.argv[1:])
