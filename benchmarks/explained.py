"""How many wrong submissions get an explanation, and by which voice.

    python -m benchmarks.explained [WORD …]     grades the wrong sample solutions (EXERCISE/wrong/NAME with a WORD)
    python -m benchmarks.explained --pairs 150  grades references with two typical mistakes at once, drawn at random

Prints what is said of each, then those of which nothing is said, and the shares.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from grader.core.model import Course, ExerciseResult, Status
from grader.course import edits, loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade, grade_reference
from grader.grading.inputs import Seed
from grader.grading.plan import module_of
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection
from grader.sandbox import Sandbox, open_sandbox
from tests.samples import samples


@dataclass(frozen=True, slots=True)
class Graded:
    """A wrong submission, what it is about, the misconceptions that it was made from, and the grader's CPU seconds."""

    name: str
    about: str
    made_from: frozenset[str]
    result: ExerciseResult
    seconds: float


def solutions(course: Course, sandbox: Sandbox, words: list[str]) -> Iterator[Graded]:
    """The wrong sample solutions."""
    context = GradingContext(course, Seed.public(), reference_observer(sandbox.observe, Seed.public()))
    for sample in samples("wrong"):
        if words and not any(word in str(sample) for word in words):
            continue
        began = time.process_time()
        selection = Selection(exercises=(sample.exercise,))
        report = grade(course, sample.submission, sandbox.observe, selection=selection, context=context)
        ((result,),) = (question.exercises for question in report.questions)
        name = f"{sample.exercise}/{sample.name}"
        yield Graded(name, sample.about, frozenset(), result, time.process_time() - began)


def pairs(course: Course, sandbox: Sandbox, count: int) -> Iterator[Graded]:
    """References with two typical mistakes whose edits do not overlap."""
    observe = reference_observer(sandbox.observe, Seed.public())
    context = GradingContext(course, Seed.public(), observe)
    possible = [(question, exercise) for question in course.questions for exercise in question.exercises]
    chance = random.Random(17)
    made = 0
    while made < count:
        question, exercise = chance.choice(possible)
        one, two = chance.sample(exercise.mistakes, 2)
        files = edits.apply_both(course.reference, one.edits, two.edits, module_of(exercise))
        if files is None or one.misconception == two.misconception:
            continue
        began = time.process_time()
        result = grade_reference(context, question, exercise, files, observe)
        names = frozenset((one.misconception, two.misconception))
        made += 1
        yield Graded(exercise.name, " + ".join(sorted(names)), names, result, time.process_time() - began)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--pairs", type=int, default=0)
    asked = parser.parse_args()
    course = courses.load(loader.find(None))
    with open_sandbox(mode="require") as sandbox:
        made = pairs(course, sandbox, asked.pairs) if asked.pairs else solutions(course, sandbox, asked.words)
        found = list(_shown(made))
    wrong = [each for each in found if each.result.status is not Status.PASSED]
    print("\nNothing is said of:")
    for each in wrong:
        if not each.result.diagnosis:
            print(f"  {each.name}: {each.about}")
    _shares(wrong, len(found))


def _shown(made: Iterator[Graded]) -> Iterator[Graded]:
    for each in made:
        print(f"{each.name}: {each.about}")
        for said in each.result.diagnosis:
            print(f"    {said.voice}: {said.misconception or said.text.en}")
        yield each


def _shares(wrong: list[Graded], graded: int) -> None:
    first = Counter(each.result.diagnosis[0].voice for each in wrong if each.result.diagnosis)
    print(f"\n{graded} graded, {len(wrong)} wrong, {sum(first.values())} explained")
    for voice, count in first.most_common():
        print(f"  first voice {voice}: {count} ({100 * count / len(wrong):.1f} %)")
    if any(each.made_from for each in wrong):
        names = [{said.misconception for said in each.result.diagnosis} - {None} for each in wrong]
        both = sum(each.made_from <= found for each, found in zip(wrong, names, strict=True))
        false = sum(bool(found - each.made_from) for each, found in zip(wrong, names, strict=True))
        one = sum(bool(found) and found < each.made_from for each, found in zip(wrong, names, strict=True))
        print(f"  both mistakes named: {both}; one of them: {one}; one that was not made: {false}")
    print(f"  CPU of the grader: {1000 * sum(each.seconds for each in wrong) / max(1, len(wrong)):.0f} ms on average")


if __name__ == "__main__":
    main()
