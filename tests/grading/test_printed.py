"""What code printed, attached to the public cases that failed and shown in every report."""

from __future__ import annotations

import json
from dataclasses import replace

from grader.core.model import Observed, Report, Visibility
from grader.grading.exercise_results import with_printed
from grader.grading.grade import grade
from grader.report import words
from grader.report.json import to_json
from tests.grading.test_grade import COURSE, DOUBLE, RIGHT, TWO, WRONG, X, answering, result
from tests.helpers import Observe, case, course, exercise, question, submission


def printing(text: str) -> Observe:
    """A sandbox in which learners' code is wrong and every program prints ``text``."""
    inner = answering(lambda p: RIGHT if p.module.startswith("reference.") else WRONG)

    def observe(job, limits) -> Observed:  # type: ignore[no-untyped-def]
        return replace(inner(job, limits), printed=(text,) * len(job.programs))

    return observe


def spoken(report: Report) -> dict[tuple[str, str], str]:
    """What is attached to each check and case of ``double``."""
    return {(o.check, o.case): o.verdict.printed for o in result(report, "double").outcomes}


def test_only_public_cases_that_failed_have_it() -> None:
    """Whatever the sandbox returns for hidden ones."""
    report = grade(COURSE, submission(q05=DOUBLE), printing("x = 3\n"))
    assert spoken(report) == {("values", "seen"): "x = 3", ("values", "unseen"): ""}
    assert words.printed(result(report, "double")) == "x = 3"
    data = json.dumps(to_json(report))
    assert data.count('"printed": "x = 3"') == 1


def test_a_case_that_printed_the_same_in_two_checks_has_it_once() -> None:
    """At its first failure."""
    given = course(question("Q5", exercise("double(x)", case("seen", x=X), checks=TWO)), reference="")
    failed = grade(given, submission(q05=DOUBLE), printing(""))
    found = result(failed, "double")
    again = tuple(replace(o, verdict=found.outcomes[0].verdict) for o in found.outcomes)
    twice = with_printed(replace(found, outcomes=again), ["a\n"] * len(again))
    assert [o.verdict.printed for o in twice.outcomes] == ["a", ""]


def test_a_report_never_shows_that_of_a_hidden_case() -> None:
    """Even if a verdict had it."""
    report = grade(COURSE, submission(q05=DOUBLE), printing("x = 3\n"))
    found = result(report, "double")
    hidden: Visibility = "hidden"
    secret = replace(found, outcomes=tuple(replace(o, visibility=hidden) for o in found.outcomes))
    assert words.printed(secret) == ""
    question_ = replace(report.questions[0], exercises=(secret,))
    assert "x = 3" not in json.dumps(to_json(replace(report, questions=(question_,))))
