"""`results.json` as Gradescope's autograders write it: a folder of them, or one file with --learner.

## What it writes

A folder with a file for each learner, or one file with `--learner`. A hidden case shows its name, its verdict and the
misconception. `hidden_results` in `course.yaml` decides when learners see this, and the results of answers. While any
test is hidden, Gradescope shows learners no total, so the text has none either.

## Options

- `--learner`: writes one file, for this learner, instead of a folder.
- `--pseudonyms`: pseudonyms in place of names.

## How to use it

For your own autograder that needs results in this format. To grade on Gradescope itself, use
`gradescope-autograder`.

```
attncheck export gradescope --from results --to gradescope
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grader import __version__
from grader.classroom.marks import Mark, with_overrides
from grader.classroom.results import Book, parts, provenance
from grader.classroom.words import NOTHING_THERE
from grader.core.files import readable_json
from grader.core.model import Course, ExerciseResult, Lang, Message, Question, QuestionResult, Report, Status, Text
from grader.core.tables import texts
from grader.core.text import LABELED, STATUS, clean, points
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.mark_reports import (
    GIVEN,
    UNREADABLE,
    error_message,
    has_points,
    mark_of,
    marks_that_count,
    summary,
)
from grader.report import words
from grader.report.json import number

ABOUT = Message("`results.json` as Gradescope's autograders write it: a folder of them, or one file with --learner.")
ON_PAGE = Message("A results.json of Gradescope for each submission.")
SOURCE = "gradebook"
OPTIONS = frozenset({"learner", "pseudonyms"})

#: When learners see the results of answers and hidden cases: the word in course.yaml → Gradescope's.
_VISIBILITY = {"always": "visible", "after-due": "after_due_date", "never": "hidden"}


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write one file per learner with a submission or an override, or only that of ``learner``."""
    if options.learner is not None:
        mark = mark_of(book, options.learner)
        out.write_file([encoded(results(mark, book.report(mark), book.course, options.lang))])
        return
    for mark in marks_that_count(book):
        if has_points(mark):
            found = results(mark, book.report(mark), book.course, options.lang)
            out.add_file_of(mark.learner.id, ".json", encoded(found))


def encoded(found: dict[str, Any]) -> bytes:
    """``found`` as the bytes of a JSON file."""
    return (readable_json(found) + "\n").encode()


def results(mark: Mark, report: Report | None, course: Course, lang: Lang) -> dict[str, Any]:
    """The object that Gradescope expects. ``score`` includes deductions and overrides."""
    said = error_message(mark, lang)
    if report is None:
        nothing = NOTHING_THERE.of(lang)
        lines = [UNREADABLE.fill(error=said or nothing).of(lang) if mark.work else nothing]
    else:
        later = course.rules.hidden_results
        # Points would reveal these results.
        told_later = texts(__file__, "gradescope.yaml")
        lines = summary(mark, lang, course.rules) if later == "always" else [told_later[later].of(lang)]
        if report.unsafe:
            lines.append(words.NO_SANDBOX.of(lang))
        if not mark.complete:
            lines.append(words.INCOMPLETE.of(lang))
        told = [
            (f"{clean(notice.where)}: {clean(notice.text.of(lang))}".removeprefix(": "), notice.urgent)
            for notice in report.notices
        ]
        lines = [*(said for said, urgent in told if urgent), *lines, *(said for said, urgent in told if not urgent)]
    changes = {change.part: change for change in mark.overridden}
    given = {part: change.points for part, change in changes.items()}
    graded = [with_overrides(result, changes, parts(course)) for result in (report.questions if report else ())]
    lines += _without_result(graded, given, lang)
    return {
        "score": number(mark.earned),
        "output": "\n".join(lines),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "extra_data": _provenance(mark, report),
        "tests": [test for result in graded for test in _tests(result, given, course, lang)],
    }


def _without_result(graded: Sequence[QuestionResult], given: Mapping[str, float], lang: Lang) -> Iterator[str]:
    """A line for each override of a part that has no result."""
    known = {part.name for result in graded for part in result.parts}
    for part, value in given.items():
        if part not in known:
            yield LABELED.fill(who=part, said=GIVEN.fill(points=points(value))).of(lang)


