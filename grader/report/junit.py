"""A report as JUnit XML, for build servers and viewers of test results.

There is one suite for the items of each question and one for each exercise, with a test case for every item, and for
every check on every case. Of hidden cases it contains names and verdicts, and nothing else.

Notices about the submission come first, in a suite called ``notices`` with one test case for each file they are about:
``<system-out>`` has the sentences, one per line. A case is ``<skipped>`` if something in that file was left out of the
grading. Readers of JUnit show both beside the name of a case, while many of them ignore the output of a whole suite.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from grader import __version__
from grader.core.model import ExerciseResult, ItemResult, Lang, Message, Notice, QuestionResult, Report, Status, Text
from grader.core.text import STATUS, clean
from grader.report.json import number


def to_junit(report: Report, lang: Lang = "en") -> str:
    """The report as an XML document with messages in ``lang``."""
    root = ET.Element("testsuites", name="attncheck")
    if report.notices:
        _notices(_suite(root, report, "notices", ()), report.notices, lang)
    for question in report.questions:
        if question.items:
            _items(_suite(root, report, question.id, question.items), question, lang)
        for exercise in question.exercises:
            _checks(_suite(root, report, f"{question.id}.{exercise.name}", (exercise,)), exercise, lang)
    for suite in root:
        _count(suite, [suite])
        suite.set("time", "0")
    _count(root, list(root))
    root.set("time", f"{report.shown_seconds:.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(
    root: ET.Element, report: Report, name: str, results: tuple[ItemResult, ...] | tuple[ExerciseResult, ...]
) -> ET.Element:
    """Adds a suite, with facts about the grading as properties."""
    suite = ET.SubElement(root, "testsuite", name=_legal(name))
    properties = ET.SubElement(suite, "properties")
    facts = {
        "learner": report.learner,
        "earned": str(number(sum(result.earned for result in results))),
        "possible": str(number(sum(result.possible for result in results))),
        **({"course": report.course_digest} if report.course_digest else {}),
        "seed": report.seed,
        "sandbox": "none" if report.unsafe else ", ".join(report.layers),
        "attncheck": __version__,
    }
    for key, value in facts.items():
        ET.SubElement(properties, "property", name=key, value=_legal(value))
    return suite


def _notices(suite: ET.Element, notices: tuple[Notice, ...], lang: Lang) -> None:
    """A case for each place that notices are about, in the order of the report."""
    for where in dict.fromkeys(notice.where for notice in notices):
        case = _case(suite, where or Message("submission").of(lang))
        here = [(_legal(notice.text.of(lang)), notice.urgent) for notice in notices if notice.where == where]
        left_out = [text for text, urgent in here if urgent]
        if left_out:
            ET.SubElement(case, "skipped", message="\n".join(left_out))
        ET.SubElement(case, "system-out").text = "\n".join(text for text, _ in here)


def _items(suite: ET.Element, question: QuestionResult, lang: Lang) -> None:
    for item in question.items:
        _verdict(_case(suite, item.id), item.status, item.message, lang, "unread" if item.unread else "")


def _checks(suite: ET.Element, exercise: ExerciseResult, lang: Lang) -> None:
    """Adds a case for every check; if nothing was checked, one for the exercise itself."""
    for outcome in exercise.outcomes:
        public, verdict = outcome.visibility == "public", outcome.verdict
        name = f"{outcome.check}: {outcome.case}"
        case = _case(suite, name if public else Message("{name} (hidden)").fill(name=name).of(lang))
        if verdict.applies:
            _verdict(case, outcome.status, verdict.message if public else None, lang)
        else:
            ET.SubElement(case, "skipped", message=Message("does not apply").of(lang))
    if exercise.diagnosis:
        explanations = [_legal(found.text.of(lang)) for found in exercise.diagnosis]
        ET.SubElement(suite, "system-out").text = "\n".join(explanations)
    if not exercise.outcomes:
        _verdict(_case(suite, exercise.name), exercise.status, exercise.message, lang)


def _case(suite: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=suite.get("name", ""), name=_legal(name), time="0")


def _verdict(case: ET.Element, status: Status, message: Text | None, lang: Lang, named: str = "") -> None:
    """Adds the verdict unless it is passed: an error if it could not be graded, skipped if it is pending.

    The type of a failure is ``named``, or the status.
    """
    if status is Status.PASSED:
        return
    message_text = _legal((message or STATUS[status]).of(lang))
    if status is Status.PENDING:
        ET.SubElement(case, "skipped", message=message_text)
        return
    kind = "error" if status is Status.UNMARKED else "failure"
    ET.SubElement(case, kind, type=named or status.value, message=message_text).text = message_text


def _count(element: ET.Element, suites: list[ET.Element]) -> None:
    """Sets the totals of ``element`` over ``suites``."""
    counts = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, path in (counts | {"skipped": "testcase/skipped"}).items():
        element.set(name, str(sum(len(suite.findall(path)) for suite in suites)))


def _legal(text: str) -> str:
    """``text`` without unprintable characters, and so without any that XML does not allow."""
    return clean(text, 2000, lines=True)
