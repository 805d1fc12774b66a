"""``attncheck explain``: replay one check of one submission."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands._find import graded_seed
from grader.commands._options import Call, Documented, graded_seed_option, results_argument, shared
from grader.core.model import ExerciseResult, Item
from grader.core.serialize import to_json

LISTED = "Instructors", 50

SAME, DIFFERENT = 0, 1


@click.command(cls=Documented)
@results_argument
@click.argument("learner")
@click.argument("check")
@click.option("--attempt", type=click.IntRange(min=1), metavar="N", help="Submission N (default: the one that counts).")
@graded_seed_option
@shared("json", "lang", "graded-course")
def explain(call: Call, *, folder: Path, learner: str, check: str, attempt: int | None, seed_file: Path | None) -> None:
    """Replay one check: inputs, expected, actual, why.

    CHECK is an item (Q5.output), an exercise (its first failure), or EXERCISE/CHECK/CASE. For instructors only: it
    shows hidden inputs and expected results.

    Examples:
      explain results ada Q5.output                                  one of ada's answers
      explain results ada scaled_dot_product_attention/values/heads  one check of one exercise in one case

    Exit codes:
      0  the replay agrees with the result
      1  the replay gives a different result

    With --json:
      explain DIR LEARNER CHECK  grader.instructor.explain:Explanation
    """
    from grader.instructor import explain as replay  # loads numpy
    from grader.sandbox import open_sandbox  # loads numpy

    seed = graded_seed(folder, seed_file, call.course_folder)
    request = replay.ExplainRequest(folder, learner, check, seed, call.course_folder, attempt)
    recorded = replay.find_recorded_part(request)
    if isinstance(recorded.part, Item):
        assert not isinstance(recorded.result, ExerciseResult)
        explanation = replay.explain_item(recorded, recorded.part, recorded.result)
    else:
        assert isinstance(recorded.result, ExerciseResult)
        with open_sandbox(mode="require") as sandbox:
            sandbox.allow_packages(recorded.course.packages)
            explanation = replay.explain_code(recorded, recorded.part, recorded.result, seed, sandbox.observe)
    call.show(lambda: to_json(explanation, call.lang), lambda: replay.lines(explanation, call.lang))
    click.get_current_context().exit(SAME if explanation.agrees else DIFFERENT)