def _provenance(mark: Mark, report: Report | None) -> dict[str, Any]:
    """The provenance of the points: for each question, and at the top level that of the latest run."""
    versions = dict(report.versions) if report else {}
    found: dict[str, Any] = {
        "attncheck": versions.get("attncheck", __version__),
        "possible": number(mark.possible),
        "factor": number(mark.factor),
        "complete": mark.complete,
    }
    if mark.work is not None:
        found |= {"submission": mark.work.row.key, "attempt": mark.work.row.attempt}
        found |= {"provenance": provenance(mark.work)}
    if report is not None:
        sandbox = {"layers": list(report.layers), "unsafe": report.unsafe}
        found |= {"course": report.course_digest, "seed": report.seed, "versions": versions, "sandbox": sandbox}
    return found


def _tests(result: QuestionResult, given: dict[str, float], course: Course, lang: Lang) -> Iterator[dict[str, Any]]:
    """The items and checks of a question, numbered from 1."""
    question = course.question(result.id)
    hidden = _VISIBILITY[course.rules.hidden_results]
    tests: list[dict[str, Any]] = []
    for item in result.items:
        said = GIVEN.fill(points=points(given[item.id])) if item.id in given else item.message
        tests.append(
            _test(item.id, item.status, given.get(item.id, item.earned), item.possible)
            | {"output": _output(item.status, said, question, item.misconception, lang)}
            | {"tags": [result.id, item.kind], "visibility": hidden}
        )
    for exercise in result.exercises:
        tests += _exercise(exercise, given.get(exercise.name), question, course, lang)
    for at, test in enumerate(tests, 1):
        yield {"number": f"{result.id.removeprefix('Q')}.{at}"} | test


def _exercise(
    exercise: ExerciseResult, given: float | None, question: Question | None, course: Course, lang: Lang
) -> Iterator[dict[str, Any]]:
    """A test for each check that applies. With an override (``given``), checks show results without points."""
    from grader.report.words import check_label  # loads numpy

    hidden = _VISIBILITY[course.rules.hidden_results]
    tags = {"tags": [question.id if question else "", exercise.name]}
    outcomes = [outcome for outcome in exercise.outcomes if outcome.verdict.applies]
    if given is not None:
        status = Status.PASSED if given >= exercise.possible else Status.FAILED
        said = {"output": GIVEN.fill(points=points(given)).of(lang)}
        yield _test(exercise.name, status, given, exercise.possible) | said | tags | {"visibility": hidden}
    elif not outcomes:
        said = {"output": _output(exercise.status, exercise.message, question, exercise.misconception, lang)}
        whole = _test(exercise.name, exercise.status, exercise.earned, exercise.possible)
        yield whole | said | tags | {"visibility": "visible"}
    for outcome in outcomes:
        check, case = check_label(outcome.check).of(lang), course.case_title(exercise.name, outcome.case).of(lang)
        test = _test(f"{exercise.name}: {check}, {case}", outcome.status, 0, 0)
        if given is None:
            test |= {"score": number(outcome.earned), "max_score": number(outcome.possible)}
        message = outcome.verdict.message if outcome.visibility == "public" else None
        yield test | {
            "output": _output(outcome.status, message, question, outcome.verdict.misconception, lang),
            "tags": [*tags["tags"], outcome.check, outcome.visibility],
            "visibility": "visible" if outcome.visibility == "public" else hidden,
            "extra_data": {"check": outcome.check, "case": outcome.case},
        }


def _test(name: str, status: Status, earned: float, possible: float) -> dict[str, Any]:
    """One test. It has no points if ``possible`` is 0: what attncheck failed to grade costs nothing."""
    test: dict[str, Any] = {"name": clean(name), "status": "passed" if status is Status.PASSED else "failed"}
    return test | ({"score": number(earned), "max_score": number(possible)} if possible else {})


def _output(
    status: Status, message: Text | None, question: Question | None, misconception: str | None, lang: Lang
) -> str:
    """The status as text, the message, and the correction of the misconception."""
    if status is Status.PASSED and message is None:
        return ""
    said = [STATUS[status].of(lang), clean(message.of(lang), 2000, lines=True) if message else ""]
    if status is Status.MISSING and message is not None:
        del said[0]  # the message says what is missing
    belief = question.misconception(misconception) if question else None
    if belief is not None and status is not Status.PASSED and belief.truth.of(lang) not in said[-1]:
        said.append(belief.truth.of(lang))
    return "\n".join(filter(None, said))
