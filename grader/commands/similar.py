"""``attncheck similar``: similar submissions in a class."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from grader.classroom.gradebook import open_gradebook
from grader.commands._console import WRITTEN, page, say, write_json, write_output
from grader.commands._options import Call, Documented, html_option, results_argument, shared
from grader.core.serialize import to_json

LISTED = "Instructors", 100


@click.command(cls=Documented)
@results_argument
@click.option(
    "--threshold",
    type=click.FloatRange(0.5, 1.0),
    metavar="SHARE",
    help="How much two submissions must have in common, from 0.5 to 1 (default: 0.8).",
)
@html_option
@shared("json", "lang", "graded-course")
def similar(call: Call, folder: Path, threshold: float | None, html: Path | None) -> None:
    """Find submissions that are nearly the same.

    DIR is a folder that 'batch --out' has written. Compares the last attempt of every learner, exercise by exercise
    and as a whole. Ignores names, comments and formatting, and whatever is in the stubs, the references or many
    submissions. Does not compare members of a group with each other. Runs no code.

    Examples:
      similar results --threshold 0.9  pairs that share 90 % of their code

    Exit codes:
      0  done

    With --json:
      similar DIR  grader.instructor.analysis.similarity_view:SimilarityJson
    """
    from grader.instructor.analysis import similarity_view  # loads numpy
    from grader.instructor.analysis.class_similarity import compare_class  # loads numpy

    with closing(open_gradebook(folder)) as gradebook:
        course = call.graded_course(gradebook)
        alike = compare_class(gradebook, course, threshold)
    if html is not None:
        write_output("--html", html, similarity_view.render_html(alike, course, call.lang))
    if call.as_json:
        write_json(to_json(similarity_view.as_data(alike)))
    elif html is None:
        similarity_view.render(page(call.lang), alike)
    else:
        say(WRITTEN.fill(file=str(html)))
